package remote_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// script is a server for which a test writes the streams of watches. Its list contains one Widget, at version 5. It has
// reached version 100.
type script struct {
	streams []func(w io.Writer, r *http.Request) // one for each watch; further watches hang
	asked   []string                             // the resourceVersion of each watch
	lists   int
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if query.Get("watch") == "" {
		s.lists++
		_, _ = io.WriteString(w, `{"metadata":{"resourceVersion":"5"},"items":[`+apitest.StoredWidget{RV: "3"}.String()+`]}`)
		return
	}
	s.asked = append(s.asked, query.Get("resourceVersion"))
	w.(http.Flusher).Flush()
	if len(s.asked) > len(s.streams) {
		<-r.Context().Done()
		return
	}
	s.streams[len(s.asked)-1](w, r)
}

func (s *script) client(t testing.TB) rest.Client[apitest.Widget] { return answering(t, s.ServeHTTP) }

// sendEvent writes an event for the Widget with this name and resourceVersion.
func sendEvent(w io.Writer, event, name, version string) {
	_, _ = fmt.Fprintf(w, `{"type":%q,"object":%s}`+"\n", event,
		apitest.StoredWidget{Name: name, UID: "uid-" + name, RV: version})
}

const expiredEvent = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old","reason":"Expired","code":410}}`

