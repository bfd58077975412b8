package main

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/status"
)

// operator returns a controller that brings every database closer to its spec. It
// acts on the present state of the objects, not on what happened to them.
func operator(databases rest.Client[Database]) *controller.Controller {
	informer := controller.NewInformer(databases, controller.InformerOptions[Database]{})
	return controller.New(reconciler(databases), controller.Options{}, controller.For(informer))
}

// reconciler takes one step for one database. The resulting change makes the
// controller call it again for the next step.
func reconciler(databases rest.Client[Database]) controller.Reconciler {
	return func(ctx context.Context, key controller.Key) (controller.Result, error) {
		client := databases.Namespace(key.Namespace)
		d, err := client.Get(ctx, key.Name)
		if status.IsNotFound(err) {
			return controller.Result{}, nil // deleted: nothing to do
		}
		if err != nil || !advance(d) {
			return controller.Result{}, err
		}
		_, err = client.UpdateStatus(ctx, d)
		return controller.Result{}, err // after a conflict the controller calls it again, with a new read
	}
}

// advance takes one step from the status towards the spec, and reports whether
// it changed anything.
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
