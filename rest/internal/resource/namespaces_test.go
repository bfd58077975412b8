package resource_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestNamespaces(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	namespace := func(metadata, phase, finalizers string) string {
		return `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"team","uid":"uid-2","creationTimestamp":"` +
			apitest.NowText +
			`","labels":{"kubernetes.io/metadata.name":"team"}` + metadata +
			`},"spec":{` + finalizers + `},"status":{"phase":"` + phase + `"}}`
	}
	const held = `"finalizers":["kubernetes"]`
	assert.Equal(t, []string{"default"}, apitest.Do(t, api, "GET", namespaces, "").Names(t), "this one is always there")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets",
		apitest.WidgetBody(`"name":"a"`)), 404, "NotFound", `namespaces "team" not found`,
		`{"name":"team","kind":"namespaces"}`)
	apitest.WantJSON(t, apitest.Do(t, api, "POST", namespaces, `{"metadata":{"name":"team"}}`), 201,
		namespace(`,"resourceVersion":"3"`, "Active", held))
	apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets", apitest.WidgetBody(`"name":"a"`))

	const deletion = `,"deletionTimestamp":"` + apitest.NowText + `"`
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", namespaces+"/team", ""), 200,
		namespace(`,"resourceVersion":"5"`+deletion, "Terminating", held))
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets",
		apitest.WidgetBody(`"name":"b"`)), 403, "Forbidden",
		`widgets.example.com "b" is forbidden: unable to create new content in namespace team because it is being terminated`,
		`{"name":"b","group":"example.com","kind":"widgets","causes":[{"reason":"NamespaceTerminating","message":"namespace team is being terminated","field":"metadata.namespace"}]}`)
	assert.Equal(t, 200, apitest.MergePatch(t, api, apitest.ExampleV1+"/namespaces/team/widgets/a",
		`{"spec":{"size":2}}`).Code, "what is there can be changed and deleted")
	assert.Equal(t, 200, apitest.Do(t, api, "DELETE", apitest.ExampleV1+"/namespaces/team/widgets/a", "").Code)
	assert.Equal(t, 200, apitest.MergePatch(t, api, namespaces+"/team", `{"spec":{"finalizers":null}}`).Code)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", namespaces+"/team", "").Code, "only finalize lets go of a namespace")
	assert.Equal(t, 200, apitest.Do(t, api, "PUT", namespaces+"/team/finalize",
		`{"metadata":{"name":"team"},"spec":{}}`).Code)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", namespaces+"/team", "").Code)

	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", namespaces+"/default", ""), 403, "Forbidden",
		`namespaces "default" is forbidden: this namespace may not be deleted`, `{"name":"default","kind":"namespaces"}`)
	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", namespaces, ""), 405, "MethodNotAllowed",
		"the server does not allow this method on the requested resource", "{}")
	assert.Equal(t, 422, apitest.Do(t, api, "POST", namespaces, `{"metadata":{"name":"a.b"}}`).Code,
		"a name is a DNS label")
	assert.Equal(t, []string{}, apitest.Do(t, api, "GET", apitest.ExampleV1+"/namespaces/none/widgets", "").Names(t),
		"reading asks for no namespace")
}

// As in Kubernetes, a client owns the finalizers that it sends, although only /finalize changes them.
func TestOwnersOfFinalizersOfNamespaces(t *testing.T) {
	api := apitest.New(t, rest.Options{}, rest.NamespacesOf[apitest.Namespace]())
	const path, body = "/api/v1/namespaces/n", `{"metadata":{"name":"n"},"spec":{"finalizers":["example.com/f"]}}`
	apitest.Must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"n"}}`)
	held := func(a apitest.Answer) any { return a.Value(t, "spec.finalizers") }
	first := apitest.Do(t, api, "PUT", path+"?fieldManager=m", body)
	assert.Equal(t, []any{"kubernetes"}, held(first))
	assert.Contains(t, first.Body, `"fieldsV1":{"f:spec":{"f:finalizers":{}}},"manager":"m"`)
	again := apitest.Do(t, api, "PUT", path+"?fieldManager=m", body)
	assert.Equal(t, first.Body, again.Body, "a repetition changes nothing")
	without := apitest.MergePatch(t, api, path, `{"spec":{"finalizers":null}}`)
	assert.Equal(t, []any{"kubernetes"}, held(without))
	assert.NotContains(t, without.Body, "f:finalizers")
}

func TestPhasesOfNamespaces(t *testing.T) {
	api := apitest.New(t, rest.Options{}, rest.NamespacesOf[apitest.Namespace]())
	const path = "/api/v1/namespaces/n"
	apitest.Must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"n"}}`)
	assert.NotContains(t, apitest.Do(t, api, "GET", path, "").Body, `f:finalizers`)
	apitest.WantInvalid(t, apitest.MergePatch(t, api, path+"/status", `{"status":{"phase":"Terminating"}}`), "Namespace",
		"n", apitest.Invalid("status.Phase",
			"Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"))
	assert.Equal(t, "Active", apitest.MergePatch(t, api, path+"/status", `{"status":null}`).Text(t, "status.phase"))
	apitest.Do(t, api, "DELETE", path, "")
	apitest.WantInvalid(t, apitest.MergePatch(t, api, path+"/status", `{"status":{"phase":"Active"}}`), "Namespace", "n",
		apitest.Invalid("status.Phase",
			"Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"))
}

