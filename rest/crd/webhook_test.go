package crd_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

type object = map[string]any

// converter is a conversion webhook. Version v1 of its kind has spec.size, and v2 has spec.length.
type converter struct {
	*httptest.Server
	mu       sync.Mutex
	reviews  []object // the requests
	tamper   func(review object)
	override http.HandlerFunc
}

func newConverter(t *testing.T) *converter {
	c := &converter{}
	c.Server = httptest.NewUnstartedServer(c)
	c.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.StartTLS()
	t.Cleanup(c.Close)
	return c
}

func (c *converter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	override, tamper := c.override, c.tamper
	c.mu.Unlock()
	if override != nil {
		override(w, r)
		return
	}
	var review object
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.reviews = append(c.reviews, review)
	c.mu.Unlock()
	request := review["request"].(object)
	to := request["desiredAPIVersion"].(string)
	converted := []any{}
	for _, one := range request["objects"].([]any) {
		obj := object{}
		for key, value := range one.(object) {
			obj[key] = value
		}
		obj["apiVersion"] = to
		spec, _ := obj["spec"].(object)
		for before, after := range map[string]string{"size": "length", "length": "size"} {
			if value, ok := spec[before]; ok && (to == "example.org/v2") == (after == "length") {
				obj["spec"] = object{after: value}
			}
		}
		converted = append(converted, obj)
	}
	answer := object{"apiVersion": review["apiVersion"], "kind": "ConversionReview",
		"response": object{"uid": request["uid"], "convertedObjects": converted, "result": object{"status": "Success"}}}
	if tamper != nil {
		tamper(answer)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// behave changes what the webhook does from now on.
func (c *converter) behave(tamper func(answer object), override http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tamper, c.override = tamper, override
}

// taken returns the number of objects in each request since the last time.
func (c *converter) taken() (sizes []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, review := range c.reviews {
		sizes = append(sizes, len(review["request"].(object)["objects"].([]any)))
	}
	c.reviews = nil
	return sizes
}

// definition returns the definition of a kind that the webhook converts.
func (c *converter) definition(reviewVersions string) string {
	schema := func(field string) string {
		return `{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {` + field +
			`: {type: integer}}}, status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}`
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
	encoded, _ := json.Marshal(certificate)
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rods.example.org}
spec:
  group: example.org
  names: {plural: rods, kind: Rod}
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: %s, clientConfig: {url: "%s//convert", caBundle: %s}}}
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}}, schema: %s}
  - {name: v2, served: true, storage: false, subresources: {status: {}}, schema: %s}
`, reviewVersions, c.URL, encoded, schema("size"), schema("length"))
}

const (
	rodsV1 = "/apis/example.org/v1/namespaces/default/rods"
	rodsV2 = "/apis/example.org/v2/namespaces/default/rods"
)

// calling returns a client that may call loopback.
func calling(t *testing.T) *callout.Client {
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	return calls
}

// converting returns an API whose definitions can have conversion webhooks.
func converting(t *testing.T, options rest.Options) *rest.API {
	t.Helper()
	options.Logger = discard
	return started(t, options, crd.Options{Calls: calling(t), Logger: discard})
}

// define creates the definition of the webhook's kind.
func define(t *testing.T, api *rest.API, c *converter) {
	t.Helper()
	require.Equal(t, 201, send(t, api, "POST "+definitions, c.definition("[v1]"), nil))
	await(t, api, "rods.example.org", established)
}

// store makes a version the stored one. It returns the resourceVersion of the changed definition.
func (c *converter) store(t *testing.T, api *rest.API, version string) (resourceVersion string) {
	t.Helper()
	var d struct {
		Metadata struct{ ResourceVersion string }
	}
	require.Equal(t, 200, send(t, api, "GET "+definitions+"/rods.example.org", "", &d))
	changed := strings.NewReplacer("{name: rods.example.org}",
		fmt.Sprintf("{name: rods.example.org, resourceVersion: %q}", d.Metadata.ResourceVersion), "storage: true",
		"storage: false").Replace(c.definition("[v1]"))
	changed = strings.Replace(changed, "{name: "+version+", served: true, storage: false",
		"{name: "+version+", served: true, storage: true", 1)
	require.Equal(t, 200, send(t, api, "PUT "+definitions+"/rods.example.org", changed, &d))
	return d.Metadata.ResourceVersion
}

// has returns a condition for await: the kind is established for this reason.
func has(reason string) func(d *apiextensions.CustomResourceDefinition) bool {
	return func(d *apiextensions.CustomResourceDefinition) bool {
		return slices.ContainsFunc(d.Status.Conditions, func(c apiextensions.CustomResourceDefinitionCondition) bool {
			return c.Type == apiextensions.Established && c.Reason == reason
		})
	}
}

func rod(version, name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"example.org/%s","kind":"Rod","metadata":{"name":%q,"labels":{"of":%q}},"spec":%s}`,
		version, name, name, spec)
}

