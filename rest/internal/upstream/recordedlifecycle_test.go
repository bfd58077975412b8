package upstream_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// What was recorded of kube-apiserver 1.36 when objects are created, replaced and deleted.

func TestUnusualBodies(t *testing.T) {
	t.Run("null is an object of which all is left out", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, "null"), "Memo", "", apitest.Required("metadata.name", "Required value: name or generateName is required"))
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, "# nothing\n", "Content-Type", apitest.TypeYAML), "Memo", "", apitest.Required("metadata.name", "Required value: name or generateName is required"))
		apitest.WantFailure(t, apitest.Do(t, apitest.NewMemos(t), "PUT", apitest.Memos+"/a", "null"), 400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("a kind that is null counts as left out", func(t *testing.T) {
		assert.Equal(t, 201, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"kind":null,"apiVersion":null,"metadata":{"name":"a"}}`).Code)
	})
	t.Run("forms of an apiVersion", func(t *testing.T) {
		for _, apiVersion := range []string{"/", "/v1", ""} {
			a := apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"kind":"Memo","apiVersion":"`+apiVersion+`","metadata":{"name":"a"}}`)
			assert.Equal(t, 201, a.Code, a.Body)
			assert.Equal(t, "v1", a.Text(t, "apiVersion"))
		}
		apitest.WantFailure(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, `{"kind":"Widget","apiVersion":"/v1"}`), 400, "BadRequest",
			"the API version in the data (v1) does not match the expected API version (example.com/v1)", "")
	})
	t.Run("a duplicate key in a body of another version", func(t *testing.T) {
		const body = `{"kind":"Gadget","kind":"Widget","apiVersion":"v1"}`
		a := apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, body)
		assert.Equal(t, `299 - "duplicate field \"kind\""`, a.Header.Get("Warning"))
		apitest.WantFailure(t, a, 400, "BadRequest", "the API version in the data (v1) does not match the expected API version (example.com/v1)", "")
		apitest.WantFailure(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets+"?fieldValidation=Strict", body), 400, "BadRequest",
			`Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "kind"`, "")
	})
	t.Run("half of a surrogate pair", func(t *testing.T) {
		assert.Equal(t, "\uFFFDx", apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"metadata":{"name":"a"},"data":{"k":"\ud83dx"}}`).Text(t, "data.k"))
		assert.Equal(t, "\uFFFD", apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","annotations":{"k":"\udc00"}`)).Text(t, "metadata.annotations.k"))
	})
	t.Run("the body's media type is looked at before the options, and Accept before both", func(t *testing.T) {
		for _, c := range []struct {
			method, target string
			header         []string
			want           int
		}{
			{"POST", apitest.Widgets, []string{"Content-Type", "text/plain"}, 415},
			{"POST", apitest.Widgets, []string{"Accept", "text/plain", "Content-Type", "text/plain"}, 406},
			{"PUT", apitest.Widgets + "/a", []string{"Content-Type", "text/plain"}, 422},
			{"PUT", apitest.Widgets + "/a", []string{"Accept", "text/plain"}, 406},
		} {
			assert.Equal(t, c.want, apitest.Do(t, apitest.NewWidgets(t), c.method, c.target+"?dryRun=x", "x", c.header...).Code, "%s %v", c.method, c.header)
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

func TestValuesOfBuiltinKinds(t *testing.T) {
	const counted = "/api/v1/namespaces/default/counteds"
	post := func(members string) apitest.Answer {
		api := apitest.New(t, rest.Options{}, rest.Resource[Counted]{Version: "v1", Plural: "counteds", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
		return apitest.Do(t, api, "POST", counted, `{"metadata":{"name":"a"},`+members+`}`)
	}
	for _, literal := range []string{"2.0", "2e0", "1e400"} {
		apitest.WantFailure(t, post(`"spec":{"count":`+literal+`}`), 400, "BadRequest", `Counted in version "v1" cannot be handled as a Counted: `+
			`json: cannot unmarshal number `+literal+` into Go struct field .spec.count of type int32`, "")
	}
	assert.Equal(t, 2.0, post(`"spec":{"ratio":2.0}`).Value(t, "spec.ratio"))
	assert.Contains(t, post(`"spec":{"ratio":2.0}`).Body, `"ratio":2}`, "as Go writes it")
	assert.Equal(t, "", post(`"spec":{"bytes":{"k":null}}`).Value(t, "spec.bytes.k"), "a store of Protobuf knows no null")
	a := post(`"status":"x"`)
	assert.Equal(t, 400, a.Code, "what a write leaves out is read as well")
	assert.Contains(t, a.Text(t, "message"), "json: cannot unmarshal string into Go struct field Counted.status of type struct")
	apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"metadata":{"name":"a","generation":-1}}`), "Memo", "a",
		apitest.Invalid("metadata.generation", "Invalid value: -1: must be greater than or equal to 0"))
}

func TestResourceVersionsInBodies(t *testing.T) {
	t.Run("a new object may have an invalid resourceVersion", func(t *testing.T) {
		for _, version := range []string{"abc", "-1", "00", "18446744073709551616"} {
			assert.Equal(t, 201, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","resourceVersion":"`+version+`"`)).Code, version)
		}
	})
	t.Run("other errors come first", func(t *testing.T) {
		assert.Equal(t, 422, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"name":"Bad","resourceVersion":"1"`)).Code)
	})
	t.Run("zeros in front do not count", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, "3", apitest.Must(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a","resourceVersion":"02"`, `"spec":{"size":2}`)).ResourceVersion(t))
		apitest.WantInvalid(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a","resourceVersion":"00"`)), "widgets.example.com", "a",
			apitest.Invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
	})
	t.Run("selfLink is the client's in an update", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a","selfLink":"/x"}}`)
		assert.NotContains(t, apitest.Do(t, api, "GET", apitest.Memos+"/a", "").Body, "selfLink")
		assert.Equal(t, "/x", apitest.Must(t, api, "PUT", apitest.Memos+"/a", `{"metadata":{"name":"a","selfLink":"/x"}}`).Text(t, "metadata.selfLink"))
	})
}

