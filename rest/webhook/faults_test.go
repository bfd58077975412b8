package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/webhook"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// A webhook that cannot be called, or whose answer makes no sense, fails the write or lets it pass, as its failure
// policy says.
func TestFaults(t *testing.T) {
	write := func(text string) http.HandlerFunc {
		return func(out http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(out, text) }
	}
	reviewed := func(response string) http.HandlerFunc {
		return write(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":` + response + `}`)
	}
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    string // the end of the message, after the name of the webhook
	}{
		{"an unknown path", nil, `failed to call webhook: Post "URL?timeout=10s": the server answered 404 Not Found`},
		{"an error", func(out http.ResponseWriter, _ *http.Request) { http.Error(out, "secret", 500) },
			`failed to call webhook: Post "URL?timeout=10s": the server answered 500 Internal Server Error`},
		{"a redirect", func(out http.ResponseWriter, r *http.Request) {
			http.Redirect(out, r, "/elsewhere", http.StatusFound)
		},
			`failed to call webhook: Post "URL?timeout=10s": the server answered 302 Found: redirects are not followed`},
		{"a panic", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			`failed to call webhook: Post "URL?timeout=10s": `},
		{"garbage", write("secret"),
			`failed to call webhook: Post "URL?timeout=10s": the answer is not JSON of the expected form`},
		{"50 MB", func(out http.ResponseWriter, _ *http.Request) {
			for range 50 {
				if _, err := io.WriteString(out, strings.Repeat(" ", 1<<20)); err != nil {
					return
				}
			}
		}, `failed to call webhook: Post "URL?timeout=10s": the answer is larger than 3145728 bytes`},
		{"an empty object", write(`{}`), `received invalid webhook response: webhook response was absent`},
		{"another uid", reviewed(`{"uid":"x","allowed":true}`), `received invalid webhook response: expected response.uid="`},
		{"no uid", reviewed(`{"allowed":true}`), `received invalid webhook response: expected response.uid="`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range []string{"validating", "mutating"} {
				w := newWorld(t)
				if c.handler != nil {
					w.handle("/bad", c.handler)
				}
				register := w.validating
				if kind == "mutating" {
					register = w.mutating
				}
				register("bad", hook{path: "/bad"})
				a := w.do("POST", gears, gear("a", ""))
				assert.Equal(t, 500, a.code)
				assert.Equal(t, "InternalError", a.body["reason"])
				want := `Internal error occurred: failed calling webhook "bad.example.com": ` + strings.Replace(c.want, "URL",
					w.server.URL+"/bad", 1)
				assert.True(t, strings.HasPrefix(a.message(), want), "%s\n%s", a.message(), want)
				assert.NotContains(t, fmt.Sprint(a.body), "secret")
				w.must("PATCH", configurations(kind)+"/bad",
					strings.Replace(w.configuration("", "", hook{path: "/bad", more: `"failurePolicy":"Ignore"`}),
						`"apiVersion":"admissionregistration.k8s.io/v1","kind":"","metadata":{"name":""},`, "", 1))
				w.must("POST", gears, gear("a", ""))
			}
		})
	}
}

// An answer in another version than the question fails the call.
func TestAnswerInAnotherVersion(t *testing.T) {
	w := newWorld(t)
	w.handle("/bad", func(out http.ResponseWriter, r *http.Request) {
		var in struct{ Request struct{ UID string } }
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&in))
		_, _ = io.WriteString(out, `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"allowed":true,"uid":"`+in.Request.UID+`"}}`)
	})
	w.validating("bad", hook{path: "/bad",
		more: `"rules":[{"operations":["CREATE"],"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["memos"]}]`})
	a := w.do("POST", memos, `{"metadata":{"name":"a"}}`)
	assert.Equal(t, `Internal error occurred: failed calling webhook "bad.example.com": received invalid webhook response: `+
		`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1beta1, Kind=AdmissionReview`, a.message())
}

// A webhook that hangs costs its timeout, and other kinds keep their pace.
func TestAWebhookThatHangs(t *testing.T) {
	w := newWorld(t)
	arrived := make(chan struct{}, 2)
	w.handle("/hang", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice when the client leaves
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	w.validating("hang", hook{path: "/hang", more: `"timeoutSeconds":1`})
	done := make(chan answer, 1)
	go func() { done <- w.do("POST", gears, gear("a", "")) }()
	select {
	case <-arrived:
	case a := <-done: // on a slow machine, the call may not arrive in time
		done <- a
	}
	w.must("POST", memos, `{"metadata":{"name":"a"}}`)
	a := <-done
	assert.Equal(t, 500, a.code)
	assert.Contains(t, a.message(),
		fmt.Sprintf(`Internal error occurred: failed calling webhook "hang.example.com": failed to call webhook: Post "%s/hang?timeout=1s": `, w.server.URL))
}

// A webhook that hangs has one call under way and four that wait. Further calls fail at once.
func TestCallsAreLimited(t *testing.T) {
	w := newWorldWith(t, webhook.Options{MaxCalls: 1}, rest.Options{})
	release := make(chan struct{})
	w.answers("/hang", func(request) response {
		<-release
		return allow(nil)
	})
	w.validating("hang", hook{path: "/hang", more: `"timeoutSeconds":30`})
	const places, more = 5, 2
	answers := make(chan answer, places+more)
	for i := range places + more {
		go func() { answers <- w.do("POST", gears, gear(fmt.Sprint("g", i), "")) }()
	}
	for range more {
		a := <-answers
		assert.Equal(t,
			`Internal error occurred: failed calling webhook "hang.example.com": failed to call webhook: too many calls are waiting for the webhook`, a.message())
	}
	close(release)
	for range places {
		assert.Equal(t, 201, (<-answers).code)
	}
}

// A client that leaves ends the call, and prevents the write, regardless of the failure policy.
func TestAClientThatLeaves(t *testing.T) {
	for _, kind := range []string{"validating", "mutating"} {
		w := newWorld(t)
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan struct{})
		w.handle("/hang", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			leave()
			<-r.Context().Done()
			close(ended)
		})
		if kind == "validating" {
			w.validating("hang", hook{path: "/hang", more: `"failurePolicy":"Ignore","timeoutSeconds":30`})
		} else {
			w.mutating("hang", hook{path: "/hang", more: `"failurePolicy":"Ignore","timeoutSeconds":30`})
		}
		a := w.send(httptest.NewRequestWithContext(ctx, "POST", gears, strings.NewReader(gear("a", ""))))
		assert.Equal(t, 504, a.code, "%v", a.body)
		<-ended
		assert.Equal(t, 404, w.do("GET", gears+"/a", "").code)
	}
}

