package rest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// What was recorded of kube-apiserver 1.36 when objects are created, replaced and deleted.

func TestRecordedBodies(t *testing.T) {
	t.Run("null is an object of which all is left out", func(t *testing.T) {
		wantInvalid(t, do(t, newMemos(t), "POST", memos, "null"), "Memo", "", required("metadata.name", "Required value: name or generateName is required"))
		wantInvalid(t, do(t, newMemos(t), "POST", memos, "# nothing\n", "Content-Type", typeYAML), "Memo", "", required("metadata.name", "Required value: name or generateName is required"))
		wantFailure(t, do(t, newMemos(t), "PUT", memos+"/a", "null"), 400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("a kind that is null counts as left out", func(t *testing.T) {
		assert.Equal(t, 201, do(t, newMemos(t), "POST", memos, `{"kind":null,"apiVersion":null,"metadata":{"name":"a"}}`).Code)
	})
	t.Run("forms of an apiVersion", func(t *testing.T) {
		for _, apiVersion := range []string{"/", "/v1", ""} {
			a := do(t, newMemos(t), "POST", memos, `{"kind":"Memo","apiVersion":"`+apiVersion+`","metadata":{"name":"a"}}`)
			assert.Equal(t, 201, a.Code, a.Body)
			assert.Equal(t, "v1", a.text(t, "apiVersion"))
		}
		wantFailure(t, do(t, newWidgets(t), "POST", widgets, `{"kind":"Widget","apiVersion":"/v1"}`), 400, "BadRequest",
			"the API version in the data (v1) does not match the expected API version (example.com/v1)", "")
	})
	t.Run("a key that stands twice in a body of another version", func(t *testing.T) {
		const body = `{"kind":"Gadget","kind":"Widget","apiVersion":"v1"}`
		a := do(t, newWidgets(t), "POST", widgets, body)
		assert.Equal(t, `299 - "duplicate field \"kind\""`, a.Header.Get("Warning"))
		wantFailure(t, a, 400, "BadRequest", "the API version in the data (v1) does not match the expected API version (example.com/v1)", "")
		wantFailure(t, do(t, newWidgets(t), "POST", widgets+"?fieldValidation=Strict", body), 400, "BadRequest",
			`Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "kind"`, "")
	})
	t.Run("half of a surrogate pair", func(t *testing.T) {
		assert.Equal(t, "\uFFFDx", do(t, newMemos(t), "POST", memos, `{"metadata":{"name":"a"},"data":{"k":"\ud83dx"}}`).text(t, "data.k"))
		assert.Equal(t, "\uFFFD", do(t, newWidgets(t), "POST", widgets, widgetBody(`"name":"a","annotations":{"k":"\udc00"}`)).text(t, "metadata.annotations.k"))
	})
	t.Run("the body's media type is looked at before the options, and Accept before both", func(t *testing.T) {
		for _, c := range []struct {
			method, target string
			header         []string
			want           int
		}{
			{"POST", widgets, []string{"Content-Type", "text/plain"}, 415},
			{"POST", widgets, []string{"Accept", "text/plain", "Content-Type", "text/plain"}, 406},
			{"PUT", widgets + "/a", []string{"Content-Type", "text/plain"}, 422},
			{"PUT", widgets + "/a", []string{"Accept", "text/plain"}, 406},
		} {
			assert.Equal(t, c.want, do(t, newWidgets(t), c.method, c.target+"?dryRun=x", "x", c.header...).Code, "%s %v", c.method, c.header)
		}
	})
}

// Counted is a built-in kind with a number and bytes.
type Counted struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Count int32             `json:"count,omitempty"`
		Ratio float64           `json:"ratio,omitempty"`
		Bytes map[string][]byte `json:"bytes,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitempty"`
}

func TestRecordedValuesOfBuiltinKinds(t *testing.T) {
	const counted = "/api/v1/namespaces/default/counteds"
	post := func(members string) answer {
		api := newAPI(t, rest.Options{}, rest.Resource[Counted]{Version: "v1", Plural: "counteds", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
		return do(t, api, "POST", counted, `{"metadata":{"name":"a"},`+members+`}`)
	}
	for _, literal := range []string{"2.0", "2e0", "1e400"} {
		wantFailure(t, post(`"spec":{"count":`+literal+`}`), 400, "BadRequest", `Counted in version "v1" cannot be handled as a Counted: `+
			`json: cannot unmarshal number `+literal+` into Go struct field .spec.count of type int32`, "")
	}
	assert.Equal(t, 2.0, post(`"spec":{"ratio":2.0}`).value(t, "spec.ratio"))
	assert.Contains(t, post(`"spec":{"ratio":2.0}`).Body, `"ratio":2}`, "as Go writes it")
	assert.Equal(t, "", post(`"spec":{"bytes":{"k":null}}`).value(t, "spec.bytes.k"), "a store of Protobuf knows no null")
	a := post(`"status":"x"`)
	assert.Equal(t, 400, a.Code, "what a write leaves out is read as well")
	assert.Contains(t, a.text(t, "message"), "json: cannot unmarshal string into Go struct field Counted.status of type struct")
	wantInvalid(t, do(t, newMemos(t), "POST", memos, `{"metadata":{"name":"a","generation":-1}}`), "Memo", "a",
		invalid("metadata.generation", "Invalid value: -1: must be greater than or equal to 0"))
}

func TestRecordedVersionsOfBodies(t *testing.T) {
	t.Run("what is no version is nothing to a new object", func(t *testing.T) {
		for _, version := range []string{"abc", "-1", "00", "18446744073709551616"} {
			assert.Equal(t, 201, do(t, newWidgets(t), "POST", widgets, widgetBody(`"name":"a","resourceVersion":"`+version+`"`)).Code, version)
		}
	})
	t.Run("other faults are told first", func(t *testing.T) {
		assert.Equal(t, 422, do(t, newWidgets(t), "POST", widgets, widgetBody(`"name":"Bad","resourceVersion":"1"`)).Code)
	})
	t.Run("zeros in front do not count", func(t *testing.T) {
		api := newWidgets(t)
		create(t, api, "a")
		assert.Equal(t, "3", must(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"02"`, `"spec":{"size":2}`)).rv(t))
		wantInvalid(t, do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"00"`)), "widgets.example.com", "a",
			invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
	})
	t.Run("selfLink is the client's in an update", func(t *testing.T) {
		api := newMemos(t)
		must(t, api, "POST", memos, `{"metadata":{"name":"a","selfLink":"/x"}}`)
		assert.NotContains(t, do(t, api, "GET", memos+"/a", "").Body, "selfLink")
		assert.Equal(t, "/x", must(t, api, "PUT", memos+"/a", `{"metadata":{"name":"a","selfLink":"/x"}}`).text(t, "metadata.selfLink"))
	})
}

func TestRecordedMetadataOfBuiltinKinds(t *testing.T) {
	const bare = `Invalid value: "bad one": name is neither a standard finalizer name nor is it fully qualified`
	t.Run("a finalizer without a domain is the last to be told", func(t *testing.T) {
		wantInvalid(t, do(t, newMemos(t), "POST", memos, `{"metadata":{"name":"a","finalizers":["orphan","bad one","foregroundDeletion"]}}`), "Memo", "a",
			invalid("metadata.finalizers", `Invalid value: "bad one": `+namePartText),
			invalid("metadata.finalizers", `Invalid value: ["orphan","bad one","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`),
			invalid("metadata.finalizers[1]", bare))
	})
	t.Run("generateName is checked in updates", func(t *testing.T) {
		api := newMemos(t)
		must(t, api, "POST", memos, `{"metadata":{"name":"a"}}`)
		wantInvalid(t, do(t, api, "PUT", memos+"/a", `{"metadata":{"name":"a","generateName":"Bad_"}}`), "Memo", "a",
			invalid("metadata.generateName", `Invalid value: "Bad_": `+subdomainText))
	})
	t.Run("but not of leases", func(t *testing.T) {
		api := newAPI(t, rest.Options{}, rest.Resource[Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin, PlainMetadata: true}})
		a := do(t, api, "POST", memos, `{"metadata":{"name":"a","finalizers":["bare"]}}`)
		assert.Equal(t, 201, a.Code, a.Body)
		assert.Empty(t, a.Header.Get("Warning"))
		assert.Equal(t, 200, do(t, api, "PUT", memos+"/a", `{"metadata":{"name":"a","finalizers":["bare"],"generateName":"Bad_"}}`).Code)
	})
	t.Run("each controller but the first", func(t *testing.T) {
		owner := func(name string) string {
			return `{"apiVersion":"v1","kind":"Memo","name":"` + name + `","uid":"` + name + `","controller":true}`
		}
		owners := "[" + owner("a") + "," + owner("b") + "," + owner("c") + "]"
		only := "Invalid value: " + owners + `: Only one reference can have Controller set to true. Found "true" in references for Memo/a and Memo/`
		wantInvalid(t, do(t, newMemos(t), "POST", memos, `{"metadata":{"name":"a","ownerReferences":`+owners+`}}`), "Memo", "a",
			invalid("metadata.ownerReferences", only+"b"), invalid("metadata.ownerReferences", only+"c"))
	})
	t.Run("nulls in lists", func(t *testing.T) {
		wantInvalid(t, do(t, newWidgets(t), "POST", widgets, widgetBody(`"name":"a","finalizers":[null]`)), "Widget.example.com", "a",
			invalid("metadata.finalizers", `Invalid value: "": name part must be non-empty`),
			invalid("metadata.finalizers", `Invalid value: "": `+namePartText))
		assert.Contains(t, do(t, newWidgets(t), "POST", widgets, widgetBody(`"name":"a","ownerReferences":[null]`)).text(t, "message"),
			`metadata.ownerReferences[0].kind: Required value: must not be empty`)
	})
	t.Run("names of types", func(t *testing.T) {
		for metadata, text := range map[string]string{
			`"uid":5`:                       "number into Go struct field ObjectMeta.uid of type types.UID",
			`"ownerReferences":[{"uid":5}]`: "number into Go struct field OwnerReference.ownerReferences.uid of type types.UID",
			`"ownerReferences":5`:           "number into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
		} {
			wantFailure(t, do(t, newWidgets(t), "POST", widgets, widgetBody(metadata)), 400, "BadRequest",
				`Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal `+text, "")
		}
	})
}

func TestRecordedDeleteOptions(t *testing.T) {
	const unregistered = ` in scheme "pkg/runtime/scheme.go:111"`
	for _, c := range []struct {
		name, query, body string
		code              int
		message           string
	}{
		{"of another kind", "", `{"kind":"Bogus"}`, 400, `no kind "Bogus" is registered for version "meta.k8s.io/v1"` + unregistered},
		{"of another kind in other letters", "", `{"Kind":"Bogus","apiVersion":"v1"}`, 400, `no kind "Bogus" is registered for version "v1"` + unregistered},
		{"of another request", "", `{"kind":"CreateOptions","apiVersion":"v1"}`, 400, "converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion"},
		{"of no version", "", `{"apiVersion":"a/b/c"}`, 400, "unexpected GroupVersion string: a/b/c"},
		{"with a kind that is a number", "", `{"kind":5}`, 400, "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"},
		{"with 2.0 for a whole number", "", `{"gracePeriodSeconds":2.0}`, 400, "json: cannot unmarshal number 2.0 into Go struct field DeleteOptions.gracePeriodSeconds of type int64"},
		{"with a uid that is a number", "", `{"preconditions":{"uid":5}}`, 400, "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			create(t, api, "a")
			wantFailure(t, do(t, api, "DELETE", widgets+"/a"+c.query, c.body), c.code, "BadRequest", c.message, "")
			assert.Equal(t, 200, do(t, api, "GET", widgets+"/a", "").Code)
		})
	}
}

// Some kinds answer a deletion with what they have deleted, as it was, in the version of the deletion.
func TestRecordedDeletionThatReturnsTheObject(t *testing.T) {
	api := newAPI(t, rest.Options{}, rest.Resource[Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin, ReturnDeleted: true}})
	must(t, api, "POST", memos, `{"metadata":{"name":"a"}}`)
	wantJSON(t, do(t, api, "DELETE", memos+"/a?dryRun=All", ""), 200, memo("2", ""))
	wantJSON(t, do(t, api, "DELETE", memos+"/a?orphanDependents=false", ""), 200, memo("3", ""))
	assert.Equal(t, 404, do(t, api, "GET", memos+"/a", "").Code)

	must(t, api, "POST", memos, `{"metadata":{"name":"b","finalizers":["orphan"]}}`)
	a := do(t, api, "DELETE", memos+"/b?propagationPolicy=Background", "")
	assert.Equal(t, []any{"orphan"}, a.value(t, "metadata.finalizers"), "as it was")
	assert.NotContains(t, a.Body, "deletionTimestamp")
}

func TestRecordedNamespaceFinalizers(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	api := newAPI(t, rest.Options{}, widgetResource(), rest.NamespacesOf[Namespace]())
	post := func(name, spec string) answer {
		return do(t, api, "POST", namespaces, `{"metadata":{"name":"`+name+`"},"spec":`+spec+`}`)
	}
	const neither = `: name is neither a standard finalizer name nor is it fully qualified`
	assert.Equal(t, []any{"a/b", "kubernetes"}, post("a", `{"finalizers":["a/b"]}`).value(t, "spec.finalizers"))
	assert.Equal(t, []any{"kubernetes", "a/b"}, post("b", `{"finalizers":["kubernetes","a/b"]}`).value(t, "spec.finalizers"))
	wantInvalid(t, post("c", `{"finalizers":["bare"]}`), "Namespace", "c", invalid("spec.finalizers", `Invalid value: "bare"`+neither))
	wantInvalid(t, post("c", `{"finalizers":["bad one"]}`), "Namespace", "c",
		invalid("spec.finalizers", `Invalid value: "bad one": `+namePartText), invalid("spec.finalizers", `Invalid value: "bad one"`+neither))
	for _, spec := range []string{`"x"`, `{"finalizers":"x"}`, `{"finalizers":[5]}`} {
		assert.Equal(t, 400, post("c", spec).Code, spec)
		assert.Equal(t, 400, do(t, api, "PUT", namespaces+"/a", `{"metadata":{"name":"a"},"spec":`+spec+`}`).Code, spec)
	}
	finalize := func(members string) answer {
		return do(t, api, "PUT", namespaces+"/a/finalize", `{"metadata":{"name":"a"`+members+`}`)
	}
	wantInvalid(t, finalize(`},"spec":{"finalizers":["c/d","bare"]}`), "Namespace", "a", invalid("spec.finalizers[1]", `Invalid value: "bare"`+neither))
	a := finalize(`,"labels":{"x":"y"}},"spec":{"finalizers":["c/d"]},"status":{"phase":"Terminating"}`)
	assert.Equal(t, "y", a.text(t, "metadata.labels.x"), "the metadata is the body's, %s", a.Body)
	assert.Equal(t, "Active", a.text(t, "status.phase"), "the status is not")
	assert.Equal(t, []any{"c/d"}, a.value(t, "spec.finalizers"))
}

func TestRecordedNamespaceStatus(t *testing.T) {
	const team = "/api/v1/namespaces/team"
	api := newAPI(t, rest.Options{}, widgetResource(), rest.NamespacesOf[Namespace]())
	must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`)
	put := func(status string) answer {
		return do(t, api, "PUT", team+"/status", `{"metadata":{"name":"team"}`+status+`}`)
	}
	assert.Equal(t, "Active", put("").text(t, "status.phase"), "by default")
	wantInvalid(t, put(`,"status":{"phase":"Terminating"}`), "Namespace", "team",
		invalid("status.Phase", "Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"))
	must(t, api, "DELETE", team, "")
	wantInvalid(t, put(`,"status":{"phase":"Active"}`), "Namespace", "team",
		invalid("status.Phase", "Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"))
}

func TestRecordedNamespaceDeletion(t *testing.T) {
	const team = "/api/v1/namespaces/team"
	api := newAPI(t, rest.Options{}, widgetResource(), rest.NamespacesOf[Namespace]())
	must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"team","finalizers":["orphan"]}}`)
	wantFailure(t, do(t, api, "DELETE", team, `{"preconditions":{"resourceVersion":"1"}}`), 409, "Conflict",
		`Operation cannot be fulfilled on namespaces "team": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: 3`, `{"name":"team","kind":"namespaces"}`)

	first := do(t, api, "DELETE", team+"?propagationPolicy=Background", "")
	assert.NotContains(t, first.Body, `"orphan"`)
	assert.NotContains(t, first.Body, `"finalizers":[]`)
	again := do(t, api, "DELETE", team+"?propagationPolicy=Foreground", "")
	assert.Equal(t, first.Body, again.Body, "one that is being emptied stays as it is")

	must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"empty"}}`)
	must(t, api, "PUT", "/api/v1/namespaces/empty/finalize", `{"metadata":{"name":"empty"},"spec":{}}`)
	gone := do(t, api, "DELETE", "/api/v1/namespaces/empty", "")
	assert.Equal(t, "Namespace", gone.text(t, "kind"), "%s", gone.Body)
	assert.Equal(t, "Terminating", gone.text(t, "status.phase"))
	assert.Equal(t, 404, do(t, api, "GET", "/api/v1/namespaces/empty", "").Code)

	a := do(t, api, "POST", widgetRoot+"/namespaces/team/widgets", widgetBody(``))
	assert.Equal(t, 403, a.Code, a.Body)
	assert.True(t, strings.HasPrefix(a.text(t, "message"), `widgets.example.com "Unknown" is forbidden: unable to create new content`), a.Body)
}
