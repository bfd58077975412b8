package rest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// watcher is an observer that keeps what it learns of each request, in the order in which the requests ended.
type watcher struct {
	brief  bool
	refuse error
	bodies bool
	began  []*observe.Request
	story  []string
	ended  chan observe.Ended
}

func newWatcher() *watcher { return &watcher{ended: make(chan observe.Ended, 100)} }

// Plug implements [rest.Plugin].
func (w *watcher) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	return rest.PluginParts{Name: "watcher", Observer: w}, nil
}

type seenKey struct{}

// Observe implements [observe.Observer].
func (w *watcher) Observe(ctx context.Context, r *observe.Request) (context.Context, observe.Observation, error) {
	w.began = append(w.began, r)
	note := func(format string, args ...any) { w.story = append(w.story, fmt.Sprintf(format, args...)) }
	return context.WithValue(ctx, seenKey{}, r.AuditID), observe.Observation{
		Bodies: w.bodies, Brief: w.brief, Times: w.brief,
		Started: func(code int) { note("started %d", code) },
		Step: func(ctx context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
			note("%s %s %s", s.Kind, s.Name, s.Operation)
			return nil, func(r observe.StepResult) { note("end of %s %s: %v", s.Kind, s.Name, r.Err) }
		},
		Changed: func(c observe.ObjectChange) {
			note("changed %s %s/%s: %t to %t", c.Resource, c.Namespace, c.Name, c.Before != nil, c.After != nil)
		},
		Sent:  func(int) { note("sent an event") },
		Ended: func(e observe.Ended) { w.ended <- e },
	}, w.refuse
}

// last returns how the last request began and ended.
func (w *watcher) last(t *testing.T) (*observe.Request, observe.Ended) {
	t.Helper()
	e := apitest.Within(t, "the end of the request", w.ended)
	require.Empty(t, w.ended)
	return w.began[len(w.began)-1], e
}

// observedWidgets is an API of Widgets that w observes.
func observedWidgets(t *testing.T, w *watcher, options rest.Options) *rest.API {
	t.Helper()
	options.Plugins = append(options.Plugins, w)
	return apitest.New(t, options, apitest.WidgetResource())
}

func TestAnObserverSeesAWriteFromItsAccessToItsChange(t *testing.T) {
	w := newWatcher()
	w.bodies = true
	var seen any
	hook := apitest.Validating("limits.example.com", func(ctx context.Context, _ *admission.Request) error {
		seen = ctx.Value(seenKey{})
		return nil
	})
	api := observedWidgets(t, w, rest.Options{Admission: []admission.Hook{hook}})
	body := apitest.WidgetBody(`"name":"a"`)
	answer := apitest.Must(t, api, "POST", apitest.Widgets, body, "X-Forwarded-For", "192.0.2.7, 192.0.2.8", "Audit-ID",
		"mine")

	began, ended := w.last(t)
	assert.Equal(t, access.VerbCreate, began.Access.Verb)
	assert.Equal(t, "widgets", began.Access.Resource)
	assert.Equal(t, "system:anonymous", began.Access.User.Name)
	assert.Equal(t, "mine", began.AuditID)
	assert.Equal(t, []string{"192.0.2.7", "192.0.2.8"}, began.SourceIPs()[:2])
	assert.NoError(t, began.Refused)
	assert.Equal(t, began.AuditID, seen, "the context of the observer reaches the hooks")
	assert.Equal(t, 201, ended.Code)
	assert.EqualValues(t, len(answer.Raw), ended.Bytes)
	assert.Positive(t, ended.Duration)
	assert.Equal(t, "a", ended.Body.Name)
	assert.JSONEq(t, body, string(ended.Request))
	assert.JSONEq(t, answer.Raw, string(ended.Answer))
	story := strings.Join(w.story, "\n")
	for _, part := range []string{
		"pipeline set defaults \nend of pipeline set defaults: <nil>\n",
		"pipeline admit \nadmission  CREATE\nhook limits.example.com CREATE\nend of hook limits.example.com: <nil>\nend of admission : <nil>\n",
		"commit  \nend of commit : <nil>\nchanged widgets.example.com default/a: false to true\nstarted 201",
	} {
		assert.Contains(t, story, part)
	}
}

