package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
)

// stream is a watch that is being answered, in a bubble of synctest: its events are there when everybody waits.
type stream struct {
	t    *testing.T
	w    *streamWriter
	stop context.CancelFunc
	done chan struct{}
}

// streamWriter holds back what has not been flushed, as a server does.
type streamWriter struct {
	mu      sync.Mutex
	header  http.Header
	code    int
	pending bytes.Buffer
	flushed bytes.Buffer
	blocked chan struct{} // a Write waits until it is closed, like that to a client who does not read
}

func (w *streamWriter) Header() http.Header { return w.header }

func (w *streamWriter) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.code = code
}

func (w *streamWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	blocked := w.blocked
	w.mu.Unlock()
	if blocked != nil {
		<-blocked
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending.Write(b)
}

func (w *streamWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.pending.WriteTo(&w.flushed)
}

// SetWriteDeadline is there because a stream needs one. A blocked Write waits all the same.
func (w *streamWriter) SetWriteDeadline(time.Time) error { return nil }

func (w *streamWriter) block(c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blocked = c
}

// follow opens a watch and returns when it waits for events.
func follow(t *testing.T, h http.Handler, target string, headers ...string) *stream {
	t.Helper()
	s := request(t, h, target, headers...)
	if code := s.code(); code != 200 {
		s.w.mu.Lock()
		defer s.w.mu.Unlock()
		require.Equal(t, 200, code, s.w.pending.String())
	}
	return s
}

// request asks for a watch and returns when it waits, or has ended.
func request(t *testing.T, h http.Handler, target string, headers ...string) *stream {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &stream{t: t, w: &streamWriter{header: http.Header{}}, stop: stop, done: make(chan struct{})}
	r := httptest.NewRequest("GET", target, nil).WithContext(ctx)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	go func() {
		defer close(s.done)
		h.ServeHTTP(s.w, r)
	}()
	t.Cleanup(func() {
		stop()
		<-s.done
	})
	synctest.Wait()
	return s
}

// code is that of the answer, 0 as long as nothing was answered.
func (s *stream) code() int {
	synctest.Wait()
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.w.code
}

// events are those that have come since the last call, one JSON text each.
func (s *stream) events() []string {
	s.t.Helper()
	synctest.Wait()
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	text := s.w.flushed.String()
	s.w.flushed.Reset()
	if text == "" {
		return nil
	}
	require.True(s.t, strings.HasSuffix(text, "}\n"), "each event is a line: %q", text)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// want asserts that exactly these events have come since the last call.
func (s *stream) want(events ...string) {
	s.t.Helper()
	got := s.events()
	require.JSONEq(s.t, "["+strings.Join(events, ",")+"]", unmanaged(s.t, "["+strings.Join(got, ",")+"]"))
}

// ended reports whether the watch is over.
func (s *stream) ended() bool {
	synctest.Wait()
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func event(kind, object string) string { return `{"type":"` + kind + `","object":` + object + `}` }

func added(s stored) string    { return event("ADDED", s.String()) }
func modified(s stored) string { return event("MODIFIED", s.String()) }
func deleted(s stored) string  { return event("DELETED", s.String()) }

func bookmark(rv string) string {
	return event("BOOKMARK", `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"`+rv+`"}}`)
}

func initialEnd(rv string) string {
	return event("BOOKMARK", `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"`+rv+`","annotations":{"k8s.io/initial-events-end":"true"}}}`)
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newWidgets(t)
		create(t, api, "a")
		s := follow(t, api, widgets+"?watch=true&resourceVersion=2")
		assert.Equal(t, "application/json", s.w.header.Get("Content-Type"))
		s.want()
		create(t, api, "b")
		s.want(added(stored{name: "b", uid: "uid-2", rv: "3"}))
		merge(t, api, widgets+"/b", `{"spec":{"size":2}}`)
		s.want(modified(stored{name: "b", uid: "uid-2", rv: "4", generation: 2, spec: sizeTwo}))
		merge(t, api, widgets+"/b/status", `{"status":{"phase":"Ready"}}`)
		s.want(modified(stored{name: "b", uid: "uid-2", rv: "5", generation: 2, spec: sizeTwo, status: `{"phase":"Ready"}`}))
		must(t, api, "DELETE", widgets+"/b", "")
		s.want(deleted(stored{name: "b", uid: "uid-2", rv: "6", generation: 2, spec: sizeTwo, status: `{"phase":"Ready"}`}))
		create(t, api, "b")
		s.want(added(stored{name: "b", uid: "uid-3", rv: "7"}))
		assert.False(t, s.ended())
	})
}

func TestWatchReplaysWhatHasHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newWidgets(t)
		create(t, api, "a")
		merge(t, api, widgets+"/a", `{"spec":{"size":2}}`)
		must(t, api, "DELETE", widgets+"/a", "")
		create(t, api, "a")
		again := added(stored{uid: "uid-2", rv: "5"})
		gone := deleted(stored{rv: "4", generation: 2, spec: sizeTwo})
		follow(t, api, widgets+"?watch=1&resourceVersion=2").want(modified(stored{rv: "3", generation: 2, spec: sizeTwo}), gone, again)
		follow(t, api, widgets+"?watch=1&resourceVersion=3").want(gone, again)
		follow(t, api, allWidgets+"?watch=1&resourceVersion=5").want()
	})
}

func TestWatchesSeeNoChangeWhereThereIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newWidgets(t)
		create(t, api, "a")
		s := follow(t, api, widgets+"?watch=1&resourceVersion=2")
		require.Equal(t, 200, merge(t, api, widgets+"/a", `{"spec":{"size":1}}`).Code)
		require.Equal(t, 200, merge(t, api, widgets+"/a?dryRun=All", `{"spec":{"size":2}}`).Code)
		require.Equal(t, 422, merge(t, api, widgets+"/a", `{"spec":{"size":0}}`).Code)
		require.Equal(t, 409, do(t, api, "POST", widgets, widgetBody(`"name":"a"`)).Code)
		require.Equal(t, 200, do(t, api, "DELETE", widgets+"/a?dryRun=All", "").Code)
		s.want()
	})
}

func TestWatchOfADeletionInTwoPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newWidgets(t)
		must(t, api, "POST", widgets, widgetBody(`"name":"a","finalizers":["example.com/f"]`))
		s := follow(t, api, widgets+"?watch=1&resourceVersion=2")
		must(t, api, "DELETE", widgets+"/a", "")
		s.want(modified(stored{rv: "3", generation: 2, metadata: deleting("example.com/f")}))
		must(t, api, "PATCH", widgets+"/a", `{"metadata":{"finalizers":null}}`, "Content-Type", typeMergePatch)
		s.want(deleted(stored{rv: "4", generation: 2, metadata: deleting("example.com/f")}))
	})
}

func TestWatchBeginsWithWhatThereIs(t *testing.T) {
	for _, c := range []struct {
		name, query string
		events      []string
	}{
		{"no version", "", []string{"b", "c"}},
		{"any version", "&resourceVersion=0", []string{"b", "c"}},
		{"any version, with bookmarks", "&resourceVersion=0&allowWatchBookmarks=true", []string{"b", "c", "end"}},
		{"asked for", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", []string{"b", "c"}},
		{"asked for, with bookmarks", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1", []string{"b", "c", "end"}},
		{"asked for from a version", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1&resourceVersion=2", []string{"b", "c", "end"}},
		{"with a selector", "&labelSelector=x%3Dy&allowWatchBookmarks=true", []string{"c", "end"}},
		{"not asked for", "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newWidgets(t)
				must(t, api, "POST", widgets, widgetBody(`"name":"c","labels":{"x":"y"}`))
				create(t, api, "b")
				objects := map[string]string{
					"b":   added(stored{name: "b", uid: "uid-2", rv: "3"}),
					"c":   added(stored{name: "c", metadata: `"labels":{"x":"y"}`}),
					"end": initialEnd("3"),
				}
				var want []string
				for _, name := range c.events {
					want = append(want, objects[name])
				}
				s := follow(t, api, widgets+"?watch=1"+c.query)
				s.want(want...)
				must(t, api, "POST", widgets, widgetBody(`"name":"d","labels":{"x":"y"}`))
				s.want(added(stored{name: "d", uid: "uid-3", rv: "4", metadata: `"labels":{"x":"y"}`}))
			})
		})
	}
}

