package write_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const goneA = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","group":"example.com","kind":"widgets","uid":"uid-1"}}`

func TestDelete(t *testing.T) {
	for _, c := range []struct{ name, query, body string }{
		{"plainly", "", ""},
		{"in the background", "", `{"propagationPolicy":"Background"}`},
		{"by the query", "?gracePeriodSeconds=0&propagationPolicy=Background", ""},
		{"a body replaces the query", "?propagationPolicy=Foreground", `{}`},
		{"with kind and apiVersion", "", `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":30}`},
		{"with those of another group", "", `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"}`},
		{"with unknown members", "", `{"foo":"bar"}`},
		{"of this uid", "", `{"preconditions":{"uid":"uid-1"}}`},
		{"of this version", "", `{"preconditions":{"resourceVersion":"2","uid":"uid-1"}}`},
		{"with preconditions that say nothing", "", `{"preconditions":{}}`},
		{"orphanDependents false", "?orphanDependents=false", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.CreateWidget(t, api, "a")
			apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a"+c.query, c.body), 200, goneA)
			apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 404, "NotFound",
				`widgets.example.com "a" not found`, apitest.AboutWidget("a"))
			apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""), 404, "NotFound",
				`widgets.example.com "a" not found`, apitest.AboutWidget("a"))
		})
	}
}

func TestDeleteInYAML(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	a := apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", "preconditions: {uid: other}", "Content-Type",
		apitest.TypeYAML)
	assert.Equal(t, 409, a.Code, a.Body)
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", "preconditions: {uid: uid-1}", "Content-Type",
		apitest.TypeYAML), 200, goneA)
}

func TestDeleteRefuses(t *testing.T) {
	// The kind stands where the plural belongs, as it does upstream.
	const aboutKind = `{"name":"a","group":"example.com","kind":"Widget"}`
	for _, c := range []struct {
		name, query, body        string
		code                     int
		reason, message, details string
	}{
		{"of another uid", "", `{"preconditions":{"uid":"x"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition (x) does not match the UID in record (uid-1). The object might have been deleted and then recreated`, aboutKind},
		{"of this uid and another version", "", `{"preconditions":{"uid":"uid-1","resourceVersion":"1"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on Widget.example.com "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified`, aboutKind},
		{"of another uid, in the query", "?uid=x&resourceVersion=1", "", 409, "Conflict",
			`Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition (x) does not match the UID in record (uid-1). The object might have been deleted and then recreated`, aboutKind},
		{"of another version, in the query", "?resourceVersion=1", "", 409, "Conflict",
			`Operation cannot be fulfilled on Widget.example.com "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified`, aboutKind},
		{"no JSON", "", `{"preconditions": `, 400, "BadRequest",
			"couldn't get version/kind; json parse error: unexpected end of JSON input", ""},
		{"a grace period that is not a number", "?gracePeriodSeconds=x", "", 400, "BadRequest",
			`strconv.ParseInt: parsing "x": invalid syntax`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.CreateWidget(t, api, "a")
			apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a"+c.query, c.body), c.code, c.reason,
				c.message, c.details)
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
		})
	}
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for name, body := range map[string]string{"another kind": `{"kind":"Foo","apiVersion":"v1"}`,
		"a wrong type": `{"preconditions":"text"}`, "a list": `[]`} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, 400, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", body).Code)
		})
	}
	t.Run("another media type", func(t *testing.T) {
		assert.Equal(t, 415, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", `{}`, "Content-Type", "text/plain").Code)
	})
	t.Run("an unknown policy", func(t *testing.T) {
		want := apitest.NotSupported("propagationPolicy",
			`Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"`)
		apitest.WantInvalid(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", `{"propagationPolicy":"Sideways"}`),
			"DeleteOptions.meta.k8s.io", "", want)
		apitest.WantInvalid(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?propagationPolicy=Sideways", ""),
			"DeleteOptions.meta.k8s.io", "", want)
	})
	t.Run("no policy", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?propagationPolicy=", ""),
			"DeleteOptions.meta.k8s.io", "",
			apitest.NotSupported("propagationPolicy",
				`Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"`))
	})
	t.Run("two policies", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, api, "DELETE",
			apitest.Widgets+"/a?propagationPolicy=Foreground&orphanDependents=true", ""), "DeleteOptions.meta.k8s.io", "",
			apitest.Invalid("propagationPolicy",
				`Invalid value: "Foreground": orphanDependents and deletionPropagation cannot be both set`))
	})
	assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
}

func TestDeleteByPolicyKeepsTheObject(t *testing.T) {
	for _, c := range []struct{ name, query, body, finalizer string }{
		{"foreground", "", `{"propagationPolicy":"Foreground"}`, "foregroundDeletion"},
		{"foreground by the query", "?propagationPolicy=Foreground", "", "foregroundDeletion"},
		{"orphan", "", `{"propagationPolicy":"Orphan"}`, "orphan"},
		{"orphanDependents", "", `{"orphanDependents":true}`, "orphan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.CreateWidget(t, api, "a")
			want := apitest.StoredWidget{RV: "3", Generation: 2, Metadata: apitest.BeingDeleted(c.finalizer)}.String()
			apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a"+c.query, c.body), 200, want)
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, want)
		})
	}
}

