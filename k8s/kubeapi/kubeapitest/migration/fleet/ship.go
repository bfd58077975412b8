// Package fleet is the operator under test: a kind, a webhook, and the specs of both.
package fleet

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Ship is the kind of the definition in config/crd/bases.
type Ship struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ShipSpec `json:"spec"`
}

// ShipSpec is what a user wants of a ship.
type ShipSpec struct {
	Class string `json:"class,omitempty"`
	Guns  int32  `json:"guns,omitempty"`
}

// DeepCopyObject implements [runtime.Object].
func (s *Ship) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// AddToScheme registers Ship.
func AddToScheme(s *runtime.Scheme) error {
	group := schema.GroupVersion{Group: "fleet.example.com", Version: "v1"}
	s.AddKnownTypes(group, &Ship{})
	metav1.AddToGroupVersion(s, group)
	return nil
}
