package upstream_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// What was recorded of kube-apiserver 1.36 beside the transcripts of internal/conformance: neighbours of their cases, with
// the texts it answers.

func TestMessagesAboutInvalidOptions(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct{ name, method, target string }{
		{"limit", "GET", apitest.Widgets + "?limit="},
		{"timeoutSeconds", "GET", apitest.Widgets + "?timeoutSeconds="},
		{"gracePeriodSeconds", "DELETE", apitest.Widgets + "/a?gracePeriodSeconds="},
	} {
		t.Run("an empty "+c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, ""), 400, "BadRequest", `strconv.ParseInt: parsing "": invalid syntax`, "")
		})
	}
	const dryRun, validation = `Unsupported value: ["x"]: supported values: "All"`, `Unsupported value: "y": supported values: "", "Ignore", "Strict", "Warn"`
	t.Run("an apply of which all is wrong", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?dryRun=x&fieldValidation=y", `{}`, "Content-Type", apitest.TypeApply), "PatchOptions.meta.k8s.io", "",
			apitest.Required("fieldManager", "Required value: is required for apply patch"),
			apitest.NotSupported("dryRun", dryRun), apitest.NotSupported("fieldValidation", validation))
	})
	t.Run("a patch of which all is wrong", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.MergePatch(t, api, apitest.Widgets+"/a?fieldValidation=y&dryRun=x&force=true&fieldManager=%07", `{}`), "PatchOptions.meta.k8s.io", "",
			apitest.Forbidden("force", "Forbidden: may not be specified for non-apply patch"),
			apitest.Invalid("fieldManager", `Invalid value: "\a": invalid character U+0007 (at position 0)`),
			apitest.NotSupported("dryRun", dryRun), apitest.NotSupported("fieldValidation", validation))
	})
}

func TestWarningsOfRefusedBodies(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct {
		name string
		a    apitest.Answer
		code int
		want []string
	}{
		{"invalid", apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`, `"spec":{"size":0,"foo":1}`)), 422, []string{`299 - "unknown field \"spec.foo\""`}},
		{"there already", apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"foo":1}`)), 409, []string{`299 - "unknown field \"spec.foo\""`}},
		{"not up to date", apitest.Do(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a","resourceVersion":"1"`, `"spec":{"size":1,"foo":1}`)), 409, []string{`299 - "unknown field \"spec.foo\""`}},
		{"a warning about the stored object", apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b","finalizers":["bare"]`, `"spec":{"size":0}`)), 422, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.code, c.a.Code, c.a.Body)
			assert.Equal(t, c.want, c.a.Header["Warning"])
		})
	}
}

func TestScaleWithoutACount(t *testing.T) {
	scale := func(rv, spec string) string {
		return `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"default","uid":"uid-1","resourceVersion":"` + rv +
			`","creationTimestamp":"` + apitest.NowText + `"},"spec":{` + spec + `},"status":{"replicas":0}}`
	}
	withWidget := func(t *testing.T) *rest.API {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		return api
	}
	t.Run("the kind need not be named", func(t *testing.T) {
		apitest.WantJSON(t, apitest.Do(t, withWidget(t), "PUT", apitest.Widgets+"/a/scale", `{"kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":2}}`), 200, scale("3", `"replicas":2`))
	})
	t.Run("the name must", func(t *testing.T) {
		apitest.WantFailure(t, apitest.Do(t, withWidget(t), "PUT", apitest.Widgets+"/a/scale", `{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":2}}`), 400, "BadRequest",
			"the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("none is not written", func(t *testing.T) {
		api := withWidget(t)
		apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a/scale", `{"spec":{"replicas":null}}`), 200, scale("3", ""))
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a/scale", ""), 200, scale("3", ""))
		assert.Equal(t, float64(0), apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Value(t, "spec.replicas"))
	})
	t.Run("a count that its owner lets go is the default again", func(t *testing.T) {
		api := withWidget(t)
		apply := func(spec string) apitest.Answer {
			return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a/scale?fieldManager=m&force=true", `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{`+spec+`}}`, "Content-Type", apitest.TypeApply)
		}
		assert.Equal(t, float64(5), apply(`"replicas":5`).Value(t, "spec.replicas"))
		a := apply("")
		assert.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, float64(1), a.Value(t, "spec.replicas"))
	})
}

