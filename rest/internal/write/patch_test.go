package write_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const rejected = "the server rejected our request due to an error in our request"

func TestPatch(t *testing.T) {
	const before = `{"size":1,"color":"blue","replicas":4,"steps":["a","b"],"settings":{"k":"v","l":"w"},"template":{"image":"x"},"extra":{"o":{"p":1}}}`
	spec := func(replacements ...string) string { return strings.NewReplacer(replacements...).Replace(before) }
	for _, c := range []struct {
		name, media, patch string
		want               apitest.StoredWidget
	}{
		{"merge sets and deletes members", apitest.TypeMergePatch,
			`{"spec":{"settings":{"k":"v2","l":null,"none":null,"m":"n"}}}`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`{"k":"v","l":"w"}`, `{"k":"v2","m":"n"}`)}},
		{"merge replaces lists", apitest.TypeMergePatch, `{"spec":{"steps":["c"]}}`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`["a","b"]`, `["c"]`)}},
		{"a removed field is defaulted again", apitest.TypeMergePatch,
			`{"spec":{"color":null,"replicas":null,"template":null}}`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`"blue"`, `"red"`, `4`, `1`, `"x"`, `"none"`)}},
		{"a merge patch drops nulls within new values", apitest.TypeMergePatch,
			`{"spec":{"extra":{"o":null,"new":{"a":1,"b":null},"list":[{"c":null},null]}}}`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`{"o":{"p":1}}`, `{"new":{"a":1},"list":[{},null]}`)}},
		{"a change of metadata leaves the generation", apitest.TypeMergePatch, `{"metadata":{"labels":{"x":"y"}}}`,
			apitest.StoredWidget{RV: "3", Metadata: `"labels":{"x":"y"}`, Spec: before}},
		{"the version it needs is the latest", apitest.TypeMergePatch,
			`{"metadata":{"resourceVersion":"2"},"spec":{"size":2}}`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`"size":1`, `"size":2`)}},
		{"the status is ignored", apitest.TypeMergePatch, `{"status":{"phase":"Ready"}}`, apitest.StoredWidget{Spec: before}},
		{"an empty merge patch", apitest.TypeMergePatch, `{}`, apitest.StoredWidget{Spec: before}},
		{"a merge patch with the current values", apitest.TypeMergePatch, `{"spec":{"size":1}}`,
			apitest.StoredWidget{Spec: before}},
		{"with a charset", apitest.TypeMergePatch + "; charset=utf-8", `{}`, apitest.StoredWidget{Spec: before}},

		{"operations in their order", apitest.TypeJSONPatch,
			`[{"op":"add","path":"/spec/settings/z","value":"3"},{"op":"replace","path":"/spec/settings/k","value":"9"},{"op":"remove","path":"/spec/settings/l"}]`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`{"k":"v","l":"w"}`, `{"k":"9","z":"3"}`)}},
		{"a test that holds", apitest.TypeJSONPatch,
			`[{"op":"test","path":"/spec/color","value":"blue"},{"op":"replace","path":"/spec/color","value":"red"}]`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec("blue", "red")}},
		{"move and copy", apitest.TypeJSONPatch,
			`[{"op":"move","from":"/spec/settings/k","path":"/spec/settings/moved"},{"op":"copy","from":"/spec/settings/l","path":"/spec/settings/copied"}]`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`{"k":"v","l":"w"}`, `{"moved":"v","l":"w","copied":"w"}`)}},
		{"insert and append", apitest.TypeJSONPatch,
			`[{"op":"add","path":"/spec/steps/1","value":"i"},{"op":"add","path":"/spec/steps/-","value":"z"}]`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`["a","b"]`, `["a","i","b","z"]`)}},
		{"escaped pointers", apitest.TypeJSONPatch,
			`[{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/example.com~1x","value":"1"}]`,
			apitest.StoredWidget{RV: "3", Metadata: `"annotations":{"example.com/x":"1"}`, Spec: before}},
		{"no operation", apitest.TypeJSONPatch, `[]`, apitest.StoredWidget{Spec: before}},
		{"operations that come to nothing", apitest.TypeJSONPatch,
			`[{"op":"add","path":"/spec/settings/y","value":"2"},{"op":"remove","path":"/spec/settings/y"}]`,
			apitest.StoredWidget{Spec: before}},
		{"a test of the version", apitest.TypeJSONPatch,
			`[{"op":"test","path":"/metadata/resourceVersion","value":"2"},{"op":"replace","path":"/spec/size","value":2}]`,
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: spec(`"size":1`, `"size":2`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`, `"spec":`+before))
			a := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", c.patch, "Content-Type", c.media)
			apitest.WantJSON(t, a, 200, c.want.String())
			assert.Equal(t, a.Body, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body)
		})
	}
}

// As kube-apiserver 1.37, the server reads the JSON of a patch before it looks for the object, and its operations
// afterwards.
func TestMalformedPatchOfAbsentObject(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, media := range []string{apitest.TypeMergePatch, apitest.TypeJSONPatch} {
		for _, patch := range []string{"", "{", "]"} {
			apitest.WantFailure(t, apitest.Do(t, api, "PATCH", apitest.Widgets+"/none", patch, "Content-Type", media), 400,
				"BadRequest", "invalid JSON patch", "")
		}
		assert.Equal(t, 404, apitest.Do(t, api, "PATCH", apitest.Widgets+"/none", `5`, "Content-Type", media).Code)
	}
}

func TestPatchRefuses(t *testing.T) {
	for _, c := range []struct {
		name, media, patch       string
		code                     int
		reason, message, details string
	}{
		{"no JSON", apitest.TypeMergePatch, `{"spec": `, 400, "BadRequest", "invalid JSON patch", ""},
		{"no merge patch", apitest.TypeMergePatch, `[]`, 400, "BadRequest",
			"error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}", ""},
		{"null", apitest.TypeMergePatch, `null`, 400, "BadRequest", "Invalid JSON Patch", ""},
		{"no list of operations", apitest.TypeJSONPatch, `{"op":"add"}`, 400, "BadRequest",
			"error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp", ""},
		{"another name", apitest.TypeMergePatch, `{"metadata":{"name":"b"}}`, 400, "BadRequest",
			"the name of the object (b) does not match the name on the URL (a)", ""},
		{"another namespace", apitest.TypeMergePatch, `{"metadata":{"namespace":"other"}}`, 400, "BadRequest",
			"the namespace of the provided object does not match the namespace sent on the request", ""},
		{"a test that fails", apitest.TypeJSONPatch,
			`[{"op":"replace","path":"/spec/size","value":2},{"op":"test","path":"/spec/size","value":1}]`, 422, "Invalid",
			rejected, "{}"},
		{"an absent path", apitest.TypeJSONPatch, `[{"op":"remove","path":"/spec/none"}]`, 422, "Invalid", rejected, "{}"},
		{"below an absent path", apitest.TypeJSONPatch, `[{"op":"add","path":"/spec/settings/x","value":"v"}]`, 422,
			"Invalid", rejected, "{}"},
		{"an index beyond the end", apitest.TypeJSONPatch,
			`[{"op":"add","path":"/spec/steps","value":[]},{"op":"add","path":"/spec/steps/9","value":"x"}]`, 422, "Invalid",
			rejected, "{}"},
		{"an unknown operation", apitest.TypeJSONPatch, `[{"op":"increment","path":"/spec/size","value":1}]`, 422, "Invalid",
			rejected, "{}"},
		{"too many operations", apitest.TypeJSONPatch,
			"[" + strings.Repeat(`{"op":"test","path":"/spec/size","value":1},`, 10000) +
				`{"op":"test","path":"/spec/size","value":1}]`, 413, "RequestEntityTooLarge",
			"Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001", ""},
		{"no patch", "application/json", `{}`, 415, "UnsupportedMediaType",
			"the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.CreateWidget(t, api, "a")
			apitest.WantFailure(t, apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", c.patch, "Content-Type", c.media), c.code,
				c.reason, c.message, c.details)
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
		})
	}
	t.Run("a type is needed", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, 415, apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", `{}`, "Content-Type", "").Code)
	})
	t.Run("an absent object", func(t *testing.T) {
		apitest.WantFailure(t, apitest.MergePatch(t, apitest.NewWidgets(t), apitest.Widgets+"/none", `{"spec":{"size":2}}`),
			404, "NotFound", `widgets.example.com "none" not found`, apitest.AboutWidget("none"))
	})
}

func TestPatchValidatesItsResult(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct {
		name, patch, kind string
		causes            []apitest.Cause
	}{
		{"a value", `{"spec":{"color":"pink"}}`, "Widget.example.com",
			[]apitest.Cause{apitest.NotSupported("spec.color",
				`Unsupported value: "pink": supported values: "red", "green", "blue"`)}},
		{"a required field", `{"spec":{"size":null}}`, "Widget.example.com",
			[]apitest.Cause{apitest.Required("spec.size", "Required value")}},
		{"a type", `{"spec":{"size":"big"}}`, "Widget.example.com",
			[]apitest.Cause{apitest.TypeInvalid("spec.size",
				`Invalid value: "string": spec.size in body must be of type integer: "string"`)}},
		{"another kind", `{"kind":"Gadget"}`, "Gadget.example.com",
			[]apitest.Cause{apitest.Invalid("kind", `Invalid value: "Gadget": must be Widget`)}},
		{"uid", `{"metadata":{"uid":"zz"}}`, "Widget.example.com",
			[]apitest.Cause{apitest.Invalid("metadata.uid", `Invalid value: "zz": field is immutable`)}},
		{"another version", `{"apiVersion":"example.com/v2"}`, "Widget.example.com",
			[]apitest.Cause{apitest.Invalid("apiVersion", `Invalid value: "example.com/v2": must be example.com/v1`)}},
		{"another group", `{"apiVersion":"v1"}`, "Widget",
			[]apitest.Cause{apitest.Invalid("apiVersion", `Invalid value: "v1": must be example.com/v1`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantInvalid(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", c.patch), c.kind, "a", c.causes...)
		})
	}
	t.Run("no name", func(t *testing.T) {
		for _, patch := range []string{`{"metadata":{"name":null}}`, `{"metadata":null}`} {
			apitest.WantFailure(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", patch), 400, "BadRequest",
				"the name of the object (a based on URL) was undeterminable: name must be provided", "")
		}
	})
	t.Run("metadata that is null", func(t *testing.T) {
		apitest.WantFailure(t, apitest.Do(t, api, "PATCH", apitest.Widgets+"/a",
			`[{"op":"replace","path":"/metadata","value":null}]`, "Content-Type", apitest.TypeJSONPatch),
			400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("no resourceVersion, of a kind that demands one", func(t *testing.T) {
		for _, version := range []string{`null`, `""`, `"0"`} {
			apitest.WantInvalid(t, apitest.MergePatch(t, api, apitest.Widgets+"/a",
				`{"metadata":{"resourceVersion":`+version+`},"spec":{"size":2}}`), "widgets.example.com", "a",
				apitest.Invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
		}
	})
	t.Run("an object that is no longer of the kind", func(t *testing.T) {
		for _, patch := range []string{`{"apiVersion":null}`, `{"metadata":{"labels":{"x":1}}}`, `{"kind":null}`} {
			a := apitest.MergePatch(t, api, apitest.Widgets+"/a", patch)
			require.Equal(t, 422, a.Code, a.Body)
			assert.Equal(t, "patch", a.Text(t, "details.causes.0.field"))
			assert.Contains(t, a.Text(t, "message"), ` "" is invalid: patch: Invalid value: "{`)
		}
	})
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
}

