package apimeta_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
)

// A program reads and changes an object of a kind that it was not compiled with.
func ExampleDocument() {
	var d apimeta.Document
	if err := json.Unmarshal([]byte(`{"kind":"Lamp","metadata":{"name":"desk"},"spec":{"color":"red","watts":40}}`),
		&d); err != nil {
		panic(err)
	}
	spec := d.Content["spec"].(map[string]any)
	fmt.Println(d.Name, spec["color"], spec["watts"].(int64))

	spec["color"] = "white"
	d.Labels = map[string]string{"room": "study"}
	data, err := json.Marshal(d)
	fmt.Println(string(data), err)
	// Output:
	// desk red 40
	// {"kind":"Lamp","metadata":{"name":"desk","labels":{"room":"study"}},"spec":{"color":"white","watts":40}} <nil>
}

func TestDocumentKeepsValues(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"every kind of value", `{"apiVersion":"v1","kind":"A","metadata":{"name":"n"},"a":[1,-2.5,"x",true,null,{"b":{}}]}`,
			""},
		{"the largest integer", `{"metadata":{},"n":9223372036854775807}`, ""},
		{"a larger integer is rounded", `{"metadata":{},"n":9223372036854775808}`, `{"metadata":{},"n":9223372036854775808}`},
		{"no metadata", `{"spec":{}}`, `{"metadata":{},"spec":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d apimeta.Document
			require.NoError(t, json.Unmarshal([]byte(c.in), &d))
			data, err := json.Marshal(d)
			require.NoError(t, err)
			if c.want == "" {
				c.want = c.in
			}
			assert.JSONEq(t, c.want, string(data))
		})
	}
	for _, bad := range []string{`[]`, `"x"`, `{"metadata":{"labels":7}}`, `{"kind":7}`} {
		assert.Error(t, new(apimeta.Document).UnmarshalJSON([]byte(bad)), bad)
	}
	data, err := json.Marshal(apimeta.Document{ObjectMeta: apimeta.ObjectMeta{Name: "n"},
		Content: map[string]any{"metadata": 7, "kind": "B", "spec": struct {
			Size int `json:"size"`
		}{3}}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"metadata":{"name":"n"},"spec":{"size":3}}`, string(data))
}