// An object that a webhook has converted has only the fields of its version, in the store too.
func TestWebhookAnswersArePruned(t *testing.T) {
	c := newConverter(t)
	c.behave(func(answer object) {
		for _, one := range answer["response"].(object)["convertedObjects"].([]any) {
			one.(object)["extra"] = true
			spec := one.(object)["spec"].(object)
			spec["only"], spec["d"], spec["null"] = "o", "dd", nil
		}
	}, nil)
	api := converting(t, rest.Options{})
	definition := strings.Replace(c.definition("[v1]"), "length: {type: integer}",
		"length: {type: integer}, only: {type: string}, d: {type: string, default: dd}", 1)
	require.Equal(t, 201, send(t, api, "POST "+definitions, definition, nil))
	await(t, api, "rods.example.org", established)

	var got object
	require.Equal(t, 201, send(t, api, "POST "+rodsV2, rod("v2", "a", `{"length":5,"only":"o"}`), nil))
	read := func() {
		t.Helper()
		require.Equal(t, 200, send(t, api, "GET "+rodsV1+"/a", "", &got))
		assert.Equal(t, object{"size": 5.0}, got["spec"])
		assert.NotContains(t, got, "extra")
	}
	read()
	require.Equal(t, 200, send(t, api, "PATCH "+rodsV2+"/a", `{"metadata":{"labels":{"x":"y"}}}`, nil))
	read()
	require.Equal(t, 200, send(t, api, "PATCH "+rodsV2+"/a/status", `{"status":{"bent":true}}`, nil))
	read()
}

// Every operation works in both versions, and the webhook converts.
func TestWebhookConverts(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)

	require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	assert.Empty(t, c.taken(), "a write in the stored version")
	var got object
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"/a", "", &got))
	assert.Equal(t, "example.org/v2", got["apiVersion"])
	assert.Equal(t, object{"length": 3.0}, got["spec"])
	assert.Equal(t, []int{1}, c.taken())
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"/a", "", &got))
	assert.Empty(t, c.taken(), "the converted object is cached")

	require.Equal(t, 201, send(t, api, "POST "+rodsV2, rod("v2", "b", `{"length":5,"size":1}`), &got))
	assert.Equal(t, object{"length": 5.0}, got["spec"], "pruned in its own version")
	require.Equal(t, 200, send(t, api, "GET "+rodsV1+"/b", "", &got))
	assert.Equal(t, object{"size": 5.0}, got["spec"])
	require.Equal(t, 200, send(t, api, "PATCH "+rodsV2+"/b", `{"spec":{"length":6}}`, &got))
	assert.Equal(t, object{"length": 6.0}, got["spec"])
	assert.EqualValues(t, 2, got["metadata"].(object)["generation"])
	require.Equal(t, 200, send(t, api, "PATCH "+rodsV2+"/b/status", `{"status":{"bent":true}}`, &got))
	require.Equal(t, 200, send(t, api, "GET "+rodsV1+"/b", "", &got))
	assert.Equal(t, object{"size": 6.0}, got["spec"])
	assert.Equal(t, object{"bent": true}, got["status"])
	var list struct{ Items []object }
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"?labelSelector=of%3Db", "", &list))
	assert.Len(t, list.Items, 1)
	require.Equal(t, 200, send(t, api, "DELETE "+rodsV2+"/b", "", nil))
	require.Equal(t, 404, send(t, api, "GET "+rodsV1+"/b", "", nil))
}

