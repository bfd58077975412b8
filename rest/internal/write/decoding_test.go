package write_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Values of a wrong type are refused in every mode of field validation, and before unknown fields where a decoder of Go
// would meet them first.
func TestWrongTypesInEveryMode(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(),
		rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	apitest.CreateWidget(t, api, "w")
	apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"m"}}`)
	const (
		memo   = `{"metadata":{"name":"a"},"data":[],"unknown":1}`
		widget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":5},"spec":{"size":1}}`
	)
	for _, c := range []struct{ name, target, body, message string }{
		{"the first of two in the body", apitest.Memos, `{"kind":"Memo","metadata":{"name":"a","labels":5},"data":[]}`,
			`Memo in version "v1" cannot be handled as a Memo: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type map[string]string`},
		{"the first of two in another order", apitest.Memos, `{"kind":"Memo","data":[],"metadata":{"name":"a","labels":5}}`,
			`Memo in version "v1" cannot be handled as a Memo: json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`},
		{"one in the metadata, within which unknown fields are not reported", apitest.Widgets,
			`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":{"x":1}},"spec":{"size":1,"y":2}}`,
			`Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal object into Go struct field ObjectMeta.name of type string`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, query := range []string{"", "?fieldValidation=Strict"} {
				a := apitest.Do(t, api, "POST", c.target+query, c.body)
				assert.Equal(t, 400, a.Code, a.Body)
				assert.Equal(t, c.message, a.Text(t, "message"))
				assert.Empty(t, a.Header.Values("Warning"))
			}
		})
	}
	t.Run("YAML, whose first value is that of the first name", func(t *testing.T) {
		a := apitest.Do(t, api, "POST", apitest.Memos, "kind: Memo\nmetadata: 5\ndata: []\n", "Content-Type",
			apitest.TypeYAML)
		assert.Equal(t, 400, a.Code, a.Body)
		assert.Equal(t, `Memo in version "v1" cannot be handled as a Memo: json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`,
			a.Text(t, "message"))
	})
	for _, mode := range []string{"", "Ignore", "Warn", "Strict"} {
		t.Run("mode "+mode, func(t *testing.T) {
			query := "?fieldValidation=" + mode
			apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Memos+query, memo), 400, "BadRequest",
				`Memo in version "v1" cannot be handled as a Memo: json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`, "")
			apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Widgets+query, widget), 400, "BadRequest",
				`Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`, "")
			a := apitest.MergePatch(t, api, apitest.Memos+"/m"+query, `{"data":[],"unknown":1}`)
			require.Equal(t, 422, a.Code, a.Body)
			assert.True(t, strings.HasSuffix(a.Text(t, "message"),
				`: json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`), a.Body)

			apitest.WantFailure(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/w/scale"+query,
				`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"},"spec":{"replicas":"x"}}`), 400,
				"BadRequest",
				`Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32`, "")
			a = apitest.MergePatch(t, api, apitest.Widgets+"/w/scale"+query, `{"spec":{"replicas":"x"}}`)
			require.Equal(t, 422, a.Code, a.Body)
			assert.Contains(t, a.Text(t, "message"), ` "" is invalid: patch: Invalid value: `)
		})
	}
}

