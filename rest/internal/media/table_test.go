package media_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestTable(t *testing.T) {
	clock := apitest.Now()
	api := apitest.New(t, rest.Options{Now: func() time.Time { return clock }}, apitest.WidgetResource())
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets, "", "Accept", apitest.AcceptTable), 200,
		apitest.WidgetTable(`"resourceVersion":"1"`, ""))
	apitest.CreateWidget(t, api, "a")
	apitest.CreateWidget(t, api, "b", `"spec":{"size":2,"color":"blue","owner":"me"}`)
	apitest.MergePatch(t, api, apitest.Widgets+"/b/status", `{"status":{"phase":"Ready"}}`)
	clock = clock.Add(90 * time.Minute)

	a := apitest.StoredWidget{}
	b := apitest.StoredWidget{Name: "b", UID: "uid-2", RV: "4",
		Spec: `{"size":2,"color":"blue","owner":"me","replicas":1,"template":{"image":"none"}}`, Status: `{"phase":"Ready"}`}
	const cellsA, cellsB = `["a",1,"red",null,null,"90m"]`, `["b",2,"blue","Ready","me","90m"]`
	v1beta1 := func(text string) string { return strings.ReplaceAll(text, "meta.k8s.io/v1", "meta.k8s.io/v1beta1") }
	for _, c := range []struct{ name, target, accept, want string }{
		{"of a list", apitest.Widgets, apitest.AcceptTable,
			apitest.WidgetTable(`"resourceVersion":"4"`,
				apitest.TableRow(cellsA, a.Partial())+","+apitest.TableRow(cellsB, b.Partial()))},
		{"of an object", apitest.Widgets + "/b", apitest.AcceptTable,
			apitest.WidgetTable(`"resourceVersion":"4"`, apitest.TableRow(cellsB, b.Partial()))},
		{"without objects", apitest.Widgets + "?includeObject=None", apitest.AcceptTable,
			apitest.WidgetTable(`"resourceVersion":"4"`, apitest.TableRow(cellsA, "null")+","+apitest.TableRow(cellsB, "null"))},
		{"with metadata", apitest.Widgets + "/a?includeObject=Metadata", apitest.AcceptTable,
			apitest.WidgetTable(`"resourceVersion":"2"`, apitest.TableRow(cellsA, a.Partial()))},
		{"with whole objects", apitest.Widgets + "?includeObject=Object", apitest.AcceptTable,
			apitest.WidgetTable(`"resourceVersion":"4"`,
				apitest.TableRow(cellsA, a.String())+","+apitest.TableRow(cellsB, b.String()))},
		{"in the older version", apitest.Widgets, "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
			v1beta1(apitest.WidgetTable(`"resourceVersion":"4"`,
				apitest.TableRow(cellsA, a.Partial())+","+apitest.TableRow(cellsB, b.Partial())))},
		{"selected", apitest.Widgets + "?labelSelector=x", apitest.AcceptTable,
			apitest.WidgetTable(`"resourceVersion":"4"`, "")},
		{"as kubectl asks", apitest.Widgets + "/a",
			apitest.AcceptTable + ",application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
			apitest.WidgetTable(`"resourceVersion":"2"`, apitest.TableRow(cellsA, a.Partial()))},
		{"an unknown version falls back", apitest.Widgets + "/a",
			"application/json;as=Table;v=v99;g=meta.k8s.io,application/json", a.String()},
		{"an unknown form falls back", apitest.Widgets + "/a",
			"application/json;as=Bogus;v=v1;g=meta.k8s.io," + apitest.AcceptPartial, a.Partial()},
		{"another group falls back", apitest.Widgets + "/a", "application/json;as=Table;v=v1;g=other,application/json",
			a.String()},
		{"partial object", apitest.Widgets + "/a", apitest.AcceptPartial, a.Partial()},
		{"empty partial list", apitest.Widgets + "?labelSelector=none", apitest.AcceptPartials,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"4"},"items":null}`},
		{"partial list", apitest.Widgets, apitest.AcceptPartials,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"4"},"items":[` +
				a.Partial() + `,` + b.Partial() + `]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantJSON(t, apitest.Do(t, api, "GET", c.target, "", "Accept", c.accept), 200, c.want)
		})
	}
	t.Run("in pages", func(t *testing.T) {
		page := apitest.Do(t, api, "GET", apitest.Widgets+"?limit=1", "", "Accept", apitest.AcceptTable)
		token := page.Text(t, "metadata.continue")
		apitest.WantJSON(t, page, 200,
			apitest.WidgetTable(`"resourceVersion":"4","remainingItemCount":1,"continue":"`+token+`"`,
				apitest.TableRow(cellsA, a.Partial())))
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"?limit=1&continue="+token, "", "Accept",
			apitest.AcceptTable), 200, apitest.WidgetTable(`"resourceVersion":"4"`, apitest.TableRow(cellsB, b.Partial())))
	})
	t.Run("answers to writes", func(t *testing.T) {
		patched := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?includeObject=None", `{"spec":{"owner":"you"}}`,
			"Content-Type", apitest.TypeMergePatch, "Accept", apitest.AcceptTable)
		apitest.WantJSON(t, patched, 200,
			apitest.WidgetTable(`"resourceVersion":"5"`, apitest.TableRow(`["a",1,"red",null,"you","90m"]`, "null")))
		created := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"c"`), "Accept",
			apitest.AcceptPartial)
		apitest.WantJSON(t, created, 201,
			strings.Replace(apitest.StoredWidget{Name: "c", UID: "uid-3", RV: "6"}.Partial(), apitest.NowText,
				"2026-01-02T04:34:05Z", 1))
	})
}

