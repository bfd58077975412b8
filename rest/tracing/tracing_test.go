package tracing_test

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/rest/tracing"
	"github.com/decorum-go/decorum/rest/webhook"
)

type memo struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty" api:"maxLength=20"`
}

func memos() rest.Definition {
	return rest.Resource[memo]{Group: "example.com", Version: "v1", Plural: "memos", Names: rest.Names{Kind: "Memo"}}
}

const (
	memosPath  = "/apis/example.com/v1/namespaces/default/memos"
	memosRoute = "/apis/example.com/v1/namespaces/{namespace}/memos"
	// sentParent is a span of a client that records its trace.
	sentParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	sentTrace  = "0af7651916cd43dd8448eb211c80319c"
)

func memoBody(name, text string) string {
	return `{"apiVersion":"example.com/v1","kind":"Memo","metadata":{"name":"` + name + `"},"text":"` + text + `"}`
}

// recorded are the spans of an API.
type recorded struct {
	*tracetest.InMemoryExporter
	provider *sdk.TracerProvider
}

func newRecorded(options ...sdk.TracerProviderOption) *recorded {
	r := &recorded{InMemoryExporter: tracetest.NewInMemoryExporter()}
	r.provider = sdk.NewTracerProvider(append(options, sdk.WithSyncer(r))...)
	return r
}

// api is an API whose requests are recorded.
func (r *recorded) api(t testing.TB, options tracing.Options, api rest.Options,
	definitions ...rest.Definition) *rest.API {
	t.Helper()
	options.TracerProvider = r.provider
	spans, err := tracing.New(options)
	require.NoError(t, err)
	api.Plugins = append([]rest.Plugin{spans}, api.Plugins...)
	api.Logger = slog.New(slog.DiscardHandler)
	made, err := rest.New(api, append(definitions, memos())...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, made.Close()) })
	return made
}

// take returns the spans since the last call, as "name < name of the parent".
func (r *recorded) take() (tree []string, spans map[string]tracetest.SpanStub) {
	all := r.GetSpans()
	r.Reset()
	spans = map[string]tracetest.SpanStub{}
	names := map[trace.SpanID]string{}
	for _, s := range all {
		spans[s.Name], names[s.SpanContext.SpanID()] = s, s.Name
	}
	for _, s := range all {
		parent := names[s.Parent.SpanID()]
		if parent == "" && s.Parent.IsValid() {
			parent = "remote"
		}
		tree = append(tree, strings.TrimSuffix(s.Name+" < "+parent, " < "))
	}
	return tree, spans
}

func attributesOf(s tracetest.SpanStub) map[string]any {
	attrs := map[string]any{}
	for _, a := range s.Attributes {
		attrs[string(a.Key)] = a.Value.AsInterface()
	}
	return attrs
}

func send(t testing.TB, api http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, r)
	return answer
}

func TestARequestIsASpanWithTheAttributesOfAnHTTPServer(t *testing.T) {
	spans := newRecorded()
	api := spans.api(t, tracing.Options{}, rest.Options{})
	answer := send(t, api, "POST", memosPath+"?dryRun=All", memoBody("a", "hello"),
		"Audit-ID", "mine", "User-Agent", "curl/8", "X-Forwarded-For", "192.0.2.7", "Traceparent", sentParent)
	tree, by := spans.take()
	name := "POST " + memosRoute
	assert.Contains(t, tree, name+" < remote")
	span := by[name]
	assert.Equal(t, trace.SpanKindServer, span.SpanKind)
	assert.Equal(t, sentTrace, span.SpanContext.TraceID().String(), "the trace of the client goes on")
	assert.Equal(t, codes.Unset, span.Status.Code)
	assert.Equal(t, map[string]any{
		"http.request.method": "POST", "url.path": memosPath, "url.scheme": "http", "http.route": memosRoute,
		"server.address": "example.com", "network.protocol.version": "1.1", "client.address": "192.0.2.7",
		"network.peer.address": "192.0.2.1",
		"user_agent.original":  "curl/8", "enduser.id": "system:anonymous",
		"http.response.status_code": int64(201), "http.response.body.size": int64(answer.Body.Len()),
		"decorum.audit_id": "mine", "decorum.verb": "create", "decorum.group": "example.com", "decorum.version": "v1",
		"decorum.resource": "memos", "decorum.namespace": "default", "decorum.dry_run": true,
	}, attributesOf(span))
}

