package events_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/events"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// Widget is a namespaced kind, Site a cluster-scoped one.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

type Site Widget

// world is an API with a recorder, in a synctest bubble.
type world struct {
	*testing.T
	store    *faulty
	api      *rest.API
	recorder *events.Recorder
	log      bytes.Buffer // complete after stop
	stop     func()
}

func inWorld(t *testing.T, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, store: &faulty{Store: memory.New(storage.Options{})}}
		defer func() { assert.NoError(t, w.store.Close()) }()
		var err error
		w.api, err = rest.New(rest.Options{Store: w.store, Logger: slog.New(slog.DiscardHandler)}, builtin.Namespaces(),
			builtin.Events(), rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets"},
			rest.Resource[Site]{Group: "example.com", Version: "v1", Plural: "sites", Scope: rest.ScopeCluster})
		require.NoError(t, err)
		defer func() { assert.NoError(t, w.api.Close()) }()
		w.recorder = events.New(events.Options{Client: resttest.Client[builtin.CoreEvent](t, w.api), KindOf: w.api.KindOf,
			Controller: "example.com/sizes", Instance: "one",
			Logger: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelInfo}))})
		w.start()
		defer func() { w.stop() }()
		f(w)
	})
}

func (w *world) start() {
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.recorder.Run(ctx) }()
	w.stop = func() {
		w.stop = func() {}
		cancel()
		assert.NoError(w, <-ended)
	}
}

// list returns the events of all namespaces, after the recorder has written what it can now.
func (w *world) list() []*builtin.CoreEvent {
	w.Helper()
	synctest.Wait()
	page, err := resttest.Client[builtin.CoreEvent](w, w.api).List(w.Context(), rest.ListOptions{})
	require.NoError(w, err)
	return page.Items
}

// wantEvents checks how many events there are.
func (w *world) wantEvents(want int, why ...any) {
	w.Helper()
	assert.Equal(w, want, len(w.list()), why...)
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// faulty is a store whose writes and whose reads of events may fail.
type faulty struct {
	*memory.Store
	fault atomic.Pointer[func(context.Context) error]
	late  bool // writes take effect before they fail
}

func (f *faulty) fail(fault func(ctx context.Context) error) { f.fault.Store(&fault) }
func (f *faulty) mend()                                      { f.fault.Store(nil) }

func (f *faulty) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	if fault := f.fault.Load(); fault != nil && key.Resource == "events" {
		if err := (*fault)(ctx); err != nil {
			return nil, err
		}
	}
	return f.Store.Get(ctx, key, atLeast)
}

func (f *faulty) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (r *storage.Record, err error) {
	failure := f.write(ctx, func() error { r, err = f.Store.Update(ctx, key, fn); return err })
	return r, failure
}

func (f *faulty) UpdateAll(ctx context.Context, keys []storage.Key,
	fn storage.UpdateAllFunc) (all []*storage.Record, err error) {
	failure := f.write(ctx, func() error { all, err = f.Store.UpdateAll(ctx, keys, fn); return err })
	return all, failure
}

func (f *faulty) write(ctx context.Context, write func() error) error {
	fault := f.fault.Load()
	if fault == nil {
		return write()
	}
	if f.late {
		if err := write(); err != nil {
			return err
		}
		return (*fault)(ctx)
	}
	if err := (*fault)(ctx); err != nil {
		return err
	}
	return write()
}

func widget(name string) *Widget {
	return &Widget{ObjectMeta: apimeta.ObjectMeta{Namespace: "default", Name: name, UID: "uid-" + name,
		ResourceVersion: "7"}}
}

func TestAnEvent(t *testing.T) {
	inWorld(t, func(w *world) {
		began := time.Now()
		w.recorder.Warning(widget("a"), "TooLarge", "Resize", "%d is more than %d", 5, 4)
		all := w.list()
		require.Len(t, all, 1)
		e := all[0]
		assert.Equal(t, fmt.Sprintf("a.%x", began.UnixNano()), e.Name)
		assert.Equal(t, "default", e.Namespace)
		assert.Equal(t, builtin.ObjectReference{APIVersion: "example.com/v1", Kind: "Widget", Namespace: "default", Name: "a",
			UID: "uid-a", ResourceVersion: "7"}, e.InvolvedObject)
		assert.Equal(t, "Warning TooLarge Resize: 5 is more than 4", e.Type+" "+e.Reason+" "+e.Action+": "+e.Message)
		assert.Equal(t, "example.com/sizes one", e.ReportingController+" "+e.ReportingInstance)
		assert.True(t, e.EventTime.Time.Equal(began))
		assert.Nil(t, e.Series)
		modern, err := resttest.Client[builtin.Event](t, w.api).Namespace("default").Get(w.Context(), e.Name)
		require.NoError(t, err)
		assert.Equal(t, "5 is more than 4", modern.Note)
	})
}