// An observer may want the times of the steps of a write in the place of each step. The time of a write by a hook is in
// that of the hook.
func TestAnObserverSeesTheTimesOfAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatcher()
		w.brief = true
		var api *rest.API
		wait := func(context.Context, *admission.Request) error {
			<-time.After(time.Second)
			return nil
		}
		slow := apitest.Validating("slow.example.com", wait)
		nests := apitest.Validating("nests.example.com", func(ctx context.Context, r *admission.Request) error {
			if r.Name != "a" {
				return nil
			}
			_, err := apitest.WidgetClient(t, api).Create(ctx, apitest.NewWidget("b", 1))
			return err
		})
		api = observedWidgets(t, w, rest.Options{Admission: []admission.Hook{slow, nests}})
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
		_, ended := w.last(t)
		took := map[string]time.Duration{}
		var order []string
		for _, s := range ended.Steps() {
			took[s.Name] = s.Took
			order = append(order, s.Name)
		}
		assert.Equal(t, 2*time.Second, took["admit"], "of this write and of that of the hook")
		assert.Zero(t, took["set defaults"])
		assert.Equal(t, []string{"prune", "identify", "ask"}, order[:3])
		assert.NotContains(t, strings.Join(w.story, "\n"), "pipeline")
		assert.Contains(t, strings.Join(w.story, "\n"), "hook slow.example.com CREATE")

		apitest.Must(t, api, "GET", apitest.Widgets, "")
		_, ended = w.last(t)
		assert.Empty(t, ended.Steps(), "a read has no steps")
	})
}