// An object that begins to match is added, one that ceases to is deleted: as it last matched, at the revision of the
// change (API concepts, Efficient detection of changes).
func TestWatchWithSelectors(t *testing.T) {
	x := func(value string) string { return `"labels":{"x":"` + value + `"}` }
	t.Run("labels", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newWidgets(t)
			s := follow(t, api, widgets+"?watch=1&resourceVersion=1&labelSelector=x%3D1")
			must(t, api, "POST", widgets, widgetBody(`"name":"a",`+x("2")))
			s.want()
			merge(t, api, widgets+"/a", `{"metadata":{`+x("1")+`}}`)
			s.want(added(stored{rv: "3", metadata: x("1")}))
			merge(t, api, widgets+"/a", `{"spec":{"size":2}}`)
			s.want(modified(stored{rv: "4", generation: 2, spec: sizeTwo, metadata: x("1")}))
			merge(t, api, widgets+"/a", `{"metadata":{`+x("2")+`},"spec":{"size":1}}`)
			s.want(deleted(stored{rv: "5", generation: 2, spec: sizeTwo, metadata: x("1")}))
			merge(t, api, widgets+"/a", `{"spec":{"size":3}}`)
			must(t, api, "DELETE", widgets+"/a", "")
			s.want()
			must(t, api, "POST", widgets, widgetBody(`"name":"a",`+x("1")))
			must(t, api, "DELETE", widgets+"/a", "")
			s.want(added(stored{uid: "uid-2", rv: "8", metadata: x("1")}), deleted(stored{uid: "uid-2", rv: "9", metadata: x("1")}))
		})
	})
	t.Run("fields", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newWidgets(t)
			s := follow(t, api, widgets+"?watch=1&resourceVersion=1&fieldSelector=spec.color%3Dblue")
			create(t, api, "a")
			s.want()
			blue := `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`
			merge(t, api, widgets+"/a", `{"spec":{"color":"blue"}}`)
			s.want(added(stored{rv: "3", generation: 2, spec: blue}))
			merge(t, api, widgets+"/a", `{"spec":{"color":null}}`)
			s.want(deleted(stored{rv: "4", generation: 2, spec: blue}))
		})
	})
	t.Run("replayed from history", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newWidgets(t)
			must(t, api, "POST", widgets, widgetBody(`"name":"a",`+x("1")))
			merge(t, api, widgets+"/a", `{"metadata":{`+x("2")+`}}`)
			follow(t, api, widgets+"?watch=1&resourceVersion=2&labelSelector=x%3D1").want(deleted(stored{rv: "3", metadata: x("1")}))
			follow(t, api, widgets+"?watch=1&resourceVersion=2&labelSelector=x%3D2").want(added(stored{rv: "3", metadata: x("2")}))
		})
	})
	t.Run("conditions that contradict each other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newWidgets(t)
			s := follow(t, api, widgets+"?watch=1&fieldSelector=metadata.namespace%3Dother")
			create(t, api, "a")
			s.want()
		})
	})
}

func TestWatchOfOneNameOrNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newWidgets(t)
		byName := follow(t, api, widgets+"?watch=1&resourceVersion=1&fieldSelector=metadata.name%3Da")
		inNamespace := follow(t, api, widgets+"?watch=1&resourceVersion=1")
		byNamespace := follow(t, api, allWidgets+"?watch=1&resourceVersion=1&fieldSelector=metadata.namespace%3Ddefault")
		namedAnywhere := follow(t, api, allWidgets+"?watch=1&resourceVersion=1&fieldSelector=metadata.name%3Da")
		everywhere := follow(t, api, allWidgets+"?watch=1&resourceVersion=1")
		create(t, api, "a")
		create(t, api, "b")
		must(t, api, "POST", widgetRoot+"/namespaces/other/widgets", widgetBody(`"name":"a"`))
		a, b := added(stored{}), added(stored{name: "b", uid: "uid-2", rv: "3"})
		other := strings.Replace(added(stored{uid: "uid-3", rv: "4"}), `"default"`, `"other"`, 1)
		byName.want(a)
		inNamespace.want(a, b)
		byNamespace.want(a, b)
		namedAnywhere.want(a, other)
		everywhere.want(a, b, other)
	})
}

