package apiservice

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Options configure the plug-in [Services]. The zero value works.
type Options struct {
	// Logger receives the errors of writes that the API tries again later. Default: slog's default logger.
	Logger *slog.Logger
}

const (
	// managed is the label that Kubernetes sets on objects that the server writes.
	managed = "kube-aggregator.kubernetes.io/automanaged"
	// retryAfter is how long the plug-in waits before it repeats a failed write.
	retryAfter = time.Second
)

// Services is the plug-in of APIServices. It adds their kind, and keeps one object for each version of each group that
// the API serves, except for the version of the APIServices, as in Kubernetes. [rest.API.Start] returns when the
// objects exist, and the plug-in then follows what the API serves.
//
// The objects are stored, so they keep their uids across a restart. Replicas write the same objects. While replicas
// serve different versions, the objects show what the one serves that has changed last.
type Services struct{ options Options }

// New returns Services.
func New(options Options) *Services {
	options.Logger = errorlog.Or(options.Logger)
	return &Services{options}
}

// Plug implements [rest.Plugin].
func (s *Services) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	var running sync.WaitGroup
	return rest.PluginParts{
		Name:        "apiservices",
		Definitions: []rest.Definition{definition()},
		Start: func(ctx context.Context, api *rest.API) error {
			ctx = context.WithValue(ctx, ownKey{}, true)
			client, err := rest.ClientForType[APIService](api)
			if err != nil {
				return err
			}
			e := &entries{api: api, client: client.FieldManager("kube-apiserver"), logger: s.options.Logger}
			changed, err := e.write(ctx)
			if err == nil {
				running.Go(func() { e.follow(ctx, changed) })
			}
			return err
		},
		Stop: func(ctx context.Context) error { return rest.Wait(ctx, &running) },
	}, nil
}

// entries are the objects of an API.
type entries struct {
	api    *rest.API
	client rest.Client[APIService]
	logger *slog.Logger
}

// follow writes the objects whenever the API serves something else.
func (e *entries) follow(ctx context.Context, changed <-chan struct{}) {
	for {
		var again <-chan time.Time
		if changed == nil {
			again = time.After(retryAfter)
		}
		select {
		case <-changed:
		case <-again:
		case <-ctx.Done():
			return
		}
		var err error
		if changed, err = e.write(ctx); err != nil && ctx.Err() == nil {
			e.logger.Error("apiservice: the APIServices do not show what the API serves; it tries again", "error", err)
		}
	}
}

// write creates, changes and deletes objects until they show what the API serves. The channel is closed when it serves
// something else; it is nil after an error.
func (e *entries) write(ctx context.Context) (<-chan struct{}, error) {
	changed := e.api.Objects().Changed()
	wanted := map[string]*APIService{}
	for _, version := range e.api.Objects().GroupVersions() {
		if version.Group != Group {
			s := describe(version)
			wanted[s.Name] = s
		}
	}
	page, err := e.client.List(ctx, rest.ListOptions{})
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, found := range page.Items {
		s := wanted[found.Name]
		delete(wanted, found.Name)
		switch {
		case s == nil:
			if err := e.client.Delete(ctx, found.Name, rest.DeleteOptions{}); !status.IsNotFound(err) {
				errs = append(errs, err)
			}
		case found.Spec.GroupPriorityMinimum != s.Spec.GroupPriorityMinimum ||
			found.Spec.VersionPriority != s.Spec.VersionPriority:
			_, err := e.client.Modify(ctx, found.Name, func(stored *APIService) error {
				stored.Spec = s.Spec
				return nil
			})
			errs = append(errs, err)
		}
	}
	for _, s := range wanted {
		s.Status.Conditions[0].LastTransitionTime = apimeta.NewTime(e.api.Objects().Now())
		if _, err := e.client.Create(ctx, s); !status.IsAlreadyExists(err) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return changed, nil
}

// describe returns the object of a version that this server serves.
func describe(gv apimeta.GroupVersion) *APIService {
	p, sync := priorityOf(gv), "onstart"
	if p == otherPriority {
		sync = "true"
	}
	return &APIService{
		ObjectMeta: apimeta.ObjectMeta{Name: gv.Version + "." + gv.Group, Labels: map[string]string{managed: sync}},
		Spec: APIServiceSpec{Group: gv.Group, Version: gv.Version, GroupPriorityMinimum: p.group,
			VersionPriority: p.version},
		Status: APIServiceStatus{Conditions: []APIServiceCondition{{
			Type: "Available", Status: "True", Reason: "Local", Message: "Local APIServices are always available"}}},
	}
}
