package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/decorum-go/decorum/internal/test/roundstest"
)

// below is a subresource, with a parent object and with bodies that the subresource accepts.
type below struct {
	name, method string
	path         string // the path of the collection
	parent       string // the object, whose name is NAME
	setUp        []exchange
	bodies       []string
	new          func() runtime.Object
}

// subresourcesOfKinds returns the subresources other than /status, which TestWrites covers.
func subresourcesOfKinds() []below {
	const (
		core     = "/api/v1/namespaces/default/"
		apps     = "/apis/apps/v1/namespaces/default/"
		requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
		spec     = `"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2","memory":"1Gi"}}}]}`
		pod      = `{"metadata":{"name":"NAME","labels":{"app":"NAME"}},` + spec + `}`
		workload = `{"metadata":{"name":"NAME"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},` +
			`"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`
	)
	running := exchange{http.MethodPut, core + "pods/NAME/status", `{"metadata":{"name":"NAME"},"status":{"phase":"Running",` +
		`"conditions":[{"type":"Ready","status":"True"}]}}`}
	budget := []exchange{running,
		{http.MethodPost, "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
			`{"metadata":{"name":"NAME"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"NAME"}}}}`}}
	allowed := append(budget[:2:2], exchange{http.MethodPatch,
		"/apis/policy/v1/namespaces/default/poddisruptionbudgets/NAME/status", `{"status":` +
			`{"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}}`})
	eviction := []string{`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"NAME","namespace":"default"}}`,
		`{"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"NAME"},"deleteOptions":{"gracePeriodSeconds":3}}`}
	evicted := below{"pods/eviction", http.MethodPost, core + "pods", pod, nil, eviction,
		func() runtime.Object { return &policyv1.Eviction{} }}
	guarded, spared := evicted, evicted
	guarded.setUp, spared.setUp = budget, allowed
	scale := []string{`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"NAME","namespace":"default"},"spec":{"replicas":3}}`,
		`{"metadata":{"name":"NAME"}}`}
	newScale := func() runtime.Object { return &autoscalingv1.Scale{} }
	newPod := func() runtime.Object { return &corev1.Pod{} }
	ephemeral := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME"},"spec":{"containers":[{"name":"c","image":"i"}],` +
		`"ephemeralContainers":[{"name":"d","image":"i"}]}}`
	return []below{
		evicted, guarded, spared,
		{"pods/binding", http.MethodPost, core + "pods", pod, nil, []string{`{"apiVersion":"v1","kind":"Binding",` +
			`"metadata":{"name":"NAME","labels":{"a":"b"},"annotations":{"c":"d"}},"target":{"kind":"Node","name":"n"}}`},
			func() runtime.Object { return &corev1.Binding{} }},
		{"pods/resize", http.MethodPut, core + "pods", pod, nil,
			[]string{strings.Replace(pod, `"2"`, `"3"`, 1), `{"metadata":{"name":"NAME"},"spec":{"containers":[{"name":"c","image":"i"}]}}`},
			newPod},
		{"pods/ephemeralcontainers", http.MethodPut, core + "pods", pod, nil, []string{ephemeral}, newPod},
		{"replicationcontrollers/scale", http.MethodPut, core + "replicationcontrollers",
			`{"metadata":{"name":"NAME"},"spec":{"replicas":2,"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
			nil, scale, newScale},
		{"deployments/scale", http.MethodPut, apps + "deployments", workload, nil, scale, newScale},
		{"replicasets/scale", http.MethodPut, apps + "replicasets", workload, nil, scale, newScale},
		{"statefulsets/scale", http.MethodPut, apps + "statefulsets", workload, nil, scale, newScale},
		{"certificatesigningrequests/approval", http.MethodPut, requests, "", nil, []string{`{"apiVersion":` +
			`"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"NAME","labels":{"a":"b"}},` +
			`"status":{"conditions":[{"type":"Approved","status":"True","reason":"a"}]}}`},
			func() runtime.Object { return &certificatesv1.CertificateSigningRequest{} }},
		{"namespaces/finalize", http.MethodPut, "/api/v1/namespaces", `{"metadata":{"name":"NAME"}}`, nil,
			[]string{`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"NAME"},"spec":{"finalizers":["kubernetes","example.com/a"]}}`,
				`{"metadata":{"name":"NAME","labels":{"a":"b"}}}`},
			func() runtime.Object { return &corev1.Namespace{} }},
		{"serviceaccounts/token", http.MethodPost, core + "serviceaccounts", `{"metadata":{"name":"NAME"}}`, nil,
			[]string{`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","metadata":{"name":"NAME"},"spec":` +
				`{"audiences":["api"],"expirationSeconds":3600}}`,
				`{"spec":{"audiences":["api"],"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"absent"}}}`},
			func() runtime.Object { return &authenticationv1.TokenRequest{} }},
	}
}

// strangeBodies are bodies that do not hold a complete object.
var strangeBodies = []string{"", "null", "[]", `"x"`, "{", "{}", `{"metadata":{}}`, `{"kind":1}`, `{"spec":[]}`}

