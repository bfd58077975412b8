package delivery_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// stuckWorld is an API whose hooks wait for release if the name of the object says so, and ignore their contexts.
type stuckWorld struct {
	*testing.T
	api     *rest.API
	log     bytes.Buffer
	release chan struct{}
}

func (w *stuckWorld) wait(name string) error {
	if strings.HasPrefix(name, "stuck") {
		<-w.release
	}
	return nil
}

// stuckHooks runs a test in a world. At its end the hooks return, and the API closes without an error.
func stuckHooks(t *testing.T, test func(w *stuckWorld), change ...func(*rest.Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &stuckWorld{T: t, release: make(chan struct{})}
		options := rest.Options{Limits: rest.Limits{MaxInFlight: 4},
			Logger: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelInfo})),
			Admission: []admission.Hook{{Name: "slow.example.com",
				Resources:  []string{"widgets.example.com", "widgets.example.com/door"},
				Operations: []admission.Operation{admission.Delete, admission.Connect},
				Validate: func(_ context.Context, r *admission.Request) error {
					if r.Subresource == "door" {
						return w.wait("stuck")
					}
					return w.wait(r.Name)
				}}}}
		for _, c := range change {
			c(&options)
		}
		resource := apitest.WidgetResource(apitest.WithDefault(func(_ context.Context, o *apitest.Widget) error {
			return w.wait(o.Name)
		}))
		resource.Subresources = []rest.SubresourceOf[apitest.Widget]{rest.Subresource[apitest.Widget, apitest.Widget]{
			Name:   "turn",
			Get:    func(_ context.Context, o *apitest.Widget) (*apitest.Widget, error) { return o, w.wait("stuck") },
			Create: func(_ context.Context, _, _ *apitest.Widget) (*apitest.Widget, error) { return nil, w.wait("stuck") },
		}, rest.Stream[apitest.Widget, struct{}]{
			Name:   "log",
			Check:  func(context.Context, *apitest.Widget, *struct{}) error { return w.wait("stuck") },
			Output: func(context.Context, *apitest.Widget, *struct{}, io.Writer) error { return nil },
		}, rest.Stream[apitest.Widget, struct{}]{
			Name:  "door",
			Serve: func(http.ResponseWriter, *http.Request, *apitest.Widget, *struct{}) {},
		}}
		api, err := rest.New(options, resource)
		require.NoError(t, err)
		w.api = api
		test(w)
		select {
		case <-w.release:
		default:
			close(w.release)
		}
		synctest.Wait()
		assert.Zero(t, api.StuckHooks())
		require.NoError(t, api.Close())
	})
}

// A hook that ignores its context does not hold its client: the client gets its 504 a second after its time is up, and
// nothing is stored.
func TestHookIgnoresItsContext(t *testing.T) {
	for _, c := range []struct{ name, method, path, body, contentType, hook string }{
		{"create", "POST", apitest.Widgets, apitest.WidgetBody(`"name":"stuck"`), "application/json", "Default"},
		{"update", "PUT", apitest.Widgets + "/stuck-there", apitest.WidgetBody(`"name":"stuck-there","resourceVersion":"RV"`,
			`"spec":{"size":2}`), "application/json", "Default"},
		{"patch", "PATCH", apitest.Widgets + "/stuck-there", `{"metadata":{"labels":{"a":"b"}}}`, apitest.TypeMergePatch,
			"Default"},
		{"delete", "DELETE", apitest.Widgets + "/stuck-there", "", "application/json", "Validate of slow.example.com"},
		{"deletecollection", "DELETE", apitest.Widgets, "", "application/json", "Validate of slow.example.com"},
		{"action", "POST", apitest.Widgets + "/stuck-there/turn", apitest.WidgetBody(`"name":"stuck-there"`),
			"application/json", "Create of turn"},
		{"view", "GET", apitest.Widgets + "/stuck-there/turn", "", "application/json", "Get of turn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stuckHooks(t, func(w *stuckWorld) {
				version := storeFreely(w, "stuck-there").Value(w, "metadata.resourceVersion").(string)
				before := apitest.Must(w, w.api, "GET", apitest.Widgets, "").Body
				began := time.Now()
				a := apitest.Do(w, w.api, c.method, c.path+"?timeout=2s", strings.Replace(c.body, "RV", version, 1), "Content-Type",
					c.contentType, "Audit-ID", "the-id")
				assert.Equal(w, 504, a.Code, a.Body)
				assert.Contains(w, a.Body, "request did not complete within the allotted timeout")
				assert.Equal(w, 3*time.Second, time.Since(began))
				assert.Equal(w, 1, w.api.StuckHooks())
				line := strings.TrimSpace(w.log.String())
				assert.Equal(w, 1, strings.Count(line, "\n")+1, line)
				for _, part := range []string{"level=ERROR", "user=system:anonymous", "resource=widgets.example.com",
					`hook="?` + c.hook, "duration=3s",
					"stuck=1", "auditID=the-id"} {
					assert.Regexp(w, part, line)
				}

				time.AfterFunc(time.Minute, func() { close(w.release) })
				<-w.release
				synctest.Wait()
				assert.Zero(w, w.api.StuckHooks())
				assert.Contains(w, w.log.String(), "duration=1m3s")
				assert.Equal(w, before, apitest.Must(w, w.api, "GET", apitest.Widgets, "").Body,
					"the client has been told that the write failed")
			})
		})
	}
}

