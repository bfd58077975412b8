package kinds_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// answered is the answer to a request with a JSON body.
type answered struct {
	code     int
	body     string
	warnings []string
}

func ask(t *testing.T, api *rest.API, method, path, body string) answered {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	r.Header.Set("User-Agent", "client")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return answered{w.Code, w.Body.String(), w.Header().Values("Warning")}
}

// value returns a member of the answer, as JSON.
func (a answered) value(t *testing.T, path ...string) string {
	t.Helper()
	at := json.RawMessage(a.body)
	for _, name := range path {
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(at, &members), a.body)
		at = members[name]
	}
	return string(at)
}

const (
	someContainers = `"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"2","memory":"1Gi"}}}]`
	someTemplate   = `"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{` +
		someContainers + `}}`
	inDefault = "/api/v1/namespaces/default/"
)

// Names and annotations follow the rules of Kubernetes.
func TestNamesAndAnnotationsAreCheckedAsInKubernetes(t *testing.T) {
	api := newAPI(t)
	for _, c := range []struct{ path, body, want string }{
		{"/apis/apps/v1/namespaces/default/statefulsets", `{"metadata":{"name":"web.a"},"spec":{` + someTemplate + `}}`,
			"metadata.name"},
		{"/apis/scheduling.k8s.io/v1/priorityclasses", `{"metadata":{"name":"system-x"},"value":1}`,
			"reserved for system use only. error: system-x is not a known system priority class"},
		{"/apis/networking.k8s.io/v1/namespaces/default/ingresses", `{"metadata":{"name":"a","annotations":` +
			`{"kubernetes.io/ingress.class":"b"}},"spec":{"ingressClassName":"c","defaultBackend":{"service":{"name":"s","port":{"number":1}}}}}`,
			"annotations.kubernetes.io/ingress.class: Invalid value: \"b\": must match `ingressClassName`"},
		{inDefault + "pods", `{"metadata":{"name":"a","annotations":{"controller.kubernetes.io/pod-deletion-cost":"+1"}},` +
			`"spec":{` + someContainers + `}}`, "must be a 32bit integer"},
		{inDefault + "services", `{"metadata":{"name":"a","annotations":` +
			`{"service.beta.kubernetes.io/load-balancer-source-ranges":"10.0.0.0/8"}},"spec":{"ports":[{"port":1}]}}`,
			"may only be used when `type` is 'LoadBalancer'"},
	} {
		a := ask(t, api, http.MethodPost, c.path, c.body)
		assert.Equal(t, http.StatusUnprocessableEntity, a.code, a.body)
		assert.Contains(t, a.value(t, "message"), strings.ReplaceAll(c.want, `"`, `\"`))
	}
	assert.Equal(t, http.StatusCreated, ask(t, api, http.MethodPost, inDefault+"services",
		`{"metadata":{"name":"1a"},"spec":{"ports":[{"port":1}]}}`).code, "since 1.36, the name of a Service may begin with a digit")
}

// A new Pod takes over the AppArmor profile of its annotation, and the labels that its constraints name.
func TestNewPodsAreCompletedAsInKubernetes(t *testing.T) {
	api := newAPI(t)
	const key = "container.apparmor.security.beta.kubernetes.io/c"
	a := ask(t, api, http.MethodPost, inDefault+"pods", `{"metadata":{"name":"a","labels":{"v":"1"},"annotations":{"`+key+
		`":"localhost/p"}},"spec":{`+someContainers+`,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",`+
		`"whenUnsatisfiable":"DoNotSchedule","labelSelector":{},"matchLabelKeys":["v"]}]}}`)
	require.Equal(t, http.StatusCreated, a.code, a.body)
	assert.Contains(t, a.body, `"appArmorProfile":{"localhostProfile":"p","type":"Localhost"}`)
	assert.Contains(t, a.body, `"matchExpressions":[{"key":"v","operator":"In","values":["1"]}]`)
	assert.Equal(t, []string{`299 - "metadata.annotations[` + key +
		`]: deprecated since v1.30; use the \"appArmorProfile\" field instead"`}, a.warnings)
	assert.NotContains(t, a.value(t, "metadata", "managedFields"), "appArmorProfile",
		"no client owns a field that the server sets")
}