func TestWatchEnds(t *testing.T) {
	t.Run("after timeoutSeconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			s := follow(t, newWidgets(t), widgets+"?watch=1&timeoutSeconds=7")
			<-s.done
			assert.Equal(t, 7*time.Second, time.Since(begin))
			s.want()
		})
	})
	t.Run("by itself, not all at one time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			api := newWidgets(t)
			times := map[time.Duration]bool{}
			for range 5 {
				s := follow(t, api, widgets+"?watch=1")
				<-s.done
				lasted := time.Since(begin)
				assert.GreaterOrEqual(t, lasted, 30*time.Minute)
				assert.LessOrEqual(t, lasted, 60*time.Minute)
				times[lasted], begin = true, time.Now()
			}
			assert.Greater(t, len(times), 1)
		})
	})
	t.Run("when the client leaves", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := follow(t, newWidgets(t), widgets+"?watch=1")
			s.stop()
			assert.True(t, s.ended())
		})
	})
	t.Run("when the API is shut down", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newWidgets(t)
			s := follow(t, api, widgets+"?watch=1")
			require.NoError(t, api.Close())
			assert.True(t, s.ended())
			s.want() // without an event
		})
	})
}

// gizmo is another resource of the API, whose writes move the store's revision.
type Gizmo struct{ Widget }

func gizmos() rest.Definition {
	return rest.Resource[Gizmo]{Group: "example.com", Version: "v1", Plural: "gizmos"}
}

func touchGizmo(t testing.TB, api *rest.API, name string) {
	t.Helper()
	must(t, api, "POST", widgetRoot+"/namespaces/default/gizmos", `{"apiVersion":"example.com/v1","kind":"Gizmo","metadata":{"name":"`+name+`"},"spec":{"size":1}}`)
}

func TestBookmarks(t *testing.T) {
	t.Run("about each minute, if there is something to tell", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newAPI(t, rest.Options{}, widgetResource(), gizmos())
			s := follow(t, api, widgets+"?watch=1&resourceVersion=1&allowWatchBookmarks=true")
			time.Sleep(5 * time.Minute)
			s.want()
			touchGizmo(t, api, "g") // nothing of this watch's, but it has come further
			s.want()
			time.Sleep(75 * time.Second)
			s.want(bookmark("2"))
			time.Sleep(5 * time.Minute)
			s.want()
			create(t, api, "a")
			s.want(added(stored{uid: "uid-2", rv: "3"}))
			time.Sleep(5 * time.Minute)
			s.want() // the event has told as much
		})
	})
	t.Run("shortly before the end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newAPI(t, rest.Options{}, widgetResource(), gizmos())
			s := follow(t, api, widgets+"?watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=10")
			touchGizmo(t, api, "g")
			time.Sleep(7900 * time.Millisecond)
			s.want()
			time.Sleep(200 * time.Millisecond)
			s.want(bookmark("2"))
			<-s.done
			s.want()
		})
	})
	t.Run("whatever the selector", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newWidgets(t)
			s := follow(t, api, widgets+"?watch=1&resourceVersion=1&allowWatchBookmarks=true&labelSelector=x")
			create(t, api, "a")
			time.Sleep(75 * time.Second)
			s.want(bookmark("2"))
		})
	})
	t.Run("only for who asks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newAPI(t, rest.Options{}, widgetResource(), gizmos())
			s := follow(t, api, widgets+"?watch=1&resourceVersion=1")
			touchGizmo(t, api, "g")
			time.Sleep(10 * time.Minute)
			s.want()
		})
	})
}

func TestWatchFromAForgottenVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		api := newAPI(t, rest.Options{Store: store}, widgetResource())
		for _, name := range []string{"a", "b", "c"} {
			create(t, api, name)
		}
		require.NoError(t, store.Compact(context.Background(), 3))
		s := follow(t, api, widgets+"?watch=1&resourceVersion=2")
		s.want(event("ERROR", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Expired","code":410,"message":"too old resource version: 2 (3)"}`))
		assert.True(t, s.ended())
		follow(t, api, widgets+"?watch=1&resourceVersion=3").want(added(stored{name: "c", uid: "uid-3", rv: "4"}))
		require.NoError(t, store.Close())
	})
}

