package openapi_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/openapi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               WidgetSpec   `json:"spec" api:"doc='What the widget should be.'"`
	Status             WidgetStatus `json:"status,omitzero"`
}

type WidgetSpec struct {
	Size     int32             `json:"size" api:"min=1,max=100,multipleOf=1"`
	Color    string            `json:"color,omitempty" api:"enum=red|green,default=red"`
	Note     *string           `json:"note,omitempty" api:"nullable,maxLength=3,pattern='^a'"`
	Port     json.RawMessage   `json:"port,omitempty" api:"intOrString"`
	Parts    []Part            `json:"parts,omitempty" api:"list=map,key=name,maxItems=3" patchStrategy:"merge" patchMergeKey:"name"`
	Template *Template         `json:"template,omitempty" api:"default={},map=atomic"`
	Labels   map[string]string `json:"labels,omitempty" api:"maxProperties=2"`
	Extra    map[string]any    `json:"extra,omitempty"`
	Inline   *struct {
		A bool `json:"a"`
	} `json:"inline,omitempty"`
	Tree *Tree        `json:"tree,omitempty"`
	Box  Box[float64] `json:"box,omitzero"`
}

type Part struct {
	Name string `json:"name"`
}

type Template struct {
	Image string `json:"image,omitempty" api:"default=none"`
}

type Tree struct {
	Left  *Tree `json:"left,omitempty"`
	Right *Tree `json:"right,omitempty"`
}

type Box[T any] struct {
	Content T `json:"content"`
}

type WidgetStatus struct {
	Phase string `json:"phase,omitempty"`
}

type Scale struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               ScaleSpec `json:"spec,omitzero"`
}

type ScaleSpec struct {
	Replicas int32 `json:"replicas,omitempty"`
}

// Wrench shares a Go type with Widget.
type Wrench struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Template           Template `json:"template,omitzero"`
}

func derive[T any](t testing.TB, options schema.Options) *schema.Schema {
	t.Helper()
	s, err := schema.Derive(reflect.TypeFor[T](), options)
	require.NoError(t, err)
	return s
}

func kinds(t testing.TB) []*kind.Kind {
	t.Helper()
	all := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	return []*kind.Kind{
		{
			GroupVersionKind: example("Widget"), ListKind: "WidgetList", Plural: "widgets", Namespaced: true,
			Schema: derive[Widget](t, schema.Options{}), Description: "Widget is what there are many of.", Verbs: all,
			PatchTypes: []string{"application/json-patch+json", "application/merge-patch+json"},
			Subresources: []kind.Subresource{
				{Name: "status", Verbs: []string{"get", "update", "patch"}, GroupVersionKind: example("Widget"), OfObject: true},
				{Name: "scale", Verbs: []string{"get", "update", "patch"},
					GroupVersionKind: apimeta.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"},
					Schema:           derive[Scale](t, schema.Options{Builtin: true})},
			},
		},
		{
			GroupVersionKind: example("Wrench"), ListKind: "Wrenches", Plural: "wrenches",
			Schema: derive[Wrench](t, schema.Options{Overlay: map[string]string{"Template.image": "maxLength=5"}}),
			Verbs:  []string{"get", "list"},
		},
		{GroupVersionKind: apimeta.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, ListKind: "ConfigMapList",
			Plural: "configmaps", Namespaced: true, Verbs: all},
	}
}

func example(name string) apimeta.GroupVersionKind {
	return apimeta.GroupVersionKind{Group: "example.com", Version: "v1", Kind: name}
}

type tree = map[string]any

func documents(t testing.TB) map[string]tree {
	t.Helper()
	v3, err := openapi.V3(apimeta.GroupVersion{Group: "example.com", Version: "v1"}, kinds(t))
	require.NoError(t, err)
	core, err := openapi.V3(apimeta.GroupVersion{Version: "v1"}, kinds(t))
	require.NoError(t, err)
	v2, err := openapi.V2(kinds(t))
	require.NoError(t, err)
	all := map[string]tree{}
	for name, data := range map[string][]byte{"v3": v3, "core": core, "v2": v2} {
		var doc tree
		require.NoError(t, json.Unmarshal(data, &doc), name)
		all[name] = doc
	}
	return all
}