// The same holds for what comes before a stream. The stream itself has no time limit.
func TestHookBeforeAStreamIgnoresItsContext(t *testing.T) {
	for path, hook := range map[string]string{"/log": "Check of log", "/door": "Validate of slow.example.com"} {
		stuckHooks(t, func(w *stuckWorld) {
			storeFreely(w, "a")
			began := time.Now()
			assert.Equal(w, 504, apitest.Do(w, w.api, "GET", apitest.Widgets+"/a"+path, "").Code, path)
			assert.Equal(w, 3*time.Second, time.Since(began))
			assert.Equal(w, 1, w.api.StuckHooks())
			assert.Regexp(w, `hook="`+hook+`"`, w.log.String())
		}, func(o *rest.Options) { o.Limits.RequestTimeout = 2 * time.Second })
	}
}

// storeFreely stores a widget for which the hooks do not wait.
func storeFreely(w *stuckWorld, name string) apitest.Answer {
	w.Helper()
	free := make(chan struct{})
	close(free)
	release := w.release
	w.release = free
	defer func() { w.release = release }()
	return apitest.Must(w, w.api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`"`))
}

// Stuck hooks give their places to other requests, until half as many hooks are stuck as there are places. Each client
// is answered.
func TestStuckHooksGiveUpTheirPlaces(t *testing.T) {
	stuckHooks(t, func(w *stuckWorld) {
		post := func() int {
			return apitest.Do(w, w.api, "POST", apitest.Widgets+"?timeout=1s", apitest.WidgetBody(`"generateName":"stuck"`)).Code
		}
		get := func() int { return apitest.Do(w, w.api, "GET", apitest.Widgets, "").Code }
		for i := range 6 { // two of them give up their places, and four keep theirs
			assert.Equal(w, 200, get(), i)
			assert.Equal(w, 504, post())
		}
		assert.Equal(w, 6, w.api.StuckHooks())
		assert.Equal(w, 429, get())
		assert.Equal(w, 429, post())
		close(w.release)
		synctest.Wait()
		assert.Equal(w, 200, get())
	})
}

// Shutdown waits for a stuck hook as for any request under way, and names it.
func TestShutdownWaitsForStuckHooks(t *testing.T) {
	stuckHooks(t, func(w *stuckWorld) {
		assert.Equal(w, 504, apitest.Do(w, w.api, "POST", apitest.Widgets+"?timeout=1s",
			apitest.WidgetBody(`"name":"stuck"`)).Code)
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		require.ErrorContains(w, w.api.Shutdown(ctx), "POST "+apitest.Widgets)
		close(w.release)
		require.NoError(w, w.api.Shutdown(w.Context()))
	})
}

// A client that leaves does not free the place of its request, or clients could start any number of hooks.
func TestRequestsOfDepartedClientsKeepTheirPlaces(t *testing.T) {
	stuckHooks(t, func(w *stuckWorld) {
		ctx, leave := context.WithCancel(w.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r := httptest.NewRequestWithContext(ctx, "POST", apitest.Widgets,
				strings.NewReader(apitest.WidgetBody(`"name":"stuck"`)))
			r.Header.Set("Content-Type", "application/json")
			w.api.ServeHTTP(httptest.NewRecorder(), r)
		}()
		synctest.Wait()
		leave()
		synctest.Wait()
		assert.Equal(w, 429, apitest.Do(w, w.api, "GET", apitest.Widgets, "").Code)
		<-ended
		assert.Equal(w, 200, apitest.Do(w, w.api, "GET", apitest.Widgets, "").Code)
	}, func(o *rest.Options) { o.Limits.MaxInFlight = 1 })
}

// A real server answers, over HTTP/1 and HTTP/2, and the connection goes on to serve others.
func TestStuckHookBehindAServer(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		release := make(chan struct{})
		api := apitest.New(t, rest.Options{Logger: slog.New(slog.DiscardHandler)},
			apitest.WidgetResource(apitest.WithDefault(func(context.Context, *apitest.Widget) error {
				<-release
				return nil
			})))
		server := httptest.NewUnstartedServer(api)
		server.EnableHTTP2 = http2
		server.StartTLS()
		for range 2 {
			a, err := server.Client().Post(server.URL+apitest.Widgets+"?timeout=1ms", "application/json",
				strings.NewReader(apitest.WidgetBody(`"name":"a"`)))
			require.NoError(t, err)
			assert.Equal(t, 504, a.StatusCode)
			assert.Equal(t, http2, a.ProtoMajor == 2)
			require.NoError(t, a.Body.Close())
		}
		assert.Equal(t, 2, api.StuckHooks())
		close(release)
		server.Close()
	}
}

// Whatever a hook does to its goroutine, the client gets a 500.
func TestHookEndsItsGoroutine(t *testing.T) {
	for name, hook := range map[string]func(){
		"exit": runtime.Goexit, "panic": func() { panic(errors.New("no")) }, "abort": func() { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{Logger: slog.New(slog.DiscardHandler)},
				apitest.WidgetResource(apitest.WithDefault(func(context.Context, *apitest.Widget) error {
					hook()
					return nil
				})))
			assert.Equal(t, 500, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)).Code)
		})
	}
}