// The name of a span has a small set of values, so that a backend can group by it.
func TestTheNameOfASpanHasNothingThatAClientChooses(t *testing.T) {
	spans := newRecorded()
	plugin := rest.PluginParts{Name: "paths", Paths: map[string]http.Handler{"/debug/": http.NotFoundHandler()}}
	api := spans.api(t, tracing.Options{}, rest.Options{Plugins: []rest.Plugin{plugin}})
	for _, c := range []struct{ method, path, want string }{
		{"GET", memosPath, "GET " + memosRoute},
		{"GET", memosPath + "?fieldSelector=metadata.name%3Da", "GET " + memosRoute},
		{"GET", memosPath + "/a", "GET " + memosRoute + "/{name}"},
		{"DELETE", memosPath + "/a", "DELETE " + memosRoute + "/{name}"},
		{"GET", "/apis/example.com/v1/memos", "GET /apis/example.com/v1/memos"},
		{"GET", "/apis/example.com/v1/namespaces/default/other/a", "GET"},
		{"GET", "/apis/example.com/v2/memos", "GET"},
		{"GET", "/apis/example.com/v1", "GET /apis/example.com/v1"},
		{"GET", "/version", "GET /version"},
		{"GET", "/readyz", "GET /readyz"},
		{"GET", "/readyz/ping", "GET /readyz/ping"},
		{"GET", "/readyz/chosen", "GET"},
		{"GET", "/debug/chosen", "GET /debug/"},
		{"GET", "/chosen", "GET"},
		{"BREW", memosPath + "/a", "HTTP " + memosRoute + "/{name}"},
	} {
		send(t, api, c.method, c.path, "")
		all := spans.GetSpans()
		spans.Reset()
		require.Len(t, all, 1, c.path)
		assert.Equal(t, c.want, all[0].Name, c.path)
	}
}

func TestTheStepsOfAWriteAreChildren(t *testing.T) {
	spans := newRecorded()
	var inHook trace.SpanContext
	hook := admission.Hook{Name: "words.example.com", Validate: func(ctx context.Context, _ *admission.Request) error {
		inHook = trace.SpanContextFromContext(ctx)
		_, own := spans.provider.Tracer("host").Start(ctx, "query of the host")
		own.End()
		return nil
	}}
	api := spans.api(t, tracing.Options{}, rest.Options{Admission: []admission.Hook{hook}})
	require.Equal(t, 201, send(t, api, "POST", memosPath, memoBody("a", "hello")).Code)
	tree, by := spans.take()
	request := "POST " + memosRoute
	assert.ElementsMatch(t, []string{
		"mutating admission < " + request, "query of the host < hook words.example.com",
		"hook words.example.com < validating admission",
		"validating admission < " + request, "commit < " + request, request,
	}, tree)
	assert.Equal(t, by["hook words.example.com"].SpanContext.SpanID(), inHook.SpanID())
	assert.Equal(t, map[string]any{"decorum.admission.operation": "CREATE", "decorum.admission.mutating": false},
		attributesOf(by["hook words.example.com"]))
	for name, s := range by {
		assert.Equal(t, by[request].SpanContext.TraceID(), s.SpanContext.TraceID(), name)
		assert.False(t, s.StartTime.Before(by[request].StartTime), name)
		assert.False(t, s.EndTime.After(by[request].EndTime), name)
	}
}

// The host's middleware may trace requests too. Its span is the parent, regardless of the headers.
func TestASpanOfTheHostIsTheParent(t *testing.T) {
	spans := newRecorded()
	api := spans.api(t, tracing.Options{}, rest.Options{})
	host := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, span := spans.provider.Tracer("host").Start(r.Context(), "host")
		defer span.End()
		api.ServeHTTP(w, r.WithContext(ctx))
	})
	send(t, host, "GET", "/version", "", "Traceparent", sentParent)
	tree, _ := spans.take()
	assert.Equal(t, []string{"GET /version < host", "host"}, tree)
}

