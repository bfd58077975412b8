//go:build unix

package observing_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/policy"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/webhook"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// The benchmarks write ConfigMaps of Kubernetes. Each connection changes its own object.
const (
	configMaps  = "/api/v1/namespaces/default/configmaps"
	ownMap      = configMaps + "/" + apitest.Own
	typeMerge   = "application/merge-patch+json"
	typeApply   = "application/apply-patch+yaml"
	largestText = 1000 // the bytes that the hook permits in a value
)

// host is an API with ConfigMaps that a benchmark measures.
type host struct {
	b       *testing.B
	handler http.Handler
	token   string // empty if the host has no users
}

// do sends a request to the handler.
func (h host) do(method, target, body, media string) string {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	if h.token != "" {
		r.Header.Set("Authorization", "Bearer "+h.token)
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	require.Equal(h.b, 2, w.Code/100, w.Body)
	return w.Body.String()
}

// fill creates an object for each connection.
func (h host) fill() {
	for i := range connections {
		h.do("POST", configMaps, configMap(apitest.OwnName(i)), apitest.TypeJSON)
	}
}

// configMap returns a ConfigMap of about 2 KB.
func configMap(name string) string {
	var text strings.Builder
	fmt.Fprintf(&text, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"labels":{"app":"shop"}},"data":{`, name)
	for i := range 40 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `"key%03d":"a value of some length that is %03d"`, i, i)
	}
	return text.String() + "}}"
}

var (
	uid             = regexp.MustCompile(`,"uid":"[^"]*"`)
	resourceVersion = regexp.MustCompile(`"resourceVersion":"([0-9]+)"`)
)

// write is a write that changes a ConfigMap, or creates one.
type write struct{ name, method, target, media, body string }

// writes returns the writes of a host. Each request contains a different number.
func (h host) writes() []write {
	read := uid.ReplaceAllString(h.do("GET", configMaps+"/"+apitest.OwnName(0), "", apitest.TypeJSON), "")
	read = resourceVersion.ReplaceAllString(read, `"resourceVersion":"`+apitest.LastVersion+`"`)
	read = strings.NewReplacer(`"`+apitest.OwnName(0)+`"`, `"`+apitest.Own+`"`, "a value of some length that is 001",
		"a value of some length "+apitest.Counted).Replace(read)
	return []write{
		{"create", "POST", configMaps, apitest.TypeJSON, configMap("m" + apitest.Counted)},
		{"PUT", "PUT", ownMap, apitest.TypeJSON, read},
		{"merge patch", "PATCH", ownMap, typeMerge, `{"data":{"key001":"` + apitest.Counted + `"}}`},
		{"apply", "PATCH", ownMap + "?fieldManager=m&force=true", typeApply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` +
			apitest.Own + `"},"data":{"key001":"` + apitest.Counted + `"}}`},
	}
}

// floor returns a handler that reads a body, decodes a ConfigMap strictly, runs the hook on it, encodes it, and sends
// the same bytes to every client.
func floor(object, answer string, hook func(object, old *corev1.ConfigMap) error) http.Handler {
	old, bytes := new(corev1.ConfigMap), []byte(answer)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, body)
		var m corev1.ConfigMap
		if err == nil {
			err = jsonv2.Unmarshal([]byte(object), &m, jsonv2.RejectUnknownMembers(true))
		}
		if err == nil {
			err = hook(&m, old)
		}
		if err == nil {
			_, err = jsonv2.Marshal(&m)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		send(w, bytes)
	})
}

// send writes an answer with one Write. net/http would divide a string into pieces of 2 KB.
func send(w http.ResponseWriter, answer []byte) {
	w.Header().Set("Content-Type", apitest.TypeJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer)
}

func noHook(_, _ *corev1.ConfigMap) error { return nil }

// checkTexts is a hook that looks at every value of an object.
func checkTexts(object, _ *corev1.ConfigMap) error {
	for key, value := range object.Data {
		if len(value) > largestText {
			return status.InvalidField(status.NewPath("data", key), value, "must have at most 1000 bytes")
		}
	}
	return nil
}

// compare compares the writes of a host with its floor.
func (h host) compare(aim float64, hook func(object, old *corev1.ConfigMap) error, serve func(http.Handler) string,
	clients func(testing.TB) *apitest.Clients) {
	for _, w := range h.writes() {
		h.b.Run(w.name, func(b *testing.B) {
			version := resourceVersion.FindStringSubmatch(h.do("GET", configMaps+"/"+apitest.OwnName(0), "", apitest.TypeJSON))[1]
			first := strings.NewReplacer(apitest.Own, apitest.OwnName(0), apitest.LastVersion, version)
			answer := h.do(w.method, first.Replace(w.target), first.Replace(w.body), w.media)
			object := answer
			if w.method == "POST" {
				object = w.body
			}
			api, bare := serve(h.handler), serve(floor(object, answer, hook))
			c := clients(b)
			ours := c.Writer(api, w.method, w.target, w.media, w.body, connections)
			limit := c.Writer(bare, w.method, w.target, w.media, w.body, connections)
			apitest.Compare(b, 1000, ours.Send, limit.Send)
			b.ReportMetric(aim, "aim")
			apitest.LogStages(b, 10_000, ours.Send)
		})
	}
}