// at follows member names; a number is not needed by the tests.
func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(tree)
		v = m[name]
	}
	return v
}

func TestEveryReferenceResolves(t *testing.T) {
	for name, doc := range documents(t) {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(doc)
			require.NoError(t, err)
			found := regexp.MustCompile(`"\$ref":"(.*?)"`).FindAllSubmatch(text, -1)
			for _, match := range found {
				path, ok := strings.CutPrefix(string(match[1]), "#/")
				require.True(t, ok, path)
				assert.NotNil(t, at(doc, strings.Split(path, "/")...), path)
			}
			assert.Greater(t, len(found), 20)
		})
	}
}

func TestOperationsAreNamedOnceAndSayTheirKind(t *testing.T) {
	for name, doc := range documents(t) {
		t.Run(name, func(t *testing.T) {
			ids := map[string]bool{}
			for path, item := range doc["paths"].(tree) {
				for method, op := range item.(tree) {
					if method == "parameters" {
						continue
					}
					id := at(op, "operationId").(string)
					assert.False(t, ids[id], "%s stands there twice", id)
					ids[id] = true
					assert.NotEmpty(t, at(op, "x-kubernetes-action"), path)
					assert.NotEmpty(t, at(op, "x-kubernetes-group-version-kind", "kind"), path)
					assert.NotEmpty(t, at(op, "responses", "200"), path)
				}
				for _, in := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
					declared := slices.ContainsFunc(item.(tree)["parameters"].([]any), func(p any) bool {
						return at(p, "name") == in[1] && at(p, "in") == "path" && at(p, "required") == true
					})
					assert.True(t, declared, "%s does not declare %s", path, in[1])
				}
			}
			assert.NotEmpty(t, ids)
		})
	}
}

func TestPaths(t *testing.T) {
	docs := documents(t)
	base := "/apis/example.com/v1/namespaces/{namespace}/widgets"
	assert.ElementsMatch(t, []string{
		base, base + "/{name}", base + "/{name}/status", base + "/{name}/scale", "/apis/example.com/v1/widgets",
		"/apis/example.com/v1/wrenches", "/apis/example.com/v1/wrenches/{name}",
	}, slices.Collect(maps.Keys(docs["v3"]["paths"].(tree))))
	assert.ElementsMatch(t, []string{"/api/v1/namespaces/{namespace}/configmaps",
		"/api/v1/namespaces/{namespace}/configmaps/{name}", "/api/v1/configmaps"},
		slices.Collect(maps.Keys(docs["core"]["paths"].(tree))))
	assert.Len(t, docs["v2"]["paths"], 10)

	methods := func(path string) []string {
		return slices.Sorted(maps.Keys(docs["v3"]["paths"].(tree)[path].(tree)))
	}
	assert.Equal(t, []string{"delete", "get", "parameters", "post"}, methods(base))
	assert.Equal(t, []string{"delete", "get", "parameters", "patch", "put"}, methods(base+"/{name}"))
	assert.Equal(t, []string{"get", "parameters", "patch", "put"}, methods(base+"/{name}/status"))
	assert.Equal(t, []string{"get", "parameters"}, methods("/apis/example.com/v1/wrenches"))
}

// kubectl decides by these whether the server validates fields, and which patch to send.
func TestPatchOperation(t *testing.T) {
	docs := documents(t)
	const path = "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"
	for _, name := range []string{"v3", "v2"} {
		patch := at(docs[name], "paths", path, "patch")
		assert.Equal(t, tree{"group": "example.com", "version": "v1", "kind": "Widget"},
			at(patch, "x-kubernetes-group-version-kind"), name)
		var names []string
		for _, p := range at(patch, "parameters").([]any) {
			names = append(names, at(p, "name").(string))
		}
		assert.Subset(t, names, []string{"dryRun", "fieldManager", "fieldValidation", "force"}, name)
	}
	content := at(docs["v3"], "paths", path, "patch", "requestBody", "content").(tree)
	assert.Equal(t, []string{"application/json-patch+json", "application/merge-patch+json"},
		slices.Sorted(maps.Keys(content)))
	assert.Equal(t, []any{"application/json-patch+json", "application/merge-patch+json"},
		at(docs["v2"], "paths", path, "patch", "consumes"))
	assert.Equal(t, "autoscaling",
		at(docs["v3"], "paths", path+"/scale", "patch", "x-kubernetes-group-version-kind", "group"))
}