func TestWarningsOfKinds(t *testing.T) {
	api := newAPI(t)
	for _, c := range []struct{ path, body, want string }{
		{inDefault + "pods", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i","env":` +
			`[{"name":"A","value":"1"},{"name":"A","value":"2"}]}]}}`,
			`spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply`},
		{inDefault + "pods", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i","ports":` +
			`[{"containerPort":8080,"hostIP":"1.2.3.4"}]}]}}`,
			"spec.containers[0].ports[0]: hostIP set without hostPort: " +
				"{Name: HostPort:0 ContainerPort:8080 Protocol:TCP HostIP:1.2.3.4}"},
		{inDefault + "pods", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i","ports":` +
			`[{"containerPort":8080},{"containerPort":8081}]},{"name":"d","image":"i","ports":[{"containerPort":8080}]}]}}`,
			"spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]"},
		{"/apis/apps/v1/namespaces/default/deployments", `{"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},` +
			`"template":{"metadata":{"labels":{"a":"b"}},"spec":{"nodeSelector":{"beta.kubernetes.io/os":"x"},` + someContainers + `}}}}`,
			`spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`},
		{inDefault + "services", `{"metadata":{"name":"a"},"spec":{"externalName":"b","ports":[{"port":1}]}}`,
			`spec.externalName is ignored when spec.type is not "ExternalName"`},
		{inDefault + "secrets", `{"metadata":{"name":"a"},"type":"kubernetes.io/tls","stringData":{"tls.crt":"","tls.key":""}}`,
			"tls: failed to find any PEM data in certificate input"},
		{"/apis/networking.k8s.io/v1/namespaces/default/ingresses", `{"metadata":{"name":"a","annotations":` +
			`{"kubernetes.io/ingress.class":"b"}},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":1}}}}}`,
			`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`},
	} {
		a := ask(t, api, http.MethodPost, c.path+"?dryRun=All", c.body)
		require.Equal(t, http.StatusCreated, a.code, a.body)
		assert.Equal(t, []string{`299 - "` + strings.ReplaceAll(c.want, `"`, `\"`) + `"`}, a.warnings)
	}
}

// A write to /status changes only the metadata that the kind permits.
func TestMetadataInWritesOfTheStatus(t *testing.T) {
	api := newAPI(t)
	const deployments, pods, claims = "/apis/apps/v1/namespaces/default/deployments", inDefault + "pods",
		"/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
	must := func(path, body string) {
		a := ask(t, api, http.MethodPost, path, body)
		require.Equal(t, http.StatusCreated, a.code, a.body)
	}
	must(deployments, `{"metadata":{"name":"a","labels":{"l":"o"}},"spec":{`+someTemplate+`}}`)
	must(pods, `{"metadata":{"name":"a"},"spec":{`+someContainers+`}}`)
	must(claims, `{"metadata":{"name":"a"},"spec":{}}`)
	const patch = `{"metadata":{"labels":{"l":"n"},"annotations":{"a":"n"},"finalizers":["example.com/f"],` +
		`"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u"}]}}`
	for path, kept := range map[string][]string{
		deployments: {"labels"}, pods: {"ownerReferences"},
		claims: {"labels", "annotations", "finalizers", "ownerReferences"},
	} {
		a := ask(t, api, http.MethodPatch, path+"/a/status?fieldManager=other", patch)
		require.Equal(t, http.StatusOK, a.code, a.body)
		for _, name := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
			assert.Equal(t, slices.Contains(kept, name), !strings.Contains(a.value(t, "metadata", name), `"n"`) &&
				!strings.Contains(a.value(t, "metadata", name), "example.com/f"), "%s of %s: %s", name, path, a.body)
		}
	}
}

func TestServicesKeepWhatTheirTypeHas(t *testing.T) {
	api := newAPI(t)
	a := ask(t, api, http.MethodPost, inDefault+"services",
		`{"metadata":{"name":"a"},"spec":{"type":"LoadBalancer","ports":[{"port":1}]}}`)
	require.Equal(t, http.StatusCreated, a.code, a.body)
	for _, field := range []string{"f:clusterIP", "f:clusterIPs", "f:ipFamilies", "f:ipFamilyPolicy", "f:nodePort"} {
		assert.NotContains(t, a.value(t, "metadata", "managedFields"), `"`+field+`"`, "the server has set it")
	}
	a = ask(t, api, http.MethodPatch, inDefault+"services/a", `{"spec":{"allocateLoadBalancerNodePorts":false}}`)
	assert.Contains(t, a.value(t, "spec", "ports"), `"nodePort":3`)
	a = ask(t, api, http.MethodPatch, inDefault+"services/a", `{"spec":{"type":"ExternalName","externalName":"b"}}`)
	require.Equal(t, http.StatusOK, a.code, a.body)
	assert.Empty(t, a.value(t, "spec", "internalTrafficPolicy"))
	assert.NotContains(t, a.value(t, "spec", "ports"), "nodePort")
}

func TestDefaultsOf137(t *testing.T) {
	api := newAPI(t)
	a := ask(t, api, http.MethodPost, "/apis/apps/v1/namespaces/default/statefulsets",
		`{"metadata":{"name":"a"},"spec":{`+someTemplate+`}}`)
	assert.JSONEq(t, `{"partition":0,"maxUnavailable":1}`, a.value(t, "spec", "updateStrategy", "rollingUpdate"))
	a = ask(t, api, http.MethodPost, inDefault+"pods", `{"metadata":{"name":"a"},"spec":{"resources":{"requests":{"cpu":"3"}},`+
		someContainers+`}}`)
	assert.JSONEq(t, `{"requests":{"cpu":"3","memory":"1Gi"},"limits":{"cpu":"3","memory":"1Gi"}}`,
		a.value(t, "spec", "resources"))
}

