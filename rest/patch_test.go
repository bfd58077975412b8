package rest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const rejected = "the server rejected our request due to an error in our request"

func TestPatch(t *testing.T) {
	const before = `{"size":1,"color":"blue","replicas":4,"steps":["a","b"],"settings":{"k":"v","l":"w"},"template":{"image":"x"},"extra":{"o":{"p":1}}}`
	spec := func(replacements ...string) string { return strings.NewReplacer(replacements...).Replace(before) }
	for _, c := range []struct {
		name, media, patch string
		want               stored
	}{
		{"merge sets and deletes members", typeMergePatch, `{"spec":{"settings":{"k":"v2","l":null,"none":null,"m":"n"}}}`,
			stored{rv: "3", generation: 2, spec: spec(`{"k":"v","l":"w"}`, `{"k":"v2","m":"n"}`)}},
		{"merge replaces lists", typeMergePatch, `{"spec":{"steps":["c"]}}`, stored{rv: "3", generation: 2, spec: spec(`["a","b"]`, `["c"]`)}},
		{"what is taken away is defaulted again", typeMergePatch, `{"spec":{"color":null,"replicas":null,"template":null}}`,
			stored{rv: "3", generation: 2, spec: spec(`"blue"`, `"red"`, `4`, `1`, `"x"`, `"none"`)}},
		{"merge drops null within what is new", typeMergePatch, `{"spec":{"extra":{"o":null,"new":{"a":1,"b":null},"list":[{"c":null},null]}}}`,
			stored{rv: "3", generation: 2, spec: spec(`{"o":{"p":1}}`, `{"new":{"a":1},"list":[{},null]}`)}},
		{"a change of metadata leaves the generation", typeMergePatch, `{"metadata":{"labels":{"x":"y"}}}`, stored{rv: "3", metadata: `"labels":{"x":"y"}`, spec: before}},
		{"the version it needs is the latest", typeMergePatch, `{"metadata":{"resourceVersion":"2"},"spec":{"size":2}}`, stored{rv: "3", generation: 2, spec: spec(`"size":1`, `"size":2`)}},
		{"the status is ignored", typeMergePatch, `{"status":{"phase":"Ready"}}`, stored{spec: before}},
		{"an empty merge patch", typeMergePatch, `{}`, stored{spec: before}},
		{"a merge patch of what is there", typeMergePatch, `{"spec":{"size":1}}`, stored{spec: before}},
		{"with a charset", typeMergePatch + "; charset=utf-8", `{}`, stored{spec: before}},

		{"operations in their order", typeJSONPatch, `[{"op":"add","path":"/spec/settings/z","value":"3"},{"op":"replace","path":"/spec/settings/k","value":"9"},{"op":"remove","path":"/spec/settings/l"}]`,
			stored{rv: "3", generation: 2, spec: spec(`{"k":"v","l":"w"}`, `{"k":"9","z":"3"}`)}},
		{"a test that holds", typeJSONPatch, `[{"op":"test","path":"/spec/color","value":"blue"},{"op":"replace","path":"/spec/color","value":"red"}]`,
			stored{rv: "3", generation: 2, spec: spec("blue", "red")}},
		{"move and copy", typeJSONPatch, `[{"op":"move","from":"/spec/settings/k","path":"/spec/settings/moved"},{"op":"copy","from":"/spec/settings/l","path":"/spec/settings/copied"}]`,
			stored{rv: "3", generation: 2, spec: spec(`{"k":"v","l":"w"}`, `{"moved":"v","l":"w","copied":"w"}`)}},
		{"insert and append", typeJSONPatch, `[{"op":"add","path":"/spec/steps/1","value":"i"},{"op":"add","path":"/spec/steps/-","value":"z"}]`,
			stored{rv: "3", generation: 2, spec: spec(`["a","b"]`, `["a","i","b","z"]`)}},
		{"escaped pointers", typeJSONPatch, `[{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/example.com~1x","value":"1"}]`,
			stored{rv: "3", metadata: `"annotations":{"example.com/x":"1"}`, spec: before}},
		{"no operation", typeJSONPatch, `[]`, stored{spec: before}},
		{"operations that come to nothing", typeJSONPatch, `[{"op":"add","path":"/spec/settings/y","value":"2"},{"op":"remove","path":"/spec/settings/y"}]`, stored{spec: before}},
		{"a test of the version", typeJSONPatch, `[{"op":"test","path":"/metadata/resourceVersion","value":"2"},{"op":"replace","path":"/spec/size","value":2}]`,
			stored{rv: "3", generation: 2, spec: spec(`"size":1`, `"size":2`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			must(t, api, "POST", widgets, widgetBody(`"name":"a"`, `"spec":`+before))
			a := do(t, api, "PATCH", widgets+"/a", c.patch, "Content-Type", c.media)
			wantJSON(t, a, 200, c.want.String())
			assert.Equal(t, a.Body, do(t, api, "GET", widgets+"/a", "").Body)
		})
	}
}

// As kube-apiserver 1.37, the server reads the JSON of a patch before it looks for the object, and its operations afterwards.
func TestMalformedPatchesOfNothing(t *testing.T) {
	api := newWidgets(t)
	for _, media := range []string{typeMergePatch, typeJSONPatch} {
		for _, patch := range []string{"", "{", "]"} {
			wantFailure(t, do(t, api, "PATCH", widgets+"/none", patch, "Content-Type", media), 400, "BadRequest", "invalid JSON patch", "")
		}
		assert.Equal(t, 404, do(t, api, "PATCH", widgets+"/none", `5`, "Content-Type", media).Code)
	}
}

func TestPatchRefuses(t *testing.T) {
	for _, c := range []struct {
		name, media, patch       string
		code                     int
		reason, message, details string
	}{
		{"no JSON", typeMergePatch, `{"spec": `, 400, "BadRequest", "invalid JSON patch", ""},
		{"no merge patch", typeMergePatch, `[]`, 400, "BadRequest", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}", ""},
		{"null", typeMergePatch, `null`, 400, "BadRequest", "Invalid JSON Patch", ""},
		{"no list of operations", typeJSONPatch, `{"op":"add"}`, 400, "BadRequest", "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp", ""},
		{"another version", typeMergePatch, `{"metadata":{"resourceVersion":"1"},"spec":{"size":2}}`, 409, "Conflict",
			`Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again`, aboutWidget("a")},
		{"another name", typeMergePatch, `{"metadata":{"name":"b"}}`, 400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)", ""},
		{"another name by JSON patch", typeJSONPatch, `[{"op":"replace","path":"/metadata/name","value":"b"}]`, 400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)", ""},
		{"another namespace", typeMergePatch, `{"metadata":{"namespace":"other"}}`, 400, "BadRequest", "the namespace of the provided object does not match the namespace sent on the request", ""},
		{"a test that fails", typeJSONPatch, `[{"op":"replace","path":"/spec/size","value":2},{"op":"test","path":"/spec/size","value":1}]`, 422, "Invalid", rejected, "{}"},
		{"a path that is not there", typeJSONPatch, `[{"op":"remove","path":"/spec/none"}]`, 422, "Invalid", rejected, "{}"},
		{"below what is not there", typeJSONPatch, `[{"op":"add","path":"/spec/settings/x","value":"v"}]`, 422, "Invalid", rejected, "{}"},
		{"an index beyond the end", typeJSONPatch, `[{"op":"add","path":"/spec/steps","value":[]},{"op":"add","path":"/spec/steps/9","value":"x"}]`, 422, "Invalid", rejected, "{}"},
		{"an unknown operation", typeJSONPatch, `[{"op":"increment","path":"/spec/size","value":1}]`, 422, "Invalid", rejected, "{}"},
		{"too many operations", typeJSONPatch, "[" + strings.Repeat(`{"op":"test","path":"/spec/size","value":1},`, 10000) + `{"op":"test","path":"/spec/size","value":1}]`, 413, "RequestEntityTooLarge",
			"Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001", ""},
		{"strategic merge of a custom kind", "application/strategic-merge-patch+json", `{}`, 415, "UnsupportedMediaType",
			"the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml", ""},
		{"no patch", "application/json", `{}`, 415, "UnsupportedMediaType",
			"the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			create(t, api, "a")
			wantFailure(t, do(t, api, "PATCH", widgets+"/a", c.patch, "Content-Type", c.media), c.code, c.reason, c.message, c.details)
			wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
		})
	}
	t.Run("a type is needed", func(t *testing.T) {
		api := newWidgets(t)
		create(t, api, "a")
		assert.Equal(t, 415, do(t, api, "PATCH", widgets+"/a", `{}`, "Content-Type", "").Code)
	})
	t.Run("an object that is not there", func(t *testing.T) {
		wantFailure(t, merge(t, newWidgets(t), widgets+"/none", `{"spec":{"size":2}}`), 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none"))
	})
}

func TestPatchValidatesItsResult(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	for _, c := range []struct {
		name, patch, kind string
		causes            []cause
	}{
		{"a value", `{"spec":{"color":"pink"}}`, "Widget.example.com", []cause{notSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`)}},
		{"a required field", `{"spec":{"size":null}}`, "Widget.example.com", []cause{required("spec.size", "Required value")}},
		{"a type", `{"spec":{"size":"big"}}`, "Widget.example.com", []cause{typeInvalid("spec.size", `Invalid value: "string": spec.size in body must be of type integer: "string"`)}},
		{"another kind", `{"kind":"Gadget"}`, "Gadget.example.com", []cause{invalid("kind", `Invalid value: "Gadget": must be Widget`)}},
		{"uid", `{"metadata":{"uid":"zz"}}`, "Widget.example.com", []cause{invalid("metadata.uid", `Invalid value: "zz": field is immutable`)}},
		{"another version", `{"apiVersion":"example.com/v2"}`, "Widget.example.com", []cause{invalid("apiVersion", `Invalid value: "example.com/v2": must be example.com/v1`)}},
		{"another group", `{"apiVersion":"v1"}`, "Widget", []cause{invalid("apiVersion", `Invalid value: "v1": must be example.com/v1`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantInvalid(t, merge(t, api, widgets+"/a", c.patch), c.kind, "a", c.causes...)
		})
	}
	t.Run("no name", func(t *testing.T) {
		for _, patch := range []string{`{"metadata":{"name":null}}`, `{"metadata":null}`} {
			wantFailure(t, merge(t, api, widgets+"/a", patch), 400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided", "")
		}
	})
	t.Run("metadata that is null", func(t *testing.T) {
		wantFailure(t, do(t, api, "PATCH", widgets+"/a", `[{"op":"replace","path":"/metadata","value":null}]`, "Content-Type", typeJSONPatch),
			400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("no resourceVersion, of a kind that demands one", func(t *testing.T) {
		for _, version := range []string{`null`, `""`, `"0"`} {
			wantInvalid(t, merge(t, api, widgets+"/a", `{"metadata":{"resourceVersion":`+version+`},"spec":{"size":2}}`), "widgets.example.com", "a",
				invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
		}
	})
	t.Run("what is no object of the kind any more", func(t *testing.T) {
		for _, patch := range []string{`{"apiVersion":null}`, `{"metadata":{"labels":{"x":1}}}`, `{"kind":null}`} {
			a := merge(t, api, widgets+"/a", patch)
			require.Equal(t, 422, a.Code, a.Body)
			assert.Equal(t, "patch", a.text(t, "details.causes.0.field"))
			assert.Contains(t, a.text(t, "message"), ` "" is invalid: patch: Invalid value: "{`)
		}
	})
	wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
}

func TestPatchDryRun(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	wantJSON(t, merge(t, api, widgets+"/a?dryRun=All", `{"spec":{"size":2}}`), 200, stored{rv: "2", generation: 2, spec: sizeTwo}.String())
	wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
}

// A patch without a version is tried again when somebody else was faster, so that none is lost.
func TestConcurrentPatchesAllCount(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	const writers = 10
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			assert.Equal(t, 200, merge(t, api, widgets+"/a", fmt.Sprintf(`{"spec":{"settings":{"k%d":"v"}}}`, i)).Code)
		})
	}
	wait.Wait()
	a := do(t, api, "GET", widgets+"/a", "")
	assert.Len(t, a.value(t, "spec.settings"), writers)
	assert.Equal(t, float64(1+writers), a.value(t, "metadata.generation"))
}