// randomBody returns a body with one or two random mistakes that a client could make.
func (m *mutator) randomBody(t *testing.T, b below, name string) string {
	t.Helper()
	text := strings.ReplaceAll(pick(m.filler, b.bodies...), "NAME", name)
	if m.Intn(12) == 0 {
		return pick(m.filler, strangeBodies...)
	}
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	if m.Intn(3) == 0 {
		obj := b.new()
		require.NoError(t, json.Unmarshal([]byte(text), obj))
		m.mutate(obj, m.Intn(2) == 0)
		kind := maps.Clone(doc)
		doc = map[string]any{}
		require.NoError(t, json.Unmarshal(encode(t, obj), &doc))
		for _, key := range []string{"apiVersion", "kind"} {
			if value, ok := kind[key]; ok {
				doc[key] = value
			}
		}
	}
	for range m.Intn(3) {
		meta, _ := doc["metadata"].(map[string]any)
		meta = maps.Clone(meta)
		if meta == nil {
			meta = map[string]any{}
		}
		switch m.Intn(8) {
		case 0:
			doc["kind"] = pick(m.filler, "", "Pod", "Status", "Eviction", "Scale", "nonsense")
		case 1:
			doc["apiVersion"] = pick(m.filler, "", "v1", "policy/v1", "policy/v1beta1", "apps/v1", "autoscaling/v1", "a/b", "a/b/c")
		case 2:
			meta["name"] = pick(m.filler, "", "other", "Bad_")
			doc["metadata"] = meta
		case 3:
			meta["namespace"] = pick(m.filler, "", "other", "default")
			doc["metadata"] = meta
		case 4:
			meta[pick(m.filler, "uid", "resourceVersion")] = pick(m.filler, "", "1", "other")
			doc["metadata"] = meta
		case 5:
			meta["labels"], meta["finalizers"] = map[string]any{"l": pick(m.filler, "n", "not valid!")}, []any{"example.com/f"}
			doc["metadata"] = meta
		case 6:
			doc[pick(m.filler, "unknown", "spec", "status", "target", "deleteOptions")] = pick[any](m.filler, 1, "x", []any{}, nil)
		case 7:
			delete(doc, pick(m.filler, "metadata", "spec", "kind", "apiVersion"))
		}
	}
	return string(encode(t, doc))
}

// TestBodiesOfSubresources sends random bodies to the subresources of all kinds on both sides. It compares the answers
// and the resulting objects, and writes how often both sides agree into the README of the module.
func TestBodiesOfSubresources(t *testing.T) {
	found := newAgreements()
	only := os.Getenv("DECORUM_KIND")
	certificate := documentOf(t, "CertificateSigningRequest")
	roundsDone := roundstest.Run(t, 25, func(t *testing.T, seed int64) {
		for i, b := range subresourcesOfKinds() {
			if only != "" && only != b.name {
				continue
			}
			m := newMutator(t, subject{new: b.new})
			m.filler = newFiller(seed<<8 + int64(i))
			name := fmt.Sprintf("sub-%d-%d", seed, i)
			parent := strings.ReplaceAll(b.parent, "NAME", name)
			if parent == "" {
				certificate["metadata"] = map[string]any{"name": name}
				parent = string(encode(t, certificate))
			}
			set := append([]exchange{{http.MethodPost, b.path, parent}}, b.setUp...)
			for _, s := range []side{kubernetesAPI(t), ourAPI(t)} {
				for _, e := range set {
					media := asJSON
					if e.method == http.MethodPatch {
						media = mergePatch
					}
					a := s.sendAs(t, e.method, strings.ReplaceAll(e.path, "NAME", name), media,
						[]byte(strings.ReplaceAll(e.body, "NAME", name)))
					require.Less(t, a.code, 300, "%s: %s", s.url, a.body)
				}
			}
			m.sendTo(t, found, b, name)
		}
	})
	found.report(t)
	if roundsDone && only == "" && os.Getenv("DECORUM_ROUNDS") == "" {
		found.check(t, "subresources", "-run TestBodiesOfSubresources", "subresource")
	}
}

// sendTo sends some bodies to the subresource of an object, and compares the object after each. It stops when the
// object no longer exists on one side.
func (m *mutator) sendTo(t *testing.T, found *agreements, b below, name string) {
	t.Helper()
	object := b.path + "/" + name
	_, sub, _ := strings.Cut(b.name, "/")
	for range 4 {
		method, media := b.method, asJSON
		at := object
		if m.Intn(12) == 0 {
			at = b.path + "/absent"
		}
		body := m.randomBody(t, b, name)
		if m.Intn(8) == 0 {
			method = pick(m.filler, http.MethodGet, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete)
		}
		if method == http.MethodPatch {
			media = pick(m.filler, mergePatch, applyPatch)
		}
		query := pick(m.filler, "", "", "?fieldManager=second", "?dryRun=All", "?fieldValidation=Strict")
		found.both(t, b.name, sending{method, at + "/" + sub + query, media, []byte(body)})
		want, got := found.both(t, b.name+" (the object after it)", sending{http.MethodGet, object, "", nil})
		if want.code != http.StatusOK || got.code != http.StatusOK {
			break
		}
	}
	for _, s := range []side{kubernetesAPI(t), ourAPI(t)} {
		s.sendAs(t, http.MethodPatch, object, mergePatch, []byte(`{"metadata":{"finalizers":null}}`))
		s.send(t, http.MethodDelete, object+"?gracePeriodSeconds=0", asJSON, nil)
	}
}

// documentOf returns the first example of a kind.
func documentOf(t *testing.T, kind string) map[string]any {
	t.Helper()
	for _, doc := range documents(t) {
		if doc["kind"] == kind {
			return maps.Clone(doc)
		}
	}
	t.Fatalf("no example of %s", kind)
	return nil
}