// A write drops the fields of disabled features, even in a template, and keeps the fields around them.
func TestFieldsOfFeaturesThatAreOff(t *testing.T) {
	api := newAPI(t)
	a := ask(t, api, http.MethodPost, "/apis/apps/v1/namespaces/default/deployments", `{"metadata":{"name":"a"},"spec":{
		"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{
		"schedulingGroup":{"podGroupName":"g"},"os":{"name":"linux"},"volumes":[{"name":"v","emptyDir":{"mode":448}}],
		"containers":[{"name":"c","image":"i","lifecycle":{"stopSignal":"SIGTERM"},
		"readinessProbe":{"grpc":{"port":1,"mode":"Plaintext"}}},{"name":"d","image":"i","lifecycle":{
		"stopSignal":"SIGTERM","preStop":{"sleep":{"seconds":1}}}}]}}}}`)
	require.Equal(t, http.StatusCreated, a.code, a.body)
	spec := a.value(t, "spec", "template", "spec")
	assert.NotContains(t, spec, "schedulingGroup")
	assert.NotContains(t, spec, "stopSignal")
	assert.Contains(t, spec, `"emptyDir":{}`)
	assert.Contains(t, spec, `"grpc":{"port":1,"service":""}`)
	assert.Equal(t, 1, strings.Count(spec, `"lifecycle"`), spec)
	a = ask(t, api, http.MethodPost, "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
		`{"metadata":{"name":"a"},"spec":{"minReplicas":0,"maxReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1",
		"kind":"Deployment","name":"a"},"metrics":[{"type":"External","external":{"metric":{"name":"m"},"target":{"type":"Value",
		"value":"1"}}}]}}`)
	assert.Equal(t, http.StatusCreated, a.code, a.body)
}

// A subresource refuses a body that does not fit, and changes nothing.
func TestBodiesOfSubresources(t *testing.T) {
	api := newAPI(t)
	require.Equal(t, http.StatusCreated, ask(t, api, http.MethodPost, inDefault+"pods",
		`{"metadata":{"name":"p"},"spec":{`+someContainers+`}}`).code)
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{http.MethodPost, "pods/p/eviction", `{}`, 400, "name in URL does not match name in Eviction object"},
		{http.MethodPost, "pods/absent/eviction", `{}`, 400, "name in URL does not match name in Eviction object"},
		{http.MethodPost, "pods/p/eviction", `{"metadata":{"name":"q"}}`, 400, "name in URL does not match name in Eviction object"},
		{http.MethodPost, "pods/p/eviction", `{"apiVersion":"policy/v2","kind":"Eviction","metadata":{"name":"p"}}`, 400, "policy/v2"},
		{http.MethodPost, "pods/p/binding", `{"target":{"name":"n"}}`, 400, "name in URL does not match name in Binding object"},
		{http.MethodPost, "pods/p/binding", `{"metadata":{"name":"p"},"target":{"name":"Bad_"}}`, 422, "target.name"},
		{http.MethodPatch, "pods/p/resize", `{"spec":{"containers":[{"name":"c","resources":null}]}}`, 422,
			"spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed"},
		{http.MethodPost, "serviceaccounts/a/token", `{"metadata":{"name":"b"}}`, 422,
			"must match the service account name if specified"},
	} {
		a := ask(t, api, c.method, inDefault+c.path, c.body)
		assert.Equal(t, c.code, a.code, "%s: %s", c.path, a.body)
		assert.Contains(t, a.value(t, "message"), c.want, c.path)
	}
	a := ask(t, api, http.MethodPost, inDefault+"pods/p/eviction",
		`{"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"p"}}`)
	assert.Equal(t, http.StatusCreated, a.code, a.body)
	assert.Equal(t, http.StatusNotFound, ask(t, api, http.MethodGet, inDefault+"pods/p", "").code)
}

// Errors about an event use the name of the core group, even in the group events.k8s.io.
func TestErrorsOfEvents(t *testing.T) {
	api := newAPI(t)
	a := ask(t, api, http.MethodPost, "/apis/events.k8s.io/v1/namespaces/default/events", `{"metadata":{"name":"e"}}`)
	assert.Contains(t, a.value(t, "message"), `Event \"e\" is invalid`)
	a = ask(t, api, http.MethodGet, "/apis/events.k8s.io/v1/namespaces/default/events/e", "")
	assert.Equal(t, `"events \"e\" not found"`, a.value(t, "message"))
}