func TestAnEventRefersToItsObject(t *testing.T) {
	for _, c := range []struct {
		name string
		obj  func(w *world) any
		want builtin.ObjectReference
		in   string
	}{
		{"a cluster-scoped object", func(*world) any { return &Site{ObjectMeta: apimeta.ObjectMeta{Name: "s", UID: "u"}} },
			builtin.ObjectReference{APIVersion: "example.com/v1", Kind: "Site", Name: "s", UID: "u"}, "default"},
		{"an object with a type", func(*world) any {
			return &Widget{TypeMeta: apimeta.TypeMeta{APIVersion: "other.example.com/v2", Kind: "Other"},
				ObjectMeta: apimeta.ObjectMeta{Namespace: "default", Name: "o"}}
		}, builtin.ObjectReference{APIVersion: "other.example.com/v2", Kind: "Other", Namespace: "default", Name: "o"},
			"default"},
		{"an object of a client", func(w *world) any {
			n, err := resttest.Client[builtin.Namespace](t, w.api).Get(w.Context(), "default")
			require.NoError(w, err)
			n.UID, n.ResourceVersion = "", ""
			return n
		}, builtin.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: "default"}, "default"},
		{"a reference", func(w *world) any {
			_, err := resttest.Client[builtin.Namespace](t, w.api).Create(w.Context(),
				&builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "team"}})
			require.NoError(w, err)
			return &builtin.ObjectReference{Kind: "Widget", Namespace: "team", Name: "r", FieldPath: "spec.size"}
		},
			builtin.ObjectReference{Kind: "Widget", Namespace: "team", Name: "r", FieldPath: "spec.size"}, "team"},
		{"a name that events may not have",
			func(*world) any { return builtin.ObjectReference{Kind: "Role", Name: "system:a"} },
			builtin.ObjectReference{Kind: "Role", Name: "system:a"}, "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.recorder.Normal(c.obj(w), "Seen", "", "")
				all := w.list()
				require.Len(t, all, 1)
				assert.Equal(t, c.want, all[0].InvolvedObject)
				assert.Equal(t, c.in, all[0].Namespace)
				assert.Equal(t, "Seen", all[0].Action)
				assert.Empty(t, apimeta.ValidateDNS1123Subdomain(all[0].Name))
			})
		})
	}
}

// panicking cannot be encoded.
type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("oh") }

func TestEventsWithoutAnObjectAreDropped(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, obj := range []any{nil, 1, (*Widget)(nil), &Widget{}, *widget("a"), struct{}{}, make(chan int), panicking{}} {
			w.recorder.Normal(obj, "Seen", "", "")
		}
		w.wantEvents(0)
		assert.EqualValues(t, 8, w.recorder.Dropped())
		w.recorder.Normal(widget("a"), "", "", "")
		w.wantEvents(0, "an event needs a reason")
		w.stop()
		assert.Equal(t, 9, strings.Count(w.log.String(), `level=ERROR msg="an event is lost"`))
	})
}

// Two processes may report an event of the same object at the same time.
func TestNamesOfOtherRecorders(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 10 {
			other := events.New(events.Options{Client: resttest.Client[builtin.CoreEvent](t, w.api), KindOf: w.api.KindOf,
				Controller: "example.com/sizes"})
			other.Normal(widget("a"), "Seen", "", "")
			ctx, cancel := context.WithCancel(w.Context())
			cancel()
			require.NoError(t, other.Run(ctx))
			w.wantEvents(i + 1)
		}
	})
}