// A list is converted in one call, which has only the objects that are not in the cache.
func TestWebhookConvertsListsInOneCall(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	require.Equal(t, 200, send(t, api, "GET "+rodsV2, "", nil))
	assert.Empty(t, c.taken(), "an empty list")
	const all = 40
	for i := range all {
		require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", fmt.Sprintf("r%02d", i), `{"size":1}`), nil))
	}
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"/r07", "", nil))
	assert.Equal(t, []int{1}, c.taken())
	var list struct{ Items []object }
	for _, calls := range [][]int{{all - 1}, nil} {
		require.Equal(t, 200, send(t, api, "GET "+rodsV2, "", &list))
		assert.Equal(t, calls, c.taken())
		require.Len(t, list.Items, all)
		for i, item := range list.Items {
			assert.Equal(t, fmt.Sprintf("r%02d", i), item["metadata"].(object)["name"])
			assert.Equal(t, object{"length": 1.0}, item["spec"])
		}
	}
	require.Equal(t, 200, send(t, api, "PATCH "+rodsV1+"/r03", `{"spec":{"size":2}}`, nil))
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"?labelSelector=of", "", &list))
	assert.Equal(t, []int{1}, c.taken(), "the changed object")
}

// A list is converted in one call if the cache has no room, too.
func TestWebhookConvertsListsWithoutACache(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{Limits: rest.Limits{CacheBytes: -1}})
	define(t, api, c)
	for _, name := range []string{"a", "b", "c"} {
		require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", name, `{"size":1}`), nil))
	}
	for range 2 {
		require.Equal(t, 200, send(t, api, "GET "+rodsV2, "", nil))
		assert.Equal(t, []int{3}, c.taken())
	}
	require.Equal(t, 200, send(t, api, "DELETE "+rodsV2, "", nil))
	var list struct{ Items []object }
	require.Equal(t, 200, send(t, api, "GET "+rodsV1, "", &list))
	assert.Empty(t, list.Items)
}

// A list that the webhook converts is a copy of all its objects, which takes memory from the budget.
func TestConvertedListsTakeMemory(t *testing.T) {
	c := newConverter(t)
	budget := storage.NewBudget(8 << 20)
	api := converting(t, rest.Options{Limits: rest.Limits{Budget: budget, CacheBytes: -1}})
	define(t, api, c)
	for i := range 10 {
		large := strings.Replace(rod("v1", fmt.Sprint("r", i), `{"size":3}`), `"labels"`,
			`"annotations":{"a":"`+strings.Repeat("x", 20_000)+`"},"labels"`, 1)
		require.Equal(t, 201, send(t, api, "POST "+rodsV1, large, nil))
	}
	others := budget.Part(8 << 20)
	require.True(t, others.Take(8<<20-budget.Used()))
	assert.Equal(t, 429, send(t, api, "GET "+rodsV2, "", nil))
	assert.Equal(t, 200, send(t, api, "GET "+rodsV1, "", nil), "the store has these objects")
	others.Close()
	assert.Equal(t, 200, send(t, api, "GET "+rodsV2, "", nil))
}

