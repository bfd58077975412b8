package upstream_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestOrderOfCauses(t *testing.T) {
	const int32Format = "Checked value must be of type integer with format int32 in "
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "w")
	for _, c := range []struct {
		name, spec string
		want       []apitest.Cause
	}{
		{"what a struct lacks comes after its members", `{"color":"pink"}`, []apitest.Cause{
			apitest.NotSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`),
			apitest.Required("spec.size", "Required value")}},
		{"duplicates come last", `{"parts":[{"name":"a"},{"name":"a","kind":"x"}]}`, []apitest.Cause{
			apitest.NotSupported("spec.parts[1].kind", `Unsupported value: "x": supported values: "bolt", "nut"`),
			apitest.Required("spec.size", "Required value"),
			apitest.Duplicate("spec.parts[1]", `Duplicate value: {"name":"a"}`)}},
		{"the faults of a value stand together", `{"size":0,"color":1}`, []apitest.Cause{
			apitest.TypeInvalid("spec.color", `Invalid value: "integer": spec.color in body must be of type string: "integer"`),
			apitest.NotSupported("spec.color", `Unsupported value: 1: supported values: "red", "green", "blue"`),
			apitest.Invalid("spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1")}},
		{"an invalid count is reported again", `{"size":1,"replicas":1.5}`, []apitest.Cause{
			apitest.TypeInvalid("spec.replicas",
				`Invalid value: "float64": spec.replicas in body must be of type int32: "float64"`),
			apitest.Invalid("<nil>", `Invalid value: "": `+int32Format+"spec.replicas"),
			apitest.Invalid(".spec.replicas",
				"Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64")}},
		{"so is a value above it", `["x"]`, []apitest.Cause{
			apitest.TypeInvalid("spec", `Invalid value: "array": spec in body must be of type object: "array"`),
			apitest.Invalid(".spec.replicas",
				"Invalid value: 0: .spec.replicas accessor error: [x] is of the type []interface {}, expected map[string]interface{}")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Widgets,
				apitest.WidgetBody(`"name":"a"`, `"spec":`+c.spec)), "Widget.example.com", "a", c.want...)
		})
	}
	t.Run("metadata comes first", func(t *testing.T) {
		a := apitest.Do(t, api, "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"a","namespace":"default","labels":{"a":"-"}`, `"spec":{"size":"x"}`))
		assert.Equal(t, []any{"metadata.labels", "spec.size"},
			[]any{a.Value(t, "details.causes.0.field"), a.Value(t, "details.causes.1.field")}, a.Body)
	})
	for _, c := range []struct {
		name, status string
		want         []apitest.Cause
	}{
		{"the texts about a status name its fields from there", `{"phase":1}`, []apitest.Cause{
			apitest.TypeInvalid("status.phase", `Invalid value: "integer": phase in body must be of type string: "integer"`),
			apitest.NotSupported("status.phase", `Unsupported value: 1: supported values: "Pending", "Ready", "Failed"`)}},
		{"an invalid status", `"x"`, []apitest.Cause{
			apitest.TypeInvalid("status", `Invalid value: "string":  in body must be of type object: "string"`),
			apitest.Invalid(".status.replicas",
				"Invalid value: 0: .status.replicas accessor error: x is of the type string, expected map[string]interface{}"),
			apitest.Invalid(".status.selector",
				`Invalid value: "": .status.selector accessor error: x is of the type string, expected map[string]interface{}`)}},
		{"a number beyond its format", `{"replicas":2147483648}`, []apitest.Cause{
			apitest.Invalid("status", `Invalid value: "": `+int32Format+"replicas"),
			apitest.Invalid(".status.replicas", "Invalid value: 2147483648: should be less than or equal to 2147483647")}},
		{"a selector that is not a string", `{"selector":1}`, []apitest.Cause{
			apitest.TypeInvalid("status.selector",
				`Invalid value: "integer": selector in body must be of type string: "integer"`),
			apitest.Invalid(".status.selector",
				`Invalid value: "": .status.selector accessor error: 1 is of the type int64, expected string`)}},
		{"what an element lacks, in the order of the struct", `{"conditions":[{}]}`, []apitest.Cause{
			apitest.Required("status.conditions[0].type", "Required value"),
			apitest.Required("status.conditions[0].status", "Required value")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantInvalid(t, apitest.MergePatch(t, api, apitest.Widgets+"/w/status", `{"status":`+c.status+`}`),
				"Widget.example.com", "w", c.want...)
		})
	}
}
