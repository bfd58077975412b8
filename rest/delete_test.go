package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		{"with members nobody knows", "", `{"foo":"bar"}`},
		{"of this uid", "", `{"preconditions":{"uid":"uid-1"}}`},
		{"of this version", "", `{"preconditions":{"resourceVersion":"2","uid":"uid-1"}}`},
		{"with preconditions that say nothing", "", `{"preconditions":{}}`},
		{"orphanDependents false", "?orphanDependents=false", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			create(t, api, "a")
			wantJSON(t, do(t, api, "DELETE", widgets+"/a"+c.query, c.body), 200, goneA)
			wantFailure(t, do(t, api, "GET", widgets+"/a", ""), 404, "NotFound", `widgets.example.com "a" not found`, aboutWidget("a"))
			wantFailure(t, do(t, api, "DELETE", widgets+"/a", ""), 404, "NotFound", `widgets.example.com "a" not found`, aboutWidget("a"))
		})
	}
}

func TestDeleteInYAML(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	a := do(t, api, "DELETE", widgets+"/a", "preconditions: {uid: other}", "Content-Type", typeYAML)
	assert.Equal(t, 409, a.Code, a.Body)
	wantJSON(t, do(t, api, "DELETE", widgets+"/a", "preconditions: {uid: uid-1}", "Content-Type", typeYAML), 200, goneA)
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
		{"of another version", "", `{"preconditions":{"resourceVersion":"1"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on Widget.example.com "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified`, aboutKind},
		{"of this uid and another version", "", `{"preconditions":{"uid":"uid-1","resourceVersion":"1"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on Widget.example.com "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified`, aboutKind},
		{"of another uid, in the query", "?uid=x&resourceVersion=1", "", 409, "Conflict",
			`Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition (x) does not match the UID in record (uid-1). The object might have been deleted and then recreated`, aboutKind},
		{"of another version, in the query", "?resourceVersion=1", "", 409, "Conflict",
			`Operation cannot be fulfilled on Widget.example.com "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified`, aboutKind},
		{"no JSON", "", `{"preconditions": `, 400, "BadRequest", "couldn't get version/kind; json parse error: unexpected end of JSON input", ""},
		{"a grace period that is no number", "?gracePeriodSeconds=x", "", 400, "BadRequest", `strconv.ParseInt: parsing "x": invalid syntax`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			create(t, api, "a")
			wantFailure(t, do(t, api, "DELETE", widgets+"/a"+c.query, c.body), c.code, c.reason, c.message, c.details)
			wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
		})
	}
	api := newWidgets(t)
	create(t, api, "a")
	for name, body := range map[string]string{"another kind": `{"kind":"Foo","apiVersion":"v1"}`, "a wrong type": `{"preconditions":"text"}`, "a list": `[]`} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, 400, do(t, api, "DELETE", widgets+"/a", body).Code)
		})
	}
	t.Run("another media type", func(t *testing.T) {
		assert.Equal(t, 415, do(t, api, "DELETE", widgets+"/a", `{}`, "Content-Type", "text/plain").Code)
	})
	t.Run("an unknown policy", func(t *testing.T) {
		want := notSupported("propagationPolicy", `Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"`)
		wantInvalid(t, do(t, api, "DELETE", widgets+"/a", `{"propagationPolicy":"Sideways"}`), "DeleteOptions.meta.k8s.io", "", want)
		wantInvalid(t, do(t, api, "DELETE", widgets+"/a?propagationPolicy=Sideways", ""), "DeleteOptions.meta.k8s.io", "", want)
	})
	t.Run("no policy", func(t *testing.T) {
		wantInvalid(t, do(t, api, "DELETE", widgets+"/a?propagationPolicy=", ""), "DeleteOptions.meta.k8s.io", "",
			notSupported("propagationPolicy", `Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"`))
	})
	t.Run("two policies", func(t *testing.T) {
		wantInvalid(t, do(t, api, "DELETE", widgets+"/a?propagationPolicy=Foreground&orphanDependents=true", ""), "DeleteOptions.meta.k8s.io", "",
			invalid("propagationPolicy", `Invalid value: "Foreground": orphanDependents and deletionPropagation cannot be both set`))
	})
	assert.Equal(t, 200, do(t, api, "GET", widgets+"/a", "").Code)
}