// The API checks what a webhook answers, in upstream's words. Other kinds and the stored version do not notice.
func TestWebhooksThatLie(t *testing.T) {
	const failed = "conversion webhook for example.org/v1, Kind=Rod "
	response := func(answer object) object { return answer["response"].(object) }
	first := func(answer object) object { return response(answer)["convertedObjects"].([]any)[0].(object) }
	metadata := func(answer object) object { return first(answer)["metadata"].(object) }
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	for name, test := range map[string]struct {
		tamper func(answer object)
		one    string // the error of a GET, and of a LIST unless that has its own
		list   string
	}{
		"another kind": {tamper: func(a object) { a["kind"] = "Other" },
			one: "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1, Kind=Other"},
		"no response": {tamper: func(a object) { delete(a, "response") }, one: "failed: no response provided"},
		"another uid": {tamper: func(a object) { response(a)["uid"] = "1" }, one: `failed: expected response.uid="`},
		"failure": {tamper: func(a object) { response(a)["result"] = object{"status": "Failure", "message": "no way"} },
			one: "failed: no way"},
		"failure, no text": {tamper: func(a object) { response(a)["result"] = object{"status": "Failure"} },
			one: "failed: response.result.status was 'Failure', not 'Success'"},
		"no objects": {tamper: func(a object) { response(a)["convertedObjects"] = []any{} },
			one: "returned 0 objects, expected 1"},
		"too many objects": {tamper: func(a object) { response(a)["convertedObjects"] = []any{object{}, object{}} },
			one: "returned 2 objects, expected 1"},
		"another version": {tamper: func(a object) { first(a)["apiVersion"] = "example.org/v3" },
			one: "returned invalid object at index 0: invalid groupVersion (expected example.org/v2, received example.org/v3)"},
		"another object's kind": {tamper: func(a object) { first(a)["kind"] = "Bar" },
			one: "returned invalid object at index 0: invalid kind (expected Rod, received Bar)"},
		"another name": {tamper: func(a object) { metadata(a)["name"] = "z" },
			one: "returned invalid object: must have the same name: a != z"},
		"another namespace": {tamper: func(a object) { metadata(a)["namespace"] = "z" },
			one: "returned invalid object: must have the same namespace: default != z"},
		"another object's uid": {tamper: func(a object) { metadata(a)["uid"] = "z" },
			one: "returned invalid object: must have the same UID: "},
		"labels of another type": {tamper: func(a object) { metadata(a)["labels"] = []any{} },
			one: "returned invalid metadata: invalid metadata.labels of type []interface {} in converted object"},
		"a label of another type": {tamper: func(a object) { metadata(a)["labels"] = object{"of": 1} },
			one: "returned invalid metadata: metadata.labels[of] must be a string, but is int64 in converted object"},
		"an invalid label": {tamper: func(a object) { metadata(a)["labels"] = object{"of": "-"} },
			one: `returned invalid metadata: metadata.labels: Invalid value: "-"`},
		"not an object": {tamper: func(a object) { response(a)["convertedObjects"] = []any{"secret"} },
			one: "returned invalid object at index 0: it is not a JSON object"},
	} {
		c.behave(test.tamper, nil)
		var got struct{ Message string }
		assert.Equal(t, 500, send(t, api, "GET "+rodsV2+"/a", "", &got), name)
		assert.Contains(t, got.Message, failed+test.one, name)
		assert.Equal(t, 500, send(t, api, "GET "+rodsV2, "", &got), name)
		assert.Contains(t, got.Message, failed, name)
		assert.NotContains(t, got.Message, "secret")
		assert.Equal(t, 200, send(t, api, "GET "+rodsV1+"/a", "", nil), name)
	}
	c.behave(func(a object) {
		m := metadata(a)
		m["labels"], m["resourceVersion"], m["generation"] = object{"new": "label"}, "1", 77
		delete(m, "creationTimestamp")
	}, nil)
	var stored, shown object
	require.Equal(t, 200, send(t, api, "GET "+rodsV1+"/a", "", &stored))
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"/a", "", &shown))
	want := stored["metadata"].(object)
	want["labels"] = object{"new": "label"}
	assert.Equal(t, want, shown["metadata"], "only labels and annotations change")
}

// A webhook that does not answer fails what needs it, and nothing else.
func TestWebhooksThatFail(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = io.WriteString(w, strings.Repeat(" ", 64<<10))
		}
	}
	for name, test := range map[string]struct {
		handle http.HandlerFunc
		err    string
	}{
		"500": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret", 500) },
			"the server answered 500 Internal Server Error"},
		"endless": {endless, "the answer is larger than 3145728 bytes"},
		"text": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") },
			"the answer is not JSON"},
		"closed": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.Close()
		}, "EOF"},
	} {
		c.behave(nil, test.handle)
		requests := []string{"GET " + rodsV2 + "/a", "GET " + rodsV2, "GET " + rodsV2 + "?labelSelector=of",
			"DELETE " + rodsV2, "PATCH " + rodsV2 + "/a", "GET " + rodsV2 + "?watch=1"}
		if name == "endless" { // this query takes long
			requests = requests[:1]
		}
		for _, request := range requests {
			var got struct{ Message string }
			assert.Equal(t, 500, send(t, api, request, `{"spec":{"length":4}}`, &got), "%s: %s", name, request)
			assert.Contains(t, got.Message,
				`conversion webhook for example.org/v1, Kind=Rod failed: Post "`+c.URL+`/convert?timeout=30s": `, "%s: %s", name,
				request)
			assert.Contains(t, got.Message, test.err, "%s: %s", name, request)
			assert.NotContains(t, got.Message, "secret")
		}
		assert.Equal(t, 200, send(t, api, "GET "+rodsV1, "", nil), name)
	}
	require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/rods.example.org", "", nil))
	await(t, api, "rods.example.org", gone)
}

