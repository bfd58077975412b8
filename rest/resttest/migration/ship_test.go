package migration

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/decorum-go/decorum/rest"
)

// Ship is a kind as controller-runtime requires it: with the metadata of Kubernetes and a
// DeepCopyObject method.
type Ship struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShipSpec   `json:"spec"`
	Status ShipStatus `json:"status,omitzero"`
}

type ShipSpec struct {
	Class string `json:"class" api:"enum=Frigate|Sloop"`
	Guns  int32  `json:"guns,omitempty" api:"default=8,min=1,max=100"`
}

type ShipStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

func (s *Ship) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]metav1.Condition(nil), s.Status.Conditions...)
	return &out
}

type ShipList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Ship `json:"items"`
}

func (l *ShipList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]Ship, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Ship)
	}
	return &out
}

// ships returns the resource that Decorum serves.
func ships() rest.Resource[Ship] {
	return rest.Resource[Ship]{Group: "fleet.example.com", Version: "v1", Plural: "ships"}
}

func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	group := schema.GroupVersion{Group: "fleet.example.com", Version: "v1"}
	s.AddKnownTypes(group, &Ship{}, &ShipList{})
	metav1.AddToGroupVersion(s, group)
	return s
}

func ship(name string) *Ship {
	return &Ship{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: ShipSpec{Class: "Frigate"}}
}

// Reconciler is the controller under test: it marks a ship ready once its guns are set.
type Reconciler struct{ client.Client }

func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var s Ship
	if err := r.Get(ctx, request.NamespacedName, &s); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Armed",
		ObservedGeneration: s.Generation}
	changed := meta.SetStatusCondition(&s.Status.Conditions, ready)
	if !changed && s.Status.ObservedGeneration == s.Generation {
		return ctrl.Result{}, nil
	}
	s.Status.ObservedGeneration = s.Generation
	return ctrl.Result{}, r.Status().Update(ctx, &s)
}

func (r *Reconciler) setUp(m ctrl.Manager) error {
	several := true // controllers with the same name in one process are allowed
	return ctrl.NewControllerManagedBy(m).For(&Ship{}).WithOptions(controllerOptions(several)).Complete(r)
}

func isReady(s *Ship) bool { return meta.IsStatusConditionTrue(s.Status.Conditions, "Ready") }
