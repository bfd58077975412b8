package conventions_test

import (
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Ship is a kind that follows all conventions.
type Ship struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShipSpec   `json:"spec"`
	Status ShipStatus `json:"status,omitzero"`
}

type ShipSpec struct {
	Class     string   `json:"class" api:"enum=Frigate|Sloop"`
	Guns      int32    `json:"guns,omitempty" api:"default=8,min=1,max=100"`
	Sails     []Sail   `json:"sails,omitempty" api:"list=map,key=name,maxItems=16"`
	HarborRef *Harbor  `json:"harborRef,omitempty"`
	Flags     []string `json:"flags,omitempty" api:"list=set,maxItems=8,items.maxLength=16"`
}

type Sail struct {
	Name string `json:"name" api:"minLength=1,maxLength=63"`
}

type Harbor struct {
	Name string `json:"name" api:"minLength=1,maxLength=253"`
}

type ShipStatus struct {
	ObservedGeneration int64               `json:"observedGeneration,omitempty"`
	Conditions         []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

func ships() rest.Resource[Ship] {
	return rest.Resource[Ship]{Group: "fleet.example.com", Version: "v1", Plural: "ships"}
}

// fakeT is a test inside a test. It records the failures.
type fakeT struct{ errors []string }

func (t *fakeT) Helper() {}

func (t *fakeT) Errorf(format string, args ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}

// inside returns the failures of a test inside a test.
func inside(test func(t *fakeT)) []string {
	inner := &fakeT{}
	test(inner)
	return inner.errors
}
