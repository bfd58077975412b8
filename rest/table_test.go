package rest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

const widgetColumns = `[
	{"name":"Name","type":"string","format":"name","description":"Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names","priority":0},
	{"name":"Size","type":"integer","format":"","description":"Size of the widget.","priority":0},
	{"name":"Color","type":"string","format":"","description":"Custom resource definition column (in JSONPath format): .spec.color","priority":0},
	{"name":"Phase","type":"string","format":"","description":"Custom resource definition column (in JSONPath format): .status.phase","priority":0},
	{"name":"Owner","type":"string","format":"","description":"Custom resource definition column (in JSONPath format): .spec.owner","priority":1},
	{"name":"Age","type":"date","format":"","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp","priority":0}]`

func widgetTable(metadata, rows string) string {
	return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{` + metadata + `},"columnDefinitions":` + widgetColumns + `,"rows":[` + rows + `]}`
}

func row(cells, object string) string { return `{"cells":` + cells + `,"object":` + object + `}` }

func TestTable(t *testing.T) {
	clock := now()
	api := newAPI(t, rest.Options{Now: func() time.Time { return clock }}, widgetResource())
	wantJSON(t, do(t, api, "GET", widgets, "", "Accept", acceptTable), 200, widgetTable(`"resourceVersion":"1"`, ""))
	create(t, api, "a")
	create(t, api, "b", `"spec":{"size":2,"color":"blue","owner":"me"}`)
	merge(t, api, widgets+"/b/status", `{"status":{"phase":"Ready"}}`)
	clock = clock.Add(90 * time.Minute)

	a := stored{}
	b := stored{name: "b", uid: "uid-2", rv: "4", spec: `{"size":2,"color":"blue","owner":"me","replicas":1,"template":{"image":"none"}}`, status: `{"phase":"Ready"}`}
	const cellsA, cellsB = `["a",1,"red",null,null,"90m"]`, `["b",2,"blue","Ready","me","90m"]`
	v1beta1 := func(text string) string { return strings.ReplaceAll(text, "meta.k8s.io/v1", "meta.k8s.io/v1beta1") }
	for _, c := range []struct{ name, target, accept, want string }{
		{"of a list", widgets, acceptTable, widgetTable(`"resourceVersion":"4"`, row(cellsA, a.partial())+","+row(cellsB, b.partial()))},
		{"of an object", widgets + "/b", acceptTable, widgetTable(`"resourceVersion":"4"`, row(cellsB, b.partial()))},
		{"without objects", widgets + "?includeObject=None", acceptTable, widgetTable(`"resourceVersion":"4"`, row(cellsA, "null")+","+row(cellsB, "null"))},
		{"with metadata", widgets + "/a?includeObject=Metadata", acceptTable, widgetTable(`"resourceVersion":"2"`, row(cellsA, a.partial()))},
		{"with whole objects", widgets + "?includeObject=Object", acceptTable, widgetTable(`"resourceVersion":"4"`, row(cellsA, a.String())+","+row(cellsB, b.String()))},
		{"in the older version", widgets, "application/json;as=Table;v=v1beta1;g=meta.k8s.io", v1beta1(widgetTable(`"resourceVersion":"4"`, row(cellsA, a.partial())+","+row(cellsB, b.partial())))},
		{"selected", widgets + "?labelSelector=x", acceptTable, widgetTable(`"resourceVersion":"4"`, "")},
		{"as kubectl asks", widgets + "/a", acceptTable + ",application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json", widgetTable(`"resourceVersion":"2"`, row(cellsA, a.partial()))},
		{"an unknown version falls back", widgets + "/a", "application/json;as=Table;v=v99;g=meta.k8s.io,application/json", a.String()},
		{"an unknown form falls back", widgets + "/a", "application/json;as=Bogus;v=v1;g=meta.k8s.io," + acceptPartial, a.partial()},
		{"another group falls back", widgets + "/a", "application/json;as=Table;v=v1;g=other,application/json", a.String()},
		{"partial object", widgets + "/a", acceptPartial, a.partial()},
		{"empty partial list", widgets + "?labelSelector=none", acceptPartials, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"4"},"items":null}`},
		{"partial list", widgets, acceptPartials, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"4"},"items":[` + a.partial() + `,` + b.partial() + `]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantJSON(t, do(t, api, "GET", c.target, "", "Accept", c.accept), 200, c.want)
		})
	}
	t.Run("in pages", func(t *testing.T) {
		page := do(t, api, "GET", widgets+"?limit=1", "", "Accept", acceptTable)
		token := page.text(t, "metadata.continue")
		wantJSON(t, page, 200, widgetTable(`"resourceVersion":"4","remainingItemCount":1,"continue":"`+token+`"`, row(cellsA, a.partial())))
		wantJSON(t, do(t, api, "GET", widgets+"?limit=1&continue="+token, "", "Accept", acceptTable), 200, widgetTable(`"resourceVersion":"4"`, row(cellsB, b.partial())))
	})
	t.Run("of what has been written", func(t *testing.T) {
		patched := do(t, api, "PATCH", widgets+"/a?includeObject=None", `{"spec":{"owner":"you"}}`, "Content-Type", typeMergePatch, "Accept", acceptTable)
		wantJSON(t, patched, 200, widgetTable(`"resourceVersion":"5"`, row(`["a",1,"red",null,"you","90m"]`, "null")))
		created := do(t, api, "POST", widgets, widgetBody(`"name":"c"`), "Accept", acceptPartial)
		wantJSON(t, created, 201, strings.Replace(stored{name: "c", uid: "uid-3", rv: "6"}.partial(), nowText, "2026-01-02T04:34:05Z", 1))
	})
}

