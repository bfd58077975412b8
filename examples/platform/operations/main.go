// Command operations is the platform of docs/guide.md with what docs/operations.md describes: metrics, traces, logs,
// audit, fairness, health checks and profiles. It is a module of its own, because metrics and traces need the libraries
// of Prometheus and OpenTelemetry.
//
//	cd examples/platform/operations
//	go run . --audit /tmp/audit.log
//	curl -H 'Authorization: Bearer operator' http://127.0.0.1:8080/metrics
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/status"
)

func main() { program.Main("operations", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("operations", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve on; port 0 selects a free port")
	audit := flags.String("audit", "audit.log", "file that records who did what")
	if err := flags.Parse(args); err != nil {
		return err
	}
	traces := sdktrace.NewTracerProvider( // a program exports its spans: sdktrace.WithBatcher(exporter)
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(0.01))))
	defer func() { _ = traces.Shutdown(context.WithoutCancel(ctx)) }()
	o, err := newOperations(*audit, slog.New(slog.NewTextHandler(stdout, nil)), traces)
	if err != nil {
		return err
	}
	defer o.file.Close()
	api, err := newAPI(o)
	if err != nil {
		return err
	}
	sites, err := rest.ClientForType[site.Site](api)
	if err != nil {
		return err
	}
	return host.Run(ctx, api, host.Options{
		Server:      &http.Server{Addr: *listen, Handler: api, ReadTimeout: time.Minute, WriteTimeout: 2 * time.Minute},
		Controllers: controller.Group{newCounter(sites, o.controllers).Run},
		Ready:       func(address net.Addr) { fmt.Fprintf(stdout, "ready http://%s\n", address) },
	})
}

// newAPI returns the API of the platform. A program in production reads its tokens from a file, see package
// credentials.
func newAPI(o *operations) (*rest.API, error) {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"operators"}})
	if err != nil {
		return nil, err
	}
	return rest.New(rest.Options{
		Authenticator: auth.Tokens(
			auth.Token{Secret: "operator", User: access.User{Name: "root", Groups: []string{"operators"}}},
			auth.Token{Secret: "alice", User: access.User{Name: "alice"}},
		),
		Plugins: append(o.plugins(), roles),
		Health:  rest.Health{Open: true},
	}, site.Resource())
}

// newCounter returns a controller with metrics. Its reconciler only reads.
func newCounter(sites rest.Client[site.Site], observer controller.Observer) *controller.Controller {
	informer := controller.NewInformer(sites, controller.InformerOptions[site.Site]{Name: "sites", Observer: observer})
	reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
		_, err := sites.Namespace(key.Namespace).Get(ctx, key.Name)
		if status.IsNotFound(err) {
			err = nil
		}
		return controller.Result{}, err
	}
	return controller.New(reconcile, controller.Options{Name: "sites", Observer: observer}, controller.For(informer))
}