func TestSchemasStandForTheirKinds(t *testing.T) {
	gvk := func(group, version, kind string) tree { return tree{"group": group, "version": version, "kind": kind} }
	docs := documents(t)
	for name, schemas := range map[string]any{"v3": at(docs["v3"], "components", "schemas"),
		"v2": docs["v2"]["definitions"]} {
		for def, want := range map[string]tree{
			"com.example.v1.Widget":           gvk("example.com", "v1", "Widget"),
			"com.example.v1.WidgetList":       gvk("example.com", "v1", "WidgetList"),
			"com.example.v1.Wrenches":         gvk("example.com", "v1", "Wrenches"),
			"io.k8s.api.autoscaling.v1.Scale": gvk("autoscaling", "v1", "Scale"),
			metaName + "Status":               gvk("", "v1", "Status"),
			metaName + "DeleteOptions":        gvk("example.com", "v1", "DeleteOptions"),
			metaName + "WatchEvent":           gvk("example.com", "v1", "WatchEvent"),
		} {
			assert.Contains(t, at(schemas, def, "x-kubernetes-group-version-kind"), want, "%s: %s", name, def)
		}
		for _, def := range []string{"ObjectMeta", "ListMeta", "OwnerReference", "ManagedFieldsEntry", "Patch",
			"Preconditions", "StatusDetails", "StatusCause"} {
			assert.NotEmpty(t, at(schemas, metaName+def, "description"), "%s: %s", name, def)
		}
	}
	assert.NotNil(t, at(docs["v2"], "definitions", "io.k8s.api.core.v1.ConfigMapList"))
}

const metaName = "io.k8s.apimachinery.pkg.apis.meta.v1."

