package oracle

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/webhook"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/crd"
)

// rods is the definition of a kind that a webhook converts.
const rods = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rods.example.org}
spec:
  group: example.org
  names: {plural: rods, kind: Rod}
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [REVIEW], clientConfig: {url: "URL", caBundle: BUNDLE}}}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// The answers of conversion webhooks are accepted and refused as by apiextensions-apiserver, in the same words.
func TestConversionWebhooksAreChecked(t *testing.T) {
	var tamper atomic.Pointer[func(answer map[string]any)]
	hook := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			APIVersion string
			Request    struct {
				UID, DesiredAPIVersion string
				Objects                []any
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, obj := range review.Request.Objects {
			obj.(map[string]any)["apiVersion"] = review.Request.DesiredAPIVersion
		}
		answer := map[string]any{"apiVersion": review.APIVersion, "kind": "ConversionReview", "response": map[string]any{
			"uid": review.Request.UID, "convertedObjects": review.Request.Objects,
			"result": map[string]any{"status": "Success"}}}
		(*tamper.Load())(answer)
		_ = json.NewEncoder(w).Encode(answer)
	}))
	hook.Config.ErrorLog = log.New(io.Discard, "", 0)
	hook.StartTLS()
	defer hook.Close()
	certificate, err := json.Marshal(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw}))
	require.NoError(t, err)

	response := func(answer map[string]any) map[string]any { return answer["response"].(map[string]any) }
	last := func(answer map[string]any) map[string]any {
		objects := response(answer)["convertedObjects"].([]any)
		return objects[len(objects)-1].(map[string]any)
	}
	metadata := func(answer map[string]any) map[string]any { return last(answer)["metadata"].(map[string]any) }
	tampers := map[string]func(map[string]any){
		"nothing":     func(map[string]any) {},
		"no kind":     func(a map[string]any) { delete(a, "kind") },
		"no response": func(a map[string]any) { delete(a, "response") },
		"uid":         func(a map[string]any) { response(a)["uid"] = "other" },
		"failure": func(a map[string]any) {
			response(a)["result"] = map[string]any{"status": "Failure", "message": "no way"}
		},
		"failure, no text": func(a map[string]any) { response(a)["result"] = map[string]any{"status": "Failure"} },
		"no result":        func(a map[string]any) { delete(response(a), "result") },
		"no objects":       func(a map[string]any) { delete(response(a), "convertedObjects") },
		"more objects":     func(a map[string]any) { response(a)["convertedObjects"] = []any{last(a), last(a), last(a)} },
		"version":          func(a map[string]any) { last(a)["apiVersion"] = "example.org/v1" },
		"group":            func(a map[string]any) { last(a)["apiVersion"] = "example.com/v2" },
		"kind":             func(a map[string]any) { last(a)["kind"] = "Bar" },
		"name":             func(a map[string]any) { metadata(a)["name"] = "other" },
		"no name":          func(a map[string]any) { delete(metadata(a), "name") },
		"namespace":        func(a map[string]any) { metadata(a)["namespace"] = "other" },
		"object's uid":     func(a map[string]any) { metadata(a)["uid"] = "other" },
		"other metadata": func(a map[string]any) {
			metadata(a)["generation"], metadata(a)["finalizers"], metadata(a)["more"] = 7, []any{"a/b"}, "x"
			delete(metadata(a), "creationTimestamp")
		},
		"spec": func(a map[string]any) { last(a)["spec"] = map[string]any{"new": []any{1.5, "x", nil}} },
	}
	for _, field := range []string{"labels", "annotations"} {
		for name, value := range map[string]any{"null": nil, "text": "x", "number": 1, "list": []any{},
			"empty": map[string]any{}, "other": map[string]any{"a": "b"}, "number inside": map[string]any{"a": 1},
			"null inside": map[string]any{"a": nil}, "list inside": map[string]any{"a": []any{}},
			"fraction inside": map[string]any{"a": 1.5}} {
			tampers[field+", "+name] = func(a map[string]any) { metadata(a)[field] = value }
		}
	}
	tampers["invalid label"] = func(a map[string]any) { metadata(a)["labels"] = map[string]any{"a": "-"} }
	tampers["invalid key of a label"] = func(a map[string]any) { metadata(a)["labels"] = map[string]any{"a/b/c": "x"} }

	for _, review := range []string{"v1", "v1beta1"} {
		definition := strings.NewReplacer("REVIEW", review, "URL", hook.URL, "BUNDLE", string(certificate)).Replace(rods)
		upstream := newUpstreamConverter(t, definition)
		calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
			Allow: func(netip.AddrPort) error { return nil }})
		require.NoError(t, err)
		defer calls.Close()
		// Without a cache, so that each read asks the webhook.
		api, err := rest.New(rest.Options{Limits: rest.Limits{CacheBytes: -1}, Logger: slog.New(slog.DiscardHandler),
			Plugins: []rest.Plugin{crd.New(crd.Options{Calls: calls})}})
		require.NoError(t, err)
		defer func() { assert.NoError(t, api.Close()) }()
		require.NoError(t, api.Start(t.Context()))
		ask := func(method, path, body string, into any) int {
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/yaml")
			r.Header.Set("Accept", "application/json")
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), into), w.Body)
			return w.Code
		}
		var ignored any
		require.Equal(t, 201, ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition, &ignored),
			ignored)
		awaitEstablished(t, api)
		const v1, v2 = "/apis/example.org/v1/namespaces/default/rods", "/apis/example.org/v2/namespaces/default/rods"
		for _, name := range []string{"a", "b"} {
			body := fmt.Sprintf(`{"apiVersion":"example.org/v1","kind":"Rod","metadata":{"name":%q,"labels":{"l":"x"},"annotations":{"n":"y"}},"spec":{"size":1}}`, name)
			require.Equal(t, 201, ask("POST", v1, body, &ignored), ignored)
		}
		for name, f := range tampers {
			tamper.Store(&f)
			for _, path := range []string{"/b", ""} {
				var stored, ours map[string]any
				require.Equal(t, 200, ask("GET", v1+path, "", &stored))
				code := ask("GET", v2+path, "", &ours)
				theirs, err := upstream(stored)
				if err != nil {
					assert.Equal(t, 500, code, "%s %s %q", review, name, path)
					assert.Equal(t, plainWords(err.Error()), plainWords(fmt.Sprint(ours["message"])), "%s %s %q", review, name, path)
					continue
				}
				if assert.Equal(t, 200, code, "%s %s %q: %v", review, name, path, ours) {
					assert.Equal(t, theirs, ours, "%s %s %q", review, name, path)
				}
			}
		}
	}
}