// A client that does not read holds up nobody; when it has fallen behind what is kept, it is told so.
func TestWatchThatFallsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storage.NewMemory(storage.Options{MaxLogBytes: 20_000})
		api := newAPI(t, rest.Options{Store: store}, widgetResource())
		create(t, api, "a")
		s := follow(t, api, widgets+"?watch=1&resourceVersion=2")
		release := make(chan struct{})
		s.w.block(release)
		for i := range 100 {
			must(t, api, "PATCH", widgets+"/a", `{"spec":{"settings":{"k":"`+strings.Repeat("x", 1000+i)+`"}}}`, "Content-Type", typeMergePatch)
		}
		s.w.block(nil)
		close(release)
		events := s.events()
		require.NotEmpty(t, events)
		assert.Less(t, len(events), 50)
		last := answer{Body: events[len(events)-1]}
		assert.Equal(t, "ERROR", last.text(t, "type"))
		assert.Equal(t, float64(410), last.value(t, "object.code"))
		assert.Equal(t, "Expired", last.text(t, "object.reason"))
		assert.True(t, s.ended())
		require.NoError(t, store.Close())
	})
}

func TestWatchFromTheFuture(t *testing.T) {
	t.Run("waits for it, and then sends what comes after", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newWidgets(t)
			s := request(t, api, widgets+"?watch=1&resourceVersion=3")
			time.Sleep(2 * time.Second)
			create(t, api, "a")
			require.Zero(t, s.code(), "nothing is answered yet")
			create(t, api, "b")
			require.Equal(t, 200, s.code())
			s.want()
			create(t, api, "c")
			s.want(added(stored{name: "c", uid: "uid-3", rv: "4"}))
		})
	})
	for _, c := range []struct {
		name, target string
		headers      []string
		after        time.Duration
	}{
		{"is refused in plain HTTP after a while", widgets + "?watch=1&resourceVersion=99", nil, 3 * time.Second},
		{"also by path", widgetRoot + "/watch/namespaces/default/widgets/a?resourceVersion=99", nil, 3 * time.Second},
		{"also without initial events by name", widgets + "?watch=1&resourceVersion=99&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", nil, 3 * time.Second},
		{"also before an upgrade", widgets + "?watch=1&resourceVersion=99",
			[]string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "MDEyMzQ1Njc4OTAxMjM0NQ=="}, 3 * time.Second},
		{"not later than it would end", widgets + "?watch=1&resourceVersion=99&timeoutSeconds=1", nil, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				a := do(t, newWidgets(t), "GET", c.target, "", c.headers...)
				assert.Equal(t, c.after, time.Since(began))
				wantFailure(t, a, 504, "Timeout", "Timeout: Too large resource version: 99, current: 1",
					`{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}`)
				assert.Equal(t, "1", a.Header.Get("Retry-After"))
			})
		})
	}
	t.Run("ends at once with its client", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := request(t, newWidgets(t), widgets+"?watch=1&resourceVersion=99")
			require.False(t, s.ended())
			began := time.Now()
			s.stop()
			<-s.done
			assert.Zero(t, time.Since(began))
		})
	})
	for _, query := range []string{"", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"} {
		t.Run("ends at once with the API"+query, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newWidgets(t)
				s := request(t, api, widgets+"?watch=1&resourceVersion=99"+query)
				require.False(t, s.ended())
				began := time.Now()
				require.NoError(t, api.Close())
				<-s.done
				assert.Zero(t, time.Since(began))
				if query == "" {
					assert.Equal(t, 503, s.code())
				}
			})
		})
	}
	t.Run("with initial events, is told in the stream", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := follow(t, newWidgets(t), widgets+"?watch=1&resourceVersion=99&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
			<-s.done
			s.want(event("ERROR", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Timeout","code":504,
				"message":"Timeout: Too large resource version: 99, current: 1","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}}`))
		})
	})
}

