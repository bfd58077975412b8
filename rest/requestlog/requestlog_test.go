package requestlog_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/requestlog"
)

// written is a log in memory.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
	line chan struct{} // receives a value for each line
}

func newWritten() *written { return &written{line: make(chan struct{}, 1000)} }

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line <- struct{}{}
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// logger writes all levels as JSON, without the time.
func (w *written) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(w,
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && groups == nil {
				return slog.Attr{}
			}
			return a
		}}))
}

// take returns the lines since the last call.
func (w *written) take(t *testing.T) (lines []map[string]any) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for text := range strings.Lines(w.text.String()) {
		var line map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &line), text)
		lines = append(lines, line)
	}
	w.text.Reset()
	return lines
}

// widgets is an API of Widgets that logs requests.
func widgets(t *testing.T, log requestlog.Options, options rest.Options, with ...apitest.WidgetOption) *rest.API {
	t.Helper()
	options.Plugins = append(options.Plugins, requestlog.New(log))
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return apitest.New(t, options, apitest.WidgetResource(with...))
}

// one is the line of the only request since the last call, without what differs in each run.
func (w *written) one(t *testing.T) map[string]any {
	t.Helper()
	lines := w.take(t)
	require.Len(t, lines, 1)
	assert.Positive(t, lines[0]["latency"])
	assert.Equal(t, "192.0.2.1:1234", lines[0]["from"])
	maps.DeleteFunc(lines[0], func(key string, _ any) bool {
		return slices.Contains([]string{"latency", "from", "bytes", "auditID"}, key)
	})
	return lines[0]
}

func TestALineSaysWhoAskedForWhatAndWithWhichAnswer(t *testing.T) {
	log := newWritten()
	users := access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		if r.Header.Get("Authorization") == "Bearer wrong" {
			return nil, errors.New("no such token")
		}
		return &access.Identity{User: access.User{Name: "jane"}}, nil
	})
	deny := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		if a.Namespace == "closed" {
			return access.Deny("closed"), nil
		}
		return access.Allow("open"), nil
	})
	api := widgets(t, requestlog.Options{Logger: log.logger(), Level: slog.LevelDebug},
		rest.Options{Authenticator: users, Authorizer: deny})
	one := apitest.Widgets + "/a"
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		want                     map[string]any
	}{
		{"create", "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`), nil, map[string]any{
			"method": "POST", "verb": "create", "namespace": "default", "name": "a", "code": 201.0}},
		{"dry run", "POST", apitest.Widgets + "?dryRun=All", apitest.WidgetBody(`"name":"b"`), nil, map[string]any{
			"method": "POST", "verb": "create", "namespace": "default", "dryRun": true, "code": 201.0}},
		{"create what exists", "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`), nil, map[string]any{
			"method": "POST", "verb": "create", "namespace": "default", "code": 409.0, "reason": "AlreadyExists"}},
		{"get", "GET", one, "", []string{"User-Agent", "curl/8"}, map[string]any{
			"method": "GET", "verb": "get", "namespace": "default", "name": "a", "userAgent": "curl/8", "code": 200.0}},
		{"subresource", "GET", one + "/scale", "", nil, map[string]any{
			"method": "GET", "verb": "get", "namespace": "default", "name": "a", "subresource": "scale", "code": 200.0}},
		{"list", "GET", "/apis/example.com/v1/widgets", "", nil,
			map[string]any{"method": "GET", "verb": "list", "code": 200.0}},
		{"forbidden", "GET", "/apis/example.com/v1/namespaces/closed/widgets/a", "", nil, map[string]any{
			"method": "GET", "verb": "get", "namespace": "closed", "name": "a", "code": 403.0, "reason": "Forbidden"}},
		{"impersonated", "GET", one, "", []string{"Impersonate-User", "joe"}, map[string]any{
			"method": "GET", "verb": "get", "namespace": "default", "name": "a", "user": "joe", "impersonatedBy": "jane",
			"code": 200.0}},
		{"invalid credentials", "GET", one, "", []string{"Authorization", "Bearer wrong"}, map[string]any{
			"method": "GET", "verb": "get", "namespace": "default", "name": "a", "user": nil, "code": 401.0,
			"reason": "Unauthorized"}},
		{"unknown method", "BREW", one, "", nil, map[string]any{
			"method": "BREW", "verb": "", "namespace": "default", "name": "a", "code": 405.0, "reason": "MethodNotAllowed"}},
		{"path", "GET", "/version", "", nil, map[string]any{
			"method": "GET", "verb": "get", "path": "/version", "code": 200.0, "resource": nil, "version": nil}},
		{"health", "GET", "/livez", "", nil, map[string]any{
			"method": "GET", "verb": "get", "path": "/livez", "code": 200.0, "resource": nil, "version": nil, "level": "DEBUG"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.Do(t, api, c.method, c.path, c.body, c.headers...)
			want := map[string]any{"msg": "request", "level": "INFO", "user": "jane", "resource": "widgets.example.com",
				"version": "v1"}
			maps.Copy(want, c.want)
			maps.DeleteFunc(want, func(_ string, v any) bool { return v == nil || v == "" })
			assert.Equal(t, want, log.one(t))
		})
	}
}