func TestDeleteByPolicyKeepsTheObject(t *testing.T) {
	for _, c := range []struct{ name, query, body, finalizer string }{
		{"foreground", "", `{"propagationPolicy":"Foreground"}`, "foregroundDeletion"},
		{"foreground by the query", "?propagationPolicy=Foreground", "", "foregroundDeletion"},
		{"orphan", "", `{"propagationPolicy":"Orphan"}`, "orphan"},
		{"orphanDependents", "", `{"orphanDependents":true}`, "orphan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			create(t, api, "a")
			want := stored{rv: "3", generation: 2, metadata: deleting(c.finalizer)}.String()
			wantJSON(t, do(t, api, "DELETE", widgets+"/a"+c.query, c.body), 200, want)
			wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, want)
		})
	}
}

func TestDeleteAnswersAccepted(t *testing.T) {
	api := newWidgets(t)
	must(t, api, "POST", widgets, widgetBody(`"name":"a","finalizers":["example.com/f"]`))
	// An explicit orphanDependents=false is the one case in which an object that is not gone yet is answered with 202.
	wantJSON(t, do(t, api, "DELETE", widgets+"/a?orphanDependents=false", ""), 202, stored{rv: "3", generation: 2, metadata: deleting("example.com/f")}.String())
}

func TestDeleteDryRun(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	for _, c := range []struct{ query, body string }{{"?dryRun=All", ""}, {"", `{"dryRun":["All"]}`}} {
		wantJSON(t, do(t, api, "DELETE", widgets+"/a"+c.query, c.body), 200, goneA)
		wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
	}
	assert.Equal(t, 404, do(t, api, "DELETE", widgets+"/none?dryRun=All", "").Code)
	must(t, api, "POST", widgets, widgetBody(`"name":"f","finalizers":["example.com/f"]`))
	held := do(t, api, "DELETE", widgets+"/f?dryRun=All", "")
	assert.Equal(t, nowText, held.text(t, "metadata.deletionTimestamp"))
	assert.Empty(t, do(t, api, "GET", widgets+"/f", "").text(t, "metadata.deletionTimestamp"))
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
			api := newWidgets(t)
			must(t, api, "POST", widgets, widgetBody(`"name":"a","labels":{"x":"1"}`))
			must(t, api, "POST", widgets, widgetBody(`"name":"b","labels":{"x":"2"}`, `"spec":{"size":1,"color":"green"}`))
			create(t, api, "c")
			must(t, api, "POST", widgetRoot+"/namespaces/other/widgets", widgetBody(`"name":"d","labels":{"x":"1"}`))

			a := do(t, api, "DELETE", widgets+c.query, c.body)
			require.Equal(t, 200, a.Code, a.Body)
			assert.Equal(t, "WidgetList", a.text(t, "kind"))
			assert.Equal(t, c.deleted, a.names(t))
			assert.Equal(t, "5", a.rv(t), "that of the list, as it was")
			assert.Equal(t, c.query == "?limit=2", a.text(t, "metadata.continue") != "")
			assert.Equal(t, c.left, do(t, api, "GET", widgets, "").names(t))
			assert.Equal(t, 200, do(t, api, "GET", widgetRoot+"/namespaces/other/widgets/d", "").Code, "another namespace is not touched")
		})
	}
}

func TestDeleteCollectionKeepsWhatFinalizersHold(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	must(t, api, "POST", widgets, widgetBody(`"name":"b","finalizers":["example.com/f"]`))
	a := must(t, api, "DELETE", widgets, "")
	assert.Equal(t, []string{"a", "b"}, a.names(t))
	left := do(t, api, "GET", widgets, "")
	assert.Equal(t, []string{"b"}, left.names(t))
	assert.Equal(t, nowText, left.text(t, "items.0.metadata.deletionTimestamp"))
}

func TestDeleteCollectionRefuses(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	for _, query := range []string{"?labelSelector=x%3D%3D%3D", "?fieldSelector=bogus%3Dx", "?limit=two"} {
		assert.Equal(t, 400, do(t, api, "DELETE", widgets+query, "").Code, query)
	}
	assert.Equal(t, 422, do(t, api, "DELETE", widgets+"?propagationPolicy=x", "").Code)
	assert.Equal(t, []string{"a"}, do(t, api, "GET", widgets, "").names(t))
}