func TestPatchesOfBuiltinKinds(t *testing.T) {
	const typeStrategic = "application/strategic-merge-patch+json"
	strategic := func(t *testing.T, target, patch string) apitest.Answer {
		return apitest.Do(t, apitest.NewMemosWith(t, `"data":{"k":"v"}`), "PATCH", target, patch, "Content-Type", typeStrategic)
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
		apitest.WantFailure(t, strategic(t, apitest.Memos+"/none", `5`), 404, "NotFound", `memos "none" not found`, `{"name":"none","kind":"memos"}`)
	})
	t.Run("that takes the name away", func(t *testing.T) {
		apitest.WantFailure(t, strategic(t, apitest.Memos+"/a", `{"$patch":"delete"}`), 400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("a merge patch may take the kind away", func(t *testing.T) {
		apitest.WantJSON(t, apitest.MergePatch(t, apitest.NewMemosWith(t, `"data":{"k":"v"}`), apitest.Memos+"/a", `{"kind":null}`), 200, apitest.StoredMemo("2", `,"data":{"k":"v"}`))
	})
}

// What a patch has made of an object is shown as upstream writes it: sorted where the patch leads, and as it was elsewhere.
func TestPatchedObjectsInErrorMessages(t *testing.T) {
	const created = `"creationTimestamp":"2026-01-02T03:04:05Z"`
	const managed = `"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:k":{}}}}]`
	const asDeclared = `"metadata":{"name":"a","namespace":"default","uid":"uid-1","resourceVersion":"2",` + created + `,` + managed + `}`
	for _, c := range []struct{ name, media, patch, text, fault string }{
		{"data", apitest.TypeMergePatch, `{"data":["<x>"]}`, `{"apiVersion":"v1","data":["\u003cx\u003e"],"kind":"Memo",` + asDeclared + `}`,
			`json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`},
		{"a value as it was sent", apitest.TypeJSONPatch, `[{"op":"add","path":"/data/l","value":{"z":1.50,"a":null}}]`,
			`{"apiVersion":"v1","data":{"k":"v","l":{"z":1.50,"a":null}},"kind":"Memo",` + asDeclared + `}`,
			`json: cannot unmarshal object into Go struct field Memo.data of type string`},
		{"metadata", apitest.TypeMergePatch, `{"metadata":{"finalizers":1},"data":2}`,
			`{"apiVersion":"v1","data":2,"kind":"Memo","metadata":{` + created + `,"finalizers":1,` + managed + `,"name":"a","namespace":"default","resourceVersion":"2","uid":"uid-1"}}`,
			`json: cannot unmarshal number into Go struct field Memo.data of type map[string]string`},
		{"no name", apitest.TypeMergePatch, `{"metadata":null,"data":2}`, `{"apiVersion":"v1","data":2,"kind":"Memo"}`,
			`json: cannot unmarshal number into Go struct field Memo.data of type map[string]string`},
		{"the kind", apitest.TypeMergePatch, `{"kind":["a"]}`, `{"apiVersion":"v1","data":{"k":"v"},"kind":["a"],` + asDeclared + `}`,
			`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string`},
		{"another kind", apitest.TypeMergePatch, `{"kind":"Nope"}`, `{"apiVersion":"v1","data":{"k":"v"},"kind":"Nope",` + asDeclared + `}`,
			`no kind "Nope" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`},
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
		apitest.WantFailure(t, apitest.MergePatch(t, apitest.NewMemosWith(t, `"data":{"k":"v"}`), apitest.Memos+"/a", `{"apiVersion":null}`), 400, "BadRequest",
			"the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("of a custom kind", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		for _, c := range []struct{ patch, want string }{
			{`[{"op":"replace","path":"","value":{}}]`, `patch: Invalid value: "{}": Object 'Kind' is missing in '{}'`},
			{`[{"op":"replace","path":"","value":{"kind":"Widget"}}]`, `patch: Invalid value: "{\"kind\":\"Widget\"}": Object 'apiVersion' is missing in '{"kind":"Widget"}'`},
			{`[{"op":"replace","path":"","value":{"kind":"Widget","apiVersion":"a/b/c"}}]`, `patch: Invalid value: "{\"apiVersion\":\"a/b/c\",\"kind\":\"Widget\"}": unexpected GroupVersion string: a/b/c`},
			{`[{"op":"replace","path":"","value":{"kind":1,"apiVersion":"v1"}}]`, `patch: Invalid value: "{\"apiVersion\":\"v1\",\"kind\":1}": couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`},
			{`[{"op":"replace","path":"","value":{"kind":"Gadget","apiVersion":"v1"}}]`, `[kind: Invalid value: "Gadget": must be Widget, apiVersion: Invalid value: "v1": must be example.com/v1]`},
		} {
			a := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", c.patch, "Content-Type", apitest.TypeJSONPatch)
			assert.Equal(t, 422, a.Code)
			assert.Contains(t, a.Text(t, "message"), c.want)
		}
	})
}

func TestAppliedConfigurationsThatFitNoType(t *testing.T) {
	t.Run("a value that its Go type does not take", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewMemos(t), "PATCH", apitest.Memos+"/a?fieldManager=m", `{"apiVersion":"v1","kind":"Memo","metadata":{"name":"a","deletionTimestamp":"x"}}`, "Content-Type", apitest.TypeApply)
		assert.Equal(t, 500, a.Code)
		assert.Equal(t, `failed to convert new object (/a; /v1, Kind=Memo) to proper version: unable to convert unstructured object to /v1, Kind=Memo: `+
			`parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`, a.Text(t, "message"))
	})
	t.Run("invalid times of a custom kind", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m", apitest.WidgetBody(`"name":"a","creationTimestamp":"x","deletionTimestamp":"y","generation":1.5`, `"spec":{"size":1}`), "Content-Type", apitest.TypeApply)
		assert.Equal(t, 201, a.Code, a.Body)
		assert.Equal(t, "2026-01-02T03:04:05Z", a.Text(t, "metadata.creationTimestamp"))
		assert.NotContains(t, a.Body, `"deletionTimestamp"`)
	})
	t.Run("a value of another type", func(t *testing.T) {
		for spec, want := range map[string]string{
			`{"color":{"b":1}}`: `.spec.color: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":1}}`,
			`{"parts":"x"}`:     `.spec.parts: expected list, got &{x}`,
			`{"settings":[[]]}`: `.spec.settings: expected map, got &{[[]]}`,
		} {
			a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m", apitest.WidgetBody(`"name":"a"`, `"spec":`+spec), "Content-Type", apitest.TypeApply)
			assert.Equal(t, 500, a.Code)
			assert.Equal(t, `failed to create typed patch object (/a; example.com/v1, Kind=Widget): `+want, a.Text(t, "message"))
		}
	})
	t.Run("an invalid resourceVersion", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m", apitest.WidgetBody(`"name":"a","resourceVersion":"x"`, `"spec":{"size":1}`), "Content-Type", apitest.TypeApply)
		assert.Equal(t, 400, a.Code, a.Body)
	})
	t.Run("managedFields that are no list", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "PATCH", apitest.Widgets+"/a?fieldManager=m", apitest.WidgetBody(`"name":"a","managedFields":"x"`, `"spec":{"size":1}`), "Content-Type", apitest.TypeApply)
		assert.Equal(t, `failed to create typed patch object (/a; example.com/v1, Kind=Widget): .metadata.managedFields: expected list, got &{x}`, a.Text(t, "message"))
	})
}