func TestWatchRefuses(t *testing.T) {
	api := newWidgets(t)
	for _, c := range []struct {
		name, query string
		causes      []cause
	}{
		{"initial events without a match", "&sendInitialEvents=true", []cause{forbidden("resourceVersionMatch", "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")}},
		{"initial events of an exact version", "&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1", []cause{
			forbidden("resourceVersionMatch", "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
			notSupported("resourceVersionMatch", `Unsupported value: "Exact": supported values: "NotOlderThan"`)}},
		{"a match without initial events", "&resourceVersionMatch=NotOlderThan&resourceVersion=1",
			[]cause{forbidden("resourceVersionMatch", "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantInvalid(t, do(t, api, "GET", widgets+"?watch=1"+c.query, ""), "ListOptions.meta.k8s.io", "", c.causes...)
		})
	}
	for _, c := range []struct {
		name, query, accept string
		code                int
		reason, message     string
	}{
		{"a version that is no number", "&resourceVersion=abc", "", 400, "BadRequest", `invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{"a bad selector", "&fieldSelector=spec.size%3D1", "", 400, "BadRequest", "field label not supported: spec.size"},
		{"a bad timeout", "&timeoutSeconds=x", "", 400, "BadRequest", `strconv.ParseInt: parsing "x": invalid syntax`},
		{"two numbers that are none", "&limit=&timeoutSeconds=x", "", 400, "BadRequest", `strconv.ParseInt: parsing "x": invalid syntax`},
		{"YAML", "", typeYAML, 406, "NotAcceptable", "only the following media types are accepted: application/json;stream=watch"},
		{"HTML", "", "text/html", 406, "NotAcceptable", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"YAML before JSON", "", "application/yaml, application/json;q=0.9", 406, "NotAcceptable", "only the following media types are accepted: application/json;stream=watch"},
		{"YAML, and a version that is no number", "&resourceVersion=abc", "application/yaml, application/json;q=0.9", 400, "BadRequest", `invalid resource version`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := do(t, api, "GET", widgets+"?watch=1"+c.query, "", "Accept", c.accept)
			if strings.HasPrefix(c.accept, typeYAML) { // an error comes in what the client reads
				assert.Equal(t, typeYAML, a.Header.Get("Content-Type"))
				assert.Contains(t, a.Body, c.message)
				assert.Equal(t, c.code, a.Code)
				return
			}
			wantFailure(t, a, c.code, c.reason, c.message, "")
		})
	}
}

const (
	acceptTable    = "application/json;as=Table;v=v1;g=meta.k8s.io"
	acceptPartial  = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	acceptPartials = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)

func TestWatchOfPartialObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newWidgets(t)
		must(t, api, "POST", widgets, widgetBody(`"name":"a","labels":{"x":"y"}`))
		s := follow(t, api, widgets+"?watch=1&allowWatchBookmarks=true&labelSelector=x", "Accept", acceptPartial)
		first := stored{metadata: `"labels":{"x":"y"}`}
		partialBookmark := func(more string) string {
			return event("BOOKMARK", `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{`+more+`}}`)
		}
		s.want(event("ADDED", first.partial()), partialBookmark(`"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}`))
		merge(t, api, widgets+"/a", `{"spec":{"size":2}}`)
		second := stored{rv: "3", generation: 2, metadata: first.metadata}
		s.want(event("MODIFIED", second.partial()))
		merge(t, api, widgets+"/a", `{"metadata":{"labels":null}}`)
		second.rv = "4"
		s.want(event("DELETED", second.partial()))
		merge(t, api, widgets+"/a", `{"spec":{"size":3}}`)
		time.Sleep(75 * time.Second)
		s.want(partialBookmark(`"resourceVersion":"5"`))
	})
}

func TestWatchAsTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newWidgets(t)
		must(t, api, "POST", widgets, widgetBody(`"name":"a","labels":{"x":"y"}`))
		create(t, api, "b")
		s := follow(t, api, widgets+"?watch=1&allowWatchBookmarks=true&labelSelector=x", "Accept", acceptTable)
		first := stored{metadata: `"labels":{"x":"y"}`}
		table := func(rv, columns, cells, object string) string {
			return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"` + rv + `"},"columnDefinitions":` + columns + `,"rows":[{"cells":` + cells + `,"object":` + object + `}]}`
		}
		end := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3","annotations":{"k8s.io/initial-events-end":"true"}}}`
		s.want(event("ADDED", table("2", widgetColumns, `["a",1,"red",null,null,"0s"]`, first.partial())),
			event("BOOKMARK", table("3", "null", `["",null,null,null,null,null]`, end)))
		merge(t, api, widgets+"/a", `{"spec":{"size":2}}`)
		second := stored{rv: "4", generation: 2, metadata: first.metadata}
		s.want(event("MODIFIED", table("4", "null", `["a",2,"red",null,null,"0s"]`, second.partial())))
		merge(t, api, widgets+"/a", `{"metadata":{"labels":null}}`)
		second.rv = "5"
		s.want(event("DELETED", table("5", "null", `["a",2,"red",null,null,"0s"]`, second.partial())))
	})
}