func TestNotesAreCut(t *testing.T) {
	inWorld(t, func(w *world) {
		w.recorder.Normal(widget("a"), "Short", "", "%s", strings.Repeat("x", 1024))
		w.recorder.Normal(widget("a"), "Long", "", "%s", strings.Repeat("ä", 1024))
		all := w.list()
		require.Len(t, all, 2)
		assert.Equal(t, strings.Repeat("x", 1024), all[0].Message)
		assert.Equal(t, strings.Repeat("ä", 510)+"...", all[1].Message)
	})
}

// A note may quote bytes that are not text. The caller of the recorder must not suffer from them, and the event is not
// lost.
func TestNotesOfInvalidUTF8(t *testing.T) {
	inWorld(t, func(w *world) {
		w.recorder.Normal(widget("a"), "Short", "", "%s", "read \xc3\xff")
		w.recorder.Normal(widget("a"), "Long", "", "%s", strings.Repeat("\x80a", 2000))
		w.recorder.Normal(widget("a"), "Tail", "", "%s", strings.Repeat("\x80", 2000))
		all := w.list()
		require.Len(t, all, 3)
		assert.Equal(t, "read \ufffd", all[0].Message)
		assert.Equal(t, strings.Repeat("\ufffda", 255)+"...", all[1].Message)
		assert.Equal(t, "\ufffd", all[2].Message, "a run of such bytes is one character")
	})
}

// The recorder writes the first repetition immediately, and later ones every half hour and when the
// series ends.
func TestRepetitionsAreASeries(t *testing.T) {
	inWorld(t, func(w *world) {
		count := func() int32 {
			all := w.list()
			require.Len(t, all, 1)
			if all[0].Series == nil {
				return 1
			}
			return all[0].Series.Count
		}
		for i := range 35 { // every minute
			again := widget("a")
			again.ResourceVersion = fmt.Sprint(i)
			w.recorder.Normal(again, "Seen", "", "for the time %d", i)
			want := int32(min(i+1, 2))
			if i >= 30 {
				want = 30
			}
			require.Equal(t, want, count(), "after %d minutes", i)
			pass(time.Minute)
		}
		pass(12 * time.Minute)
		assert.EqualValues(t, 35, count())
		last := w.list()[0]
		assert.Equal(t, 34*time.Minute, last.Series.LastObservedTime.Sub(last.EventTime.Time))
		assert.Equal(t, "for the time 0", last.Message)

		w.recorder.Normal(widget("a"), "Seen", "", "")
		w.wantEvents(2, "the series has ended")
		pass(12 * time.Minute)
		w.recorder.Normal(widget("a"), "Seen", "", "")
		w.wantEvents(3, "and so has an event that was not repeated")
	})
}

func TestEventsThatDifferAreNoRepetition(t *testing.T) {
	inWorld(t, func(w *world) {
		other := widget("a")
		other.UID = "another"
		w.recorder.Normal(widget("a"), "Seen", "Look", "")
		w.recorder.Warning(widget("a"), "Seen", "Look", "")
		w.recorder.Normal(widget("a"), "Seen", "Listen", "")
		w.recorder.Normal(widget("a"), "Heard", "Look", "")
		w.recorder.Normal(other, "Seen", "Look", "")
		w.wantEvents(5)
	})
}

// If an event was deleted, for example because it expired, the recorder creates it again as a series.
func TestARepetitionOfADeletedEvent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.recorder.Normal(widget("a"), "Seen", "", "")
		first := w.list()[0]
		require.NoError(t, resttest.Client[builtin.CoreEvent](t, w.api).Namespace("default").Delete(w.Context(), first.Name,
			rest.DeleteOptions{}))
		w.recorder.Normal(widget("a"), "Seen", "", "")
		all := w.list()
		require.Len(t, all, 1)
		assert.NotEqual(t, first.UID, all[0].UID)
		assert.EqualValues(t, 2, all[0].Series.Count)
	})
}

func TestAnObjectCannotCauseTooManyEvents(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 40 {
			w.recorder.Normal(widget("a"), fmt.Sprint("Reason", i), "", "")
		}
		w.wantEvents(25)
		w.recorder.Normal(widget("b"), "Reason", "", "")
		w.recorder.Warning(widget("a"), "Reason", "", "")
		w.wantEvents(27, "other objects and types are counted apart")
		assert.EqualValues(t, 15, w.recorder.Dropped())
		for i := range 2 {
			pass(5 * time.Minute)
			w.recorder.Normal(widget("a"), fmt.Sprint("Late", i), "", "")
			w.recorder.Normal(widget("a"), fmt.Sprint("Later", i), "", "")
		}
		w.wantEvents(29)
		w.stop()
		assert.NotContains(t, w.log.String(), "level=ERROR")
		assert.Contains(t, w.log.String(), "events were dropped")
	})
}

