package main

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// operate keeps bringing every database closer to its spec until ctx ends. It
// looks at the objects only, never at what happened before, so after missed
// changes it simply starts anew.
func operate(ctx context.Context, databases rest.Client[Database]) error {
	for {
		err := follow(ctx, databases)
		switch {
		case ctx.Err() != nil:
			return nil
		case !status.IsExpired(err):
			return err
		}
	}
}

// follow takes one step for every database there is, and one for each change.
func follow(ctx context.Context, databases rest.Client[Database]) error {
	for event, err := range databases.Watch(ctx, rest.WatchOptions{}) {
		if err != nil {
			return fmt.Errorf("watch databases: %w", err)
		}
		d := event.Object
		if event.Type == watch.Deleted || !advance(d) {
			continue // as wanted; to write it again would only wake us again
		}
		_, err := databases.Namespace(d.Namespace).UpdateStatus(ctx, d)
		// Changed or deleted meanwhile: the event of that is on its way.
		if err != nil && !status.IsConflict(err) && !status.IsNotFound(err) {
			return fmt.Errorf("status of %s/%s: %w", d.Namespace, d.Name, err)
		}
	}
	return nil
}

// advance takes one step from the status towards the spec and says whether
// there was one to take.
func advance(d *Database) bool {
	before := d.Status.ReadyReplicas
	switch {
	case before < d.Spec.Replicas:
		d.Status.ReadyReplicas++
	case before > d.Spec.Replicas:
		d.Status.ReadyReplicas--
	}
	ready := apimeta.Condition{
		Type:               "Ready",
		Status:             apimeta.ConditionTrue,
		ObservedGeneration: d.Generation,
		Reason:             "AllReplicasReady",
		Message:            fmt.Sprintf("%d replicas answer", d.Status.ReadyReplicas),
	}
	if d.Status.ReadyReplicas != d.Spec.Replicas {
		ready.Status = apimeta.ConditionFalse
		ready.Reason = "Scaling"
		ready.Message = fmt.Sprintf("%d of %d replicas answer", d.Status.ReadyReplicas, d.Spec.Replicas)
	}
	changed := apimeta.SetCondition(&d.Status.Conditions, ready)
	changed = changed || d.Status.ReadyReplicas != before || d.Status.ObservedGeneration != d.Generation
	d.Status.ObservedGeneration = d.Generation
	return changed
}