func TestSchemas(t *testing.T) {
	docs := documents(t)
	const own = "com.github.decorum-go.decorum.rest.internal.openapi_test."
	v3, v2 := at(docs["v3"], "components", "schemas"), at(docs["v2"], "definitions")
	ref := func(prefix, name string) tree { return tree{"$ref": "#/" + prefix + name} }
	const c, d = "components/schemas/", "definitions/"

	widget := at(v3, "com.example.v1.Widget").(tree)
	assert.Equal(t, []any{"spec"}, widget["required"])
	assert.Equal(t, "Widget is what there are many of.", widget["description"])
	assert.Equal(t, tree{"description": "Standard object's metadata, which every stored object has.",
		"allOf": []any{ref(c, metaName+"ObjectMeta")}}, at(widget, "properties", "metadata"))
	assert.Equal(t, tree{"description": "What the widget should be.", "allOf": []any{ref(c, own+"WidgetSpec")}},
		at(widget, "properties", "spec"))
	assert.NotEmpty(t, at(widget, "properties", "apiVersion", "description"))
	assert.Equal(t, ref(c, "com.example.v1.Widget"), at(v3, "com.example.v1.WidgetList", "properties", "items", "items"))
	assert.Equal(t, []any{"items"}, at(v3, "com.example.v1.WidgetList", "required"))

	for _, test := range []struct {
		property string
		v3, v2   tree
	}{
		{"size", tree{"type": "integer", "format": "int32", "minimum": 1.0, "maximum": 100.0, "multipleOf": 1.0}, nil},
		{"color", tree{"type": "string", "enum": []any{"red", "green"}, "default": "red"},
			tree{"type": "string", "enum": []any{"red", "green"}}},
		{"note", tree{"type": "string", "nullable": true, "maxLength": 3.0, "pattern": "^a"},
			tree{"maxLength": 3.0, "pattern": "^a"}},
		{"port", tree{"x-kubernetes-int-or-string": true, "oneOf": []any{tree{"type": "integer"}, tree{"type": "string"}}},
			tree{"x-kubernetes-int-or-string": true}},
		{"parts", tree{"type": "array", "items": ref(c, own+"Part"), "maxItems": 3.0, "x-kubernetes-list-type": "map",
			"x-kubernetes-list-map-keys": []any{"name"}, "x-kubernetes-patch-strategy": "merge",
			"x-kubernetes-patch-merge-key": "name"},
			tree{"type": "array", "items": ref(d, own+"Part"), "maxItems": 3.0, "x-kubernetes-list-type": "map",
				"x-kubernetes-list-map-keys": []any{"name"}, "x-kubernetes-patch-strategy": "merge",
				"x-kubernetes-patch-merge-key": "name"}},
		{"template", tree{"allOf": []any{ref(c, own+"Template")}, "default": tree{}, "x-kubernetes-map-type": "atomic"},
			ref(d, own+"Template")},
		{"labels", tree{"type": "object", "additionalProperties": tree{"type": "string"}, "maxProperties": 2.0}, nil},
		{"extra", tree{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, nil},
		{"inline", tree{"type": "object", "properties": tree{"a": tree{"type": "boolean"}}, "required": []any{"a"}}, nil},
		{"tree", ref(c, own+"Tree"), ref(d, own+"Tree")},
		{"box", ref(c, own+"Box_float64_"), ref(d, own+"Box_float64_")},
	} {
		t.Run(test.property, func(t *testing.T) {
			if test.v2 == nil {
				test.v2 = test.v3
			}
			assert.Equal(t, test.v3, at(v3, own+"WidgetSpec", "properties", test.property), "3.0")
			assert.Equal(t, test.v2, at(v2, own+"WidgetSpec", "properties", test.property), "2.0")
		})
	}
	assert.Equal(t, ref(c, own+"Tree"), at(v3, own+"Tree", "properties", "left"), "a recursive type refers to itself")
	assert.Nil(t, at(v3, own+"Template", "properties", "image", "maxLength"))
	assert.Equal(t, 5.0, at(v3, own+"Template_2", "properties", "image", "maxLength"),
		"one Go type under two overlays is two schemas")
	assert.Equal(t, ref(c, own+"Template_2"), at(v3, "com.example.v1.Wrench", "properties", "template"))
	assert.NotContains(t, v3, metaName+"ObjectMeta_2", "both dialects share object metadata")
	assert.NotContains(t, v3, "io.k8s.api.core.v1.ConfigMap", "kinds of other versions stay out")
}

func TestEqualServersGiveEqualBytes(t *testing.T) {
	reversed := kinds(t)
	slices.Reverse(reversed)
	a, err := openapi.V2(kinds(t))
	require.NoError(t, err)
	b, err := openapi.V2(reversed)
	require.NoError(t, err)
	assert.Equal(t, string(a), string(b))
}

func TestKindsOfOneNameAreRefused(t *testing.T) {
	twice := kinds(t)[:1]
	again := twice[0]
	again.Plural = "widgetz"
	_, err := openapi.V3(apimeta.GroupVersion{Group: "example.com", Version: "v1"}, append(twice, again))
	require.ErrorContains(t, err, "listExampleComV1NamespacedWidget")
	require.ErrorContains(t, err, "widgetz")
}

var update = flag.Bool("update", false, "write the golden files anew")

// The whole document of one small kind, for people to read.
func TestGolden(t *testing.T) {
	type Note struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Text               string `json:"text" api:"maxLength=80,doc='What to remember.'"`
	}
	note := &kind.Kind{GroupVersionKind: example("Note"), ListKind: "NoteList", Plural: "notes",
		Description: "Note is a line of text.", Schema: derive[Note](t, schema.Options{}), Verbs: []string{"get", "update"}}
	v3, err := openapi.V3(apimeta.GroupVersion{Group: "example.com", Version: "v1"}, []*kind.Kind{note})
	require.NoError(t, err)
	v2, err := openapi.V2([]*kind.Kind{note})
	require.NoError(t, err)
	for name, data := range map[string][]byte{"note-v3.json": v3, "note-v2.json": v2} {
		var v any
		require.NoError(t, json.Unmarshal(data, &v))
		got, err := json.MarshalIndent(v, "", "  ")
		require.NoError(t, err)
		got = append(got, '\n')
		file := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(file, got, 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), name)
	}
}

func BenchmarkV3(b *testing.B) {
	all := kinds(b)
	gv := apimeta.GroupVersion{Group: "example.com", Version: "v1"}
	b.ReportAllocs()
	for b.Loop() {
		data, err := openapi.V3(gv, all)
		require.NoError(b, err)
		b.SetBytes(int64(len(data)))
	}
}
