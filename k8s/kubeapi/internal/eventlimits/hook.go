package eventlimits

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// Name is the name of the plugin.
const Name = "EventRateLimit"

// Hooks returns the hooks of the plugin with a configuration, which it needs.
func Hooks(config []byte) ([]admission.Hook, error) {
	limits, err := limitsIn(config)
	if err != nil {
		return nil, err
	}
	var e enforcers
	for _, l := range limits {
		e = append(e, enforcer{l.Type, newBuckets(l)})
	}
	return []admission.Hook{{Name: "event-rates.kubeapi", Resources: []string{"events"}, Validate: e.admit,
		Operations: []admission.Operation{admission.Create, admission.Update}}}, nil
}

// enforcer enforces one limit.
type enforcer struct {
	limit   string
	buckets *buckets
}

type enforcers []enforcer

// admit asks all limits, so that an Event counts for each of them. A dry run stores nothing and counts for none. As in
// kube-apiserver, Events in the group events.k8s.io do not count.
func (e enforcers) admit(_ context.Context, r *admission.Request) error {
	if r.DryRun || r.Resource.Group != "" {
		return nil
	}
	now := time.Now()
	var errs []error
	for _, one := range e {
		sort, err := one.sortOf(r)
		if err != nil {
			return err
		}
		if !one.buckets.take(sort, now) {
			errs = append(errs, fmt.Errorf("limit reached on type %s for key %s", one.limit, sort))
		}
	}
	reached := utilerrors.NewAggregate(errs)
	if reached == nil {
		return nil
	}
	refused := status.TooManyRequests("Too many requests: "+reached.Error(), 0)
	refused.Status.Details = nil // kube-apiserver names no time after which the client may try again
	return refused
}

// sortOf returns the sort of an Event that a limit counts apart from others.
func (e enforcer) sortOf(r *admission.Request) (string, error) {
	switch e.limit {
	case ofServer:
		return "", nil
	case ofNamespace:
		return r.Namespace, nil
	case ofUser:
		return r.User.Name, nil
	}
	var event corev1.Event
	err := r.Object(&event)
	from, about := event.Source, event.InvolvedObject
	return from.Component + from.Host + about.Kind + about.Namespace + about.Name + string(about.UID) + about.APIVersion,
		err
}
