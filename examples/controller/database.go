package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/decorum-go/decorum/rest"
)

var groupVersion = schema.GroupVersion{Group: "platform.example.com", Version: "v1"}

// Database is what a user asks for. Its metadata is that of apimachinery,
// because controller-runtime needs its methods. The host serves the same
// struct.
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   DatabaseSpec   `json:"spec"`
	Status DatabaseStatus `json:"status,omitzero"`
}

type DatabaseSpec struct {
	Engine   string `json:"engine" api:"enum=postgres|mysql,immutable"`
	Replicas int32  `json:"replicas,omitempty" api:"default=1,min=1,max=9"`
}

type DatabaseStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	ReadyReplicas      int32              `json:"readyReplicas,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

type DatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Database `json:"items"`
}

// Instance is one replica of a database. The controller creates the instances.
type Instance struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   InstanceSpec   `json:"spec"`
	Status InstanceStatus `json:"status,omitzero"`
}

type InstanceSpec struct {
	Engine string `json:"engine"`
}

type InstanceStatus struct {
	Address string `json:"address,omitempty"`
}

type InstanceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Instance `json:"items"`
}

// resources declares both kinds to the host.
func resources() []rest.Definition {
	return []rest.Definition{
		rest.Resource[Database]{
			Group: groupVersion.Group, Version: groupVersion.Version, Plural: "databases",
			Names: rest.Names{Short: []string{"db"}},
			Columns: []rest.Column{
				{Name: "Engine", Path: ".spec.engine"},
				{Name: "Replicas", Type: "integer", Path: ".spec.replicas"},
				{Name: "Ready", Path: ".status.conditions[?(@.type=='Ready')].status"},
				{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
			},
		},
		rest.Resource[Instance]{
			Group: groupVersion.Group, Version: groupVersion.Version, Plural: "instances",
			Columns: []rest.Column{
				{Name: "Address", Path: ".status.address"},
				{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
			},
		},
	}
}

// newScheme declares both kinds to controller-runtime.
func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(groupVersion, &Database{}, &DatabaseList{}, &Instance{}, &InstanceList{})
	metav1.AddToGroupVersion(s, groupVersion)
	return s
}
