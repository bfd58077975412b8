package conventions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/conventions"
)

type goodPipe struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Meters int32 `json:"meters" api:"min=1,max=100,doc='How long it is.'"`
	} `json:"spec" api:"doc='What is wanted.'"`
	Status struct {
		Liters int32 `json:"liters,omitempty" api:"min=1,max=100,doc='How much is in it.'"`
	} `json:"status,omitzero" api:"doc='What there is.'"`
}

type unboundedPipe struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Feet int32 `json:"feet" api:"min=1,doc='How long it is.'"`
	} `json:"spec" api:"doc='What is wanted.'"`
	Status struct {
		Liters int32 `json:"liters,omitempty" api:"min=1,max=100,doc='How much is in it.'"`
	} `json:"status,omitzero" api:"doc='What there is.'"`
}

func TestVetLooksAtEachVersion(t *testing.T) {
	pipes := rest.Resource[goodPipe]{Group: "example.com", Version: "v1", Plural: "pipes", Names: rest.Names{Kind: "Pipe"},
		Versions: []rest.VersionOf[goodPipe]{
			rest.Converted[goodPipe](rest.Resource[unboundedPipe]{Version: "v1beta1"}, nil, nil),
			rest.Converted[goodPipe](rest.Resource[unboundedPipe]{Group: "old.example.com", Version: "v1"}, nil, nil),
		}}
	var found []string
	for _, f := range conventions.Findings(pipes) {
		found = append(found, f.Kind+" "+f.Field)
	}
	assert.Equal(t, []string{"Pipe.v1beta1 spec.feet", "Pipe.v1.old.example.com spec.feet"}, found)
}
