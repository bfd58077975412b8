package main

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/status"
)

// sizes grows and shrinks widgets to the size in their spec.
type sizes struct{ widgets rest.Client[Widget] }

// newSizes returns the controller. It writes with its own field manager.
func newSizes(client rest.Client[Widget]) *controller.Controller {
	s := sizes{widgets: client.FieldManager("sizes")}
	informer := controller.NewInformer(client, controller.InformerOptions[Widget]{})
	return controller.New(s.reconcile, controller.Options{}, controller.For(informer))
}

// reconcile takes one step for one widget, regardless of earlier events. The change of the status triggers the call for
// the next step.
func (s sizes) reconcile(ctx context.Context, key controller.Key) (controller.Result, error) {
	_, err := s.widgets.Namespace(key.Namespace).ModifyStatus(ctx, key.Name, func(w *Widget) error {
		step(w)
		return nil
	})
	if status.IsNotFound(err) {
		err = nil // the widget no longer exists
	}
	return controller.Result{}, err
}

// step moves the status of a widget one step towards its spec. It changes nothing if the status is already correct.
func step(w *Widget) {
	size := int32(0)
	if w.Status.Size != nil {
		size = *w.Status.Size
	}
	size += min(1, max(-1, w.Spec.Size-size))
	ready := apimeta.Condition{Type: "Ready", Status: apimeta.ConditionTrue, Reason: "Grown",
		Message: "The widget has its size.", ObservedGeneration: w.Generation}
	if size != w.Spec.Size {
		ready.Status, ready.Reason = apimeta.ConditionFalse, "Growing"
		ready.Message = fmt.Sprintf("The widget has size %d of %d.", size, w.Spec.Size)
	}
	w.Status.Size, w.Status.ObservedGeneration = &size, w.Generation
	apimeta.SetCondition(&w.Status.Conditions, ready)
}