func TestNamespaceLabelsAndStatus(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	apitest.Must(t, api, "POST", namespaces, `{"metadata":{"name":"team"}}`)
	labels := func(a apitest.Answer) string {
		t.Helper()
		assert.Equal(t, 200, a.Code, a.Body)
		_, after, _ := strings.Cut(a.Body, `"labels":`)
		text, _, _ := strings.Cut(after, "}")
		return text + "}"
	}
	const its = `"kubernetes.io/metadata.name":"team"`
	assert.Equal(t, `{`+its+`}`, labels(apitest.MergePatch(t, api, namespaces+"/team", `{"metadata":{"labels":null}}`)),
		"the label is always there")
	assert.Equal(t, `{`+its+`}`, labels(apitest.Do(t, api, "PUT", namespaces+"/team",
		`{"metadata":{"name":"team","labels":{"kubernetes.io/metadata.name":"x"}}}`)))

	a := apitest.MergePatch(t, api, namespaces+"/team/status",
		`{"metadata":{"labels":{"x":"y"},"annotations":{"p":"q"}},"spec":{"finalizers":null}}`)
	assert.Equal(t, `{`+its+`,"x":"y"}`, labels(a), "/status of a built-in kind takes metadata")
	assert.Equal(t, "q", a.Text(t, "metadata.annotations.p"))
	assert.Contains(t, a.Body, `"finalizers":["kubernetes"]`, "and no spec")

	for _, verb := range []string{"DELETE", "POST"} {
		apitest.WantFailure(t, apitest.Do(t, api, verb, namespaces+"/team/status", `{}`), 405, "MethodNotAllowed",
			"the server does not allow this method on the requested resource", "{}")
	}
	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", namespaces+"/team", `{"preconditions":{"uid":"other"}}`), 409,
		"Conflict", `Operation cannot be fulfilled on namespaces "team": Precondition failed: UID in precondition: other, UID in object meta: uid-2`,
		`{"name":"team","kind":"namespaces"}`)

	apitest.Must(t, api, "DELETE", namespaces+"/team", "")
	a = apitest.Do(t, api, "POST", apitest.ExampleV1+"/namespaces/team/widgets", apitest.WidgetBody(`"generateName":"g-"`))
	assert.Equal(t, 403, a.Code, a.Body)
	assert.Contains(t, a.Text(t, "message"),
		`widgets.example.com "g-" is forbidden: unable to create new content in namespace team`)
}

func TestNamespaceSelectorOfAClusterScopedKind(t *testing.T) {
	api := apitest.New(t, rest.Options{}, rest.NamespacesOf[apitest.Namespace](), apitest.WidgetResource())
	apitest.WantFailure(t, apitest.Do(t, api, "GET", "/api/v1/namespaces?fieldSelector=metadata.namespace%3Dx", ""), 400,
		"BadRequest", "field label not supported: metadata.namespace", "")
}

func TestNamespaceFinalizers(t *testing.T) {
	const namespaces = "/api/v1/namespaces"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	post := func(name, spec string) apitest.Answer {
		return apitest.Do(t, api, "POST", namespaces, `{"metadata":{"name":"`+name+`"},"spec":`+spec+`}`)
	}
	const neither = `: name is neither a standard finalizer name nor is it fully qualified`
	assert.Equal(t, []any{"a/b", "kubernetes"}, post("a", `{"finalizers":["a/b"]}`).Value(t, "spec.finalizers"))
	assert.Equal(t, []any{"kubernetes", "a/b"},
		post("b", `{"finalizers":["kubernetes","a/b"]}`).Value(t, "spec.finalizers"))
	assert.Contains(t, post("sent", `{"finalizers":["kubernetes"]}`).Body, `f:finalizers`, "the client owns what it sends")
	apitest.WantInvalid(t, post("c", `{"finalizers":["bare"]}`), "Namespace", "c",
		apitest.Invalid("spec.finalizers", `Invalid value: "bare"`+neither))
	apitest.WantInvalid(t, post("c", `{"finalizers":["bad one"]}`), "Namespace", "c",
		apitest.Invalid("spec.finalizers", `Invalid value: "bad one": `+apitest.NamePartText),
		apitest.Invalid("spec.finalizers", `Invalid value: "bad one"`+neither))
	for _, spec := range []string{`"x"`, `{"finalizers":"x"}`, `{"finalizers":[5]}`} {
		assert.Equal(t, 400, post("c", spec).Code, spec)
		assert.Equal(t, 400, apitest.Do(t, api, "PUT", namespaces+"/a", `{"metadata":{"name":"a"},"spec":`+spec+`}`).Code,
			spec)
	}
	finalize := func(members string) apitest.Answer {
		return apitest.Do(t, api, "PUT", namespaces+"/a/finalize", `{"metadata":{"name":"a"`+members+`}`)
	}
	apitest.WantInvalid(t, finalize(`},"spec":{"finalizers":["c/d","bare"]}`), "Namespace", "a",
		apitest.Invalid("spec.finalizers[1]", `Invalid value: "bare"`+neither))
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
		apitest.Invalid("status.Phase",
			"Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"))
	apitest.Must(t, api, "DELETE", team, "")
	apitest.WantInvalid(t, put(`,"status":{"phase":"Active"}`), "Namespace", "team",
		apitest.Invalid("status.Phase",
			"Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"))
}

func TestNamespaceDeletion(t *testing.T) {
	const team = "/api/v1/namespaces/team"
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	apitest.Must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"team","finalizers":["orphan"]}}`)
	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", team, `{"preconditions":{"resourceVersion":"1"}}`), 409,
		"Conflict", `Operation cannot be fulfilled on namespaces "team": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: 3`, `{"name":"team","kind":"namespaces"}`)

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
	assert.True(t, strings.HasPrefix(a.Text(t, "message"),
		`widgets.example.com "Unknown" is forbidden: unable to create new content`), a.Body)
}