// A watch reads one stream after the other. Each stream begins at the resourceVersion at which the previous one ended.
func TestStreamsOfAWatch(t *testing.T) {
	over := func(lines ...string) func(io.Writer, *http.Request) {
		return func(w io.Writer, _ *http.Request) { _, _ = io.WriteString(w, strings.Join(lines, "\n")) }
	}
	events := func(parts ...string) func(io.Writer, *http.Request) {
		return func(w io.Writer, _ *http.Request) {
			for _, part := range parts {
				words := strings.Fields(part)
				sendEvent(w, words[0], words[1], words[2])
			}
		}
	}
	broken := func(io.Writer, *http.Request) { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name    string
		from    string
		streams []func(io.Writer, *http.Request)
		seen    []string
		asked   []string
		ended   func(error) bool
		text    string
	}{
		{"goes on where the stream ended", "",
			[]func(io.Writer, *http.Request){events("ADDED b 6", "BOOKMARK x 9"), events("DELETED b 11"), over(expiredEvent)},
			[]string{"ADDED a 3", "ADDED b 6", "DELETED b 11"}, []string{"5", "9", "11"}, status.IsExpired, "too old"},
		{"from a version", "7", []func(io.Writer, *http.Request){events("MODIFIED a 8"), over(expiredEvent)},
			[]string{"MODIFIED a 8"}, []string{"7", "8"}, status.IsExpired, ""},
		{"is gone", "7", []func(io.Writer, *http.Request){over(strings.Replace(expiredEvent, `"Expired"`, `"Gone"`, 1))}, nil,
			[]string{"7"}, status.IsExpired, ""},
		{"another failure", "7",
			[]func(io.Writer,
				*http.Request){over(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"boom","reason":"InternalError","code":500}}`)},
			nil, []string{"7"}, status.IsInternalError, "boom"},
		{"no Status", "7", []func(io.Writer, *http.Request){over(`{"type":"ERROR","object":42}`)}, nil, []string{"7"},
			isError, `without a Status: "42"`},
		{"an unknown event", "7", []func(io.Writer, *http.Request){over(`{"type":"MOVED","object":{}}`)}, nil, []string{"7"},
			isError, `unknown type "MOVED"`},
		{"no JSON", "7", []func(io.Writer, *http.Request){over(`<html>`)}, nil, []string{"7"}, isError,
			"invalid character '<'"},
		{"breaks", "7", []func(io.Writer, *http.Request){
			func(w io.Writer, r *http.Request) { events("MODIFIED a 8")(w, r); broken(w, r) }}, []string{"MODIFIED a 8"},
			[]string{"7"}, isError, "broke off"},
		{"ends within an event", "7", []func(io.Writer, *http.Request){over(`{"type":"ADDED","obj`)}, nil, []string{"7"},
			isError, "unexpected EOF"},
		{"ends at once, twice", "7", []func(io.Writer, *http.Request){over(), over()}, nil, []string{"7", "7"}, isError,
			"the server ends every watch as soon as it begins"},
		{"ends at once, once", "7", []func(io.Writer, *http.Request){
			over(), events("MODIFIED a 8"), over(), over(expiredEvent)}, []string{"MODIFIED a 8"}, []string{"7", "7", "8", "8"},
			status.IsExpired, ""},
		{"a Status without a message", "7",
			[]func(io.Writer,
				*http.Request){over(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500}}`)},
			nil, []string{"7"}, status.IsInternalError, `the reason "InternalError", but without a message`},
		{"a bookmark goes back", "7",
			[]func(io.Writer, *http.Request){events("MODIFIED a 8", "BOOKMARK x 6"), over(expiredEvent)},
			[]string{"MODIFIED a 8"}, []string{"7", "8"}, status.IsExpired, ""},
		{"a bookmark without a version", "7",
			[]func(io.Writer, *http.Request){over(`{"type":"BOOKMARK","object":{}}`), over(expiredEvent)}, nil,
			[]string{"7", "7"}, status.IsExpired, ""},
		{"an event goes back", "7", []func(io.Writer, *http.Request){events("ADDED b 9", "MODIFIED a 8")},
			[]string{"ADDED b 9"}, []string{"7"}, isError, `an event of resourceVersion "8" after "9"`},
		{"an event twice", "7", []func(io.Writer, *http.Request){events("ADDED b 9"), events("ADDED b 9")},
			[]string{"ADDED b 9"}, []string{"7", "9"}, isError, `resourceVersion "9" after "9"`},
		{"an event without a version", "7",
			[]func(io.Writer, *http.Request){over(`{"type":"ADDED","object":{"metadata":{"name":"b"}}}`)}, nil, []string{"7"},
			isError, `resourceVersion "" after "7"`},
		{"only bookmarks that do not advance", "7",
			[]func(io.Writer, *http.Request){events("BOOKMARK x 7"), events("BOOKMARK x 7")}, nil, []string{"7", "7"}, isError,
			"the server ends every watch as soon as it begins"},
		{"versions that are not numbers", "x",
			[]func(io.Writer, *http.Request){events("ADDED b y"), events("DELETED b z"), over(expiredEvent)},
			[]string{"ADDED b y", "DELETED b z"}, []string{"x", "y", "z"}, status.IsExpired, ""},
		{"an event without end", "7", []func(io.Writer, *http.Request){func(w io.Writer, _ *http.Request) {
			_, _ = io.WriteString(w, `{"type":"ADDED","object":"`)
			for chunk := strings.Repeat("x", 1<<20); ; {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}}, nil, []string{"7"}, isError, "an event exceeds the limit of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &script{streams: c.streams}
			var got []string
			var ended error
			for e, err := range s.client(t).Watch(t.Context(), rest.WatchOptions{ResourceVersion: c.from}) {
				if ended = err; err == nil {
					assert.Equal(t, e.ResourceVersion, e.Object.ResourceVersion)
					got = append(got, apitest.DescribeEvent(e))
				}
			}
			assert.True(t, c.ended(ended), "%v", ended)
			assert.ErrorContains(t, ended, c.text)
			assert.Equal(t, c.seen, got)
			assert.Equal(t, c.asked, s.asked)
		})
	}
}

func isError(err error) bool { return err != nil }

// A stream that does not end in time fails, because its connection must be dead.
func TestDeadConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := &script{}, time.Now()
		err := apitest.FirstError(s.client(t).Watch(t.Context(), rest.WatchOptions{ResourceVersion: "5"}))
		assert.ErrorContains(t, err, "the connection seems to be dead")
		assert.InDelta(t, 450*time.Second, time.Since(began), float64(190*time.Second))
	})
}