func TestPatchesOfScale(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.Must(t, api, "POST", apitest.Widgets+"?fieldManager=m", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"replicas":2}`))
	scale := func(media, patch string) apitest.Answer {
		return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a/scale?fieldManager=s", patch, "Content-Type", media)
	}
	const before = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","namespace":"default","uid":"uid-1","resourceVersion":"2","creationTimestamp":"2026-01-02T03:04:05Z",` +
		`"managedFields":[{"manager":"m","operation":"Update","apiVersion":"autoscaling/v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]},`
	for _, c := range []struct{ patch, text, fault string }{
		{`{"spec":{"replicas":"x"}}`, before + `"spec":{"replicas":"x"},"status":{"replicas":0}}`, `json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32`},
		{`{"spec":[]}`, before + `"spec":[],"status":{"replicas":0}}`, `json: cannot unmarshal array into Go struct field Scale.spec of type v1.ScaleSpec`},
		{`{"kind":"X"}`, strings.Replace(before, `"Scale"`, `"X"`, 1) + `"spec":{"replicas":2},"status":{"replicas":0}}`, `no kind "X" is registered for version "autoscaling/v1" in scheme "pkg/runtime/scheme.go:111"`},
	} {
		a := scale(apitest.TypeMergePatch, c.patch)
		assert.Equal(t, 422, a.Code)
		assert.Equal(t, ` "" is invalid: patch: Invalid value: `+strconv.Quote(c.text)+`: `+c.fault, a.Text(t, "message"))
	}
	apitest.WantFailure(t, scale(apitest.TypeMergePatch, `{"metadata":null}`), 400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided", "")
	a := scale(apitest.TypeApply, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":3}}`)
	assert.Equal(t, `Apply failed with 1 conflict: conflict with "m" using autoscaling/v1: .spec.replicas`, a.Text(t, "message"))

	assert.Equal(t, 200, scale(apitest.TypeMergePatch, `{"kind":null,"spec":{"replicas":5}}`).Code)
	got := apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body
	assert.Contains(t, got, `{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"s","operation":"Update","subresource":"scale"}`)
	assert.Equal(t, 200, scale(apitest.TypeMergePatch, `{"spec":{"replicas":0}}`).Code)
	assert.NotContains(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body, `f:replicas`)
}

func TestPhasesOfNamespaces(t *testing.T) {
	api := apitest.New(t, rest.Options{}, rest.NamespacesOf[apitest.Namespace]())
	const path = "/api/v1/namespaces/n"
	apitest.Must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"n"}}`)
	assert.NotContains(t, apitest.Do(t, api, "GET", path, "").Body, `f:finalizers`)
	apitest.WantInvalid(t, apitest.MergePatch(t, api, path+"/status", `{"status":{"phase":"Terminating"}}`), "Namespace", "n",
		apitest.Invalid("status.Phase", "Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"))
	assert.Equal(t, "Active", apitest.MergePatch(t, api, path+"/status", `{"status":null}`).Text(t, "status.phase"))
	apitest.Do(t, api, "DELETE", path, "")
	apitest.WantInvalid(t, apitest.MergePatch(t, api, path+"/status", `{"status":{"phase":"Active"}}`), "Namespace", "n",
		apitest.Invalid("status.Phase", "Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"))
}

func TestMetadataOfTheClient(t *testing.T) {
	t.Run("an existing deletionTimestamp is not compared", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "w") // another one, so that versions differ
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":["a.b/c"]`))
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
		a := apitest.Do(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a","resourceVersion":"4","deletionTimestamp":"2020-01-01T00:00:00Z","finalizers":["a.b/c"]`, `"spec":{"size":5}`))
		assert.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, apitest.NowText, a.Text(t, "metadata.deletionTimestamp"))
	})
	t.Run("nulls among labels and annotations", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","labels":{"k":null},"annotations":{"k":null}`))
		apitest.WantJSON(t, a, 201, apitest.StoredWidget{Metadata: `"labels":{"k":""},"annotations":{"k":""}`}.String())
	})
	t.Run("generateName that ends in a dot", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"generateName":"x."`))
		assert.Equal(t, 422, a.Code, a.Body)
		assert.Contains(t, a.Text(t, "message"), `metadata.generateName: Invalid value: "x.": a lowercase RFC 1123 subdomain`)
		assert.Equal(t, 201, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"generateName":"x-"`)).Code)
	})
	t.Run("generation of a built-in kind that does not count", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"metadata":{"name":"a","generation":4}}`)
		assert.Equal(t, float64(4), a.Value(t, "metadata.generation"), a.Body)
	})
	t.Run("namespace of an object of the cluster", func(t *testing.T) {
		api := apitest.New(t, rest.Options{}, rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}, Scope: rest.ScopeCluster})
		a := apitest.Do(t, api, "POST", "/api/v1/memos", `{"metadata":{"name":"a","namespace":"x"}}`)
		assert.Equal(t, 201, a.Code, a.Body)
		assert.NotContains(t, a.Body, `"namespace"`)
	})
}

func TestNamespaceLabelsAndStatus(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	apitest.Must(t, api, "POST", namespaces, `{"metadata":{"name":"team"}}`)
	labels := func(a apitest.Answer) string {
		t.Helper()
		assert.Equal(t, 200, a.Code, a.Body)
		_, after, _ := strings.Cut(a.Body, `"labels":`)
		text, _, _ := strings.Cut(after, "}")
		return text + "}"
	}
	const its = `"kubernetes.io/metadata.name":"team"`
	assert.Equal(t, `{`+its+`}`, labels(apitest.MergePatch(t, api, namespaces+"/team", `{"metadata":{"labels":null}}`)), "the label is always there")
	assert.Equal(t, `{`+its+`}`, labels(apitest.Do(t, api, "PUT", namespaces+"/team", `{"metadata":{"name":"team","labels":{"kubernetes.io/metadata.name":"x"}}}`)))

	a := apitest.MergePatch(t, api, namespaces+"/team/status", `{"metadata":{"labels":{"x":"y"},"annotations":{"p":"q"}},"spec":{"finalizers":null}}`)
	assert.Equal(t, `{`+its+`,"x":"y"}`, labels(a), "/status of a built-in kind takes metadata")
	assert.Equal(t, "q", a.Text(t, "metadata.annotations.p"))
	assert.Contains(t, a.Body, `"finalizers":["kubernetes"]`, "and no spec")

	for _, verb := range []string{"DELETE", "POST"} {
		apitest.WantFailure(t, apitest.Do(t, api, verb, namespaces+"/team/status", `{}`), 405, "MethodNotAllowed", "the server does not allow this method on the requested resource", "{}")
	}
	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", namespaces+"/team", `{"preconditions":{"uid":"other"}}`), 409, "Conflict",
		`Operation cannot be fulfilled on namespaces "team": Precondition failed: UID in precondition: other, UID in object meta: uid-2`, `{"name":"team","kind":"namespaces"}`)

	apitest.Must(t, api, "DELETE", namespaces+"/team", "")
	a = apitest.Do(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets", apitest.WidgetBody(`"generateName":"g-"`))
	assert.Equal(t, 403, a.Code, a.Body)
	assert.Contains(t, a.Text(t, "message"), `widgets.example.com "g-" is forbidden: unable to create new content in namespace team`)
}

func TestApplyToAFieldOfAnyForm(t *testing.T) {
	api := apitest.NewWidgets(t)
	apply := func(manager, spec string) apitest.Answer {
		return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldManager="+manager, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":`+spec+`}`, "Content-Type", apitest.TypeApply)
	}
	assert.Equal(t, 201, apply("m", `{"size":1,"port":80}`).Code)
	apitest.WantFailure(t, apply("n", `{"port":{"a":"b"}}`), 409, "Conflict", `Apply failed with 1 conflict: conflict with "m": .spec.port`,
		`{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"m\"","field":".spec.port"}]}`)
}

