package validate_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/validate"
	"github.com/decorum-go/decorum/status"
)

// widgets may not shrink.
func widgets() rest.Resource[Widget] {
	return rest.Resource[Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets",
		Hooks: rest.Hooks[Widget]{Validate: func(_ context.Context, w, old *Widget) (errs status.FieldErrors, err error) {
			if old != nil && w.Spec.Size < old.Spec.Size {
				errs = append(errs, status.ForbiddenField(status.NewPath("spec", "size"), "may not shrink"))
			}
			return errs, nil
		}},
	}
}

// findings validates the input with an API of widgets and definitions, and returns the findings as text.
func findings(t *testing.T, options validate.Options, in validate.Input) string {
	t.Helper()
	api := apitest.Start(t, rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{})}}, widgets(), builtin.Namespaces())
	require.NoError(t, api.Start(t.Context()))
	results, err := validate.New(api, options).Validate(t.Context(), in)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, validate.WriteText(&out, results))
	return out.String()
}

func manifests(text string) []validate.Manifest {
	return validate.Read("in.yaml", []byte(strings.TrimPrefix(text, "\n")))
}

// of returns what findings says about manifests alone.
func of(t *testing.T, text string) string {
	t.Helper()
	return findings(t, validate.Options{}, validate.Input{Manifests: manifests(text)})
}

func TestFindingsHaveTheLineOfTheField(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a field of the second document", `
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 1}
---
# A comment before the object
apiVersion: example.com/v1
kind: Widget
metadata: {name: b}
spec:
  color: Red
  size: 11
`, `in.yaml:12: error: Widget b: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10`},
		{"a key with dots", `
apiVersion: example.com/v1
kind: Widget
metadata:
  name: a
  labels:
    example.com/a: b
    example.com/c: "no value!"
spec: {size: 1}
`, `in.yaml:5: error: Widget a: metadata.labels: Invalid value: "no value!": `},
		{"a missing field, by what is around it", `
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec:
  color: Red
`, `in.yaml:4: error: Widget a: spec.size: Required value`},
		{"an item of a list", `
apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: a}
  spec: {size: 1}
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: b}
  spec:
    size: 0
`, `in.yaml:12: error: Widget b: spec.size: Invalid value: 0: `},
		{"an item without a kind in a list of its kind", `
apiVersion: example.com/v1
kind: WidgetList
items:
- metadata: {name: a}
  spec: {size: 12}
`, `in.yaml:5: error: Widget a: spec.size: Invalid value: 12: `},
		{"an unknown field below an alias", `
apiVersion: example.com/v1
kind: Widget
metadata: {name: a, annotations: &shared {x: z}, labels: *shared}
spec:
  size: 1
  shape: round
`, `in.yaml:6: error: Widget a: spec.shape: unknown field "spec.shape"`},
		{"a duplicate key", `
---

apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec:
  size: 1
  size: 2
`,
			`in.yaml:8: error: Widget a: Widget in version "v1" cannot be handled as a Widget: strict decoding error: yaml: unmarshal errors:   line 8: key "size" already set in map`},
		{"a duplicate key on one line", `
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 1, size: 2}
`,
			`in.yaml:4: error: Widget a: Widget in version "v1" cannot be handled as a Widget: strict decoding error: yaml: unmarshal errors:   line 4: key "size" already set in map`},
		{"JSON", `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1}}
{
  "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "b"},
  "spec": {
    "size": 1,
    "size": 2
  }
}`, `in.yaml:5: error: Widget b: spec.size: duplicate field "spec.size"`},
		{"a template of helm", `
---
# Source: shop/templates/widget.yaml
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 13}
`, `in.yaml:6: error: Widget a (shop/templates/widget.yaml): spec.size: Invalid value: 13: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := strings.Split(of(t, c.text), "\n")
			require.Len(t, lines, 3, "%q", lines)
			assert.True(t, strings.HasPrefix(lines[0], c.want), lines[0])
			assert.Contains(t, lines[1], " 1 invalid, ")
		})
	}
}

// An object of an unknown kind is neither valid nor invalid.
func TestUnknownKindsAndUnreadableDocuments(t *testing.T) {
	assert.Equal(t, `in.yaml:1: error: Gadget a: the API serves no kind Gadget in example.com/v1
in.yaml:5: error: yaml: line 5: did not find expected node content
in.yaml:8: error: kind is missing
in.yaml:10: error: the document is not an object
0 valid, 0 invalid, 1 unknown, 3 unreadable
`, of(t, `
apiVersion: example.com/v1
kind: Gadget
metadata: {name: a}
---
a: [
---
---
apiVersion: v1
---
- a
---
# nothing
`))
}

// definition returns the definition of kind Ship, with a bound of its field spec.sails.
func definition(maximum int) string {
	return apitest.ShipDefinition(fmt.Sprintf("{type: integer, maximum: %d}", maximum))
}