func TestMetadataOfBuiltinKinds(t *testing.T) {
	const bare = `Invalid value: "bad one": name is neither a standard finalizer name nor is it fully qualified`
	t.Run("a finalizer without a domain comes last", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"metadata":{"name":"a","finalizers":["orphan","bad one","foregroundDeletion"]}}`), "Memo", "a",
			apitest.Invalid("metadata.finalizers", `Invalid value: "bad one": `+apitest.NamePartText),
			apitest.Invalid("metadata.finalizers", `Invalid value: ["orphan","bad one","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`),
			apitest.Invalid("metadata.finalizers[1]", bare))
	})
	t.Run("generateName is checked in updates", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
		apitest.WantInvalid(t, apitest.Do(t, api, "PUT", apitest.Memos+"/a", `{"metadata":{"name":"a","generateName":"Bad_"}}`), "Memo", "a",
			apitest.Invalid("metadata.generateName", `Invalid value: "Bad_": `+apitest.SubdomainText))
	})
	t.Run("but not of leases", func(t *testing.T) {
		api := apitest.New(t, rest.Options{}, rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin, PlainMetadata: true}})
		a := apitest.Do(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a","finalizers":["bare"]}}`)
		assert.Equal(t, 201, a.Code, a.Body)
		assert.Empty(t, a.Header.Get("Warning"))
		assert.Equal(t, 200, apitest.Do(t, api, "PUT", apitest.Memos+"/a", `{"metadata":{"name":"a","finalizers":["bare"],"generateName":"Bad_"}}`).Code)
	})
	t.Run("each controller but the first", func(t *testing.T) {
		owner := func(name string) string {
			return `{"apiVersion":"v1","kind":"Memo","name":"` + name + `","uid":"` + name + `","controller":true}`
		}
		owners := "[" + owner("a") + "," + owner("b") + "," + owner("c") + "]"
		only := "Invalid value: " + owners + `: Only one reference can have Controller set to true. Found "true" in references for Memo/a and Memo/`
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"metadata":{"name":"a","ownerReferences":`+owners+`}}`), "Memo", "a",
			apitest.Invalid("metadata.ownerReferences", only+"b"), apitest.Invalid("metadata.ownerReferences", only+"c"))
	})
	t.Run("nulls in lists", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":[null]`)), "Widget.example.com", "a",
			apitest.Invalid("metadata.finalizers", `Invalid value: "": name part must be non-empty`),
			apitest.Invalid("metadata.finalizers", `Invalid value: "": `+apitest.NamePartText))
		assert.Contains(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","ownerReferences":[null]`)).Text(t, "message"),
			`metadata.ownerReferences[0].kind: Required value: must not be empty`)
	})
	t.Run("names of types", func(t *testing.T) {
		for metadata, text := range map[string]string{
			`"uid":5`:                       "number into Go struct field ObjectMeta.uid of type types.UID",
			`"ownerReferences":[{"uid":5}]`: "number into Go struct field OwnerReference.ownerReferences.uid of type types.UID",
			`"ownerReferences":5`:           "number into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
		} {
			apitest.WantFailure(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(metadata)), 400, "BadRequest",
				`Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal `+text, "")
		}
	})
}

func TestMessagesAboutInvalidDeleteOptions(t *testing.T) {
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
			api := apitest.NewWidgets(t)
			apitest.CreateWidget(t, api, "a")
			apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a"+c.query, c.body), c.code, "BadRequest", c.message, "")
			assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
		})
	}
}