func TestAnswersToWritesAreCompressed(t *testing.T) {
	api := apitest.NewMemosWith(t, `"data":{"k":"v"}`)
	a := apitest.Do(t, api, "PUT", apitest.Memos+"/a", `{"metadata":{"name":"a"},"data":{"k":"`+strings.Repeat("x", 200_000)+`"}}`, "Accept-Encoding", "gzip")
	assert.Equal(t, 200, a.Code)
	assert.Equal(t, "gzip", a.Header.Get("Content-Encoding"))
	assert.Equal(t, "Accept-Encoding", a.Header.Get("Vary"))
	assert.Less(t, len(a.Body), 10_000)
}

func TestEmptyManagedFields(t *testing.T) {
	const none = `{"metadata":{"managedFields":[]}}`
	t.Run("of a custom kind", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		a := apitest.MergePatch(t, api, apitest.Widgets+"/a", none)
		assert.Contains(t, a.Body, `"managedFields":[{`, "an empty list is not there for a custom resource")
		assert.Equal(t, "2", a.ResourceVersion(t))
	})
	t.Run("of a built-in kind", func(t *testing.T) {
		assert.NotContains(t, apitest.MergePatch(t, apitest.NewMemosWith(t, `"data":{"k":"v"}`), apitest.Memos+"/a", none).Body, `"managedFields"`)
	})
}