// A webhook that hangs takes a limited number of requests with it. They end with their call.
func TestWebhooksThatHang(t *testing.T) {
	const most = 64
	c := newConverter(t)
	release := make(chan struct{})
	answer := sync.OnceFunc(func() { close(release) })
	t.Cleanup(answer)
	c.behave(nil, func(w http.ResponseWriter, r *http.Request) {
		<-release
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	api := converting(t, rest.Options{})
	define(t, api, c)
	for i := range most + 10 {
		require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", fmt.Sprint("r", i), `{"size":3}`), nil))
	}
	messages := make(chan string)
	for i := range most + 10 {
		go func() {
			r := httptest.NewRequest("GET", fmt.Sprint(rodsV2, "/r", i), nil)
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			messages <- w.Body.String()
		}()
	}
	for range 10 {
		assert.Contains(t, <-messages, "too many calls are waiting for the webhook")
	}
	assert.Equal(t, 200, send(t, api, "GET "+rodsV1+"/r1", "", nil))
	answer()
	for range most {
		assert.Contains(t, <-messages, "the server answered 503 Service Unavailable")
	}
}

// Readers that want the same object at the same time share one call.
func TestReadersShareACall(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	var readers sync.WaitGroup
	for range 20 {
		readers.Go(func() {
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest("GET", rodsV2+"/a", nil))
			assert.Equal(t, 200, w.Code, w.Body)
		})
	}
	readers.Wait()
	assert.Equal(t, []int{1}, c.taken())
}

// The older form of the review is used if it stands first, and its answers are checked less, as upstream does.
func TestOlderReviews(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	require.Equal(t, 201, send(t, api, "POST "+definitions, c.definition("[v0, v1beta1, v1]"), nil))
	await(t, api, "rods.example.org", established)
	require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	c.behave(func(answer object) {
		delete(answer, "kind")
		delete(answer["response"].(object), "uid")
	}, nil)
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"/a", "", nil))
	assert.Equal(t, "apiextensions.k8s.io/v1beta1", c.reviews[0]["apiVersion"])
}

// A changed definition drops what its old webhook has converted.
func TestChangedWebhook(t *testing.T) {
	c, next := newConverter(t), newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"/a", "", nil))
	var d struct {
		Metadata struct{ ResourceVersion string }
	}
	require.Equal(t, 200, send(t, api, "GET "+definitions+"/rods.example.org", "", &d))
	changed := strings.Replace(next.definition("[v1]"), "{name: rods.example.org}",
		fmt.Sprintf("{name: rods.example.org, resourceVersion: %q}", d.Metadata.ResourceVersion), 1)
	require.Equal(t, 200, send(t, api, "PUT "+definitions+"/rods.example.org", changed, nil))
	assert.Eventually(t, func() bool {
		return send(t, api, "GET "+rodsV2+"/a", "", nil) == 200 && len(next.taken()) > 0
	}, time.Minute, time.Millisecond)
}

// After a restart, the webhook converts the stored objects again.
func TestWebhookAfterARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "objects")
	c := newConverter(t)
	for restart := range 2 {
		store, err := bolt.Open(t.Context(), bolt.Options{Path: file})
		require.NoError(t, err)
		t.Run(fmt.Sprint(restart), func(t *testing.T) {
			api := converting(t, rest.Options{Store: store})
			if restart == 0 {
				define(t, api, c)
				require.Equal(t, 201, send(t, api, "POST "+rodsV2, rod("v2", "a", `{"length":3}`), nil))
			}
			c.taken()
			var got object
			require.Equal(t, 200, send(t, api, "GET "+rodsV2+"/a", "", &got))
			assert.Equal(t, object{"length": 3.0}, got["spec"])
			assert.Len(t, c.taken(), restart)
		})
		require.NoError(t, store.Close())
	}
}