// While the API is unreachable, the recorder buffers events, and drops those that exceed the buffer.
func TestTheAPICannotBeReached(t *testing.T) {
	inWorld(t, func(w *world) {
		w.store.fail(func(context.Context) error { return errors.New("no connection") })
		began := time.Now()
		for i := range 1201 {
			w.recorder.Normal(widget(fmt.Sprint("w", i)), "Seen", "", "")
			synctest.Wait() // the recorder takes the first event
		}
		assert.Zero(t, time.Since(began), "the recorder does not wait")
		assert.EqualValues(t, 200, w.recorder.Dropped())
		pass(time.Minute)
		w.wantEvents(0)
		w.store.mend()
		pass(13 * time.Second)
		w.wantEvents(1001)
		w.stop()
		assert.Equal(t, 1, strings.Count(w.log.String(), "level=ERROR"), w.log.String())
		assert.Contains(t, w.log.String(), `msg="events were dropped" count=200`)
	})
}

func TestTheRecorderGivesUp(t *testing.T) {
	inWorld(t, func(w *world) {
		var attempts atomic.Int64
		w.store.fail(func(context.Context) error { attempts.Add(1); return errors.New("no connection") })
		w.recorder.Normal(widget("a"), "Seen", "", "")
		pass(10 * time.Minute)
		assert.EqualValues(t, 12, attempts.Load())
		assert.EqualValues(t, 1, w.recorder.Dropped())
	})
}

// If the response to a write is lost, the recorder still writes the event only once.
func TestAnswersAreLost(t *testing.T) {
	inWorld(t, func(w *world) {
		w.store.late = true
		for want := range 2 {
			var attempts atomic.Int64
			w.store.fail(func(context.Context) error {
				if attempts.Add(1) < 3 {
					return errors.New("connection lost")
				}
				return nil
			})
			w.recorder.Normal(widget("a"), "Seen", "", "")
			pass(time.Minute)
			all := w.list()
			require.Len(t, all, 1)
			if want > 0 {
				assert.EqualValues(t, 2, all[0].Series.Count)
			}
		}
		assert.Zero(t, w.recorder.Dropped())

		w.store.fail(func(context.Context) error { return errors.New("connection lost") })
		w.recorder.Normal(widget("b"), "Seen", "", "")
		pass(3 * time.Minute)
		assert.EqualValues(t, 1, w.recorder.Dropped(), "the recorder has given up, but the event is there")
		w.store.mend()
		w.recorder.Normal(widget("b"), "Seen", "", "")
		all := w.list()
		require.Len(t, all, 2)
		assert.EqualValues(t, 2, all[1].Series.Count)
	})
}

func TestANamespaceThatEnds(t *testing.T) {
	inWorld(t, func(w *world) {
		namespaces := resttest.Client[builtin.Namespace](t, w.api)
		_, err := namespaces.Create(w.Context(), &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "ending"}})
		require.NoError(t, err)
		require.NoError(t, namespaces.Delete(w.Context(), "ending", rest.DeleteOptions{}))
		for _, namespace := range []string{"ending", "gone"} {
			w.recorder.Normal(builtin.ObjectReference{Kind: "Widget", Namespace: namespace, Name: "a"}, "Seen", "", "")
		}
		w.wantEvents(0)
		assert.EqualValues(t, 2, w.recorder.Dropped())
		w.stop()
		assert.NotContains(t, w.log.String(), "level=ERROR")
	})
}

// When its context ends, Run writes the waiting events.
func TestRunFlushes(t *testing.T) {
	inWorld(t, func(w *world) {
		for range 3 {
			w.recorder.Normal(widget("a"), "Seen", "", "")
		}
		assert.EqualValues(t, 2, w.list()[0].Series.Count)
		w.store.fail(func(context.Context) error { return errors.New("no connection") })
		w.recorder.Normal(widget("b"), "Seen", "", "")
		synctest.Wait()
		w.recorder.Normal(widget("c"), "Seen", "", "")
		w.store.mend()
		w.stop()
		all := w.list()
		require.Len(t, all, 3)
		assert.EqualValues(t, 3, all[0].Series.Count)
		assert.Zero(t, w.recorder.Dropped())

		w.recorder.Normal(widget("d"), "Seen", "", "")
		w.wantEvents(3)
		w.start()
		w.wantEvents(4, "events wait for the next Run")
	})
}