// The timeout of the http.Client ends requests, but no watches.
func TestTimeoutsEndNoWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{streams: []func(io.Writer, *http.Request){func(w io.Writer, r *http.Request) {
			<-time.After(time.Minute)
			sendEvent(w, "ADDED", "b", "6")
			_, _ = io.WriteString(w, expiredEvent)
		}}}
		server := apitest.EndpointOf(s)
		server.HTTP.Timeout = time.Second
		var got []string
		for e, err := range apitest.ClientForEndpoint(t, server, apitest.WidgetResource()).Watch(t.Context(),
			rest.WatchOptions{ResourceVersion: "5"}) {
			if err != nil {
				assert.True(t, status.IsExpired(err), "%v", err)
				break
			}
			got = append(got, apitest.DescribeEvent(e))
		}
		assert.Equal(t, []string{"ADDED b 6"}, got)

		server = apitest.EndpointOf(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		server.HTTP.Timeout = time.Second
		_, err := apitest.ClientForEndpoint(t, server, apitest.WidgetResource()).Namespace("default").Get(t.Context(), "a")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// The request ends when the caller breaks out of the loop.
func TestBreakingOffEndsTheRequest(t *testing.T) {
	gone := make(chan struct{})
	s := &script{streams: []func(io.Writer, *http.Request){func(w io.Writer, r *http.Request) {
		sendEvent(w, "ADDED", "b", "6")
		<-r.Context().Done()
		close(gone)
	}}}
	for range s.client(t).Watch(t.Context(), rest.WatchOptions{ResourceVersion: "5"}) {
		break
	}
	apitest.Within(t, "the end of the request", gone)
}

// remoteFollower collects the events of Follow, in the short form of seen, until the test cancels it.
type remoteFollower struct {
	events []string
	err    error
	stop   context.CancelFunc
	done   chan struct{}
}

func followAt(ctx context.Context, client rest.Client[apitest.Widget], options rest.WatchOptions) *remoteFollower {
	ctx, cancel := context.WithCancel(ctx)
	f := &remoteFollower{stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		for e, err := range client.Follow(ctx, options) {
			if err != nil {
				f.err = err
				return
			}
			f.events = append(f.events, apitest.DescribeEvent(e))
		}
	}()
	return f
}

// take returns the events since the last call. It waits until no event has arrived for an hour.
func (f *remoteFollower) take() []string {
	<-time.After(time.Hour)
	synctest.Wait()
	out := f.events
	f.events = nil
	return out
}

// Follow recovers from broken connections, busy servers and lost history, and yields each change in between once.
func TestFollowOverHTTPRecovers(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults []resttest.Fault
		expire bool
		want   []string
	}{
		{"a broken connection", []resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}}, false,
			[]string{"MODIFIED a 4", "MODIFIED a 5", "DELETED b 6", "ADDED c 7"}},
		{"several", []resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}, {Verb: access.VerbWatch, Drop: true},
			{Verb: access.VerbWatch, Drop: true, Events: 2}}, false,
			[]string{"MODIFIED a 4", "MODIFIED a 5", "DELETED b 6", "ADDED c 7"}},
		{"the end of the stream", []resttest.Fault{{Verb: access.VerbWatch, Events: 1}}, false,
			[]string{"MODIFIED a 4", "MODIFIED a 5", "DELETED b 6", "ADDED c 7"}},
		{"a busy server", []resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}, {Verb: access.VerbWatch, Code: 503},
			{Verb: access.VerbWatch, Code: 429}, {Verb: access.VerbWatch, Code: 500}}, false,
			[]string{"MODIFIED a 4", "MODIFIED a 5", "DELETED b 6", "ADDED c 7"}},
		{"lost history", []resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}}, true,
			[]string{"MODIFIED a 4", "MODIFIED a 7", "ADDED c 7", "DELETED b 7"}},
		{"an expired watch", []resttest.Fault{{Verb: access.VerbWatch, Code: 410, Events: 1}}, false,
			[]string{"MODIFIED a 4", "MODIFIED a 5", "DELETED b 6", "ADDED c 7"}},
		{"lost history and a broken list",
			[]resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}, {Verb: access.VerbList, Drop: true},
				{Verb: access.VerbList, Code: 502}}, true,
			[]string{"MODIFIED a 4", "MODIFIED a 7", "ADDED c 7", "DELETED b 7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := resttest.New(t, apitest.WidgetResource())
				own := apitest.WidgetClient(t, s.API)
				client := apitest.ClientForEndpoint(t,
					rest.Endpoint{URL: "http://api.example.com", HTTP: &http.Client{Transport: s.RoundTripper()}},
					apitest.WidgetResource()).Namespace("default")
				for _, name := range []string{"a", "b"} {
					_, err := own.Create(t.Context(), apitest.NewWidget(name, 1))
					require.NoError(t, err)
				}
				for i, fault := range c.faults {
					if i == 0 && fault.Events > 0 {
						s.Inject(fault) // of the first stream
					}
				}
				f := followAt(t.Context(), client, rest.WatchOptions{})
				synctest.Wait()
				for _, fault := range c.faults[1:] {
					s.Inject(fault)
				}
				resize := func(size int32) {
					_, err := own.Modify(t.Context(), "a", func(w *apitest.Widget) error { w.Spec.Size = new(size); return nil })
					require.NoError(t, err)
				}
				assert.Equal(t, []string{"ADDED a 2", "ADDED b 3"}, f.events)
				f.events = nil
				resize(2)
				synctest.Wait() // until the stream has ended and Follow waits
				resize(3)
				require.NoError(t, own.Delete(t.Context(), "b", rest.DeleteOptions{}))
				_, err := own.Create(t.Context(), apitest.NewWidget("c", 1))
				require.NoError(t, err)
				if c.expire {
					s.Expire()
				}
				assert.Equal(t, c.want, f.take())
				resize(4)
				assert.Equal(t, []string{"MODIFIED a 8"}, f.take(), "it goes on")
				f.stop()
				<-f.done
				assert.ErrorIs(t, f.err, context.Canceled)
			})
		})
	}
}