const ship = `
---
apiVersion: example.com/v1
kind: Ship
metadata: {name: %s, namespace: harbour}
spec: {sails: %d}
`

func TestKindsOfDefinitionsAreKnown(t *testing.T) {
	ship, definition := fmt.Sprintf(ship, "a", 10), definition(9)
	const want = `in.yaml:5: error: Ship harbour/a: spec.sails: Invalid value: 10: spec.sails in body should be less than or equal to 9
`
	assert.Equal(t, want+"1 valid, 1 invalid, 0 unknown, 0 unreadable\n",
		of(t, strings.TrimPrefix(ship, "\n")+"---"+definition), "the definition follows its object")
	given := validate.Read("crds.yaml", []byte(definition))
	assert.Equal(t, want+"0 valid, 1 invalid, 0 unknown, 0 unreadable\n",
		findings(t, validate.Options{}, validate.Input{Manifests: manifests(ship), Given: given}))
}

// A given object that the API refuses would falsify the results of others.
func TestGivenObjectsAreValidatedToo(t *testing.T) {
	given := validate.Read("crds.yaml", []byte(strings.Replace(definition(9), "type: integer", "type: int", 1)))
	got := findings(t, validate.Options{}, validate.Input{Manifests: manifests(fmt.Sprintf(ship, "a", 10)), Given: given})
	assert.Contains(t, got,
		"crds.yaml:13: error: CustomResourceDefinition ships.example.com: spec.validation.openAPIV3Schema.properties[spec].properties[sails].type: "+
			`Unsupported value: "int"`)
	assert.Contains(t, got, "in.yaml:2: error: Ship harbour/a: the API serves no kind Ship in example.com/v1\n"+
		"0 valid, 1 invalid, 1 unknown, 0 unreadable\n")
}

const widget = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: a, resourceVersion: "17", uid: 1c3a}
spec: {size: %d}
`

func TestFormerStatesMakeUpdates(t *testing.T) {
	small, large := fmt.Sprintf(widget, 2), fmt.Sprintf(widget, 4)
	update := func(from, to string) string {
		return findings(t, validate.Options{},
			validate.Input{Manifests: manifests(to), Old: validate.Read("old.yaml", []byte(from))})
	}
	assert.Equal(t, "1 valid, 0 invalid, 0 unknown, 0 unreadable\n", update(small, large))
	assert.Equal(t, "in.yaml:4: error: Widget a: spec.size: Forbidden: may not shrink\n0 valid, 1 invalid, 0 unknown, 0 unreadable\n",
		update(large, small))
	assert.Contains(t, update(fmt.Sprintf(widget, 11), strings.Replace(small, `resourceVersion: "17", `, "", 1)),
		"in.yaml:1: warning: Widget a: is validated as a new object, because the API refuses the old one: ")
}

func TestFormerStatesAreOfTheFormerDefinition(t *testing.T) {
	old := validate.Read("old.yaml", fmt.Appendf(nil, definition(9)+ship+ship, "a", 9, "b", 8))
	assert.Equal(t, `in.yaml:24: error: Ship harbour/b: spec.sails: Invalid value: 6: spec.sails in body should be less than or equal to 5
2 valid, 1 invalid, 0 unknown, 0 unreadable
`, findings(t, validate.Options{}, validate.Input{Manifests: manifests(fmt.Sprintf(definition(5)+ship+ship, "a", 9, "b", 6)), Old: old}),
		"an update may keep a value that the new definition forbids")
}

func TestSameObjectTwice(t *testing.T) {
	both := strings.Replace(fmt.Sprintf(widget+"---"+widget, 1, 11), `resourceVersion: "17", `, "", 1)
	got := of(t, strings.ReplaceAll(both, `resourceVersion: "17", `, ""))
	assert.Contains(t, got, "in.yaml:9: error: Widget a: spec.size: Invalid value: 11: ")
	twice := "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
	assert.Equal(t, "2 valid, 0 invalid, 0 unknown, 0 unreadable\n", of(t, twice+"---\n"+twice))
}

func TestChanges(t *testing.T) {
	in := validate.Input{Manifests: manifests(`
apiVersion: example.com/v1
kind: Widget
metadata:
  name: a
  annotations: null
spec:
  size: 1
---
apiVersion: v1
kind: Namespace
metadata: {name: b}
status: {phase: Terminating}
`)}
	assert.Equal(t, `in.yaml:6: note: Widget a: spec.color: is set to "Red"
in.yaml:11: note: Namespace b: metadata.labels: is set to {"kubernetes.io/metadata.name":"b"}
in.yaml:9: note: Namespace b: spec: is set to {"finalizers":["kubernetes"]}
in.yaml:12: note: Namespace b: status.phase: becomes "Active"
2 valid, 0 invalid, 0 unknown, 0 unreadable
`, findings(t, validate.Options{Changes: true}, in))
}
