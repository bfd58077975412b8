package server

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/addresses"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/limits"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
)

// A controller works on the objects of an API until ctx ends.
type controller func(ctx context.Context, api *rest.API, c Config) error

// controllers are the parts of kube-controller-manager that a server can run, by the names that they have there.
func controllers() map[string]controller {
	of := func(run func(context.Context, *rest.API, lifecycle.Options) error) controller {
		return func(ctx context.Context, api *rest.API, c Config) error {
			return run(ctx, api, lifecycle.Options{Logger: c.Logger})
		}
	}
	return map[string]controller{
		"garbage-collector": of(lifecycle.CollectGarbage),
		"namespace":         of(lifecycle.EmptyNamespaces),
		"event-ttl":         of(lifecycle.Expire),
		"clusterrole-aggregation": func(ctx context.Context, api *rest.API, _ Config) error {
			return bootstrap.AggregateRoles(ctx, api)
		},
		"resourcequota": func(ctx context.Context, api *rest.API, c Config) error {
			return limits.Count(ctx, api, c.Logger)
		},
		"service-cidr": func(ctx context.Context, api *rest.API, c Config) error {
			return addresses.Protect(ctx, api, c.Logger)
		},
		"serviceaccount": func(ctx context.Context, api *rest.API, _ Config) error {
			return bootstrap.CreateAccounts(ctx, api)
		},
		"root-ca-certificate-publisher": func(ctx context.Context, api *rest.API, c Config) error {
			return bootstrap.PublishCA(ctx, api, c.ServingCA)
		},
	}
}

// Controllers returns the names of the controllers that a server can run.
func Controllers() []string { return slices.Sorted(maps.Keys(controllers())) }

// control starts the controllers of c and what the server itself follows, which run until the server closes.
func (s *Server) control(ctx context.Context, c Config) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.closing = append(s.closing, func() error { stop(); s.running.Wait(); return nil })
	start := func(name string, run controller) {
		s.running.Go(func() {
			if err := run(ctx, s.api, c); err != nil {
				c.Logger.LogAttrs(ctx, slog.LevelError, "a controller has ended", slog.String("controller", name),
					slog.Any("error", err))
			}
		})
	}
	if c.Host != "" {
		start("identity", func(ctx context.Context, api *rest.API, c Config) error {
			return bootstrap.KeepIdentity(ctx, api, c.Host, c.Logger)
		})
	}
	start("addresses", func(ctx context.Context, api *rest.API, c Config) error {
		return addresses.Keep(ctx, api, c.Objects.ServiceRange, c.Logger)
	})
	known := controllers()
	for _, name := range c.Controllers {
		run, ok := known[name]
		if !ok {
			return fmt.Errorf("unknown controller %q: the controllers are %s", name, strings.Join(Controllers(), ", "))
		}
		start(name, run)
	}
	return nil
}