// A bookmark is the row of an object without fields, as far as the columns can show that.
func TestBookmarksOfTables(t *testing.T) {
	const metadata = `"metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}`
	const partial = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",` + metadata + `}`
	host := func(r *rest.Resource[Widget]) {
		r.Columns = []rest.Column{
			rest.ColumnFunc(rest.Column{Name: "Size"}, func(w *Widget) any { return *w.Spec.Size }),
			rest.ColumnFunc(rest.Column{Name: "Labels"}, func(w *Widget) any { return len(w.Labels) }),
		}
	}
	builtin := func(r *rest.Resource[Widget]) { r.Columns, r.Scale, r.Wire.Dialect = nil, nil, rest.DialectBuiltin }
	for _, c := range []struct {
		name          string
		change        func(*rest.Resource[Widget])
		include, want string
	}{
		{"a function that needs a field", host, "", `["",null,0],"object":` + partial},
		{"whole objects", host, "Object", `["",null,0],"object":{"kind":"Widget","apiVersion":"example.com/v1",` + metadata + `}`},
		{"no objects", host, "None", `["",null,0],"object":` + partial},
		{"a kind of Kubernetes", builtin, "", `["","0001-01-01T00:00:00Z"],"object":` + partial},
		{"what it always has", builtin, "Object", `["","0001-01-01T00:00:00Z"],"object":{"kind":"Widget","apiVersion":"example.com/v1",` + metadata + `,"spec":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := follow(t, newWidgets(t, c.change), widgets+"?watch=1&allowWatchBookmarks=true&includeObject="+c.include, "Accept", acceptTable)
				events := s.events()
				require.Len(t, events, 1)
				_, rows, _ := strings.Cut(events[0], `"rows":`)
				assert.JSONEq(t, `[{"cells":`+c.want+`}]`, strings.TrimSuffix(rows, "}}"))
			})
		})
	}
}

// Over a real connection the header and each event arrive at once.
func TestWatchOverHTTP(t *testing.T) {
	t.Run("1.1", func(t *testing.T) {
		api := newWidgets(t)
		server := thingHTTP(t, api)
		response := watchOverHTTP(t, api, server)
		assert.Equal(t, "HTTP/1.1", response.Proto)
		assert.Equal(t, []string{"chunked"}, response.TransferEncoding)
	})
	t.Run("2", func(t *testing.T) {
		api := newWidgets(t)
		server := httptest.NewUnstartedServer(api)
		server.EnableHTTP2 = true
		server.StartTLS()
		t.Cleanup(server.Close)
		assert.Equal(t, "HTTP/2.0", watchOverHTTP(t, api, server).Proto)
		response := open(t.Context(), t, server.Client(), "GET", server.URL+widgets)
		assert.Equal(t, 200, response.StatusCode, "beside the watch, on the same connection")
	})
}

// watchOverHTTP follows an object from a socket, and leaves in the midst of the stream.
func watchOverHTTP(t *testing.T, api *rest.API, server *httptest.Server) *http.Response {
	w := openThingWatch(t, server.Client(), server.URL+widgets+"?watch=true&resourceVersion=1")
	assert.Equal(t, "application/json", w.response.Header.Get("Content-Type"))
	next := func() string {
		var e json.RawMessage
		require.NoError(t, w.decoder.Decode(&e))
		return string(e)
	}
	create(t, api, "a")
	require.JSONEq(t, added(stored{}), unmanaged(t, next()))
	must(t, api, "DELETE", widgets+"/a", "")
	require.JSONEq(t, deleted(stored{rv: "3"}), unmanaged(t, next()))
	return w.response
}
