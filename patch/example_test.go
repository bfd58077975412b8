package patch_test

import (
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/patch"
)

func ExampleJSONPatch_Apply() {
	p, err := patch.ParseJSONPatch([]byte(`[
		{"op": "test", "path": "/spec/replicas", "value": 2},
		{"op": "replace", "path": "/spec/replicas", "value": 3},
		{"op": "add", "path": "/spec/args/-", "value": "--verbose"}
	]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	patched, err := p.Apply([]byte(`{"kind": "Worker", "spec": {"replicas": 2, "args": []}}`))
	fmt.Println(string(patched), err)
	// Output: {"kind":"Worker","spec":{"args":["--verbose"],"replicas":3}} <nil>
}

// The client learns only that the patch failed. The host can find out why.
func ExampleOperationError() {
	p, _ := patch.ParseJSONPatch([]byte(`[{"op": "remove", "path": "/spec/paused"}]`))
	_, err := p.Apply([]byte(`{"spec": {}}`))
	fmt.Println(err)
	if cause, ok := errors.AsType[*patch.OperationError](err); ok {
		fmt.Println(cause)
	}
	fmt.Println(errors.Is(err, patch.ErrMissing))
	// Output:
	// the server rejected our request due to an error in our request
	// operation 0, remove "/spec/paused": there is no such place
	// true
}

func ExampleMergePatch_Apply() {
	p, err := patch.ParseMergePatch([]byte(`{"metadata": {"labels": {"tier": "web", "old": null}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	patched, err := p.Apply([]byte(`{"metadata": {"name": "a", "labels": {"old": "1", "app": "x"}}}`))
	fmt.Println(string(patched), err)
	// Output: {"metadata":{"labels":{"app":"x","tier":"web"},"name":"a"}} <nil>
}

// A list whose field states a merge key keeps the elements that the patch does not name.
func ExampleStrategicMergePatch_Apply() {
	type worker struct {
		Containers []struct {
			Name  string `json:"name"`
			Image string `json:"image,omitempty"`
		} `json:"containers" patchStrategy:"merge" patchMergeKey:"name"`
	}
	workers, err := patch.TypeFor[worker]()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := patch.ParseStrategicMergePatch([]byte(`{"containers": [{"name": "web", "image": "web:2"}, {"name": "old", "$patch": "delete"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	patched, err := p.Apply([]byte(`{"containers": [{"name": "log", "image": "log:1"}, {"name": "old"}, {"name": "web", "image": "web:1"}]}`), workers)
	fmt.Println(string(patched), err)
	// Output: {"containers":[{"image":"log:1","name":"log"},{"image":"web:2","name":"web"}]} <nil>
}