func TestTableRefuses(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct {
		name, target, accept     string
		code                     int
		reason, message, details string
	}{
		{"an error is never transformed", apitest.Widgets + "/none", apitest.AcceptTable, 404, "NotFound",
			`widgets.example.com "none" not found`, apitest.AboutWidget("none")},
		{"nor here", apitest.Widgets + "/none", apitest.AcceptPartial, 404, "NotFound",
			`widgets.example.com "none" not found`, apitest.AboutWidget("none")},
		{"an unknown form", apitest.Widgets + "/a", "application/json;as=Bogus;v=v1;g=meta.k8s.io", 406, "NotAcceptable",
			"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", ""},
		{"an unknown version", apitest.Widgets + "/a", "application/json;as=Table;v=v99;g=meta.k8s.io", 406, "NotAcceptable",
			"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", ""},
		{"an object of a list", apitest.Widgets, apitest.AcceptPartial, 406, "NotAcceptable",
			"you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)", ""},
		{"an object of an empty list", apitest.Widgets + "?labelSelector=none", apitest.AcceptPartial, 406, "NotAcceptable",
			"you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)", ""},
		{"errors about the list come first", apitest.Widgets + "?limit=x", apitest.AcceptPartial, 400, "BadRequest",
			`strconv.ParseInt: parsing "x": invalid syntax`, ""},
		{"an absent object comes first", apitest.Widgets + "/none", apitest.AcceptPartials, 404, "NotFound",
			`widgets.example.com "none" not found`, apitest.AboutWidget("none")},
		{"an unknown form comes before the options", apitest.Widgets + "?limit=x",
			"application/json;as=Bogus;v=v1;g=meta.k8s.io", 406, "NotAcceptable",
			"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", ""},
		{"a list of an object", apitest.Widgets + "/a", apitest.AcceptPartials, 406, "NotAcceptable",
			"you requested PartialObjectMetadataList, but the requested object is not a list (*unstructured.Unstructured)", ""},
		{"an unknown includeObject", apitest.Widgets + "?includeObject=Foo", apitest.AcceptTable, 400, "BadRequest",
			`Unable to convert to Table as requested: includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, "GET", c.target, "", "Accept", c.accept), c.code, c.reason, c.message,
				c.details)
		})
	}
}

func TestTableOfScale(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"replicas":0}`))
	const partial = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + apitest.NowText + `","resourceVersion":"`
	got := apitest.Do(t, api, "GET", apitest.Widgets+"/a/scale", "", "Accept", apitest.AcceptTable)
	require.Equal(t, 200, got.Code, got.Body)
	for i, name := range []string{"Name", "Desired", "Available", "Age"} {
		assert.Equal(t, name, got.Value(t, fmt.Sprintf("columnDefinitions.%d.name", i)))
	}
	assert.Contains(t, got.Body, `"rows":[{"cells":["a",0,0,"0s"],"object":`+
		`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata"`)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a/scale", "", "Accept", apitest.AcceptPartial), 200,
		partial+`2"}}`)
	patched := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a/scale?includeObject=None", `{"spec":{"replicas":3}}`,
		"Content-Type", apitest.TypeMergePatch, "Accept", apitest.AcceptTable)
	require.Equal(t, 200, patched.Code, patched.Body)
	assert.Equal(t, []any{"a", 3., 0., "0s"}, patched.Value(t, "rows.0.cells"))
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
		{"a condition", "string", ".spec.parts[?(@.name=='q')].count",
			`"spec":{"size":1,"parts":[{"name":"p"},{"name":"q","count":5}]}`, `"5"`},
		{"a key with a dot", "string", `.metadata.labels.example\.com/k`, `"spec":{"size":1}`, `"v"`},
		{"an invalid integer", "integer", ".spec.color", `"spec":{"size":1}`, `null`},
		{"a date", "date", ".metadata.creationTimestamp", `"spec":{"size":1}`, `"0s"`},
		{"an invalid date", "date", ".spec.color", `"spec":{"size":1}`, `"<invalid>"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) {
				r.Columns = []rest.Column{{Name: "Column", Path: c.path, Type: c.column}}
			})
			apitest.Must(t, api, "POST", apitest.Widgets,
				apitest.WidgetBody(`"name":"a","labels":{"example.com/k":"v"}`, c.object))
			a := apitest.Do(t, api, "GET", apitest.Widgets+"/a?includeObject=None", "", "Accept", apitest.AcceptTable)
			require.Equal(t, 200, a.Code, a.Body)
			assert.Contains(t, a.Body, `"rows":[{"cells":["a",`+c.want+`]`)
		})
	}
}

func TestTableWithoutColumns(t *testing.T) {
	for dialect, want := range map[rest.Dialect][]string{rest.DialectCustom: {"Name", "Age"},
		rest.DialectBuiltin: {"Name", "Created At"}} {
		api := apitest.NewWidgets(t,
			func(r *rest.Resource[apitest.Widget]) { r.Columns, r.Wire.Dialect, r.Scale = nil, dialect, nil })
		apitest.CreateWidget(t, api, "a")
		a := apitest.Do(t, api, "GET", apitest.Widgets, "", "Accept", apitest.AcceptTable)
		var names []string
		for i := range want {
			names = append(names, a.Text(t, "columnDefinitions."+string(rune('0'+i))+".name"))
		}
		assert.Equal(t, want, names)
		assert.Len(t, a.Value(t, "rows.0.cells"), 2)
		if dialect == rest.DialectBuiltin {
			assert.Equal(t, apitest.NowText, a.Text(t, "rows.0.cells.1"))
		}
	}
}

// A host's own column of names stands where the host puts it.
func TestNameColumn(t *testing.T) {
	api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) {
		r.Columns = []rest.Column{{Name: "Color", Path: ".spec.color"},
			rest.ColumnFunc(rest.Column{Name: "Name", Format: "name"},
				func(w *apitest.Widget) any { return w.Name + " (default)" })}
	})
	apitest.CreateWidget(t, api, "a")
	a := apitest.Do(t, api, "GET", apitest.Widgets+"/a", "", "Accept", apitest.AcceptTable)
	assert.Equal(t, "Color", a.Text(t, "columnDefinitions.0.name"))
	assert.Equal(t, []any{"red", "a (default)"}, a.Value(t, "rows.0.cells"))
}

func TestComputedColumns(t *testing.T) {
	columns := func(r *rest.Resource[apitest.Widget]) {
		r.Columns = []rest.Column{
			rest.ColumnFunc(rest.Column{Name: "Sizes", Description: "Size and replicas."},
				func(w *apitest.Widget) any { return fmt.Sprint(*w.Spec.Size, "/", *w.Spec.Replicas) }),
			rest.ColumnFunc(rest.Column{Name: "Since", Type: "date"},
				func(w *apitest.Widget) any { return w.CreationTimestamp.Time }),
			rest.ColumnFunc(rest.Column{Name: "Owner"}, func(w *apitest.Widget) any {
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
	clock := apitest.Now()
	r := apitest.WidgetResource()
	columns(&r)
	api := apitest.New(t, rest.Options{Now: func() time.Time { return clock }}, r)
	apitest.CreateWidget(t, api, "a")
	apitest.CreateWidget(t, api, "none")
	clock = clock.Add(time.Hour)
	a := apitest.Do(t, api, "GET", apitest.Widgets+"?includeObject=None", "", "Accept", apitest.AcceptTable)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, []any{"a", "1/1", "60m", true, "red"}, a.Value(t, "rows.0.cells"))
	assert.Equal(t, []any{"none", "1/1", "60m", nil, "red"}, a.Value(t, "rows.1.cells"))
	assert.Equal(t, "Size and replicas.", a.Value(t, "columnDefinitions.1.description"))

	apitest.CreateWidget(t, api, "panics")
	apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Widgets+"/panics", "", "Accept", apitest.AcceptTable), 500,
		"InternalError", "Internal error occurred: the request could not be completed", "")
	assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/panics", "").Code)

	for _, c := range []struct {
		fault  string
		column rest.Column
	}{
		{"its function takes a *apitest.Memo",
			rest.ColumnFunc(rest.Column{Name: "X"}, func(*apitest.Memo) any { return nil })},
		{`it has a path, ".spec", and a function`,
			rest.ColumnFunc(rest.Column{Name: "X", Path: ".spec"}, func(*apitest.Widget) any { return nil })},
	} {
		r := apitest.WidgetResource()
		r.Columns = []rest.Column{c.column}
		_, err := rest.New(rest.Options{}, r)
		require.ErrorContains(t, err, c.fault)
	}
}