func TestPatchOfAbsentObject(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, c := range []struct{ name, media, patch string }{
		{"a merge patch that is not an object", apitest.TypeMergePatch, `[]`},
		{"a JSON patch that is not a list", apitest.TypeJSONPatch, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, "PATCH", apitest.Widgets+"/none", c.patch, "Content-Type", c.media), 404, "NotFound", `widgets.example.com "none" not found`, apitest.AboutWidget("none"))
		})
	}
}

func TestNamespaceSelectorOfAClusterScopedKind(t *testing.T) {
	api := apitest.New(t, rest.Options{}, rest.NamespacesOf[apitest.Namespace](), apitest.WidgetResource())
	apitest.WantFailure(t, apitest.Do(t, api, "GET", "/api/v1/namespaces?fieldSelector=metadata.namespace%3Dx", ""), 400, "BadRequest", "field label not supported: metadata.namespace", "")
}

func TestNullsInAnAppliedConfiguration(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       []apitest.Cause
	}{
		{"some", `{"size":1,"note":null,"color":null,"template":null,"parts":null,"owner":null,"settings":{"k":null}}`, []apitest.Cause{
			apitest.TypeInvalid("spec.owner", `Invalid value: "null": spec.owner in body must be of type string: "null"`),
			apitest.TypeInvalid("spec.parts", `Invalid value: "null": spec.parts in body must be of type array: "null"`),
			apitest.TypeInvalid("spec.settings.k", `Invalid value: "null": spec.settings.k in body must be of type string: "null"`)}},
		{"of an enumeration", `{"size":1,"parts":[{"name":"p","kind":null}]}`, []apitest.Cause{
			apitest.TypeInvalid("spec.parts[0].kind", `Invalid value: "null": spec.parts[0].kind in body must be of type string: "null"`),
			apitest.NotSupported("spec.parts[0].kind", `Unsupported value: null: supported values: "bolt", "nut"`)}},
		{"of a required field", `{"size":null}`, []apitest.Cause{apitest.TypeInvalid("spec.size", `Invalid value: "null": spec.size in body must be of type integer: "null"`)}},
		{"with other faults", `{"size":500,"owner":null,"parts":[{"name":"a","kind":null}]}`, []apitest.Cause{
			apitest.TypeInvalid("spec.owner", `Invalid value: "null": spec.owner in body must be of type string: "null"`),
			apitest.TypeInvalid("spec.parts[0].kind", `Invalid value: "null": spec.parts[0].kind in body must be of type string: "null"`),
			apitest.NotSupported("spec.parts[0].kind", `Unsupported value: null: supported values: "bolt", "nut"`),
			apitest.Invalid("spec.size", `Invalid value: 500: spec.size in body should be less than or equal to 100`)}},
		{"of the spec", `null`, []apitest.Cause{apitest.TypeInvalid("spec", `Invalid value: "null": spec in body must be of type object: "null"`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apply := func(labels, spec string) apitest.Answer {
				return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldManager=m", apitest.WidgetBody(`"name":"a","labels":`+labels, `"spec":`+spec), "Content-Type", apitest.TypeApply)
			}
			apitest.WantInvalid(t, apply("null", c.spec), "Widget.example.com", "a", c.want...)
			assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
			taken := apply("null", `{"size":1,"note":null,"color":null}`)
			assert.Equal(t, 201, taken.Code, "nulls that are let be, and those that a default replaces: %s", taken.Body)
		})
	}
}