// Without a client for calls, a definition with a webhook is refused. One that another replica has accepted serves its
// stored version.
func TestWebhookWithoutCalls(t *testing.T) {
	c := newConverter(t)
	store := memory.New(storage.Options{})
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	t.Run("with", func(t *testing.T) {
		api := converting(t, rest.Options{Store: store})
		define(t, api, c)
		require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	})
	api := enabled(t, rest.Options{Store: store, Logger: discard})
	assert.Equal(t, 200, send(t, api, "GET "+rodsV1+"/a", "", nil))
	var got struct{ Message string }
	assert.Equal(t, 500, send(t, api, "GET "+rodsV2+"/a", "", &got))
	assert.Equal(t, "conversion webhook for example.org/v1, Kind=Rod failed: this server does not call webhooks",
		got.Message)
	assert.Equal(t, 422, send(t, api, "POST "+definitions, strings.ReplaceAll(c.definition("[v1]"), "rods", "poles"), nil))
}

// A watch shows the objects in its version: those that exist are converted in one call. It ends with an error if a
// conversion fails.
func TestWebhookConvertsWatches(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	server := httptest.NewServer(api)
	defer server.Close()
	for _, name := range []string{"a", "b", "c"} {
		require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", name, `{"size":1}`), nil))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", server.URL+rodsV2+"?watch=1", nil)
	require.NoError(t, err)
	answer, err := server.Client().Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	events := json.NewDecoder(answer.Body)
	next := func() (kind string, got object) {
		var event struct {
			Type   string
			Object object
		}
		require.NoError(t, events.Decode(&event))
		return event.Type, event.Object
	}
	for range 3 {
		kind, got := next()
		assert.Equal(t, "ADDED", kind)
		assert.Equal(t, object{"length": 1.0}, got["spec"])
	}
	assert.Equal(t, []int{3}, c.taken())
	require.Equal(t, 200, send(t, api, "PATCH "+rodsV1+"/b", `{"spec":{"size":2}}`, nil))
	kind, got := next()
	assert.Equal(t, "MODIFIED", kind)
	assert.Equal(t, object{"length": 2.0}, got["spec"])
	require.Equal(t, 200, send(t, api, "DELETE "+rodsV1+"/b", "", nil))
	kind, got = next()
	assert.Equal(t, "DELETED", kind)
	assert.Equal(t, object{"length": 2.0}, got["spec"])

	c.behave(nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	require.Equal(t, 200, send(t, api, "PATCH "+rodsV1+"/c", `{"spec":{"size":4}}`, nil))
	kind, got = next()
	assert.Equal(t, "ERROR", kind)
	assert.Contains(t, got["message"], "conversion webhook for example.org/v1, Kind=Rod failed: ")
	assert.ErrorIs(t, events.Decode(&got), io.EOF)
}

// The webhook does not get the objects that a client may not see: a client causes no work for them, neither by lists
// nor by watches.
func TestWebhookConvertsOnlyWhatTheClientMaySee(t *testing.T) {
	c := newConverter(t)
	may, err := apimeta.ParseLabelSelector("of in (a,b)")
	require.NoError(t, err)
	var only access.Filter
	rights := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		if a.Resource != "rods" || a.Version != "v2" {
			return access.Allow(""), nil
		}
		return access.AllowOnly("", only), nil
	})
	api := converting(t, rest.Options{Authorizer: rights, Limits: rest.Limits{CacheBytes: -1}})
	define(t, api, c)
	for i := range 26 {
		require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", string(rune('a'+i)), `{"size":1}`), nil))
	}
	converted := func() (sum int) {
		for _, n := range c.taken() {
			sum += n
		}
		return sum
	}
	names := func(query string) (names []string) {
		var list struct{ Items []object }
		require.Equal(t, 200, send(t, api, "GET "+rodsV2+query, "", &list))
		for _, item := range list.Items {
			names = append(names, item["metadata"].(object)["name"].(string))
		}
		return names
	}
	require.Zero(t, converted())
	all := "/apis/example.org/v2/rods"
	for name, filter := range map[string]access.Filter{"labels": {Labels: may},
		"labels and a namespace": {Labels: may, Namespace: "default"}} {
		only = filter
		for _, query := range []string{"", "?labelSelector=of", "?labelSelector=of&limit=1"} {
			assert.NotEmpty(t, names(query))
			assert.LessOrEqual(t, converted(), 2*3, "%s: GET %s", name, query) // without a cache, an object is converted ahead, to match, and to answer
		}
	}
	only = access.Filter{Namespace: "other"}
	require.Equal(t, 200, send(t, api, "GET "+all+"?labelSelector=of", "", nil))
	assert.Zero(t, converted(), "an empty namespace")
	only = access.Filter{Labels: may}

	server := httptest.NewServer(api)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", server.URL+rodsV2+"?watch=1&labelSelector=of", nil)
	require.NoError(t, err)
	answer, err := server.Client().Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	events := json.NewDecoder(answer.Body)
	next := func() string {
		var event struct {
			Type   string
			Object struct{ Metadata struct{ Name string } }
		}
		require.NoError(t, events.Decode(&event))
		return event.Type + " " + event.Object.Metadata.Name
	}
	assert.ElementsMatch(t, []string{"ADDED a", "ADDED b"}, []string{next(), next()})
	for i := range 26 {
		require.Equal(t, 200, send(t, api, "PATCH "+rodsV1+"/"+string(rune('z'-i)), `{"spec":{"size":2}}`, nil))
	}
	assert.Equal(t, "MODIFIED b", next())
	assert.Equal(t, "MODIFIED a", next())
	cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, review := range c.reviews {
		for _, one := range review["request"].(object)["objects"].([]any) {
			assert.Contains(t, []string{"a", "b"}, one.(object)["metadata"].(object)["name"])
		}
	}
}