// The API reports a fault of the body before a fault of the path.
func TestBodiesAreReadFirst(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(),
		rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	apitest.CreateWidget(t, api, "there")
	apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"there"}}`)
	const (
		inMemo   = `Memo in version "v1" cannot be handled as a Memo: `
		inWidget = `Widget in version "v1" cannot be handled as a Widget: `
		noMap    = inMemo + `json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`
	)
	for _, c := range []struct{ name, method, target, body, message string }{
		{"no such object", "PUT", apitest.Memos + "/gone", `{"metadata":{"name":"gone"},"data":[]}`, noMap},
		{"no such object, unknown field", "PUT", apitest.Widgets + "/gone?fieldValidation=Strict",
			apitest.WidgetBody(`"name":"gone"`, `"unknown":1`, `"spec":{"size":1}`),
			inWidget + `strict decoding error: unknown field "unknown"`},
		{"an old version", "PUT", apitest.Memos + "/there", `{"metadata":{"name":"there","resourceVersion":"1"},"data":[]}`,
			noMap},
		{"another uid", "PUT", apitest.Memos + "/there", `{"metadata":{"name":"there","uid":"x"},"data":[]}`, noMap},
		{"another name", "PUT", apitest.Memos + "/there", `{"metadata":{"name":"other"},"data":[]}`, noMap},
		{"no name", "PUT", apitest.Memos + "/there", `{"data":[]}`, noMap},
		{"another namespace", "POST", apitest.Memos, `{"metadata":{"name":"a","namespace":"other"},"data":[]}`, noMap},
		{"a version on create", "POST", apitest.Memos, `{"metadata":{"name":"a","resourceVersion":"1"},"data":[]}`, noMap},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, c.body), 400, "BadRequest", c.message, "")
		})
	}
	a := apitest.Do(t, api, "PUT", apitest.Widgets+"/gone",
		apitest.WidgetBody(`"name":"gone"`, `"unknown":1`, `"spec":{"size":1}`))
	require.Equal(t, 404, a.Code, a.Body)
	assert.Equal(t, `299 - "unknown field \"unknown\""`, a.Header.Get("Warning"))
}

// The same owner twice is one owner, and a warning.
func TestRepeatedOwners(t *testing.T) {
	const (
		owner  = `{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}`
		other  = `{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true}`
		second = `{"apiVersion":"v1","kind":"B","name":"b","uid":"2"}`
	)
	api := apitest.NewWidgets(t)
	a := apitest.Do(t, api, "POST", apitest.Widgets,
		apitest.WidgetBody(`"name":"a","ownerReferences":[`+strings.Join([]string{owner, second, owner, other, second}, ",")+
			`]`))
	apitest.WantJSON(t, a, 201, apitest.StoredWidget{Metadata: `"ownerReferences":[` + owner + "," + second + "," + other +
		`]`}.String())
	assert.Equal(t, `299 - ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, `+
		`and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1, 2"`,
		a.Header.Get("Warning"))

	a = apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"ownerReferences":[`+owner+","+owner+`]}}`)
	apitest.WantJSON(t, a, 200, apitest.StoredWidget{RV: "3", Metadata: `"ownerReferences":[` + owner + `]`}.String())
	assert.Contains(t, a.Header.Get("Warning"), "duplicate entries after mutating admission happens;")
}

func TestDryRunOfAnAction(t *testing.T) {
	ran := 0
	api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) {
		r.Subresources = []rest.SubresourceOf[apitest.Widget]{rest.Subresource[apitest.Widget, apitest.Restart]{
			Name: "restart",
			Create: func(context.Context, *apitest.Widget, *apitest.Restart) (*apitest.Restart, error) {
				ran++
				return &apitest.Restart{Done: true}, nil
			},
			CreateDryRun: func(_ context.Context, w *apitest.Widget, r *apitest.Restart) (*apitest.Restart, error) {
				return &apitest.Restart{Reason: r.Reason + " of " + w.Name}, nil
			},
		}}
	})
	apitest.CreateWidget(t, api, "a")
	const body = `{"apiVersion":"example.com/v1","kind":"Restart","reason":"crash"}`
	apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets+"/a/restart?dryRun=All", body), 201,
		`{"apiVersion":"example.com/v1","kind":"Restart","reason":"crash of a"}`)
	assert.Zero(t, ran)
	apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets+"/a/restart", body), 201,
		`{"apiVersion":"example.com/v1","kind":"Restart","done":true}`)
	assert.Equal(t, 1, ran)

	r := apitest.WidgetResource()
	r.Subresources = []rest.SubresourceOf[apitest.Widget]{rest.Subresource[apitest.Widget, apitest.Restart]{Name: "restart",
		Get:          func(context.Context, *apitest.Widget) (*apitest.Restart, error) { return nil, nil },
		CreateDryRun: func(context.Context, *apitest.Widget, *apitest.Restart) (*apitest.Restart, error) { return nil, nil }}}
	_, err := rest.New(rest.Options{}, r)
	require.ErrorContains(t, err, "CreateDryRun needs Create")
}