func TestTableRefuses(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	for _, c := range []struct {
		name, target, accept     string
		code                     int
		reason, message, details string
	}{
		{"an error is never transformed", widgets + "/none", acceptTable, 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none")},
		{"nor here", widgets + "/none", acceptPartial, 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none")},
		{"an unknown form", widgets + "/a", "application/json;as=Bogus;v=v1;g=meta.k8s.io", 406, "NotAcceptable", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", ""},
		{"an unknown version", widgets + "/a", "application/json;as=Table;v=v99;g=meta.k8s.io", 406, "NotAcceptable", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", ""},
		{"an object of a list", widgets, acceptPartial, 406, "NotAcceptable", "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)", ""},
		{"an object of an empty list", widgets + "?labelSelector=none", acceptPartial, 406, "NotAcceptable", "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)", ""},
		{"what is wrong with the list comes first", widgets + "?limit=x", acceptPartial, 400, "BadRequest", `strconv.ParseInt: parsing "x": invalid syntax`, ""},
		{"what is not there comes first", widgets + "/none", acceptPartials, 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none")},
		{"an unknown form comes before the options", widgets + "?limit=x", "application/json;as=Bogus;v=v1;g=meta.k8s.io", 406, "NotAcceptable", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", ""},
		{"a list of an object", widgets + "/a", acceptPartials, 406, "NotAcceptable", "you requested PartialObjectMetadataList, but the requested object is not a list (*unstructured.Unstructured)", ""},
		{"an unknown includeObject", widgets + "?includeObject=Foo", acceptTable, 400, "BadRequest",
			`Unable to convert to Table as requested: includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantFailure(t, do(t, api, "GET", c.target, "", "Accept", c.accept), c.code, c.reason, c.message, c.details)
		})
	}
}

func TestTableOfScale(t *testing.T) {
	api := newWidgets(t)
	must(t, api, "POST", widgets, widgetBody(`"name":"a"`, `"spec":{"size":1,"replicas":0}`))
	const partial = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + nowText + `","resourceVersion":"`
	got := do(t, api, "GET", widgets+"/a/scale", "", "Accept", acceptTable)
	require.Equal(t, 200, got.Code, got.Body)
	for i, name := range []string{"Name", "Desired", "Available", "Age"} {
		assert.Equal(t, name, got.value(t, fmt.Sprintf("columnDefinitions.%d.name", i)))
	}
	assert.Contains(t, got.Body, `"rows":[{"cells":["a",0,0,"0s"],"object":`+`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata"`)
	wantJSON(t, do(t, api, "GET", widgets+"/a/scale", "", "Accept", acceptPartial), 200, partial+`2"}}`)
	patched := do(t, api, "PATCH", widgets+"/a/scale?includeObject=None", `{"spec":{"replicas":3}}`, "Content-Type", typeMergePatch, "Accept", acceptTable)
	require.Equal(t, 200, patched.Code, patched.Body)
	assert.Equal(t, []any{"a", 3., 0., "0s"}, patched.value(t, "rows.0.cells"))
}

func TestTableCells(t *testing.T) {
	for _, c := range []struct {
		name, column, path, object, want string
	}{
		{"text", "string", ".spec.color", `"spec":{"size":1}`, `"red"`},
		{"nothing there", "string", ".spec.owner", `"spec":{"size":1}`, `null`},
		{"number", "number", ".spec.weight", `"spec":{"size":1,"weight":1.5}`, `1.5`},
		{"boolean", "boolean", ".spec.paused", `"spec":{"size":1,"paused":false}`, `false`},
		{"a list as text", "string", ".spec.steps", `"spec":{"size":1,"steps":["a","b"]}`, `"[\"a\",\"b\"]"`},
		{"an element", "string", ".spec.steps[1]", `"spec":{"size":1,"steps":["a","b"]}`, `"b"`},
		{"beyond the end", "string", ".spec.steps[9]", `"spec":{"size":1,"steps":["a","b"]}`, `null`},
		{"a condition", "string", ".spec.parts[?(@.name=='q')].count", `"spec":{"size":1,"parts":[{"name":"p"},{"name":"q","count":5}]}`, `"5"`},
		{"a key with a dot", "string", `.metadata.labels.example\.com/k`, `"spec":{"size":1}`, `"v"`},
		{"an integer that is none", "integer", ".spec.color", `"spec":{"size":1}`, `null`},
		{"a date", "date", ".metadata.creationTimestamp", `"spec":{"size":1}`, `"0s"`},
		{"a date that is none", "date", ".spec.color", `"spec":{"size":1}`, `"<invalid>"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t, func(r *rest.Resource[Widget]) {
				r.Columns = []rest.Column{{Name: "Column", Path: c.path, Type: c.column}}
			})
			must(t, api, "POST", widgets, widgetBody(`"name":"a","labels":{"example.com/k":"v"}`, c.object))
			a := do(t, api, "GET", widgets+"/a?includeObject=None", "", "Accept", acceptTable)
			require.Equal(t, 200, a.Code, a.Body)
			assert.Contains(t, a.Body, `"rows":[{"cells":["a",`+c.want+`]`)
		})
	}
}

func TestTableWithoutColumns(t *testing.T) {
	for dialect, want := range map[rest.Dialect][]string{rest.DialectCustom: {"Name", "Age"}, rest.DialectBuiltin: {"Name", "Created At"}} {
		api := newWidgets(t, func(r *rest.Resource[Widget]) { r.Columns, r.Wire.Dialect, r.Scale = nil, dialect, nil })
		create(t, api, "a")
		a := do(t, api, "GET", widgets, "", "Accept", acceptTable)
		var names []string
		for i := range want {
			names = append(names, a.text(t, "columnDefinitions."+string(rune('0'+i))+".name"))
		}
		assert.Equal(t, want, names)
		assert.Len(t, a.value(t, "rows.0.cells"), 2)
		if dialect == rest.DialectBuiltin {
			assert.Equal(t, nowText, a.text(t, "rows.0.cells.1"))
		}
	}
}

// A host's own column of names stands where the host puts it.
func TestNameColumn(t *testing.T) {
	api := newWidgets(t, func(r *rest.Resource[Widget]) {
		r.Columns = []rest.Column{{Name: "Color", Path: ".spec.color"},
			rest.ColumnFunc(rest.Column{Name: "Name", Format: "name"}, func(w *Widget) any { return w.Name + " (default)" })}
	})
	create(t, api, "a")
	a := do(t, api, "GET", widgets+"/a", "", "Accept", acceptTable)
	assert.Equal(t, "Color", a.text(t, "columnDefinitions.0.name"))
	assert.Equal(t, []any{"red", "a (default)"}, a.value(t, "rows.0.cells"))
}

func TestComputedColumns(t *testing.T) {
	columns := func(r *rest.Resource[Widget]) {
		r.Columns = []rest.Column{
			rest.ColumnFunc(rest.Column{Name: "Sizes", Description: "Size and replicas."}, func(w *Widget) any { return fmt.Sprint(*w.Spec.Size, "/", *w.Spec.Replicas) }),
			rest.ColumnFunc(rest.Column{Name: "Since", Type: "date"}, func(w *Widget) any { return w.CreationTimestamp.Time }),
			rest.ColumnFunc(rest.Column{Name: "Owner"}, func(w *Widget) any {
				switch w.Name {
				case "none":
					return nil
				case "panics":
					panic("no owner")
				}
				return true
			}),
			{Name: "Color", Path: ".spec.color"},
		}
	}
	clock := now()
	r := widgetResource()
	columns(&r)
	api := newAPI(t, rest.Options{Now: func() time.Time { return clock }}, r)
	create(t, api, "a")
	create(t, api, "none")
	clock = clock.Add(time.Hour)
	a := do(t, api, "GET", widgets+"?includeObject=None", "", "Accept", acceptTable)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, []any{"a", "1/1", "60m", true, "red"}, a.value(t, "rows.0.cells"))
	assert.Equal(t, []any{"none", "1/1", "60m", nil, "red"}, a.value(t, "rows.1.cells"))
	assert.Equal(t, "Size and replicas.", a.value(t, "columnDefinitions.1.description"))

	create(t, api, "panics")
	wantFailure(t, do(t, api, "GET", widgets+"/panics", "", "Accept", acceptTable), 500, "InternalError", "Internal error occurred: the request could not be completed", "")
	assert.Equal(t, 200, do(t, api, "GET", widgets+"/panics", "").Code)

	for _, c := range []struct {
		fault  string
		column rest.Column
	}{
		{"its function takes a *rest_test.Memo", rest.ColumnFunc(rest.Column{Name: "X"}, func(*Memo) any { return nil })},
		{`it has a path, ".spec", and a function`, rest.ColumnFunc(rest.Column{Name: "X", Path: ".spec"}, func(*Widget) any { return nil })},
	} {
		r := widgetResource()
		r.Columns = []rest.Column{c.column}
		_, err := rest.New(rest.Options{}, r)
		require.ErrorContains(t, err, c.fault)
	}
}