// Managers own fields in the versions that they write, and apply works across versions.
func TestWebhookConvertsOwnedFields(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	apply := func(version, manager, spec string) (code int, got object) {
		t.Helper()
		path := map[string]string{"v1": rodsV1, "v2": rodsV2}[version] + "/a?fieldManager=" + manager
		r := httptest.NewRequest("PATCH", path, strings.NewReader(rod(version, "a", spec)))
		r.Header.Set("Content-Type", "application/apply-patch+yaml")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
		return w.Code, got
	}
	code, _ := apply("v2", "one", `{"length":3}`)
	require.Equal(t, 201, code)
	code, got := apply("v1", "two", `{"size":4}`)
	assert.Equal(t, 409, code)
	assert.Contains(t, got["message"], `conflict with "one": .spec.length`)
	code, got = apply("v1", "two", `{"size":3}`)
	require.Equal(t, 200, code)
	managers := map[string]any{}
	for _, entry := range got["metadata"].(object)["managedFields"].([]any) {
		managers[entry.(object)["manager"].(string)] = entry.(object)["fieldsV1"].(object)["f:spec"]
	}
	assert.Equal(t, map[string]any{"one": object{"f:length": object{}}, "two": object{"f:size": object{}}}, managers)
}

// Clients in the process convert in the same way.
func TestWebhookConvertsForClientsInProcess(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	for _, name := range []string{"a", "b", "c"} {
		require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", name, `{"size":1}`), nil))
	}
	rods := documents(t, api, apimeta.GroupVersionResource{Group: "example.org", Version: "v2",
		Resource: "rods"}).Namespace("default")
	page, err := rods.List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	assert.Equal(t, []int{3}, c.taken())
	for _, item := range page.Items {
		assert.Equal(t, object{"length": int64(1)}, item.Content["spec"])
	}
}

// A change of the storage version converts the stored objects. If the webhook fails, the API serves the older
// definition until it succeeds.
func TestWebhookConvertsToANewStorageVersion(t *testing.T) {
	c := newConverter(t)
	api := converting(t, rest.Options{})
	define(t, api, c)
	require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	c.behave(nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	c.store(t, api, "v2")
	await(t, api, "rods.example.org", has("OlderGenerationServed"))
	assert.Equal(t, 200, send(t, api, "GET "+rodsV1+"/a", "", nil))
	c.behave(nil, nil)
	await(t, api, "rods.example.org", has("InitialNamesAccepted"))
	c.taken()
	var got object
	require.Equal(t, 200, send(t, api, "GET "+rodsV2+"/a", "", &got))
	assert.Equal(t, object{"length": 3.0}, got["spec"])
	assert.Empty(t, c.taken(), "the stored version")
	require.Equal(t, 200, send(t, api, "GET "+rodsV1+"/a", "", &got))
	assert.Equal(t, object{"size": 3.0}, got["spec"])
}