func TestAnUntrustedSenderDoesNotChooseTheTrace(t *testing.T) {
	spans := newRecorded(sdk.WithSampler(sdk.ParentBased(sdk.NeverSample())))
	options := tracing.Options{Untrusted: func(r *observe.Request) bool { return r.HTTP.Header.Get("X-Own") == "" }}
	api := spans.api(t, options, rest.Options{})
	send(t, api, "GET", "/version", "", "Traceparent", sentParent)
	assert.Empty(t, spans.GetSpans())
	send(t, api, "GET", "/version", "", "Traceparent", sentParent, "X-Own", "yes")
	assert.Len(t, spans.GetSpans(), 1)

	all := newRecorded()
	api = all.api(t, options, rest.Options{})
	send(t, api, "GET", "/version", "", "Traceparent", sentParent)
	span := all.GetSpans()[0]
	assert.NotEqual(t, sentTrace, span.SpanContext.TraceID().String())
	require.Len(t, span.Links, 1)
	assert.Equal(t, sentTrace, span.Links[0].SpanContext.TraceID().String())
}

func TestFailuresSetTheStatus(t *testing.T) {
	panics := func(context.Context, *admission.Request) error { panic("a secret") }
	fails := func(context.Context, *admission.Request) error { return errors.New("a secret") }
	for _, c := range []struct {
		name, method, path string
		hook               func(context.Context, *admission.Request) error
		code               int
		request            codes.Code
		description        string
		hookStatus         codes.Code
		hookDescription    string
		exception          bool
	}{
		{"absent", "GET", memosPath + "/a", nil, 404, codes.Unset, "", codes.Unset, "", false},
		{"refused by a hook", "POST", memosPath, fails, 403, codes.Unset, "", codes.Error, "", false},
		{"panic", "POST", memosPath, panics, 500, codes.Error, "InternalError", codes.Error, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans := newRecorded()
			var hooks []admission.Hook
			if c.hook != nil {
				hooks = []admission.Hook{{Name: "hook.example.com", Validate: c.hook}}
			}
			api := spans.api(t, tracing.Options{}, rest.Options{Admission: hooks})
			answer := send(t, api, c.method, c.path, memoBody("a", "hello"))
			assert.Equal(t, c.code, answer.Code)
			_, by := spans.take()
			var request tracetest.SpanStub
			for name, s := range by {
				if strings.HasPrefix(name, c.method) {
					request = s
				}
			}
			assert.Equal(t, sdk.Status{Code: c.request, Description: c.description}, request.Status)
			assert.EqualValues(t, c.code, attributesOf(request)["http.response.status_code"])
			assert.Equal(t, sdk.Status{Code: c.hookStatus, Description: c.hookDescription}, by["hook hook.example.com"].Status)
			if c.request == codes.Error {
				assert.Equal(t, "500", attributesOf(request)["error.type"])
			}
			if !c.exception {
				assert.Empty(t, request.Events)
				return
			}
			require.Len(t, request.Events, 1)
			event := attribute.NewSet(request.Events[0].Attributes...)
			stack, _ := event.Value("exception.stacktrace")
			assert.Contains(t, stack.AsString(), "tracing_test.go")
			is, _ := event.Value("exception.type")
			assert.Equal(t, "string", is.AsString())
		})
	}
}

func TestAWatchIsASpanThatEndsWithIt(t *testing.T) {
	spans := newRecorded()
	ended := make(chan struct{}, 10)
	last := rest.PluginParts{Name: "last", Observer: endFunc(func() { ended <- struct{}{} })}
	api := spans.api(t, tracing.Options{}, rest.Options{Plugins: []rest.Plugin{last}})
	send(t, api, "POST", memosPath, memoBody("a", "hello"))
	<-ended
	spans.Reset()
	server := httptest.NewServer(api)
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+memosPath+"?watch=true", nil)
	require.NoError(t, err)
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	event, err := bufio.NewReader(response.Body).ReadBytes('\n')
	require.NoError(t, err)
	assert.Empty(t, spans.GetSpans())
	leave()
	<-ended
	_, by := spans.take()
	require.Len(t, by, 1)
	attrs := attributesOf(by["GET "+memosRoute])
	assert.Equal(t, "watch", attrs["decorum.verb"])
	assert.EqualValues(t, 1, attrs["decorum.watch.events"])
	assert.EqualValues(t, len(event), attrs["http.response.body.size"])
}

// endFunc is an observer that is called at the end of each request.
type endFunc func()

func (f endFunc) Observe(context.Context, *observe.Request) (context.Context, observe.Observation, error) {
	return nil, observe.Observation{Ended: func(observe.Ended) { f() }}, nil
}