func TestOrderOfCauses(t *testing.T) {
	const int32Format = "Checked value must be of type integer with format int32 in "
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "w")
	for _, c := range []struct {
		name, spec string
		want       []apitest.Cause
	}{
		{"what a struct lacks comes after its members", `{"color":"pink"}`, []apitest.Cause{
			apitest.NotSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`), apitest.Required("spec.size", "Required value")}},
		{"duplicates come last", `{"parts":[{"name":"a"},{"name":"a","kind":"x"}]}`, []apitest.Cause{
			apitest.NotSupported("spec.parts[1].kind", `Unsupported value: "x": supported values: "bolt", "nut"`), apitest.Required("spec.size", "Required value"),
			apitest.Duplicate("spec.parts[1]", `Duplicate value: {"name":"a"}`)}},
		{"the faults of a value stand together", `{"size":0,"color":1}`, []apitest.Cause{
			apitest.TypeInvalid("spec.color", `Invalid value: "integer": spec.color in body must be of type string: "integer"`),
			apitest.NotSupported("spec.color", `Unsupported value: 1: supported values: "red", "green", "blue"`),
			apitest.Invalid("spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1")}},
		{"an invalid count is reported again", `{"size":1,"replicas":1.5}`, []apitest.Cause{
			apitest.TypeInvalid("spec.replicas", `Invalid value: "float64": spec.replicas in body must be of type int32: "float64"`),
			apitest.Invalid("<nil>", `Invalid value: "": `+int32Format+"spec.replicas"),
			apitest.Invalid(".spec.replicas", "Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64")}},
		{"so is a value above it", `["x"]`, []apitest.Cause{
			apitest.TypeInvalid("spec", `Invalid value: "array": spec in body must be of type object: "array"`),
			apitest.Invalid(".spec.replicas", "Invalid value: 0: .spec.replicas accessor error: [x] is of the type []interface {}, expected map[string]interface{}")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`, `"spec":`+c.spec)), "Widget.example.com", "a", c.want...)
		})
	}
	t.Run("metadata comes first", func(t *testing.T) {
		a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","namespace":"default","labels":{"a":"-"}`, `"spec":{"size":"x"}`))
		assert.Equal(t, []any{"metadata.labels", "spec.size"}, []any{a.Value(t, "details.causes.0.field"), a.Value(t, "details.causes.1.field")}, a.Body)
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
			apitest.Invalid(".status.replicas", "Invalid value: 0: .status.replicas accessor error: x is of the type string, expected map[string]interface{}"),
			apitest.Invalid(".status.selector", `Invalid value: "": .status.selector accessor error: x is of the type string, expected map[string]interface{}`)}},
		{"a number beyond its format", `{"replicas":2147483648}`, []apitest.Cause{
			apitest.Invalid("status", `Invalid value: "": `+int32Format+"replicas"),
			apitest.Invalid(".status.replicas", "Invalid value: 2147483648: should be less than or equal to 2147483647")}},
		{"a selector that is not a string", `{"selector":1}`, []apitest.Cause{
			apitest.TypeInvalid("status.selector", `Invalid value: "integer": selector in body must be of type string: "integer"`),
			apitest.Invalid(".status.selector", `Invalid value: "": .status.selector accessor error: 1 is of the type int64, expected string`)}},
		{"what an element lacks, in the order of the struct", `{"conditions":[{}]}`, []apitest.Cause{
			apitest.Required("status.conditions[0].type", "Required value"), apitest.Required("status.conditions[0].status", "Required value")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantInvalid(t, apitest.MergePatch(t, api, apitest.Widgets+"/w/status", `{"status":`+c.status+`}`), "Widget.example.com", "w", c.want...)
		})
	}
}
