package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Tests start an API, send it requests and read its answers by the functions of this file. The kinds that they serve are in files of
// their own, such as widget_test.go and thing_test.go.

// now is the time in all tests, so that whole bodies can be compared.
func now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC) }

const nowText = "2026-01-02T03:04:05Z"

// newStore returns a store in memory that counts revisions from 1, so a test can predict them.
func newStore(t testing.TB) *storage.Engine {
	t.Helper()
	return closing(t, storage.NewMemory(storage.Options{Start: 1}))
}

// closing closes a store, or an API, at the end of the test.
func closing[C io.Closer](t testing.TB, c C) C {
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// start makes an API as a host does, with the host's defaults.
func start(t testing.TB, options rest.Options, definitions ...rest.Definition) *rest.API {
	t.Helper()
	api, err := rest.New(options, definitions...)
	require.NoError(t, err)
	return closing(t, api)
}

// newAPI starts an API with predictable answers: its clock stands still at now, it counts uids from uid-1, and the first commit is
// resourceVersion 2.
func newAPI(t testing.TB, options rest.Options, definitions ...rest.Definition) *rest.API {
	t.Helper()
	if options.Now == nil {
		options.Now = now
	}
	var uids atomic.Int64
	options.NewUID = func() string { return "uid-" + strconv.FormatInt(uids.Add(1), 10) }
	if options.Store == nil {
		options.Store = newStore(t)
	}
	return start(t, options, definitions...)
}

// answer is the response of a handler.
type answer struct {
	Code    int
	Header  http.Header
	Body    string // without the newline at the end of JSON
	Flushed bool
	raw     string // the body as it was sent
}

func answerOf(w *httptest.ResponseRecorder) answer {
	return newAnswer(w.Code, w.Header(), w.Body.String(), w.Flushed)
}

// newAnswer leaves out the audit ID, so that tests can compare answers.
func newAnswer(code int, header http.Header, raw string, flushed bool) answer {
	header.Del("Audit-ID")
	body := raw
	if strings.HasPrefix(header.Get("Content-Type"), thingType) {
		body = strings.TrimSuffix(raw, "\n")
	}
	return answer{code, header, body, flushed, raw}
}

// newRequest is a request as a server would read it from a socket: nothing in target is cleaned.
func newRequest(method, target string, body io.Reader, header ...string) *http.Request {
	r := httptest.NewRequest(method, "/", body)
	path, query, _ := strings.Cut(target, "?")
	r.RequestURI = target
	r.URL.Path, r.URL.RawQuery = path, query
	if plain, err := url.PathUnescape(path); err == nil {
		r.URL.Path, r.URL.RawPath = plain, path
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	if body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", thingType)
	}
	return r
}

// recorder is httptest's, with the deadlines that a stream needs of a ResponseWriter. It takes every write, so it always meets them.
type recorder struct{ *httptest.ResponseRecorder }

func newRecorder() recorder { return recorder{httptest.NewRecorder()} }

func (recorder) SetWriteDeadline(time.Time) error { return nil }

// ask sends a request to a handler, without a connection.
func ask(h http.Handler, r *http.Request) answer {
	w := newRecorder()
	h.ServeHTTP(w, r)
	return answerOf(w.ResponseRecorder)
}

// do sends a request. The headers are pairs; without a Content-Type among them a body is JSON.
func do(t testing.TB, h http.Handler, method, target, body string, headers ...string) answer {
	t.Helper()
	return ask(h, newRequest(method, target, textOf(body), headers...))
}

// textOf is the body of a request: none if the text is empty.
func textOf(body string) io.Reader {
	if body == "" {
		return nil
	}
	return strings.NewReader(body)
}

// must is do for a step that only prepares a test.
func must(t testing.TB, h http.Handler, method, target, body string, headers ...string) answer {
	t.Helper()
	a := do(t, h, method, target, body, headers...)
	require.Less(t, a.Code, 300, "%s %s: %s", method, target, a.Body)
	return a
}

// decode reads an answer's JSON.
func (a answer) decode(t testing.TB, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.Body), into), a.Body)
}

// text reads a string in an answer's JSON, by a path like metadata.resourceVersion.
func (a answer) text(t testing.TB, path string) string {
	t.Helper()
	v, _ := a.value(t, path).(string)
	return v
}