// A hook that ignores its time limit goes on after its request. Its span ends with the request, so that it is not lost.
func TestTheSpanOfAHookThatHangsEndsWithTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans, release := newRecorded(), make(chan struct{})
		hangs := admission.Hook{Name: "hangs.example.com", Validate: func(context.Context, *admission.Request) error {
			<-release
			return nil
		}}
		api := spans.api(t, tracing.Options{}, rest.Options{Admission: []admission.Hook{hangs}})
		assert.Equal(t, 504, send(t, api, "POST", memosPath+"?timeout=5s", memoBody("a", "hello")).Code)
		tree, by := spans.take()
		assert.Contains(t, tree, "hook hangs.example.com < validating admission")
		for _, name := range []string{"hook hangs.example.com", "validating admission", "POST " + memosRoute} {
			assert.Equal(t, true, attributesOf(by[name])["decorum.abandoned"], name)
		}
		close(release)
		synctest.Wait()
		assert.Empty(t, spans.GetSpans())
	})
}

// A span leaves the program for a backend of others. It has nothing of bodies, queries and credentials.
func TestNoSpanHasWhatIsSecret(t *testing.T) {
	const planted = "pl4nted"
	spans := newRecorded()
	refuses := admission.Hook{Name: "refuses.example.com",
		Validate: func(_ context.Context, r *admission.Request) error {
			var m memo
			if err := r.Object(&m); err != nil {
				return err
			}
			if m.Name == "refused" {
				return errors.New("I do not like " + m.Text)
			}
			return nil
		}}
	api := spans.api(t, tracing.Options{}, rest.Options{Admission: []admission.Hook{refuses}})
	for _, c := range []struct{ method, path, body string }{
		{"POST", memosPath + "?fieldManager=" + planted, memoBody("a", planted)},
		{"POST", memosPath, memoBody("a", planted)},
		{"POST", memosPath, memoBody("refused", planted)},
		{"POST", memosPath, memoBody("b", planted+" is too long for a memo")},
		{"POST", memosPath, memoBody(planted+" is no name", "")},
		{"POST", memosPath, planted},
		{"PUT", memosPath + "/a", memoBody("a", planted+"2")},
		{"GET", memosPath + "?labelSelector=a%3D" + planted + "&continue=" + planted, ""},
		{"DELETE", memosPath + "/a", `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"` + planted + `"}}`},
	} {
		send(t, api, c.method, c.path, c.body, "Authorization", "Bearer "+planted, "Cookie", planted, "X-Api-Key", planted)
	}
	all, err := json.Marshal(spans.GetSpans())
	require.NoError(t, err)
	assert.Contains(t, string(all), "refuses.example.com")
	assert.NotContains(t, string(all), planted)
}

// An exporter loses the whole batch because of one text that is not in UTF-8.
func TestHostileTextsAreInUTF8AndShort(t *testing.T) {
	for _, c := range []struct{ name, sent string }{
		{"no UTF-8", "a\xff\x80"}, {"long", strings.Repeat("a", 100_000)},
		{"long in another script", strings.Repeat("日", 100_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans := newRecorded()
			user := access.AuthenticatorFunc(func(*http.Request) (*access.Identity,
				error) {
				return &access.Identity{User: access.User{Name: c.sent}}, nil
			})
			api := spans.api(t, tracing.Options{}, rest.Options{Authenticator: user})
			for _, path := range []string{"/" + c.sent, memosPath + "/" + c.sent,
				"/apis/" + c.sent + "/" + c.sent + "/" + c.sent, "/readyz/" + c.sent} {
				r := httptest.NewRequest("GET", "/", nil)
				r.Method, r.Host, r.URL = "X"+c.sent, c.sent, &url.URL{Path: path}
				r.Header["User-Agent"] = []string{c.sent}
				api.ServeHTTP(httptest.NewRecorder(), r)
			}
			all := spans.GetSpans()
			require.Len(t, all, 4)
			for _, s := range all {
				assert.True(t, utf8.ValidString(s.Name) && len(s.Name) < 200, s.Name)
				for _, a := range s.Attributes {
					text := a.Value.Emit()
					assert.True(t, utf8.ValidString(text), a.Key)
					assert.LessOrEqual(t, len(text), 1024, a.Key)
				}
			}
		})
	}
}

func TestNewNeedsATracerProvider(t *testing.T) {
	_, err := tracing.New(tracing.Options{})
	assert.EqualError(t, err, "tracing.New: Options.TracerProvider must be set")
}

// webhooks is a server of webhooks that keeps the trace of each call.
type webhooks struct {
	*httptest.Server
	mu     sync.Mutex
	traces []string
}