// Limit: a bare handler that does the same with the Go type of Kubernetes.
func BenchmarkKubernetesKind(b *testing.B) {
	serve := func(h http.Handler) string { return apitest.Serve(b, h).Listener.Addr().String() }
	b.Run("no hook", func(b *testing.B) {
		h := host{b: b, handler: apitest.Start(b, rest.Options{}, k8s.Resource[corev1.ConfigMap]())}
		h.fill()
		h.compare(2, noHook, serve, apitest.StartClients)
	})
	b.Run("Validate", func(b *testing.B) {
		h := host{b: b, handler: apitest.Start(b, rest.Options{}, hooked())}
		h.fill()
		h.compare(2, checkTexts, serve, apitest.StartClients)
	})
}

// hooked returns ConfigMaps with a Validate hook.
func hooked() rest.Resource[corev1.ConfigMap] {
	maps := k8s.Resource[corev1.ConfigMap]()
	maps.Hooks.Validate = func(_ context.Context, object, old *corev1.ConfigMap) (status.FieldErrors, error) {
		return nil, checkTexts(object, old)
	}
	return maps
}

// Limit: the same bare handler over TLS, with the hook and without anything else.
func BenchmarkFullHost(b *testing.B) {
	serve := func(h http.Handler) string {
		server := httptest.NewUnstartedServer(h)
		server.StartTLS()
		b.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	overTLS := func(t testing.TB) *apitest.Clients {
		c := apitest.StartClients(t)
		c.TLS, c.Header = true, "Authorization: Bearer "+token
		return c
	}
	h := fullHost(b)
	h.fill()
	h.compare(2.5, checkTexts, serve, overTLS)
	for i := range 500 {
		h.do("POST", configMaps, configMap(fmt.Sprintf("a-page-%03d", i)), apitest.TypeJSON)
	}
	for _, read := range []struct {
		name, target string
		aim          float64
		count        int
	}{
		{"GET", configMaps + "/" + apitest.OwnName(0), 1.5, 2000},
		{"page of 500", configMaps + "?limit=500", 1.3, 50},
	} {
		b.Run(read.name, func(b *testing.B) {
			answer := []byte(h.do("GET", read.target, "", apitest.TypeJSON))
			api := serve(h.handler)
			bare := serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { send(w, answer) }))
			c := overTLS(b)
			ours := c.Caller(api, read.target, apitest.TypeJSON, connections)
			limit := c.Caller(bare, read.target, apitest.TypeJSON, connections)
			apitest.Compare(b, read.count, ours.Send, limit.Send)
			b.ReportMetric(read.aim, "aim")
			apitest.LogStages(b, 10*read.count, ours.Send)
		})
	}
	b.Run("WATCH, 200 streams", func(b *testing.B) { h.watched(b, serve, overTLS) })
}

// watched measures a change that reaches 200 streams. Limit: the same change of an object that no stream watches, then
// one Write and one Flush in each bare stream.
func (h host) watched(b *testing.B, serve func(http.Handler) string, clients func(testing.TB) *apitest.Clients) {
	const streams, watchedName, otherName = 200, "watched", "other"
	size := 100_000_000
	change := func(name string) int64 {
		size++
		object := h.do("PATCH", configMaps+"/"+name, fmt.Sprintf(`{"data":{"key001":"%d"}}`, size), typeMerge)
		return int64(len(`{"type":"MODIFIED","object":}`) + len(object))
	}
	var version string
	for _, name := range []string{otherName, watchedName} {
		h.do("POST", configMaps, configMap(name), apitest.TypeJSON)
		change(name) // so that later events have the same size
		version = resourceVersion.FindStringSubmatch(h.do("GET", configMaps+"/"+name, "", apitest.TypeJSON))[1]
	}
	bare := &apitest.BareStreams{Payload: make([]byte, change(otherName))}
	ours := clients(b).Caller(serve(h.handler), configMaps+"?watch=1&fieldSelector=metadata.name%3D"+watchedName+
		"&resourceVersion="+version, apitest.TypeJSON, streams)
	its := clients(b).Caller(serve(bare), "/", apitest.TypeJSON, streams)
	ours.Follow(0, func() {})
	its.Follow(0, func() {})
	apitest.Compare(b, 100, func(n int) {
		for range n {
			ours.Follow(change(watchedName), func() {})
		}
	}, func(n int) {
		for range n {
			size := int64(len(bare.Payload))
			change(otherName)
			bare.Send()
			its.Follow(size, func() {})
		}
	})
}

const token = "secret"