func TestPatchDryRun(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a?dryRun=All", `{"spec":{"size":2}}`), 200,
		apitest.StoredWidget{RV: "2", Generation: 2, Spec: apitest.SpecOfSizeTwo}.String())
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
}

// A patch without a version is tried again when somebody else was faster, so that none is lost.
func TestConcurrentPatchesAllCount(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	const writers = 10
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			assert.Equal(t, 200, apitest.MergePatch(t, api, apitest.Widgets+"/a",
				fmt.Sprintf(`{"spec":{"settings":{"k%d":"v"}}}`, i)).Code)
		})
	}
	wait.Wait()
	a := apitest.Do(t, api, "GET", apitest.Widgets+"/a", "")
	assert.Len(t, a.Value(t, "spec.settings"), writers)
	assert.Equal(t, float64(1+writers), a.Value(t, "metadata.generation"))
}

func TestStrategicMerge(t *testing.T) {
	api := apitest.NewMemos(t)
	apitest.Must(t, api, "POST", apitest.Memos,
		`{"metadata":{"name":"a","finalizers":["example.com/f"]},"data":{"k":"v","l":"w"}}`)
	a := apitest.Do(t, api, "PATCH", apitest.Memos+"/a",
		`{"metadata":{"finalizers":["example.com/g"]},"data":{"l":null,"m":"n"}}`, "Content-Type",
		string(apimeta.StrategicPatch))
	apitest.WantJSON(t, a, 200, strings.Replace(apitest.StoredMemo("3", `,"data":{"k":"v","m":"n"}`), `"name":"a"`,
		`"name":"a","finalizers":["example.com/g","example.com/f"]`, 1))
	a = apitest.Do(t, api, "PATCH", apitest.Memos+"/a", `{"data":{"$patch":"replace","x":"y"}}`, "Content-Type",
		string(apimeta.StrategicPatch))
	assert.Equal(t, map[string]any{"x": "y"}, a.Value(t, "data"))
}