func serveWebhooks(t *testing.T, answer func(review map[string]any) map[string]any) *webhooks {
	t.Helper()
	w := &webhooks{}
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.traces = append(w.traces, r.Header.Get("Traceparent"))
		w.mu.Unlock()
		var review map[string]any
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &review)
		}
		if err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		review["response"] = answer(review)
		delete(review, "request")
		_ = json.NewEncoder(out).Encode(review)
	}))
	w.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	w.StartTLS()
	t.Cleanup(w.Close)
	return w
}

func (w *webhooks) certificate() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.Certificate().Raw})
}

// take returns the traces of the calls since the last call of take.
func (w *webhooks) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.traces
	w.traces = nil
	return all
}

func newCalls(t *testing.T) *callout.Client {
	t.Helper()
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	return calls
}

// reviewed is an API whose memos a webhook validates.
func reviewed(t *testing.T, spans *recorded) (*rest.API, *webhooks) {
	t.Helper()
	server := serveWebhooks(t, func(review map[string]any) map[string]any {
		request := review["request"].(map[string]any)
		return map[string]any{"uid": request["uid"], "allowed": request["object"].(map[string]any)["text"] != "bad"}
	})
	hooks, err := webhook.New(webhook.Options{Calls: newCalls(t)})
	require.NoError(t, err)
	api := spans.api(t, tracing.Options{}, rest.Options{Plugins: []rest.Plugin{hooks}})
	configurations, err := rest.ClientForType[ar.ValidatingWebhookConfiguration](api)
	require.NoError(t, err)
	none, all, path := ar.SideEffectClassNone, ar.AllScopes, server.URL+"/review"
	_, err = configurations.Create(t.Context(), &ar.ValidatingWebhookConfiguration{
		ObjectMeta: apimeta.ObjectMeta{Name: "memos"},
		Webhooks: []ar.ValidatingWebhook{{
			Name: "memos.example.com", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: ar.WebhookClientConfig{URL: &path, CABundle: server.certificate()},
			Rules: []ar.RuleWithOperations{{Operations: []ar.OperationType{ar.OperationAll},
				Rule: ar.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"*"}, Resources: []string{"memos"},
					Scope: &all}}},
		}},
	})
	require.NoError(t, err)
	spans.Reset()
	return api, server
}

func TestAWebhookReceivesTheTraceOfItsCall(t *testing.T) {
	spans := newRecorded()
	api, server := reviewed(t, spans)
	require.Equal(t, 201, send(t, api, "POST", memosPath, memoBody("a", "good"), "Traceparent", sentParent, "Tracestate",
		"vendor=1").Code)
	tree, by := spans.take()
	assert.Subset(t, tree, []string{
		"webhook memos.example.com < hook validatingadmissionwebhook",
		"hook validatingadmissionwebhook < validating admission",
		"POST " + memosRoute + " < remote",
	})
	call := by["webhook memos.example.com"]
	assert.Equal(t, trace.SpanKindClient, call.SpanKind)
	assert.Equal(t, []string{"00-" + sentTrace + "-" + call.SpanContext.SpanID().String() + "-01"}, server.take())
	assert.EqualValues(t, 200, attributesOf(call)["http.response.status_code"])
	assert.Equal(t, codes.Unset, call.Status.Code)

	require.Equal(t, 400, send(t, api, "POST", memosPath, memoBody("b", "bad")).Code)
	_, by = spans.take()
	assert.Equal(t, codes.Error, by["webhook memos.example.com"].Status.Code)
	assert.Len(t, server.take(), 1)

	server.Close()
	require.Equal(t, 500, send(t, api, "POST", memosPath, memoBody("c", "good")).Code)
	_, by = spans.take()
	assert.Equal(t, codes.Error, by["webhook memos.example.com"].Status.Code)
	assert.NotContains(t, attributesOf(by["webhook memos.example.com"]), "http.response.status_code")
}

// A webhook learns that a trace is not recorded, so it records nothing either.
func TestAWebhookLearnsThatATraceIsNotRecorded(t *testing.T) {
	spans := newRecorded(sdk.WithSampler(sdk.NeverSample()))
	api, server := reviewed(t, spans)
	require.Equal(t, 201, send(t, api, "POST", memosPath, memoBody("a", "good"), "Traceparent", sentParent).Code)
	assert.Empty(t, spans.GetSpans())
	traces := server.take()
	require.Len(t, traces, 1)
	assert.Regexp(t, "^00-"+sentTrace+"-[0-9a-f]{16}-00$", traces[0])
}