// plainWords removes from an error what is random in it, and what we leave out on purpose: the singular of
// metadata.annotation.
func plainWords(text string) string {
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).ReplaceAllString(strings.ReplaceAll(text,
		"metadata.annotation:", "metadata.annotations:"), "UID")
}

// newUpstreamConverter returns the conversion to version v2 as apiextensions-apiserver does it, for an object or a
// list.
func newUpstreamConverter(t *testing.T, definition string) func(stored map[string]any) (map[string]any, error) {
	t.Helper()
	factory, err := conversion.NewCRConverterFactory(webhook.NewDefaultServiceResolver(), nil)
	require.NoError(t, err)
	var d apiextensionsv1.CustomResourceDefinition
	require.NoError(t, yaml.Unmarshal([]byte(definition), &d))
	safe, _, err := factory.NewConverter(&d)
	require.NoError(t, err)
	to := schema.GroupVersion{Group: "example.org", Version: "v2"}
	return func(stored map[string]any) (map[string]any, error) {
		text, err := json.Marshal(stored)
		require.NoError(t, err)
		var in runtime.Object = &unstructured.Unstructured{}
		if _, ok := stored["items"]; ok {
			list := &unstructured.UnstructuredList{}
			require.NoError(t, list.UnmarshalJSON(text))
			list.SetKind("Rod") // errors name the kind of the objects, because the store converts each by itself
			in = list
		} else {
			require.NoError(t, in.(*unstructured.Unstructured).UnmarshalJSON(text))
		}
		out, err := safe.ConvertToVersion(in, to)
		if err != nil {
			return nil, err
		}
		var shown map[string]any
		if list, ok := out.(*unstructured.UnstructuredList); ok {
			list.SetKind("RodList")
			text, err = list.MarshalJSON()
		} else {
			text, err = out.(*unstructured.Unstructured).MarshalJSON()
		}
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &shown))
		return shown, nil
	}
}