func TestALineHasTheBytesAndTheAuditIDOfTheAnswer(t *testing.T) {
	log := newWritten()
	api := widgets(t, requestlog.Options{Logger: log.logger()}, rest.Options{})
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequest("GET", "/version", nil))
	lines := log.take(t)
	require.Len(t, lines, 1)
	assert.EqualValues(t, answer.Body.Len(), lines[0]["bytes"])
	assert.Equal(t, answer.Header().Get("Audit-ID"), lines[0]["auditID"])
	assert.NotEmpty(t, lines[0]["auditID"])
}

func TestTheHostSetsTheLevel(t *testing.T) {
	for _, c := range []struct {
		name  string
		level slog.Leveler
		want  []string // the messages and codes
	}{
		{"default", nil, []string{"request 200", "request 500"}},
		{"debug", slog.LevelDebug, []string{"request 200", "request 200", "request 500"}},
		{"warn", slog.LevelWarn, []string{"request 500"}},
		{"error", slog.LevelError, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := newWritten()
			broken := apitest.WithDefault(func(context.Context, *apitest.Widget) error { return errors.New("broken") })
			api := widgets(t, requestlog.Options{Logger: log.logger(), Level: c.level}, rest.Options{}, broken)
			apitest.Do(t, api, "GET", "/readyz", "")
			apitest.Do(t, api, "GET", "/version", "")
			apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
			var got []string
			for _, line := range log.take(t) {
				got = append(got, line["msg"].(string)+" "+string(jsonOf(t, line["code"])))
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

func TestASlowRequestHasTheTimeOfEachStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newWritten()
		pause := 2 * time.Second
		slow := apitest.Validating("slow.example.com", func(context.Context, *admission.Request) error {
			<-time.After(pause)
			return nil
		})
		api := widgets(t, requestlog.Options{Logger: log.logger(), Slow: time.Second},
			rest.Options{Admission: []admission.Hook{slow}})
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
		lines := log.take(t)
		require.Len(t, lines, 1)
		assert.Equal(t, "slow request", lines[0]["msg"])
		assert.Equal(t, "WARN", lines[0]["level"])
		steps := lines[0]["steps"].(map[string]any)
		for _, within := range []string{"admit", "validating admission", "hook slow.example.com"} {
			assert.EqualValues(t, pause, steps[within], within)
		}
		for _, beside := range []string{"prune", "set defaults", "mutating admission", "commit", "encode"} {
			assert.EqualValues(t, 0, steps[beside], beside)
		}
		assert.NotContains(t, steps, "", "each step has a name")

		pause = 0
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`))
		lines = log.take(t)
		require.Len(t, lines, 1)
		assert.Equal(t, "request", lines[0]["msg"])
		assert.NotContains(t, lines[0], "steps")
	})
}

// A hook that ignores its time limit is answered for without it. The line says which one it is, although its step has
// not ended.
func TestASlowRequestShowsTheStepThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, release := newWritten(), make(chan struct{})
		hangs := apitest.Validating("hangs.example.com", func(context.Context, *admission.Request) error {
			<-release
			return nil
		})
		api := widgets(t, requestlog.Options{Logger: log.logger(), Slow: time.Second},
			rest.Options{Admission: []admission.Hook{hangs}})
		answer := apitest.Do(t, api, "POST", apitest.Widgets+"?timeout=5s", apitest.WidgetBody(`"name":"a"`))
		close(release)
		assert.Equal(t, 504, answer.Code)
		lines := log.take(t)
		require.Len(t, lines, 1)
		assert.Equal(t, true, lines[0]["abandoned"])
		assert.EqualValues(t, lines[0]["latency"], lines[0]["steps"].(map[string]any)["hook hangs.example.com"])
	})
}

// The API logs the panic with its stack, and the line of the request marks it.
func TestAPanicIsLoggedOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		left bool
	}{{"a client that waits", false}, {"a client that has left", true}} {
		t.Run(c.name, func(t *testing.T) {
			log := newWritten()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			broken := apitest.Validating("broken.example.com", func(context.Context, *admission.Request) error {
				if c.left {
					leave()
				}
				panic("broken hook")
			})
			api := widgets(t, requestlog.Options{Logger: log.logger()},
				rest.Options{Logger: log.logger(), Admission: []admission.Hook{broken}})
			r := httptest.NewRequestWithContext(ctx, "POST", apitest.Widgets,
				strings.NewReader(apitest.WidgetBody(`"name":"a"`)))
			r.Header.Set("Content-Type", "application/json")
			api.ServeHTTP(httptest.NewRecorder(), r)
			assert.Equal(t, 1, strings.Count(log.String(), "runtime/debug.Stack"), "one stack")
			lines := log.take(t)
			require.Len(t, lines, 2)
			assert.Equal(t, "request failed", lines[0]["msg"])
			assert.Contains(t, lines[0]["error"], "requestlog_test.go", "the stack")
			assert.Equal(t, "request", lines[1]["msg"])
			assert.Equal(t, true, lines[1]["panicked"])
			assert.Equal(t, lines[0]["auditID"], lines[1]["auditID"])
		})
	}
}

func TestAWatchIsOneLineAtItsEndAndOnDebugOneAtItsBeginning(t *testing.T) {
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelDebug} {
		t.Run(level.String(), func(t *testing.T) {
			log := newWritten()
			api := widgets(t, requestlog.Options{Logger: log.logger(), Level: level, Slow: 1}, rest.Options{})
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
			log.take(t)
			<-log.line
			server := apitest.Serve(t, api)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			response := apitest.Open(ctx, t, server.Client(), "GET", server.URL+apitest.Widgets+"?watch=true")
			event, err := bufio.NewReader(response.Body).ReadBytes('\n')
			require.NoError(t, err)
			if level == slog.LevelDebug {
				apitest.Within(t, "the line at the beginning", log.line)
				began := log.take(t)[0]
				assert.Equal(t, "watch began", began["msg"])
				assert.Equal(t, "widgets.example.com", began["resource"])
				assert.EqualValues(t, 200, began["code"])
				assert.NotContains(t, began, "latency")
			}
			leave()
			apitest.Within(t, "the line at the end", log.line)
			lines := log.take(t)
			require.Len(t, lines, 1)
			assert.Equal(t, "watch ended", lines[0]["msg"])
			assert.Equal(t, "INFO", lines[0]["level"], "a watch is not slow")
			assert.EqualValues(t, 1, lines[0]["events"])
			assert.EqualValues(t, len(event), lines[0]["bytes"])
			assert.NotContains(t, lines[0], "steps")
		})
	}
}

// No line of a request, and no line of the API about it, has a byte of a body, a query or credentials.
func TestNoLineHasWhatIsSecret(t *testing.T) {
	const planted = "pl4nted"
	log := newWritten()
	users := auth.Tokens(auth.Token{Secret: "the good secret", User: access.User{Name: "jane"}})
	refuses := apitest.Validating("refuses.example.com", func(_ context.Context, r *admission.Request) error {
		var w apitest.Widget
		if err := r.Object(&w); err != nil {
			return err
		}
		if w.Name == "refused" {
			return errors.New("I do not like " + *w.Spec.Color)
		}
		return nil
	})
	api := widgets(t, requestlog.Options{Logger: log.logger(), Level: slog.LevelDebug, Slow: 1}, rest.Options{
		Logger: log.logger(), Authenticator: users, Admission: []admission.Hook{refuses}})
	body := func(name, spec string) string {
		return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"` + name + `","annotations":{"a":"` +
			planted + `"}},"spec":{` + spec + `}}`
	}
	spec := `"size":1,"color":"` + planted + `"`
	one := apitest.Widgets + "/a"
	json, merge, yaml := "application/json", "application/merge-patch+json", "application/apply-patch+yaml"
	sent := 0
	for _, c := range []struct{ method, path, contentType, body string }{
		{"POST", apitest.Widgets, json, body("a", spec)},
		{"POST", apitest.Widgets, json, body("a", spec)},
		{"POST", apitest.Widgets, json, body("refused", spec)},
		{"POST", apitest.Widgets, json, body("b", `"size":"`+planted+`"`)},
		{"POST", apitest.Widgets, json, body("c", `"`+planted+`":1`)},
		{"POST", apitest.Widgets, json, body(planted+" is no name", spec)},
		{"POST", apitest.Widgets, json, planted},
		{"POST", apitest.Widgets, planted, body("d", spec)},
		{"POST", apitest.Widgets + "?fieldManager=" + planted + "&fieldValidation=" + planted, json, body("e", spec)},
		{"PUT", one, json, body("a", spec)},
		{"PUT", one, json, body("other-"+planted, spec)},
		{"PATCH", one, merge, `{"spec":{"color":"` + planted + `2"}}`},
		{"PATCH", one, "application/json-patch+json", `[{"op":"test","path":"/spec/color","value":"` + planted + `"}]`},
		{"PATCH", one + "?fieldManager=" + planted, yaml,
			"apiVersion: example.com/v1\nkind: Widget\nspec: {size: 2, color: " + planted + "}\n"},
		{"GET", one + "?" + planted + "=" + planted, "", ""},
		{"GET", apitest.Widgets + "?labelSelector=a%3D" + planted + "&fieldSelector=spec.color%3D" + planted, "", ""},
		{"GET", apitest.Widgets + "?continue=" + planted + "&resourceVersion=" + planted, "", ""},
		{"GET", one + "?%zz" + planted, "", ""},
		{"DELETE", one, json, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"` + planted + `"}}`},
		{"DELETE", one + "?gracePeriodSeconds=" + planted, "", ""},
		{"DELETE", apitest.Widgets + "?fieldSelector=spec.color%3D" + planted, "", ""},
	} {
		for _, credentials := range []string{"Bearer the good secret", "Bearer " + planted} {
			target, query, _ := strings.Cut(c.path, "?")
			r := httptest.NewRequest(c.method, target, strings.NewReader(c.body))
			r.URL = &url.URL{Path: target, RawQuery: query}
			for name, value := range map[string]string{
				"Authorization": credentials, "Content-Type": c.contentType, "Cookie": "session=" + planted, "X-Api-Key": planted,
				"Referer": planted,
			} {
				r.Header.Set(name, value)
			}
			answer := httptest.NewRecorder()
			api.ServeHTTP(answer, r)
			sent++
			assert.NotEmpty(t, answer.Code)
		}
	}
	assert.Equal(t, sent, strings.Count(log.String(), `"msg":"slow request"`), "every request has its line")
	assert.NotContains(t, log.String(), planted)
	assert.NotContains(t, log.String(), "good secret")
}

// What a client chooses stays within its line and is short, whatever the handler of the host does with texts.
func TestHostileTextsAreEscapedAndCut(t *testing.T) {
	for _, c := range []struct{ name, sent, want string }{
		{"line break", "a\nlevel=ERROR", `a\nlevel=ERROR`},
		{"terminal", "\x1b[2Ja\r", `\x1b[2Ja\r`},
		{"direction of writing", "a\u202eb\u2028", `a\u202eb\u2028`},
		{"no UTF-8", "a\xff\x80", `a\xff\x80`},
		{"other scripts", "Übersicht 日本", "Übersicht 日本"},
		{"long", strings.Repeat("a", 100_000), strings.Repeat("a", 256) + "…"},
		{"long with escapes", strings.Repeat("\u2028", 10_000), strings.Repeat(`\u2028`, 42) + "…"},
		{"long in another script", strings.Repeat("日", 1000), strings.Repeat("日", 85) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []slog.Record
			logger := slog.New(recording(func(r slog.Record) { got = append(got, r) }))
			user := access.AuthenticatorFunc(func(*http.Request) (*access.Identity,
				error) {
				return &access.Identity{User: access.User{Name: c.sent}}, nil
			})
			api := widgets(t, requestlog.Options{Logger: logger}, rest.Options{Authenticator: user})
			for _, path := range []string{"/" + c.sent, "/apis/example.com/v1/namespaces/" + c.sent + "/widgets/" + c.sent,
				"/apis/" + c.sent + "/" + c.sent + "/" + c.sent} {
				r := httptest.NewRequest("GET", "/", nil)
				r.Method = "X" + c.sent
				r.URL = &url.URL{Path: path}
				r.Header["User-Agent"] = []string{c.sent}
				r.RemoteAddr = c.sent
				api.ServeHTTP(httptest.NewRecorder(), r)
			}
			require.Len(t, got, 3)
			attrs := map[string]string{}
			for _, r := range got {
				r.Attrs(func(a slog.Attr) bool {
					attrs[a.Key] = a.Value.String()
					assert.LessOrEqual(t, len(a.Value.String()), 256+len("…"), a.Key)
					assert.NotRegexp(t, `[\x00-\x1f\x7f\x{202e}\x{2028}]`, a.Value.String(), a.Key)
					return true
				})
			}
			for _, key := range []string{"user", "userAgent", "from", "namespace", "name", "version"} {
				assert.Equal(t, c.want, attrs[key], key)
			}
		})
	}
}

// recording is a handler that passes records on as they are.
type recording func(slog.Record)

func (recording) Enabled(context.Context, slog.Level) bool { return true }

func (f recording) Handle(_ context.Context, r slog.Record) error {
	f(r)
	return nil
}
func (f recording) WithAttrs([]slog.Attr) slog.Handler { return f }
func (f recording) WithGroup(string) slog.Handler      { return f }

type memo struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty"`
}