// A change is what the store has committed: nothing for a dry run and for a write that changes nothing.
func TestAnObserverSeesOnlyCommittedChanges(t *testing.T) {
	w := newWatcher()
	api := observedWidgets(t, w, rest.Options{})
	one := apitest.Widgets + "/a"
	patch := func(size int, query string) {
		apitest.Must(t, api, "PATCH", one+query, fmt.Sprintf(`{"spec":{"size":%d}}`, size), "Content-Type",
			"application/merge-patch+json")
	}
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
	patch(2, "?dryRun=All")
	assert.True(t, w.began[1].DryRun)
	patch(2, "")
	patch(2, "")
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`))
	apitest.Must(t, api, "DELETE", one, "")
	apitest.Must(t, api, "DELETE", apitest.Widgets, "")
	var changes []string
	for _, line := range w.story {
		if strings.HasPrefix(line, "changed ") {
			changes = append(changes, strings.TrimPrefix(line, "changed widgets.example.com default/"))
		}
	}
	assert.Equal(t, []string{"a: false to true", "a: true to true", "b: false to true", "a: true to false",
		"b: true to false"}, changes)
}

func TestAnObserverSeesWhyARequestIsRefused(t *testing.T) {
	w := newWatcher()
	deny := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		if a.Verb == access.VerbList {
			return access.Allow("lists are for all"), nil
		}
		return access.Deny("closed"), nil
	})
	api := observedWidgets(t, w, rest.Options{Authorizer: deny})
	apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", "")
	began, ended := w.last(t)
	assert.True(t, status.IsForbidden(began.Refused))
	assert.True(t, began.Authorized)
	assert.Equal(t, "closed", began.Decision.Reason())
	assert.Equal(t, 403, ended.Code)
	require.NotNil(t, ended.Status)
	assert.Contains(t, ended.Status.Message, "closed")

	apitest.Must(t, api, "GET", apitest.Widgets, "")
	began, ended = w.last(t)
	assert.Equal(t, "lists are for all", began.Decision.Reason())
	assert.Nil(t, ended.Status)

	apitest.Do(t, api, "GET", "/nowhere", "")
	began, _ = w.last(t)
	assert.Equal(t, "/nowhere", began.Access.Path)
	assert.True(t, began.Unknown)
	assert.Empty(t, began.Declared)
	apitest.Do(t, api, "GET", "/version", "")
	began, _ = w.last(t)
	assert.Equal(t, "/version", began.Declared)
	apitest.Do(t, api, "GET", apitest.Widgets+"/a/status", "")
	began, _ = w.last(t)
	assert.False(t, began.Unknown)
	assert.Empty(t, began.Declared)

	require.NoError(t, api.Close())
	apitest.Do(t, api, "GET", apitest.Widgets, "")
	began, ended = w.last(t)
	assert.Equal(t, 503, ended.Code)
	assert.True(t, status.IsServiceUnavailable(began.Refused))
}

// A blocking audit refuses what it cannot record.
func TestAnErrorOfAnObserverRefusesTheRequestBeforeItActs(t *testing.T) {
	w, other := newWatcher(), newWatcher()
	w.refuse = errors.New("the disk is full")
	var log strings.Builder
	options := rest.Options{Logger: apitest.LoggerTo(&log), Plugins: []rest.Plugin{other}}
	api := observedWidgets(t, w, options)
	answer := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
	assert.Equal(t, 500, answer.Code)
	assert.NotContains(t, answer.Raw, "disk")
	assert.Contains(t, log.String(), "the disk is full")
	_, ended := w.last(t)
	assert.ErrorIs(t, ended.Err, w.refuse)
	_, ended = other.last(t)
	assert.Equal(t, 500, ended.Code)
	w.refuse = nil
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
}

func TestAnObserverSeesAWatchBeforeItsFirstEventAndAtItsEnd(t *testing.T) {
	w := newWatcher()
	api := observedWidgets(t, w, rest.Options{})
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
	w.last(t)
	w.story = nil
	server := apitest.Serve(t, api)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	response := apitest.Open(ctx, t, server.Client(), "GET", server.URL+apitest.Widgets+"?watch=true")
	_, err := bufio.NewReader(response.Body).ReadBytes('\n')
	require.NoError(t, err)
	leave()
	began, ended := w.last(t)
	assert.True(t, began.LongRunning)
	assert.Equal(t, []string{"started 200", "sent an event"}, w.story)
	assert.Equal(t, 200, ended.Code)
	assert.Positive(t, ended.Bytes)
}

func TestAnObserverSeesAPanicWithItsStack(t *testing.T) {
	w := newWatcher()
	broken := apitest.Validating("broken.example.com",
		func(context.Context, *admission.Request) error { panic("broken hook") })
	api := observedWidgets(t, w, rest.Options{Admission: []admission.Hook{broken},
		Logger: apitest.LoggerTo(&strings.Builder{})})
	apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
	_, ended := w.last(t)
	assert.Equal(t, 500, ended.Code)
	assert.Equal(t, "broken hook", ended.Panic)
	assert.Contains(t, string(ended.Stack), "observer_test.go")
}

// A list in another form is kept in this form.
func TestAnObserverSeesTheAnswerAsTheClientAsksForIt(t *testing.T) {
	w := newWatcher()
	w.bodies = true
	api := observedWidgets(t, w, rest.Options{})
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
	w.last(t)
	for _, accept := range []string{"application/json", "application/json;as=Table;v=v1;g=meta.k8s.io"} {
		answer := apitest.Must(t, api, "GET", apitest.Widgets, "", "Accept", accept)
		_, ended := w.last(t)
		assert.JSONEq(t, answer.Raw, string(ended.Answer))
		assert.Nil(t, ended.Request)
	}
}

// An Observer prints a line for each request.
func ExampleObserver() {
	log := observerFunc(func(r *observe.Request, e observe.Ended) {
		fmt.Println(r.Access.User.Name, r.Access.Verb, r.Access.Resource, e.Code)
	})
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{rest.PluginParts{Name: "log", Observer: log}}},
		apitest.WidgetResource())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer api.Close()
	api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", apitest.Widgets, nil))
	// Output: system:anonymous list widgets 200
}

// observerFunc is called at the end of each request.
type observerFunc func(r *observe.Request, e observe.Ended)

// Observe implements [observe.Observer].
func (f observerFunc) Observe(_ context.Context, r *observe.Request) (context.Context, observe.Observation, error) {
	return nil, observe.Observation{Ended: func(e observe.Ended) { f(r, e) }}, nil
}
