package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	// finalizer keeps a database until its controller has deleted the instances. The garbage collector would delete them,
	// too, but only after the database is gone.
	finalizer = "platform.example.com/instances"
	// databaseLabel names the database on each of its instances.
	databaseLabel = "platform.example.com/database"
)

// databaseReconciler creates and deletes instances until there are as many as a database asks for.
type databaseReconciler struct {
	client.Client
	// direct bypasses the cache, which may not show recent writes yet. In process that is cheap.
	direct client.Reader
}

// Reconcile implements reconcile.Reconciler.
func (r databaseReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var database Database
	if err := r.Get(ctx, request.NamespacedName, &database); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	wanted := int(database.Spec.Replicas)
	if !database.DeletionTimestamp.IsZero() {
		wanted = 0
	} else if controllerutil.AddFinalizer(&database, finalizer) {
		return ctrl.Result{}, r.Update(ctx, &database) // the change triggers the next call
	}
	names := map[string]bool{}
	for i := range wanted {
		name := fmt.Sprintf("%s-%d", database.Name, i)
		names[name] = true
		if err := r.ensureInstance(ctx, &database, name); err != nil {
			return ctrl.Result{}, err
		}
	}

	var instances InstanceList
	if err := r.direct.List(ctx, &instances, client.InNamespace(database.Namespace),
		client.MatchingLabels{databaseLabel: database.Name}); err != nil {
		return ctrl.Result{}, err
	}
	var ready int32
	for i := range instances.Items {
		instance := &instances.Items[i]
		switch {
		case !names[instance.Name]:
			if err := r.Delete(ctx, instance); client.IgnoreNotFound(err) != nil {
				return ctrl.Result{}, err
			}
		case instance.Status.Address != "":
			ready++
		}
	}
	if !database.DeletionTimestamp.IsZero() {
		if len(instances.Items) == 0 && controllerutil.RemoveFinalizer(&database, finalizer) {
			return ctrl.Result{}, r.Update(ctx, &database)
		}
		return ctrl.Result{}, nil // the end of an instance triggers the next call
	}
	return ctrl.Result{}, r.tell(ctx, &database, ready)
}

func (r databaseReconciler) ensureInstance(ctx context.Context, database *Database, name string) error {
	instance := &Instance{ObjectMeta: metav1.ObjectMeta{Namespace: database.Namespace, Name: name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, instance, func() error {
		metav1.SetMetaDataLabel(&instance.ObjectMeta, databaseLabel, database.Name)
		instance.Spec.Engine = database.Spec.Engine
		return controllerutil.SetControllerReference(database, instance, r.Scheme())
	})
	// The cache may not show a recent create yet. When it does, the event triggers the next call.
	return client.IgnoreAlreadyExists(err)
}

// tell writes the status, unless it is up to date.
func (r databaseReconciler) tell(ctx context.Context, database *Database, ready int32) error {
	before := database.DeepCopyObject().(*Database)
	condition := metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "AllInstancesRun", ObservedGeneration: database.Generation,
		Message: fmt.Sprintf("%d of %d instances run", ready, database.Spec.Replicas),
	}
	if ready != database.Spec.Replicas {
		condition.Status, condition.Reason = metav1.ConditionFalse, "Starting"
	}
	changed := meta.SetStatusCondition(&database.Status.Conditions, condition)
	if !changed && database.Status.ReadyReplicas == ready && database.Status.ObservedGeneration == database.Generation {
		return nil
	}
	database.Status.ReadyReplicas, database.Status.ObservedGeneration = ready, database.Generation
	return r.Status().Patch(ctx, database, client.MergeFrom(before))
}

// instanceReconciler starts instances. A real one would start something.
type instanceReconciler struct{ client.Client }

// Reconcile implements reconcile.Reconciler.
func (r instanceReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var instance Instance
	if err := r.Get(ctx, request.NamespacedName, &instance); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if instance.Status.Address != "" {
		return ctrl.Result{}, nil
	}
	instance.Status.Address = fmt.Sprintf("%s.%s.db.internal", instance.Name, instance.Namespace)
	return ctrl.Result{}, r.Status().Update(ctx, &instance)
}
