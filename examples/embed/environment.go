package main

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Environment is a place where a branch of the shop runs.
type Environment struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   EnvironmentSpec   `json:"spec"`
	Status EnvironmentStatus `json:"status,omitzero"`
}

// EnvironmentSpec is the desired state.
type EnvironmentSpec struct {
	Branch    string     `json:"branch" api:"minLength=1,maxLength=255,doc='The branch that is deployed here.'"`
	Size      string     `json:"size,omitempty" api:"enum=small|medium|large,default=small,doc='How much of everything it gets.'"`
	Variables []Variable `json:"variables,omitempty" api:"list=map,key=name,maxItems=256,doc='Settings, one for each name.'"`
}

// Variable is a setting of the environment.
type Variable struct {
	Name  string `json:"name" api:"pattern='^[A-Z][A-Z0-9_]*$',maxLength=128,doc='The name, in capitals.'"`
	Value string `json:"value" api:"maxLength=4096,default='',doc='The value.'"`
}

// EnvironmentStatus is the observed state, as the build server reported it.
type EnvironmentStatus struct {
	ObservedGeneration int64               `json:"observedGeneration,omitempty" api:"doc='The generation of the spec that was deployed.'"`
	Release            string              `json:"release,omitempty" api:"minLength=1,maxLength=255,doc='The release that runs.'"`
	Conditions         []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type,doc='Ready is True once the environment was deployed.'"`
}

func environments() rest.Resource[Environment] {
	return rest.Resource[Environment]{
		Group: "deploy.example.com", Version: "v1", Plural: "environments",
		Names: rest.Names{
			Short:      []string{"env"},
			Categories: []string{"all"},
		},
		Description: "Environment is a place where a branch of the shop runs.",
		Columns: []rest.Column{
			{Name: "Branch", Path: ".spec.branch"},
			{Name: "Release", Path: ".status.release"},
			{Name: "Ready", Path: ".status.conditions[?(@.type=='Ready')].status"},
			{Name: "Size", Path: ".spec.size", Priority: 1},
			{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
		},
		SelectableFields: []string{"spec.branch"},
	}
}
