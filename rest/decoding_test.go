package rest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// Values of a wrong type are refused in every mode of field validation, and before unknown fields where a decoder of Go
// would meet them first.
func TestWrongTypesInEveryMode(t *testing.T) {
	api := newAPI(t, rest.Options{}, widgetResource(), rest.Resource[Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	create(t, api, "w")
	must(t, api, "POST", memos, `{"metadata":{"name":"m"}}`)
	const (
		memo   = `{"metadata":{"name":"a"},"data":[],"unknown":1}`
		widget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":5},"spec":{"size":1}}`
	)
	for _, c := range []struct{ name, target, body, message string }{
		{"the first of two in the body", memos, `{"kind":"Memo","metadata":{"name":"a","labels":5},"data":[]}`,
			`Memo in version "v1" cannot be handled as a Memo: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type map[string]string`},
		{"the first of two in another order", memos, `{"kind":"Memo","data":[],"metadata":{"name":"a","labels":5}}`,
			`Memo in version "v1" cannot be handled as a Memo: json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`},
		{"one in the metadata, and nothing is said of what is unknown within it", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":{"x":1}},"spec":{"size":1,"y":2}}`,
			`Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal object into Go struct field ObjectMeta.name of type string`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, query := range []string{"", "?fieldValidation=Strict"} {
				a := do(t, api, "POST", c.target+query, c.body)
				assert.Equal(t, 400, a.Code, a.Body)
				assert.Equal(t, c.message, a.text(t, "message"))
				assert.Empty(t, a.Header.Values("Warning"))
			}
		})
	}
	for _, mode := range []string{"", "Ignore", "Warn", "Strict"} {
		t.Run("mode "+mode, func(t *testing.T) {
			query := "?fieldValidation=" + mode
			wantFailure(t, do(t, api, "POST", memos+query, memo), 400, "BadRequest",
				`Memo in version "v1" cannot be handled as a Memo: json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`, "")
			wantFailure(t, do(t, api, "POST", widgets+query, widget), 400, "BadRequest",
				`Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`, "")
			a := merge(t, api, memos+"/m"+query, `{"data":[],"unknown":1}`)
			require.Equal(t, 422, a.Code, a.Body)
			assert.True(t, strings.HasSuffix(a.text(t, "message"), `: json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`), a.Body)

			wantFailure(t, do(t, api, "PUT", widgets+"/w/scale"+query, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"},"spec":{"replicas":"x"}}`), 400, "BadRequest",
				`Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32`, "")
			a = merge(t, api, widgets+"/w/scale"+query, `{"spec":{"replicas":"x"}}`)
			require.Equal(t, 422, a.Code, a.Body)
			assert.Contains(t, a.text(t, "message"), ` "" is invalid: patch: Invalid value: `)
		})
	}
}

// The API reports a fault of the body before a fault of the path.
func TestBodiesAreReadFirst(t *testing.T) {
	api := newAPI(t, rest.Options{}, widgetResource(), rest.Resource[Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	create(t, api, "there")
	must(t, api, "POST", memos, `{"metadata":{"name":"there"}}`)
	const (
		inMemo   = `Memo in version "v1" cannot be handled as a Memo: `
		inWidget = `Widget in version "v1" cannot be handled as a Widget: `
		noMap    = inMemo + `json: cannot unmarshal array into Go struct field Memo.data of type map[string]string`
	)
	for _, c := range []struct{ name, method, target, body, message string }{
		{"no such object", "PUT", memos + "/gone", `{"metadata":{"name":"gone"},"data":[]}`, noMap},
		{"no such object, unknown field", "PUT", widgets + "/gone?fieldValidation=Strict", widgetBody(`"name":"gone"`, `"unknown":1`, `"spec":{"size":1}`), inWidget + `strict decoding error: unknown field "unknown"`},
		{"an old version", "PUT", memos + "/there", `{"metadata":{"name":"there","resourceVersion":"1"},"data":[]}`, noMap},
		{"another uid", "PUT", memos + "/there", `{"metadata":{"name":"there","uid":"x"},"data":[]}`, noMap},
		{"another name", "PUT", memos + "/there", `{"metadata":{"name":"other"},"data":[]}`, noMap},
		{"no name", "PUT", memos + "/there", `{"data":[]}`, noMap},
		{"another namespace", "POST", memos, `{"metadata":{"name":"a","namespace":"other"},"data":[]}`, noMap},
		{"a version on create", "POST", memos, `{"metadata":{"name":"a","resourceVersion":"1"},"data":[]}`, noMap},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantFailure(t, do(t, api, c.method, c.target, c.body), 400, "BadRequest", c.message, "")
		})
	}
	a := do(t, api, "PUT", widgets+"/gone", widgetBody(`"name":"gone"`, `"unknown":1`, `"spec":{"size":1}`))
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
	api := newWidgets(t)
	a := do(t, api, "POST", widgets, widgetBody(`"name":"a","ownerReferences":[`+strings.Join([]string{owner, second, owner, other, second}, ",")+`]`))
	wantJSON(t, a, 201, stored{metadata: `"ownerReferences":[` + owner + "," + second + "," + other + `]`}.String())
	assert.Equal(t, `299 - ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, `+
		`and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1, 2"`, a.Header.Get("Warning"))

	a = merge(t, api, widgets+"/a", `{"metadata":{"ownerReferences":[`+owner+","+owner+`]}}`)
	wantJSON(t, a, 200, stored{rv: "3", metadata: `"ownerReferences":[` + owner + `]`}.String())
	assert.Contains(t, a.Header.Get("Warning"), "duplicate entries after mutating admission happens;")
}

func TestDryRunOfAnAction(t *testing.T) {
	ran := 0
	api := newWidgets(t, func(r *rest.Resource[Widget]) {
		r.Subresources = []rest.SubresourceOf[Widget]{rest.Subresource[Widget, Restart]{
			Name:   "restart",
			Create: func(context.Context, *Widget, *Restart) (*Restart, error) { ran++; return &Restart{Done: true}, nil },
			CreateDryRun: func(_ context.Context, w *Widget, r *Restart) (*Restart, error) {
				return &Restart{Reason: r.Reason + " of " + w.Name}, nil
			},
		}}
	})
	create(t, api, "a")
	const body = `{"apiVersion":"example.com/v1","kind":"Restart","reason":"crash"}`
	wantJSON(t, do(t, api, "POST", widgets+"/a/restart?dryRun=All", body), 201, `{"apiVersion":"example.com/v1","kind":"Restart","reason":"crash of a"}`)
	assert.Zero(t, ran)
	wantJSON(t, do(t, api, "POST", widgets+"/a/restart", body), 201, `{"apiVersion":"example.com/v1","kind":"Restart","done":true}`)
	assert.Equal(t, 1, ran)

	r := widgetResource()
	r.Subresources = []rest.SubresourceOf[Widget]{rest.Subresource[Widget, Restart]{Name: "restart", Get: func(context.Context, *Widget) (*Restart, error) { return nil, nil },
		CreateDryRun: func(context.Context, *Widget, *Restart) (*Restart, error) { return nil, nil }}}
	_, err := rest.New(rest.Options{}, r)
	require.ErrorContains(t, err, "CreateDryRun needs Create")
}
