package status_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

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
	spec := status.NewPath("spec")
	if size < 1 {
		errs = append(errs, status.InvalidField(spec.Child("size"), size, "must be greater than 0"))
	}
	if color != "red" && color != "green" {
		errs = append(errs, status.NotSupportedField(spec.Child("color"), color, []string{"red", "green"}))
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
	ports := status.NewPath("spec", "ports")
	fmt.Println(ports.Index(0).Child("name"))
	fmt.Println(status.NewPath("metadata", "annotations").Key("example.com/note"))
	// Output:
	// spec.ports[0].name
	// metadata.annotations[example.com/note]
}

// A client reads the object again if another client has changed it, and gives up after any other error.
func ExampleIsConflict() {
	latest := 7
	update := func(resourceVersion int) error {
		if resourceVersion != latest {
			return status.ModifiedConflict(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, "first")
		}
		return nil
	}

	err := update(6)
	fmt.Println(err)
	if status.IsConflict(err) {
		err = update(7)
	}
	fmt.Println(err)
	// Output:
	// Operation cannot be fulfilled on widgets.example.com "first": the object has been modified; please apply your changes to the latest version and try again
	// <nil>
}

// A client that gets the error sends its request again after the time that the server names.
func ExampleTooManyRequests() {
	err := status.TooManyRequests("the server is at its limit", 2)

	fmt.Println(status.IsTooManyRequests(err), status.CodeOf(err))
	fmt.Println(time.Duration(err.Status.Details.RetryAfterSeconds) * time.Second)
	// Output:
	// true 429
	// 2s
}