// Follow ends with an error that a retry cannot fix.
func TestFollowOverHTTPEnds(t *testing.T) {
	for code, is := range map[int]func(error) bool{
		401: status.IsUnauthorized, 403: status.IsForbidden, 404: status.IsNotFound} {
		synctest.Test(t, func(t *testing.T) {
			s := resttest.New(t, apitest.WidgetResource())
			client := apitest.ClientForEndpoint(t,
				rest.Endpoint{URL: "http://api.example.com", HTTP: &http.Client{Transport: s.RoundTripper()}},
				apitest.WidgetResource()).Namespace("default")
			s.Inject(resttest.Fault{Verb: access.VerbWatch, Drop: true, Events: 1})
			f := followAt(t.Context(), client, rest.WatchOptions{})
			synctest.Wait()
			s.Inject(resttest.Fault{Verb: access.VerbWatch, Code: code})
			_, err := apitest.WidgetClient(t, s.API).Create(t.Context(), apitest.NewWidget("a", 1))
			require.NoError(t, err)
			<-f.done
			assert.Equal(t, []string{"ADDED a 2"}, f.events)
			assert.True(t, is(f.err), "%v", f.err)
		})
	}
}

// If a server returns with an older state, as after a restore from a backup, Follow yields the difference to that
// state.
func TestFollowAfterTheServerLostItsHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := apitest.NewWidgets(t), apitest.NewWidgets(t)
		serving := first
		client := answering(t, func(w http.ResponseWriter, r *http.Request) {
			http.StripPrefix("/pre/fix", serving).ServeHTTP(w, r)
		})
		create := func(api *rest.API, names ...string) {
			for _, name := range names {
				_, err := apitest.WidgetClient(t, api).Create(t.Context(), apitest.NewWidget(name, 1))
				require.NoError(t, err)
			}
		}
		create(first, "a", "b", "c", "d")
		create(second, "a", "x")
		f := followAt(t.Context(), client, rest.WatchOptions{})
		assert.Equal(t, []string{"ADDED a 2", "ADDED b 3", "ADDED c 4", "ADDED d 5"}, f.take())
		serving = second
		require.NoError(t, first.Close())
		got := f.take()
		assert.ElementsMatch(t, []string{"ADDED x 3", "DELETED b 3", "DELETED c 3", "DELETED d 3"}, got)
		create(second, "y")
		assert.Equal(t, []string{"ADDED y 4"}, f.take())
		f.stop()
		<-f.done
	})
}
