package upstream_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestMetadataOfTheClient(t *testing.T) {
	t.Run("an existing deletionTimestamp is not compared", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "w") // another one, so that versions differ
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":["a.b/c"]`))
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
		a := apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
			apitest.WidgetBody(`"name":"a","resourceVersion":"4","deletionTimestamp":"2020-01-01T00:00:00Z","finalizers":["a.b/c"]`, `"spec":{"size":5}`))
		assert.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, apitest.NowText, a.Text(t, "metadata.deletionTimestamp"))
	})
	t.Run("nulls among labels and annotations", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"a","labels":{"k":null},"annotations":{"k":null}`))
		apitest.WantJSON(t, a, 201, apitest.StoredWidget{Metadata: `"labels":{"k":""},"annotations":{"k":""}`}.String())
	})
	t.Run("generateName that ends in a dot", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"generateName":"x."`))
		assert.Equal(t, 422, a.Code, a.Body)
		assert.Contains(t, a.Text(t, "message"), `metadata.generateName: Invalid value: "x.": a lowercase RFC 1123 subdomain`)
		assert.Equal(t, 201, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets,
			apitest.WidgetBody(`"generateName":"x-"`)).Code)
	})
	t.Run("generation of a built-in kind that does not count", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos, `{"metadata":{"name":"a","generation":4}}`)
		assert.Equal(t, float64(4), a.Value(t, "metadata.generation"), a.Body)
	})
	t.Run("namespace of an object of the cluster", func(t *testing.T) {
		api := apitest.New(t, rest.Options{},
			rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin},
				Scope: rest.ScopeCluster})
		a := apitest.Do(t, api, "POST", "/api/v1/memos", `{"metadata":{"name":"a","namespace":"x"}}`)
		assert.Equal(t, 201, a.Code, a.Body)
		assert.NotContains(t, a.Body, `"namespace"`)
	})
}

