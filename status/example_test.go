package status_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

func Example() {
	read := func(name string) error {
		err := status.NotFound(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, name)
		return fmt.Errorf("reading the parent: %w", err)
	}

	err := read("first")
	fmt.Println(err)
	fmt.Println(status.IsNotFound(err), status.CodeOf(err))

	_ = json.NewEncoder(os.Stdout).Encode(status.From(err).Status)
	// Output:
	// reading the parent: widgets.example.com "first" not found
	// true 404
	// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"widgets.example.com \"first\" not found","reason":"NotFound","details":{"name":"first","group":"example.com","kind":"widgets"},"code":404}
}

func ExampleInvalid() {
	size, color := 0, "pink"

	var errs status.FieldErrors
	spec := status.Field("spec")
	if size < 1 {
		errs = append(errs, status.InvalidField(spec.Child("size"), size, "must be greater than 0"))
	}
	if color != "red" && color != "green" {
		errs = append(errs, status.UnsupportedValue(spec.Child("color"), color, []string{"red", "green"}))
	}

	err := status.Invalid(apimeta.GroupKind{Group: "example.com", Kind: "Widget"}, "first", errs)
	fmt.Println(err)
	for _, cause := range err.Status.Details.Causes {
		fmt.Println(cause.Type, cause.Field)
	}
	// Output:
	// Widget.example.com "first" is invalid: [spec.size: Invalid value: 0: must be greater than 0, spec.color: Unsupported value: "pink": supported values: "red", "green"]
	// FieldValueInvalid spec.size
	// FieldValueNotSupported spec.color
}

func ExampleFrom() {
	err := errors.New("dial tcp 10.0.0.7:2379: connection refused")

	answer := status.From(err)
	fmt.Println(answer.Status.Code, answer)
	fmt.Println("for the log:", errors.Unwrap(answer))
	// Output:
	// 500 Internal error occurred: the request could not be completed
	// for the log: dial tcp 10.0.0.7:2379: connection refused
}

func ExamplePath() {
	ports := status.Field("spec", "ports")
	fmt.Println(ports.Index(0).Child("name"))
	fmt.Println(status.Field("metadata", "annotations").Key("example.com/note"))
	// Output:
	// spec.ports[0].name
	// metadata.annotations[example.com/note]
}