func TestFlushingIsBounded(t *testing.T) {
	for name, fault := range map[string]func(ctx context.Context) error{
		"fails": func(context.Context) error { return errors.New("no connection") },
		"hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.store.fail(fault)
				for i := range 100 {
					w.recorder.Normal(widget(fmt.Sprint("w", i)), "Seen", "", "")
				}
				synctest.Wait()
				began := time.Now()
				w.stop()
				assert.Equal(t, 5*time.Second, time.Since(began))
			})
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	assert.ErrorContains(t, events.New(events.Options{}).Run(t.Context()), `events: Controller "": `)
	assert.EqualError(t, events.New(events.Options{Controller: "c", Instance: strings.Repeat("x", 129)}).Run(t.Context()),
		"events: Instance has more than 128 bytes")
	inWorld(t, func(w *world) {
		synctest.Wait()
		assert.EqualError(t, w.recorder.Run(w.Context()), "events: the recorder is already running")
	})
	var none *events.Recorder
	none.Normal(widget("a"), "Seen", "", "")
	assert.Zero(t, none.Dropped())
}

// A program in another process records events over HTTP.
func TestOverHTTP(t *testing.T) {
	inWorld(t, func(w *world) {
		server := rest.Endpoint{URL: "http://api.example.com", HTTP: &http.Client{Transport: rest.RoundTripper(w.api)}}
		client, err := rest.ClientForEndpoint(server, builtin.Events())
		require.NoError(t, err)
		recorder := events.New(events.Options{Client: client, Controller: "elsewhere"})
		for range 2 {
			recorder.Normal(builtin.ObjectReference{Kind: "Widget", Namespace: "default", Name: "a"}, "Seen", "", "")
		}
		ctx, cancel := context.WithCancel(w.Context())
		cancel()
		require.NoError(t, recorder.Run(ctx))
		all := w.list()
		require.Len(t, all, 1)
		assert.EqualValues(t, 2, all[0].Series.Count)
	})
}

// If a server reports every name as taken by another program, the recorder drops the event after its second attempt.
func TestEveryNameIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		creations := 0
		server := rest.Endpoint{URL: "http://api.example.com",
			HTTP: &http.Client{Transport: answers(func(r *http.Request) (int, string) {
				if r.Method == http.MethodPost {
					creations++
					return http.StatusConflict,
						`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"AlreadyExists","message":"taken","code":409}`
				}
				name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
				return http.StatusOK, fmt.Sprintf(`{"kind":"Event","apiVersion":"v1","metadata":{"name":%q},"reportingInstance":"another"}`, name)
			})}}
		client, err := rest.ClientForEndpoint(server, builtin.Events())
		require.NoError(t, err)
		recorder := events.New(events.Options{Client: client, Controller: "elsewhere", Logger: slog.New(slog.DiscardHandler)})
		recorder.Normal(builtin.ObjectReference{Kind: "Widget", Namespace: "default", Name: "a"}, "Seen", "", "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, recorder.Run(ctx))
		assert.Equal(t, 2, creations)
		assert.EqualValues(t, 1, recorder.Dropped())
	})
}

// answers is a transport that answers each request with a code and a JSON text.
type answers func(r *http.Request) (code int, body string)

func (f answers) RoundTrip(r *http.Request) (*http.Response, error) {
	code, body := f(r)
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
		Request: r}, nil
}

func TestRunEndsWithTheAPI(t *testing.T) {
	api, err := rest.New(rest.Options{}, builtin.Events())
	require.NoError(t, err)
	require.NoError(t, api.Close())
	recorder := events.New(events.Options{Client: resttest.Client[builtin.CoreEvent](t, api), Controller: "sizes"})
	recorder.Normal(builtin.ObjectReference{Kind: "Widget", Name: "a"}, "Seen", "", "")
	assert.ErrorIs(t, recorder.Run(t.Context()), watch.ErrClosed)
}
