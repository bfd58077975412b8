package managed_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
)

// A write changes no owner of an unowned field, and an apply of another value for one has no conflict.
func TestUnownedFields(t *testing.T) {
	const head = `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"`
	k := gears(t)
	first := managed.Writer{Manager: "first", Part: managed.Whole}
	second := managed.Writer{Manager: "second", Part: managed.Whole,
		Unowned: [][]string{{"spec", "teeth"}, {"spec", "size"}}}
	obj := parse(t, head+`},"spec":{"size":1,"tags":["a"],"teeth":[{"name":"x"}]}}`)
	owners := func(v doc.Value) (all map[string]string) {
		all = map[string]string{}
		for _, e := range v.Lookup("metadata", "managedFields").Elements() {
			all[e.Get("manager").Text()] = show(e.Get("fieldsV1"))
		}
		return all
	}
	own := func(old, obj doc.Value, by managed.Writer) doc.Value {
		return obj.WithAt(k.Update(old, obj, doc.Value{}, by), "metadata", "managedFields")
	}
	tags := `{"f:spec":{".":{},"f:tags":{".":{},"v:\"a\"":{}}}}`
	assert.Equal(t, map[string]string{"second": tags}, owners(own(doc.Value{}, obj, second)))

	stored := own(doc.Value{}, obj, first)
	mine := owners(stored)["first"]
	changed := stored.WithAt(doc.OfInt(2), "spec", "size").WithAt(doc.Value{}, "spec", "teeth")
	assert.Equal(t, map[string]string{"first": mine}, owners(own(stored, changed, second)))

	config := parse(t, head+`},"spec":{"size":3,"teeth":[{"name":"x","length":2}]}}`)
	applied, err := k.Apply(stored, config, second, false)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"first": mine}, owners(applied))
	assert.Equal(t, "3", show(applied.Lookup("spec", "size")))
}