func (a answer) value(t testing.TB, path string) any {
	t.Helper()
	var v any
	a.decode(t, &v)
	for _, key := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			require.NoError(t, err)
			require.Less(t, i, len(at), a.Body)
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// rv is the resourceVersion of an answer.
func (a answer) rv(t testing.TB) string {
	t.Helper()
	return a.text(t, "metadata.resourceVersion")
}

// names are the names of the items of a list.
func (a answer) names(t testing.TB) []string {
	t.Helper()
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	a.decode(t, &list)
	out := []string{}
	for _, item := range list.Items {
		out = append(out, item.Metadata.Name)
	}
	return out
}

// wantJSON asserts an answer's code and its whole JSON body.
func wantJSON(t testing.TB, a answer, code int, body string) {
	t.Helper()
	require.Equal(t, code, a.Code, a.Body)
	require.Equal(t, "application/json", a.Header.Get("Content-Type"))
	require.JSONEq(t, unmanaged(t, body), unmanaged(t, a.Body))
}

// unmanaged is JSON without the managedFields of its objects, which have tests of their own.
func unmanaged(t testing.TB, text string) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	require.NoError(t, decoder.Decode(&v), text)
	var drop func(v any)
	drop = func(v any) {
		switch at := v.(type) {
		case map[string]any:
			if metadata, ok := at["metadata"].(map[string]any); ok {
				delete(metadata, "managedFields")
			}
			for _, member := range at {
				drop(member)
			}
		case []any:
			for _, element := range at {
				drop(element)
			}
		}
	}
	drop(v)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

// wantFailure asserts that an answer is a Status that says exactly this. details is JSON, or empty for none.
func wantFailure(t testing.TB, a answer, code int, reason, message, details string) {
	t.Helper()
	status := map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure", "message": message, "code": code}
	if reason != "" {
		status["reason"] = reason
	}
	if details != "" {
		status["details"] = json.RawMessage(details)
	}
	body, err := json.Marshal(status)
	require.NoError(t, err)
	wantJSON(t, a, code, string(body))
}

// cause is one cause of a 422.
type cause struct{ reason, field, message string }

// wantInvalid asserts that an answer is the 422 with these causes, in this order.
func wantInvalid(t testing.TB, a answer, kind, name string, causes ...cause) {
	t.Helper()
	var texts, list []string
	seen := map[string]bool{}
	for _, c := range causes {
		text := c.field + ": " + c.message
		if !seen[text] {
			texts = append(texts, text)
		}
		seen[text] = true
		encoded, err := json.Marshal(map[string]string{"reason": c.reason, "field": c.field, "message": c.message})
		require.NoError(t, err)
		list = append(list, string(encoded))
	}
	message := texts[0]
	if len(texts) > 1 {
		message = "[" + strings.Join(texts, ", ") + "]"
	}
	short, group, _ := strings.Cut(kind, ".")
	details := `{"kind":"` + short + `","causes":[` + strings.Join(list, ",") + `]`
	if group != "" {
		details += `,"group":"` + group + `"`
	}
	if name != "" {
		details += `,"name":"` + name + `"`
	}
	wantFailure(t, a, 422, "Invalid", fmt.Sprintf("%s %q is invalid: %s", kind, name, message), details+"}")
}

// statusOf reads an answer as a Status, which every error has to be.
func statusOf(t testing.TB, a answer) status.Status {
	t.Helper()
	var s status.Status
	require.Equal(t, thingType, a.Header.Get("Content-Type"), a.Body)
	a.decode(t, &s)
	require.Equal(t, "Status", s.Kind)
	require.Equal(t, "v1", s.APIVersion)
	require.Equal(t, a.Code, int(s.Code))
	return s
}

// thingHTTP serves a handler on a socket until the test, and the watches that it opened later, have ended.
func thingHTTP(t testing.TB, handler http.Handler, configure ...func(*http.Server)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	for _, c := range configure {
		c(server.Config)
	}
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func thingLogger(into io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(into, nil)) }

// open sends a request by a client and returns the response before its body has arrived. The body ends with ctx or with the test.
func open(ctx context.Context, t testing.TB, client *http.Client, method, url string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	require.NoError(t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// received reads a response to its end.
func received(t testing.TB, response *http.Response) answer {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return newAnswer(response.StatusCode, response.Header, string(body), false)
}

// thingDeadline is how long something may take that happens at once on an idle machine.
const thingDeadline = time.Minute

// awaitThat yields until something holds that no channel tells of.
func awaitThat(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(thingDeadline); !holds(); {
		if time.Now().After(end) {
			var dump strings.Builder
			_ = pprof.Lookup("goroutine").WriteTo(&dump, 1)
			require.FailNow(t, "in vain: "+what, dump.String())
		}
		runtime.Gosched()
	}
}

// within fails when something takes as long as it does when nobody ends it.
func within[T any](t testing.TB, what string, done <-chan T) T {
	t.Helper()
	timer := time.NewTimer(thingDeadline)
	defer timer.Stop()
	select {
	case v := <-done:
		return v
	case <-timer.C:
		require.FailNow(t, "too slow: "+what)
		panic("unreachable")
	}
}

// inBackground runs f and returns the channel on which its result comes.
func inBackground[T any](f func() T) <-chan T {
	done := make(chan T, 1)
	go func() { done <- f() }()
	return done
}
