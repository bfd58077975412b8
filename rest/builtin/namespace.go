package builtin

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Namespace is the kind of the core group that gives names a scope.
type Namespace struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   NamespaceSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec" api:"doc='What delays the removal of the namespace.'"`
	Status NamespaceStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The observed state of the namespace.'"`
}

// NamespaceSpec lists what delays the removal of a deleted namespace.
type NamespaceSpec struct {
	Finalizers []string `json:"finalizers,omitempty" protobuf:"bytes,1,rep,name=finalizers" api:"list=atomic,doc='The namespace is removed when this list and metadata.finalizers are empty. Only the subresource finalize changes the list.'"`
}

// NamespacePhase is the phase of a namespace in its life cycle.
type NamespacePhase string

// The phases of a namespace.
const (
	NamespaceActive      NamespacePhase = "Active"      // the namespace is in use
	NamespaceTerminating NamespacePhase = "Terminating" // being deleted
)

// NamespaceStatus is the observed state of a namespace.
type NamespaceStatus struct {
	Phase      NamespacePhase       `json:"phase,omitempty" protobuf:"bytes,1,opt,name=phase" api:"doc='Active, or Terminating while the namespace is being deleted.'"`
	Conditions []NamespaceCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,2,rep,name=conditions" api:"list=map,key=type,duplicates,doc='What keeps the namespace from being removed.'"`
}

// NamespaceCondition reports one reason why a deleted namespace still exists.
type NamespaceCondition struct {
	Type               string                  `json:"type" protobuf:"bytes,1,opt,name=type" api:"doc='What was observed.'"`
	Status             apimeta.ConditionStatus `json:"status" protobuf:"bytes,2,opt,name=status" api:"doc='True, False or Unknown.'"`
	LastTransitionTime apimeta.Time            `json:"lastTransitionTime,omitempty" protobuf:"bytes,4,opt,name=lastTransitionTime" api:"doc='When the status last changed.'"`
	Reason             string                  `json:"reason,omitempty" protobuf:"bytes,5,opt,name=reason" api:"doc='The reason for the last change, as one word in CamelCase.'"`
	Message            string                  `json:"message,omitempty" protobuf:"bytes,6,opt,name=message" api:"doc='Details of the last change, for people.'"`
}

// Namespaces declares the resource namespaces. See [rest.NamespacesOf] for its rules.
func Namespaces() rest.Resource[Namespace] {
	r := rest.NamespacesOf[Namespace]()
	r.Description = "Namespace is a scope for names. Objects in different namespaces may have the same name."
	r.Columns = []rest.Column{
		column("Status", "The phase of the namespace.", func(n *Namespace) any { return n.Status.Phase }),
		column("Age", ageDescription, func(n *Namespace) any { return n.CreationTimestamp.Time }),
	}
	return r
}