// Some kinds answer a deletion with what they have deleted, as it was, in the version of the deletion.
func TestDeletionReturnsTheObject(t *testing.T) {
	api := apitest.New(t, rest.Options{}, rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin, ReturnDeleted: true}})
	apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Memos+"/a?dryRun=All", ""), 200, apitest.StoredMemo("2", ""))
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Memos+"/a?orphanDependents=false", ""), 200, apitest.StoredMemo("3", ""))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Memos+"/a", "").Code)

	apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"b","finalizers":["orphan"]}}`)
	a := apitest.Do(t, api, "DELETE", apitest.Memos+"/b?propagationPolicy=Background", "")
	assert.Equal(t, []any{"orphan"}, a.Value(t, "metadata.finalizers"), "as it was")
	assert.NotContains(t, a.Body, "deletionTimestamp")
}

func TestNamespaceFinalizers(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	post := func(name, spec string) apitest.Answer {
		return apitest.Do(t, api, "POST", namespaces, `{"metadata":{"name":"`+name+`"},"spec":`+spec+`}`)
	}
	const neither = `: name is neither a standard finalizer name nor is it fully qualified`
	assert.Equal(t, []any{"a/b", "kubernetes"}, post("a", `{"finalizers":["a/b"]}`).Value(t, "spec.finalizers"))
	assert.Equal(t, []any{"kubernetes", "a/b"}, post("b", `{"finalizers":["kubernetes","a/b"]}`).Value(t, "spec.finalizers"))
	apitest.WantInvalid(t, post("c", `{"finalizers":["bare"]}`), "Namespace", "c", apitest.Invalid("spec.finalizers", `Invalid value: "bare"`+neither))
	apitest.WantInvalid(t, post("c", `{"finalizers":["bad one"]}`), "Namespace", "c",
		apitest.Invalid("spec.finalizers", `Invalid value: "bad one": `+apitest.NamePartText), apitest.Invalid("spec.finalizers", `Invalid value: "bad one"`+neither))
	for _, spec := range []string{`"x"`, `{"finalizers":"x"}`, `{"finalizers":[5]}`} {
		assert.Equal(t, 400, post("c", spec).Code, spec)
		assert.Equal(t, 400, apitest.Do(t, api, "PUT", namespaces+"/a", `{"metadata":{"name":"a"},"spec":`+spec+`}`).Code, spec)
	}
	finalize := func(members string) apitest.Answer {
		return apitest.Do(t, api, "PUT", namespaces+"/a/finalize", `{"metadata":{"name":"a"`+members+`}`)
	}
	apitest.WantInvalid(t, finalize(`},"spec":{"finalizers":["c/d","bare"]}`), "Namespace", "a", apitest.Invalid("spec.finalizers[1]", `Invalid value: "bare"`+neither))
	a := finalize(`,"labels":{"x":"y"}},"spec":{"finalizers":["c/d"]},"status":{"phase":"Terminating"}`)
	assert.Equal(t, "y", a.Text(t, "metadata.labels.x"), "the metadata is the body's, %s", a.Body)
	assert.Equal(t, "Active", a.Text(t, "status.phase"), "the status is not")
	assert.Equal(t, []any{"c/d"}, a.Value(t, "spec.finalizers"))
}

func TestNamespaceStatus(t *testing.T) {
	const team = "/api/v1/namespaces/team"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	apitest.Must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`)
	put := func(status string) apitest.Answer {
		return apitest.Do(t, api, "PUT", team+"/status", `{"metadata":{"name":"team"}`+status+`}`)
	}
	assert.Equal(t, "Active", put("").Text(t, "status.phase"), "by default")
	apitest.WantInvalid(t, put(`,"status":{"phase":"Terminating"}`), "Namespace", "team",
		apitest.Invalid("status.Phase", "Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"))
	apitest.Must(t, api, "DELETE", team, "")
	apitest.WantInvalid(t, put(`,"status":{"phase":"Active"}`), "Namespace", "team",
		apitest.Invalid("status.Phase", "Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"))
}

func TestNamespaceDeletion(t *testing.T) {
	const team = "/api/v1/namespaces/team"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	apitest.Must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"team","finalizers":["orphan"]}}`)
	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", team, `{"preconditions":{"resourceVersion":"1"}}`), 409, "Conflict",
		`Operation cannot be fulfilled on namespaces "team": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: 3`, `{"name":"team","kind":"namespaces"}`)

	first := apitest.Do(t, api, "DELETE", team+"?propagationPolicy=Background", "")
	assert.NotContains(t, first.Body, `"orphan"`)
	assert.NotContains(t, first.Body, `"finalizers":[]`)
	again := apitest.Do(t, api, "DELETE", team+"?propagationPolicy=Foreground", "")
	assert.Equal(t, first.Body, again.Body, "one that is being emptied stays as it is")

	apitest.Must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"empty"}}`)
	apitest.Must(t, api, "PUT", "/api/v1/namespaces/empty/finalize", `{"metadata":{"name":"empty"},"spec":{}}`)
	gone := apitest.Do(t, api, "DELETE", "/api/v1/namespaces/empty", "")
	assert.Equal(t, "Namespace", gone.Text(t, "kind"), "%s", gone.Body)
	assert.Equal(t, "Terminating", gone.Text(t, "status.phase"))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", "/api/v1/namespaces/empty", "").Code)

	a := apitest.Do(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets", apitest.WidgetBody(``))
	assert.Equal(t, 403, a.Code, a.Body)
	assert.True(t, strings.HasPrefix(a.Text(t, "message"), `widgets.example.com "Unknown" is forbidden: unable to create new content`), a.Body)
}
