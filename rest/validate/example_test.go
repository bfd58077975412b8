package validate_test

import (
	"context"
	"log"
	"os"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/validate"
)

type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               WidgetSpec `json:"spec"`
}

type WidgetSpec struct {
	Color string `json:"color,omitempty" api:"enum=Red|Green|Blue,default=Red"`
	Size  int32  `json:"size" api:"min=1,max=10"`
}

// A host checks manifests of its own kinds in a test, or in a command for its users.
func Example() {
	manifests := validate.Read("widgets.yaml", []byte(`
apiVersion: example.com/v1
kind: Widget
metadata:
  name: first
spec:
  size: 3
---
apiVersion: example.com/v1
kind: Widget
metadata:
  name: second
spec:
  size: 11
  colour: Blue
`))
	api, err := rest.New(rest.Options{}, rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	results, err := validate.New(api, validate.Options{Changes: true}).Validate(context.Background(),
		validate.Input{Manifests: manifests})
	if err != nil {
		log.Fatal(err)
	}
	if err := validate.WriteText(os.Stdout, results); err != nil {
		log.Fatal(err)
	}
	// Output:
	// widgets.yaml:6: note: Widget first: spec.color: is set to "Red"
	// widgets.yaml:15: error: Widget second: spec.colour: unknown field "spec.colour"
	// 1 valid, 1 invalid, 0 unknown, 0 unreadable
}