// Nothing is locked during a call, so a webhook may use the API, even for the object that it reviews.
func TestAWebhookThatCallsBack(t *testing.T) {
	w := newWorld(t)
	inside := false
	w.answers("/back", func(request) response {
		if inside {
			return allow(nil)
		}
		inside = true
		defer func() { inside = false }()
		assert.Equal(t, 201, w.do("POST", gears, gear("b", "")).code)
		assert.Equal(t, 200, w.do("GET", gears, "").code)
		assert.Equal(t, 200, w.do("PATCH", configurations("validating")+"/back", `{"metadata":{"labels":{"a":"b"}}}`).code)
		return allow(nil)
	})
	w.validating("back", hook{path: "/back"})
	w.must("POST", gears, gear("a", ""))
	w.must("GET", gears+"/b", "")
}

// Two servers share a store, and so the configurations.
func TestReplicas(t *testing.T) {
	store := memory.New(storage.Options{})
	w := newWorldWith(t, webhook.Options{}, rest.Options{Store: store})
	w.answers("/deny", deny)
	other := &world{TB: t, API: w.newAPI(webhook.Options{Calls: w.calls}, rest.Options{Store: store})}
	w.validating("deny", hook{path: "/deny"})
	assert.Equal(t, 400, other.do("POST", gears, gear("a", "")).code)
	other.must("DELETE", configurations("validating")+"/deny", "")
	w.must("POST", gears, gear("a", ""))
}

func TestOptions(t *testing.T) {
	_, err := webhook.New(webhook.Options{})
	require.EqualError(t, err, "webhook.New: Options.Calls must be set")
}

// Webhooks may be plugged into several APIs. Each follows its own configurations.
func TestWebhooksOfTwoAPIs(t *testing.T) {
	calls, err := callout.New(callout.Options{Dial: func(context.Context, string, string) (net.Conn,
		error) {
		return nil, io.EOF
	}})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	hooks, err := webhook.New(webhook.Options{Calls: calls})
	require.NoError(t, err)
	for range 2 {
		api, err := rest.New(rest.Options{Plugins: []rest.Plugin{hooks}, Logger: slog.New(slog.DiscardHandler)},
			rest.Resource[Memo]{Group: "example.com", Version: "v1", Plural: "memos", Scope: rest.ScopeCluster})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, api.Close()) })
		w := &world{TB: t, API: api}
		assert.Equal(t, 201, w.do("POST", memos,
			`{"apiVersion":"example.com/v1","kind":"Memo","metadata":{"name":"a"}}`).code)
	}
}

// Webhooks that hang hold half of the places of the API at most, and a webhook no more of them than are free. So
// requests that need no webhook are all answered, and so is a write whose own webhook answers.
func TestWebhooksThatHangLeavePlaces(t *testing.T) {
	const places = 24
	w := newWorldWith(t, webhook.Options{}, rest.Options{Limits: rest.Limits{MaxInFlight: places}})
	arrived, release := make(chan struct{}, 100*places), make(chan struct{})
	hang := func(request) response {
		arrived <- struct{}{}
		<-release
		return allow(nil)
	}
	w.answers("/gears", hang)
	w.answers("/memos", hang)
	w.answers("/fine", allow)
	rule := func(resource string) string {
		return `"timeoutSeconds":30,"rules":[{"operations":["CREATE"],"apiGroups":["*"],"apiVersions":["*"],"resources":["` +
			resource + `"]}]`
	}
	w.validating("fine", hook{path: "/fine", more: rule("namespaces")})
	w.mutating("memos", hook{path: "/memos", more: rule("memos")})
	w.validating("gears", hook{path: "/gears", more: rule("gears")})
	answers := make(chan answer, 2*places)
	waiting, refused := 0, 0
	for i := range places {
		for _, write := range []func() answer{
			func() answer { return w.do("POST", gears, gear(fmt.Sprint("g", i), "")) },
			func() answer { return w.do("POST", memos, fmt.Sprintf(`{"metadata":{"name":"m%d"}}`, i)) },
		} {
			go func() { answers <- write() }()
			select {
			case <-arrived:
				waiting++
			case a := <-answers:
				refused++
				assert.Equal(t, 500, a.code)
				assert.Contains(t, a.message(), "too many requests are waiting for webhooks")
			}
		}
	}
	assert.Equal(t, places/3, waiting, "a third of one half for each of the two webhooks")
	for i := range 20 {
		assert.Equal(t, 200, w.do("GET", "/api/v1/namespaces/default", "").code)
		assert.Equal(t, 201, w.do("POST", "/api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":"n%d"}}`, i)).code)
	}
	close(release)
	for range waiting {
		assert.Equal(t, 201, (<-answers).code)
	}
	w.must("POST", gears, gear("after", ""))
}