// fullHost returns a host with all usual plug-ins: users with tokens, twenty roles, namespaces, quotas, an audit file,
// metrics, a request log, fairness, an admission hook, a webhook for another kind, and a policy in CEL.
func fullHost(b *testing.B) host {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	require.NoError(b, err)
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext})
	require.NoError(b, err)
	b.Cleanup(calls.Close)
	webhooks, err := webhook.New(webhook.Options{Calls: calls})
	require.NoError(b, err)
	quotas := quota.NewResourceQuotas(nil)
	store := memory.New(storage.Options{Ledger: quotas.Ledger})
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	team := access.User{Name: "shop", Groups: []string{"team"}}
	api := apitest.Start(b, rest.Options{
		Store: store, CEL: cel.Evaluator(),
		Authenticator: auth.Tokens(auth.Token{Secret: token, User: team}),
		Plugins:       []rest.Plugin{roles, webhooks, policy.New(policy.Options{}), quotas, audited(b), measured(b), logged(b), shared(b)},
		Admission: []admission.Hook{{Name: "labels.example.com", Resources: []string{"configmaps"},
			Validate: func(_ context.Context, r *admission.Request) error {
				var head apimeta.PartialObjectMetadata
				if r.Operation == admission.Delete {
					return nil
				}
				if err := r.Object(&head); err != nil {
					return err
				}
				if head.Labels["app"] == "" {
					return status.BadRequest("the label app is required")
				}
				return nil
			}}},
	}, hooked(), builtin.Namespaces())
	fillHost(b, api)
	require.NoError(b, api.Start(b.Context()))
	return host{b: b, handler: api, token: token}
}

// fillHost creates the roles, the quota, the webhook and the policy that apply to requests. Only the last role permits
// the requests.
func fillHost(b *testing.B, api *rest.API) {
	ctx := b.Context()
	for i := range 20 {
		name, resource := fmt.Sprintf("role-%02d", i), fmt.Sprintf("kind%02ds", i)
		if i == 19 {
			resource = "configmaps"
		}
		_, err := apitest.ClientFor[rbac.ClusterRole](b, api).Create(ctx, &rbac.ClusterRole{ObjectMeta: apimeta.ObjectMeta{Name: name},
			Rules: []rbac.PolicyRule{{Verbs: []string{"*"}, APIGroups: []string{""}, Resources: []string{resource}}}})
		require.NoError(b, err)
		_, err = apitest.ClientFor[rbac.ClusterRoleBinding](b, api).Create(ctx, &rbac.ClusterRoleBinding{
			ObjectMeta: apimeta.ObjectMeta{Name: name}, Subjects: []rbac.Subject{{Kind: "Group", APIGroup: rbac.Group, Name: "team"}},
			RoleRef: rbac.RoleRef{APIGroup: rbac.Group, Kind: "ClusterRole", Name: name}})
		require.NoError(b, err)
	}
	_, err := apitest.ClientFor[quota.ResourceQuota](b, api).Namespace("default").Create(ctx, &quota.ResourceQuota{
		ObjectMeta: apimeta.ObjectMeta{Name: "large"},
		Spec:       quota.ResourceQuotaSpec{Hard: map[string]quota.Quantity{"count/configmaps": quota.Count(1_000_000)}}})
	require.NoError(b, err)
	url, none := "https://127.0.0.1:1/", ar.SideEffectClassNone
	everything := []ar.OperationType{ar.Create, ar.Update}
	_, err = apitest.ClientFor[ar.ValidatingWebhookConfiguration](b, api).Create(ctx, &ar.ValidatingWebhookConfiguration{
		ObjectMeta: apimeta.ObjectMeta{Name: "others"}, Webhooks: []ar.ValidatingWebhook{{Name: "others.example.com",
			ClientConfig: ar.WebhookClientConfig{URL: &url}, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			Rules: []ar.RuleWithOperations{{Operations: everything,
				Rule: ar.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"*"}, Resources: []string{"*"}}}}}}})
	require.NoError(b, err)
	_, err = apitest.ClientFor[ar.ValidatingAdmissionPolicy](b, api).Create(ctx, &ar.ValidatingAdmissionPolicy{
		ObjectMeta: apimeta.ObjectMeta{Name: "small"}, Spec: ar.ValidatingAdmissionPolicySpec{
			MatchConstraints: &ar.MatchResources{ResourceRules: []ar.NamedRuleWithOperations{{RuleWithOperations: ar.RuleWithOperations{
				Operations: everything, Rule: ar.Rule{APIGroups: []string{""}, APIVersions: []string{"*"}, Resources: []string{"configmaps"}}}}}},
			Validations: []ar.Validation{{Expression: "size(object.data) <= 100", Message: "at most 100 keys"}}}})
	require.NoError(b, err)
	_, err = apitest.ClientFor[ar.ValidatingAdmissionPolicyBinding](b, api).Create(ctx, &ar.ValidatingAdmissionPolicyBinding{
		ObjectMeta: apimeta.ObjectMeta{Name: "small"},
		Spec:       ar.ValidatingAdmissionPolicyBindingSpec{PolicyName: "small", ValidationActions: []ar.ValidationAction{ar.Deny}}})
	require.NoError(b, err)
}