func TestResourceVersionsInBodies(t *testing.T) {
	t.Run("a new object may have an invalid resourceVersion", func(t *testing.T) {
		for _, version := range []string{"abc", "-1", "00", "18446744073709551616"} {
			assert.Equal(t, 201, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets,
				apitest.WidgetBody(`"name":"a","resourceVersion":"`+version+`"`)).Code, version)
		}
	})
	t.Run("other errors come first", func(t *testing.T) {
		assert.Equal(t, 422, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"Bad","resourceVersion":"1"`)).Code)
	})
	t.Run("zeros in front do not count", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, "3", apitest.Must(t, api, "PUT", apitest.Widgets+"/a",
			apitest.WidgetBody(`"name":"a","resourceVersion":"02"`, `"spec":{"size":2}`)).ResourceVersion(t))
		apitest.WantInvalid(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
			apitest.WidgetBody(`"name":"a","resourceVersion":"00"`)), "widgets.example.com", "a",
			apitest.Invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
	})
}

// phase is a kind whose status has an endpoint of its own.
type phase struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Status             phaseStatus `json:"status,omitzero"`
}

type phaseStatus struct {
	Phase string `json:"phase,omitempty"`
}

const phases = "/apis/example.com/v1/namespaces/default/phases"

func newPhases(t *testing.T, dialect rest.Dialect, hooks ...admission.Hook) *rest.API {
	t.Helper()
	return apitest.New(t, rest.Options{NoSelfReviews: true, Admission: hooks}, rest.Resource[phase]{Group: "example.com",
		Version: "v1", Plural: "phases", Names: rest.Names{Kind: "Phase"}, Wire: rest.Wire{Dialect: dialect}})
}

// No way of writing stores a selfLink, through the object or through its status. A write that changes nothing else keeps
// the resourceVersion.
func TestSelfLinkIsDropped(t *testing.T) {
	body := func(more string) string {
		return `{"apiVersion":"example.com/v1","kind":"Phase","metadata":{"name":"a","selfLink":"/x"` + more + `}}`
	}
	for _, dialect := range []rest.Dialect{rest.DialectCustom, rest.DialectBuiltin} {
		for _, c := range []struct{ name, method, target, body, media string }{
			{"update", "PUT", "/a", body(`,"resourceVersion":"2"`), "application/json"},
			{"merge patch", "PATCH", "/a", `{"metadata":{"selfLink":"/x"}}`, apitest.TypeMergePatch},
			{"JSON patch", "PATCH", "/a", `[{"op":"add","path":"/metadata/selfLink","value":"/x"}]`, "application/json-patch+json"},
			{"apply", "PATCH", "/a?fieldManager=m", body(""), "application/apply-patch+yaml"},
			{"update of the status", "PUT", "/a/status", body(`,"resourceVersion":"2"`), "application/json"},
			{"patch of the status", "PATCH", "/a/status", `{"metadata":{"selfLink":"/x"}}`, apitest.TypeMergePatch},
			{"apply of the status", "PATCH", "/a/status?fieldManager=m", body(""), "application/apply-patch+yaml"},
		} {
			t.Run(fmt.Sprint(dialect, ", ", c.name), func(t *testing.T) {
				api := newPhases(t, dialect)
				created := apitest.Must(t, api, "POST", phases, body(""))
				assert.NotContains(t, created.Body, "selfLink")
				a := apitest.Must(t, api, c.method, phases+c.target, c.body, "Content-Type", c.media)
				assert.NotContains(t, a.Body, "selfLink")
				assert.Equal(t, "2", a.ResourceVersion(t), a.Body)
				assert.NotContains(t, apitest.Must(t, api, "GET", phases+"/a", "").Body, "selfLink")
			})
		}
	}
}

// A hook of a status whose writes reach the metadata may change labels, and nothing that the server sets.
func TestHookOfAStatusKeepsTheMetadataOfTheServer(t *testing.T) {
	hook := apitest.Mutating("m", func(_ context.Context, r *admission.Request) error {
		return r.Patch(apimeta.MergePatch, []byte(`{"metadata":{"name":"b","namespace":"c","uid":"d","generation":7,
			"selfLink":"/x","labels":{"of":"hook"},"deletionGracePeriodSeconds":9}}`))
	})
	hook.Resources = []string{"phases.example.com/status"}
	api := newPhases(t, rest.DialectBuiltin, hook)
	apitest.Must(t, api, "POST", phases, `{"metadata":{"name":"a"}}`)
	apitest.Must(t, api, "PATCH", phases+"/a/status", `{"status":{"phase":"Ready"}}`, "Content-Type", apitest.TypeMergePatch)
	stored := apitest.Must(t, api, "GET", phases+"/a", "")
	assert.Equal(t, "a", stored.Text(t, "metadata.name"))
	assert.Equal(t, "default", stored.Text(t, "metadata.namespace"))
	assert.Equal(t, "hook", stored.Text(t, "metadata.labels.of"))
	assert.NotContains(t, stored.Body, "selfLink")
	assert.NotContains(t, stored.Body, "deletionGracePeriodSeconds")
}

func TestMetadataOfBuiltinKinds(t *testing.T) {
	const bare = `Invalid value: "bad one": name is neither a standard finalizer name nor is it fully qualified`
	t.Run("a finalizer without a domain comes last", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
			`{"metadata":{"name":"a","finalizers":["orphan","bad one","foregroundDeletion"]}}`), "Memo", "a",
			apitest.Invalid("metadata.finalizers", `Invalid value: "bad one": `+apitest.NamePartText),
			apitest.Invalid("metadata.finalizers",
				`Invalid value: ["orphan","bad one","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`),
			apitest.Invalid("metadata.finalizers[1]", bare))
	})
	t.Run("generateName is checked in updates", func(t *testing.T) {
		api := apitest.NewMemos(t)
		apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a"}}`)
		apitest.WantInvalid(t, apitest.Do(t, api, "PUT", apitest.Memos+"/a",
			`{"metadata":{"name":"a","generateName":"Bad_"}}`), "Memo", "a",
			apitest.Invalid("metadata.generateName", `Invalid value: "Bad_": `+apitest.SubdomainText))
	})
	t.Run("but not of leases", func(t *testing.T) {
		api := apitest.New(t, rest.Options{},
			rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos",
				Wire: rest.Wire{Dialect: rest.DialectBuiltin, PlainMetadata: true}})
		a := apitest.Do(t, api, "POST", apitest.Memos, `{"metadata":{"name":"a","finalizers":["bare"]}}`)
		assert.Equal(t, 201, a.Code, a.Body)
		assert.Empty(t, a.Header.Get("Warning"))
		assert.Equal(t, 200, apitest.Do(t, api, "PUT", apitest.Memos+"/a",
			`{"metadata":{"name":"a","finalizers":["bare"],"generateName":"Bad_"}}`).Code)
	})
	t.Run("each controller but the first", func(t *testing.T) {
		owner := func(name string) string {
			return `{"apiVersion":"v1","kind":"Memo","name":"` + name + `","uid":"` + name + `","controller":true}`
		}
		owners := "[" + owner("a") + "," + owner("b") + "," + owner("c") + "]"
		only := "Invalid value: " + owners +
			`: Only one reference can have Controller set to true. Found "true" in references for Memo/a and Memo/`
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewMemos(t), "POST", apitest.Memos,
			`{"metadata":{"name":"a","ownerReferences":`+owners+`}}`), "Memo", "a",
			apitest.Invalid("metadata.ownerReferences", only+"b"), apitest.Invalid("metadata.ownerReferences", only+"c"))
	})
	t.Run("nulls in lists", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"a","finalizers":[null]`)), "Widget.example.com", "a",
			apitest.Invalid("metadata.finalizers", `Invalid value: "": name part must be non-empty`),
			apitest.Invalid("metadata.finalizers", `Invalid value: "": `+apitest.NamePartText))
		assert.Contains(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"a","ownerReferences":[null]`)).Text(t, "message"),
			`metadata.ownerReferences[0].kind: Required value: must not be empty`)
	})
	t.Run("names of types", func(t *testing.T) {
		for metadata, text := range map[string]string{
			`"uid":5`:                       "number into Go struct field ObjectMeta.uid of type types.UID",
			`"ownerReferences":[{"uid":5}]`: "number into Go struct field OwnerReference.ownerReferences.uid of type types.UID",
			`"ownerReferences":5`:           "number into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
		} {
			apitest.WantFailure(t, apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(metadata)),
				400, "BadRequest", `Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal `+text, "")
		}
	})
}
