package oracle

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// exchange is a request with a JSON body.
type exchange struct{ method, path, body string }

// exchanges are requests about subresources, in order. Kubernetes accepts some and refuses others.
func exchanges() []exchange {
	const (
		core     = "/api/v1/namespaces/default/"
		pod      = core + "pods/sub"
		spec     = `"spec":{"containers":[{"name":"c","image":"i"}]}`
		template = `"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},` + spec + `}`
	)
	all := []exchange{
		{http.MethodPost, core + "pods", `{"metadata":{"name":"sub"},` + spec + `}`},
		{http.MethodPost, pod + "/binding", `{"metadata":{"name":"sub"},"target":{"kind":"Node","name":"n"}}`},
		{http.MethodPost, pod + "/binding", `{"metadata":{"name":"sub"},"target":{"kind":"Node","name":"m"}}`},
		{http.MethodPost, core + "pods/absent/binding", `{"metadata":{"name":"absent"},"target":{"kind":"Node","name":"n"}}`},
		{http.MethodPut, pod + "/ephemeralcontainers",
			`{"metadata":{"name":"sub"},"spec":{"ephemeralContainers":[{"name":"c","image":"i"}]}}`},
		{http.MethodPut, pod + "/ephemeralcontainers",
			`{"metadata":{"name":"sub"},"spec":{"ephemeralContainers":[{"name":"d","image":"i","ports":[{"containerPort":1}]}]}}`},
		{http.MethodPut, pod + "/ephemeralcontainers",
			`{"metadata":{"name":"sub"},"spec":{"ephemeralContainers":[{"name":"d","image":"i"}]}}`},
		{http.MethodPut, pod + "/ephemeralcontainers", `{"metadata":{"name":"sub"},"spec":{}}`},
		{http.MethodPut, pod + "/resize", `{"metadata":{"name":"sub"},"spec":{"containers":[{"name":"x","image":"i"}]}}`},
		{http.MethodPut, pod + "/resize",
			`{"metadata":{"name":"sub"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}`},
		{http.MethodPut, pod + "/resize", `{"metadata":{"name":"sub"},` + spec + `}`},
		{http.MethodPost, "/api/v1/namespaces", `{"metadata":{"name":"sub"}}`},
		{http.MethodPut, "/api/v1/namespaces/sub/finalize",
			`{"metadata":{"name":"sub"},"spec":{"finalizers":["kubernetes","example.com/a"]}}`},
		{http.MethodPut, "/api/v1/namespaces/other/finalize", `{"metadata":{"name":"other"}}`},
		{http.MethodPost, core + "serviceaccounts", `{"metadata":{"name":"sub"}}`},
		{http.MethodPost, core + "serviceaccounts/sub/token", `{"spec":{"expirationSeconds":1}}`},
		{http.MethodPost, core + "serviceaccounts/sub/token", `{"spec":{"expirationSeconds":9999999999}}`},
		{http.MethodPost, core + "serviceaccounts/sub/token",
			`{"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"absent"}}}`},
		{http.MethodPost, core + "serviceaccounts/absent/token", `{"spec":{}}`},
	}
	for path, object := range map[string]string{
		core + "replicationcontrollers":                 `{"metadata":{"name":"sub"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},` + spec + `}}}`,
		"/apis/apps/v1/namespaces/default/deployments":  `{"metadata":{"name":"sub"},"spec":{` + template + `}}`,
		"/apis/apps/v1/namespaces/default/replicasets":  `{"metadata":{"name":"sub"},"spec":{` + template + `}}`,
		"/apis/apps/v1/namespaces/default/statefulsets": `{"metadata":{"name":"sub"},"spec":{` + template + `}}`,
	} {
		scale := path + "/sub/scale"
		all = append(all, exchange{http.MethodPost, path, object}, exchange{http.MethodGet, scale, ""},
			exchange{http.MethodPut, scale, `{"metadata":{"name":"sub"},"spec":{"replicas":-1}}`},
			exchange{http.MethodPut, scale, `{"metadata":{"name":"other"},"spec":{"replicas":1}}`},
			exchange{http.MethodPut, scale, `{"metadata":{"name":"sub","resourceVersion":"1"},"spec":{"replicas":1}}`},
			exchange{http.MethodPut, scale, `{"metadata":{"name":"sub","uid":"1"},"spec":{"replicas":1}}`},
			exchange{http.MethodPut, scale, `{"metadata":{"name":"sub"},"spec":{"replicas":3}}`},
			exchange{http.MethodPut, scale, `{"metadata":{"name":"sub"}}`}, exchange{http.MethodGet, path + "/sub", ""})
	}
	return all
}

// Both sides answer the same to requests about subresources.
func TestSubresources(t *testing.T) {
	for _, e := range exchanges() {
		want, got := kubernetesAPI(t).send(t, e.method, e.path, asJSON, []byte(e.body)),
			ourAPI(t).send(t, e.method, e.path, asJSON, []byte(e.body))
		assert.Equal(t, want.code, got.code, "%s %s %s", e.method, e.path, e.body)
		for _, d := range differences("", want.shown(t), got.shown(t)) {
			assert.Fail(t, d, "%s %s %s", e.method, e.path, e.body)
		}
	}
}
