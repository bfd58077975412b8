package conventions_test

import (
	"fmt"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/conventions"
)

// Boat is a kind written in a hurry.
type Boat struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Speed    float64 `json:"speed" api:"min=1,max=30"`
		IsSailed *bool   `json:"isSailed,omitempty"`
	} `json:"spec"`
}

func boats() rest.Resource[Boat] {
	return rest.Resource[Boat]{Group: "fleet.example.com", Version: "v1", Plural: "boats"}
}

// A program prints one line for each rule that a field breaks.
func Example() {
	for _, f := range conventions.Findings(boats()) {
		fmt.Println(f.Field, f.Rule, "-", f.Section)
	}
	// Output:
	// spec.isSailed is-bool - Naming conventions
	// spec.speed float - Primitive types
}

// A test fails with one error for each finding.
func ExampleVet() {
	var t *testing.T // the argument of the test
	conventions.Vet(t, boats())
}

// A field may break a rule for a reason.
func ExampleExceptions_Vet() {
	var t *testing.T // the argument of the test
	conventions.Exceptions{
		{Kind: "Boat", Field: "spec.isSailed", Rule: conventions.RuleIsBool,
			Reason: "clients know it by this name since v1alpha1"},
		{Kind: "Boat", Field: "spec.speed", Rule: conventions.RuleFloat, Reason: "knots, as the harbor's own API has them"},
	}.Vet(t, boats())
}