func TestAConversionWebhookReceivesTheTrace(t *testing.T) {
	spans := newRecorded()
	server := serveWebhooks(t, func(review map[string]any) map[string]any {
		request := review["request"].(map[string]any)
		objects := request["objects"].([]any)
		for _, o := range objects {
			o.(map[string]any)["apiVersion"] = request["desiredAPIVersion"]
		}
		return map[string]any{"uid": request["uid"], "convertedObjects": objects,
			"result": map[string]any{"status": "Success"}}
	})
	definitions := crd.New(crd.Options{Calls: newCalls(t)})
	api := spans.api(t, tracing.Options{}, rest.Options{Plugins: []rest.Plugin{definitions}})
	require.NoError(t, api.Start(t.Context()))
	schema := &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{Type: "object"}}
	client, err := rest.ClientForType[apiextensions.CustomResourceDefinition](api)
	require.NoError(t, err)
	_, err = client.Create(t.Context(), &apiextensions.CustomResourceDefinition{
		ObjectMeta: apimeta.ObjectMeta{Name: "ropes.example.org"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "example.org", Scope: "Namespaced",
			Names: apiextensions.CustomResourceDefinitionNames{Plural: "ropes", Kind: "Rope"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{
				{Name: "v1", Served: true, Storage: true, Schema: schema}, {Name: "v2", Served: true, Schema: schema}},
			Conversion: &apiextensions.CustomResourceConversion{Strategy: apiextensions.WebhookConverter,
				Webhook: &apiextensions.WebhookConversion{
					ConversionReviewVersions: []string{"v1"},
					ClientConfig:             &apiextensions.WebhookClientConfig{URL: &server.URL, CABundle: server.certificate()},
				}},
		},
	})
	require.NoError(t, err)
	for event, err := range client.Follow(t.Context(), rest.WatchOptions{}) {
		require.NoError(t, err)
		if event.Object.Is(apiextensions.Established) {
			break
		}
	}
	ropes := func(version string) string { return "/apis/example.org/" + version + "/namespaces/default/ropes" }
	answer := send(t, api, "POST", ropes("v1"), `{"apiVersion":"example.org/v1","kind":"Rope","metadata":{"name":"a"}}`)
	require.Equal(t, 201, answer.Code, answer.Body)
	spans.Reset()
	server.take()
	answer = send(t, api, "GET", ropes("v2")+"/a", "", "Traceparent", sentParent)
	require.Equal(t, 200, answer.Code, answer.Body)
	tree, by := spans.take()
	name := "conversion to example.org/v2"
	assert.Contains(t, tree, name+" < GET /apis/example.org/v2/namespaces/{namespace}/ropes/{name}")
	assert.Equal(t, []string{"00-" + sentTrace + "-" + by[name].SpanContext.SpanID().String() + "-01"}, server.take())
}

// The sampler of the host decides. A request that is not recorded costs little.
func TestRequestsThatAreNotRecordedAllocateLittle(t *testing.T) {
	count := func(options ...sdk.TracerProviderOption) (get, create float64) {
		var plugins []rest.Plugin
		if len(options) > 0 {
			spans, err := tracing.New(tracing.Options{TracerProvider: sdk.NewTracerProvider(options...)})
			require.NoError(t, err)
			plugins = []rest.Plugin{spans}
		} else {
			plugins = []rest.Plugin{rest.PluginParts{Name: "nothing", Observer: endFunc(func() {})}}
		}
		api, err := rest.New(rest.Options{Plugins: plugins}, memos())
		require.NoError(t, err)
		defer api.Close()
		require.Equal(t, 201, send(t, api, "POST", memosPath, memoBody("a", "hello")).Code)
		get = testing.AllocsPerRun(200, func() { send(t, api, "GET", memosPath+"/a", "") })
		create = testing.AllocsPerRun(200, func() { send(t, api, "POST", memosPath+"?dryRun=All", memoBody("b", "hello")) })
		return get, create
	}
	get, create := count()
	unsampledGet, unsampledCreate := count(sdk.WithSampler(sdk.NeverSample()))
	t.Logf("allocations of an observer that does nothing, and of traces that are not recorded: GET %v, %v; dry CREATE %v, %v",
		get, unsampledGet, create, unsampledCreate)
	assert.LessOrEqual(t, unsampledGet-get, 20.0)
	assert.LessOrEqual(t, unsampledCreate-create, 20.0)
}