func TestPatchesOfBuiltinKinds(t *testing.T) {
	const typeStrategic = "application/strategic-merge-patch+json"
	strategic := func(t *testing.T, target, patch string) apitest.Answer {
		return apitest.Do(t, apitest.NewMemosWith(t, `"data":{"k":"v"}`), "PATCH", target, patch, "Content-Type",
			typeStrategic)
	}
	for _, c := range []struct{ name, patch, want string }{
		{"kind", `{"kind":"Secret"}`, apitest.StoredMemo("2", `,"data":{"k":"v"}`)},
		{"apiVersion", `{"apiVersion":"v2"}`, apitest.StoredMemo("2", `,"data":{"k":"v"}`)},
		{"neither", `{"kind":null,"apiVersion":null,"data":{"l":"w"}}`, apitest.StoredMemo("3", `,"data":{"k":"v","l":"w"}`)},
		{"everything", `{"$patch":"replace","metadata":{"name":"a"}}`, apitest.StoredMemo("3", "")},
	} {
		t.Run("a strategic merge patch cannot change "+c.name, func(t *testing.T) {
			apitest.WantJSON(t, strategic(t, apitest.Memos+"/a", c.patch), 200, c.want)
		})
	}
	t.Run("of an absent object", func(t *testing.T) {
		apitest.WantFailure(t, strategic(t, apitest.Memos+"/none", `5`), 404, "NotFound", `memos "none" not found`,
			`{"name":"none","kind":"memos"}`)
	})
	t.Run("that takes the name away", func(t *testing.T) {
		apitest.WantFailure(t, strategic(t, apitest.Memos+"/a", `{"$patch":"delete"}`), 400, "BadRequest",
			"the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("a merge patch may take the kind away", func(t *testing.T) {
		apitest.WantJSON(t, apitest.MergePatch(t, apitest.NewMemosWith(t, `"data":{"k":"v"}`), apitest.Memos+"/a",
			`{"kind":null}`), 200, apitest.StoredMemo("2", `,"data":{"k":"v"}`))
	})
}

// Messages show a patched object as upstream writes it: members are sorted on the way to the patched value, and keep
// their order elsewhere.
func TestPatchedObjectsInErrorMessages(t *testing.T) {
	const created = `"creationTimestamp":"2026-01-02T03:04:05Z"`
	const managed = `"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:k":{}}}}]`
	const asDeclared = `"metadata":{"name":"a","namespace":"default","uid":"uid-1","resourceVersion":"2",` + created +
		`,` + managed + `}`
	for _, c := range []struct{ name, media, patch, text, fault string }{
		{"data", apitest.TypeMergePatch, `{"data":["<x>"]}`,
			`{"apiVersion":"v1","data":["\u003cx\u003e"],"kind":"Memo",` + asDeclared + `}`,
			`json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`},
		{"a value as it was sent", apitest.TypeJSONPatch, `[{"op":"add","path":"/data/l","value":{"z":1.50,"a":null}}]`,
			`{"apiVersion":"v1","data":{"k":"v","l":{"z":1.50,"a":null}},"kind":"Memo",` + asDeclared + `}`,
			`json: cannot unmarshal object into Go struct field Memo.data of type string`},
		{"metadata", apitest.TypeMergePatch, `{"metadata":{"finalizers":1},"data":2}`,
			`{"apiVersion":"v1","data":2,"kind":"Memo","metadata":{` + created + `,"finalizers":1,` + managed +
				`,"name":"a","namespace":"default","resourceVersion":"2","uid":"uid-1"}}`,
			`json: cannot unmarshal number into Go struct field Memo.data of type map[string]string`},
		{"no name", apitest.TypeMergePatch, `{"metadata":null,"data":2}`, `{"apiVersion":"v1","data":2,"kind":"Memo"}`,
			`json: cannot unmarshal number into Go struct field Memo.data of type map[string]string`},
		{"the kind", apitest.TypeMergePatch, `{"kind":["a"]}`,
			`{"apiVersion":"v1","data":{"k":"v"},"kind":["a"],` + asDeclared + `}`,
			`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string`},
		{"another kind", apitest.TypeMergePatch, `{"kind":"Nope"}`,
			`{"apiVersion":"v1","data":{"k":"v"},"kind":"Nope",` + asDeclared + `}`, apitest.Unregistered("Nope", "v1")},
		{"a list", apitest.TypeJSONPatch, `[{"op":"replace","path":"","value":[]}]`, `[]`,
			`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`},
	} {
		t.Run("of a built-in kind, "+c.name, func(t *testing.T) {
			api := apitest.NewMemos(t)
			apitest.Must(t, api, "POST", apitest.Memos+"?fieldManager=m", `{"metadata":{"name":"a"},"data":{"k":"v"}}`)
			a := apitest.Do(t, api, "PATCH", apitest.Memos+"/a", c.patch, "Content-Type", c.media)
			assert.Equal(t, 422, a.Code)
			assert.Equal(t, ` "" is invalid: patch: Invalid value: `+strconv.Quote(c.text)+`: `+c.fault, a.Text(t, "message"))
		})
	}
	t.Run("of a built-in kind without apiVersion", func(t *testing.T) {
		apitest.WantFailure(t, apitest.MergePatch(t, apitest.NewMemosWith(t, `"data":{"k":"v"}`), apitest.Memos+"/a",
			`{"apiVersion":null}`), 400, "BadRequest",
			"the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("of a custom kind", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		for _, c := range []struct{ patch, want string }{
			{`[{"op":"replace","path":"","value":{}}]`, `patch: Invalid value: "{}": Object 'Kind' is missing in '{}'`},
			{`[{"op":"replace","path":"","value":{"kind":"Widget"}}]`,
				`patch: Invalid value: "{\"kind\":\"Widget\"}": Object 'apiVersion' is missing in '{"kind":"Widget"}'`},
			{`[{"op":"replace","path":"","value":{"kind":"Widget","apiVersion":"a/b/c"}}]`,
				`patch: Invalid value: "{\"apiVersion\":\"a/b/c\",\"kind\":\"Widget\"}": unexpected GroupVersion string: a/b/c`},
			{`[{"op":"replace","path":"","value":{"kind":1,"apiVersion":"v1"}}]`,
				`patch: Invalid value: "{\"apiVersion\":\"v1\",\"kind\":1}": couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`},
			{`[{"op":"replace","path":"","value":{"kind":"Gadget","apiVersion":"v1"}}]`,
				`[kind: Invalid value: "Gadget": must be Widget, apiVersion: Invalid value: "v1": must be example.com/v1]`},
		} {
			a := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", c.patch, "Content-Type", apitest.TypeJSONPatch)
			assert.Equal(t, 422, a.Code)
			assert.Contains(t, a.Text(t, "message"), c.want)
		}
	})
}

func TestPatchOfAbsentObject(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, c := range []struct{ name, media, patch string }{
		{"a merge patch that is not an object", apitest.TypeMergePatch, `[]`},
		{"a JSON patch that is not a list", apitest.TypeJSONPatch, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, "PATCH", apitest.Widgets+"/none", c.patch, "Content-Type", c.media), 404,
				"NotFound", `widgets.example.com "none" not found`, apitest.AboutWidget("none"))
		})
	}
}