func TestDeleteAnswersAccepted(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":["example.com/f"]`))
	// An explicit orphanDependents=false is the one case in which an object that is not gone yet is answered with 202.
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?orphanDependents=false", ""), 202,
		apitest.StoredWidget{RV: "3", Generation: 2, Metadata: apitest.BeingDeleted("example.com/f")}.String())
}

func TestDeleteDryRun(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct{ query, body string }{{"?dryRun=All", ""}, {"", `{"dryRun":["All"]}`}} {
		apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a"+c.query, c.body), 200, goneA)
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
	}
	assert.Equal(t, 404, apitest.Do(t, api, "DELETE", apitest.Widgets+"/none?dryRun=All", "").Code)
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"f","finalizers":["example.com/f"]`))
	held := apitest.Do(t, api, "DELETE", apitest.Widgets+"/f?dryRun=All", "")
	assert.Equal(t, apitest.NowText, held.Text(t, "metadata.deletionTimestamp"))
	assert.Empty(t, apitest.Do(t, api, "GET", apitest.Widgets+"/f", "").Text(t, "metadata.deletionTimestamp"))
}

func TestDeleteCollection(t *testing.T) {
	for _, c := range []struct {
		name, query, body string
		deleted, left     []string
	}{
		{"all of a namespace", "", "", []string{"a", "b", "c"}, []string{}},
		{"by label", "?labelSelector=x%3D1", "", []string{"a"}, []string{"b", "c"}},
		{"by field", "?fieldSelector=spec.color%3Dgreen", "", []string{"b"}, []string{"a", "c"}},
		{"by name", "?fieldSelector=metadata.name%3Dc", "", []string{"c"}, []string{"a", "b"}},
		{"nothing selected", "?labelSelector=x%3D3", "", []string{}, []string{"a", "b", "c"}},
		{"up to a limit", "?limit=2", "", []string{"a", "b"}, []string{"c"}},
		{"dry run", "?dryRun=All", "", []string{"a", "b", "c"}, []string{"a", "b", "c"}},
		{"with options for each", "", `{"propagationPolicy":"Orphan"}`, []string{"a", "b", "c"}, []string{"a", "b", "c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","labels":{"x":"1"}`))
			apitest.Must(t, api, "POST", apitest.Widgets,
				apitest.WidgetBody(`"name":"b","labels":{"x":"2"}`, `"spec":{"size":1,"color":"green"}`))
			apitest.CreateWidget(t, api, "c")
			apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/other/widgets",
				apitest.WidgetBody(`"name":"d","labels":{"x":"1"}`))

			a := apitest.Do(t, api, "DELETE", apitest.Widgets+c.query, c.body)
			require.Equal(t, 200, a.Code, a.Body)
			assert.Equal(t, "WidgetList", a.Text(t, "kind"))
			assert.Equal(t, c.deleted, a.Names(t))
			assert.Equal(t, "5", a.ResourceVersion(t), "that of the list, as it was")
			assert.Equal(t, c.query == "?limit=2", a.Text(t, "metadata.continue") != "")
			assert.Equal(t, c.left, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
			assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.ExampleV1+"/namespaces/other/widgets/d", "").Code,
				"another namespace is not touched")
		})
	}
}

func TestDeleteCollectionKeepsObjectsWithFinalizers(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b","finalizers":["example.com/f"]`))
	a := apitest.Must(t, api, "DELETE", apitest.Widgets, "")
	assert.Equal(t, []string{"a", "b"}, a.Names(t))
	left := apitest.Do(t, api, "GET", apitest.Widgets, "")
	assert.Equal(t, []string{"b"}, left.Names(t))
	assert.Equal(t, apitest.NowText, left.Text(t, "items.0.metadata.deletionTimestamp"))
}

func TestDeleteCollectionRefuses(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, query := range []string{"?labelSelector=x%3D%3D%3D", "?fieldSelector=bogus%3Dx", "?limit=two"} {
		assert.Equal(t, 400, apitest.Do(t, api, "DELETE", apitest.Widgets+query, "").Code, query)
	}
	assert.Equal(t, 422, apitest.Do(t, api, "DELETE", apitest.Widgets+"?propagationPolicy=x", "").Code)
	assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
}

// Some kinds answer a deletion with what they have deleted, as it was, in the version of the deletion.
func TestDeletionReturnsTheObject(t *testing.T) {
	api := apitest.New(t, rest.Options{},
		rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos",
			Wire: rest.Wire{Dialect: rest.DialectBuiltin, ReturnDeleted: true}})
	apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Memos+"/a?dryRun=All", ""), 200, apitest.StoredMemo("2", ""))
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Memos+"/a?orphanDependents=false", ""), 200,
		apitest.StoredMemo("3", ""))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Memos+"/a", "").Code)

	apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"b","finalizers":["orphan"]}}`)
	a := apitest.Do(t, api, "DELETE", apitest.Memos+"/b?propagationPolicy=Background", "")
	assert.Equal(t, []any{"orphan"}, a.Value(t, "metadata.finalizers"), "as it was")
	assert.NotContains(t, a.Body, "deletionTimestamp")
}
