package webhook_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/webhook"
)

// Gear is a custom kind with two versions and a status.
type Gear struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Teeth    int      `json:"teeth,omitempty" api:"max=100"`
		Material string   `json:"material,omitempty"`
		Steps    []string `json:"steps,omitempty"`
	} `json:"spec,omitzero"`
	Status struct {
		Turning bool `json:"turning,omitempty"`
	} `json:"status,omitzero"`
}

// Memo is a kind of the built-in dialect.
type Memo struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Lines              int `json:"lines,omitempty"`
}

const (
	gears = "/apis/example.com/v1/namespaces/default/gears"
	memos = "/apis/example.com/v1/memos"
)

// world is an API with webhooks, and the server of the webhooks.
type world struct {
	testing.TB
	*rest.API
	server *httptest.Server
	calls  *callout.Client

	mu       sync.Mutex
	handlers map[string]http.HandlerFunc // the keys are paths
}

// request and response are the parts of an AdmissionReview that tests look at.
type (
	request  = map[string]any
	response = map[string]any
)

func newWorld(t testing.TB, mine ...admission.Hook) *world {
	return newWorldWith(t, webhook.Options{}, rest.Options{Admission: mine})
}

func newWorldWith(t testing.TB, options webhook.Options, api rest.Options) *world {
	t.Helper()
	w := &world{TB: t, handlers: map[string]http.HandlerFunc{}}
	w.server = httptest.NewUnstartedServer(http.HandlerFunc(w.serveWebhook))
	w.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	w.server.StartTLS()
	t.Cleanup(w.server.Close)
	var err error
	w.calls, err = callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(w.calls.Close)
	options.Calls = w.calls
	w.API = w.newAPI(options, api)
	return w
}

// newAPI returns another API with webhooks.
func (w *world) newAPI(options webhook.Options, api rest.Options) *rest.API {
	w.Helper()
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	hooks, err := webhook.New(options)
	require.NoError(w.TB, err)
	api.Plugins, api.Admission = append(api.Plugins, hooks, rest.PluginParts{Name: "host", Admission: api.Admission}), nil
	if api.Logger == nil {
		api.Logger = slog.New(slog.DiscardHandler)
	}
	made, err := rest.New(api, builtin.Namespaces(),
		rest.Resource[Gear]{Group: "example.com", Version: "v1", Plural: "gears",
			Scale:    &rest.Scale{SpecReplicas: ".spec.teeth", StatusReplicas: ".spec.teeth"},
			Versions: []rest.VersionOf[Gear]{rest.Converted[Gear](rest.Resource[Gear]{Version: "v1beta1"}, nil, nil)}},
		rest.Resource[Memo]{Group: "example.com", Version: "v1", Plural: "memos", Scope: rest.ScopeCluster,
			Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	require.NoError(w.TB, err)
	w.Cleanup(func() { assert.NoError(w.TB, made.Close()) })
	return made
}

func (w *world) serveWebhook(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	handle := w.handlers[r.URL.Path]
	w.mu.Unlock()
	if handle == nil {
		http.NotFound(out, r)
		return
	}
	handle(out, r)
}

// answers makes the server answer the reviews of a webhook with what f returns. The uid need not be set.
func (w *world) answers(path string, f func(request) response) {
	w.handle(path, func(out http.ResponseWriter, r *http.Request) {
		var in struct {
			APIVersion, Kind string
			Request          request
		}
		if assert.NoError(w.TB, json.NewDecoder(r.Body).Decode(&in)) {
			answer := f(in.Request)
			if _, ok := answer["uid"]; !ok {
				answer["uid"] = in.Request["uid"]
			}
			_ = json.NewEncoder(out).Encode(map[string]any{"apiVersion": in.APIVersion, "kind": in.Kind, "response": answer})
		}
	})
}

func (w *world) handle(path string, f http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handlers[path] = f
}

// allow and deny answer a review; patched changes the object.
func allow(request) response { return response{"allowed": true} }
func deny(request) response  { return response{"allowed": false} }

func patched(patch string) func(request) response {
	return func(request) response {
		return response{"allowed": true, "patch": []byte(patch), "patchType": "JSONPatch"}
	}
}

// hook is the registration of a webhook: its path, which is also its name, and members that differ from the plainest
// one.
type hook struct{ path, more string }

// everything is a rule that matches all.
const everything = `"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*/*"]}]`

// gearRules matches writes of gears.
const gearRules = `"rules":[{"operations":["*"],"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["gears","gears/*"]}]`

func (w *world) configuration(kind, name string, hooks ...hook) string {
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.server.Certificate().Raw})
	bundle, err := json.Marshal(certificate)
	require.NoError(w.TB, err)
	var list []string
	for _, h := range hooks {
		text := fmt.Sprintf(`"name":"%s.example.com","clientConfig":{"url":"%s/%s","caBundle":%s},"sideEffects":"None"`,
			strings.TrimPrefix(h.path, "/"), w.server.URL, h.path, bundle)
		if !strings.Contains(h.more, "admissionReviewVersions") {
			text += `,"admissionReviewVersions":["v1"]`
		}
		if !strings.Contains(h.more, `"rules"`) {
			text += "," + gearRules
		}
		if h.more != "" {
			text += "," + h.more
		}
		list = append(list, "{"+text+"}")
	}
	return `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"` + kind + `","metadata":{"name":"` + name +
		`"},"webhooks":[` + strings.Join(list, ",") + `]}`
}

// validating and mutating register webhooks.
func (w *world) validating(name string, hooks ...hook) {
	w.Helper()
	w.must("POST", configurations("validating"), w.configuration("ValidatingWebhookConfiguration", name, hooks...))
}

func (w *world) mutating(name string, hooks ...hook) {
	w.Helper()
	w.must("POST", configurations("mutating"), w.configuration("MutatingWebhookConfiguration", name, hooks...))
}

func configurations(kind string) string {
	return "/apis/admissionregistration.k8s.io/v1/" + kind + "webhookconfigurations"
}

// answer is an HTTP answer of the API.
type answer struct {
	code     int
	warnings []string
	body     map[string]any
}

// do sends a request to the API. A PATCH is a merge patch.
func (w *world) do(method, path, body string) answer {
	w.Helper()
	return w.send(httptest.NewRequestWithContext(w.Context(), method, path, strings.NewReader(body)))
}

func (w *world) send(r *http.Request) answer {
	w.Helper()
	r.Header.Set("Content-Type", "application/json")
	if r.Method == "PATCH" {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	out := httptest.NewRecorder()
	w.ServeHTTP(out, r)
	a := answer{code: out.Code, warnings: out.Header().Values("Warning")}
	text, _ := io.ReadAll(out.Body)
	require.NoError(w.TB, json.Unmarshal(text, &a.body), "%s", text)
	return a
}

// must sends a request that succeeds.
func (w *world) must(method, path, body string) answer {
	w.Helper()
	a := w.do(method, path, body)
	require.Less(w.TB, a.code, 300, "%v", a.body)
	return a
}

func gear(name, spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"` + name + `"},"spec":{` + spec + `}}`
}

func (a answer) message() string {
	text, _ := a.body["message"].(string)
	return text
}

func (a answer) spec() any { return a.body["spec"] }

// auditing returns options that record audit annotations.
func auditing(into *[]string) webhook.Options {
	return webhook.Options{Audit: func(_ context.Context, key, value string) { *into = append(*into, key+"="+value) }}
}
