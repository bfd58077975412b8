package follow_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=true&resourceVersion=2")
		assert.Equal(t, "application/json", s.Writer.Headers.Get("Content-Type"))
		s.Want()
		apitest.CreateWidget(t, api, "b")
		s.Want(apitest.Added(apitest.StoredWidget{Name: "b", UID: "uid-2", RV: "3"}))
		apitest.MergePatch(t, api, apitest.Widgets+"/b", `{"spec":{"size":2}}`)
		s.Want(apitest.Modified(apitest.StoredWidget{Name: "b", UID: "uid-2", RV: "4", Generation: 2,
			Spec: apitest.SpecOfSizeTwo}))
		apitest.MergePatch(t, api, apitest.Widgets+"/b/status", `{"status":{"phase":"Ready"}}`)
		s.Want(apitest.Modified(apitest.StoredWidget{Name: "b", UID: "uid-2", RV: "5", Generation: 2,
			Spec: apitest.SpecOfSizeTwo, Status: `{"phase":"Ready"}`}))
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/b", "")
		s.Want(apitest.Deleted(apitest.StoredWidget{Name: "b", UID: "uid-2", RV: "6", Generation: 2,
			Spec: apitest.SpecOfSizeTwo, Status: `{"phase":"Ready"}`}))
		apitest.CreateWidget(t, api, "b")
		s.Want(apitest.Added(apitest.StoredWidget{Name: "b", UID: "uid-3", RV: "7"}))
		assert.False(t, s.Ended())
	})
}

func TestWatchReplaysPastEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
		apitest.CreateWidget(t, api, "a")
		again := apitest.Added(apitest.StoredWidget{UID: "uid-2", RV: "5"})
		gone := apitest.Deleted(apitest.StoredWidget{RV: "4", Generation: 2, Spec: apitest.SpecOfSizeTwo})
		apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=2").
			Want(apitest.Modified(apitest.StoredWidget{RV: "3", Generation: 2, Spec: apitest.SpecOfSizeTwo}), gone, again)
		apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=3").Want(gone, again)
		apitest.OpenWatch(t, api, apitest.AllWidgets+"?watch=1&resourceVersion=5").Want()
	})
}

func TestUnchangedObjectsCauseNoEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=2")
		require.Equal(t, 200, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":1}}`).Code)
		require.Equal(t, 200, apitest.MergePatch(t, api, apitest.Widgets+"/a?dryRun=All", `{"spec":{"size":2}}`).Code)
		require.Equal(t, 422, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":0}}`).Code)
		require.Equal(t, 409, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)).Code)
		require.Equal(t, 200, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?dryRun=All", "").Code)
		s.Want()
	})
}

func TestWatchOfADeletionInTwoPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":["example.com/f"]`))
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=2")
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
		s.Want(apitest.Modified(apitest.StoredWidget{RV: "3", Generation: 2,
			Metadata: apitest.BeingDeleted("example.com/f")}))
		apitest.Must(t, api, "PATCH", apitest.Widgets+"/a", `{"metadata":{"finalizers":null}}`, "Content-Type",
			apitest.TypeMergePatch)
		s.Want(apitest.Deleted(apitest.StoredWidget{RV: "4", Generation: 2, Metadata: apitest.BeingDeleted("example.com/f")}))
	})
}

func TestWatchBeginsWithExistingObjects(t *testing.T) {
	for _, c := range []struct {
		name, query string
		events      []string
	}{
		{"no version", "", []string{"b", "c"}},
		{"any version", "&resourceVersion=0", []string{"b", "c"}},
		{"any version, with bookmarks", "&resourceVersion=0&allowWatchBookmarks=true", []string{"b", "c", "end"}},
		{"asked for", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", []string{"b", "c"}},
		{"asked for, with bookmarks", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
			[]string{"b", "c", "end"}},
		{"asked for from a version",
			"&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1&resourceVersion=2",
			[]string{"b", "c", "end"}},
		{"with a selector", "&labelSelector=x%3Dy&allowWatchBookmarks=true", []string{"c", "end"}},
		{"not asked for", "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.NewWidgets(t)
				apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"c","labels":{"x":"y"}`))
				apitest.CreateWidget(t, api, "b")
				objects := map[string]string{
					"b":   apitest.Added(apitest.StoredWidget{Name: "b", UID: "uid-2", RV: "3"}),
					"c":   apitest.Added(apitest.StoredWidget{Name: "c", Metadata: `"labels":{"x":"y"}`}),
					"end": apitest.InitialEventsEnd("3"),
				}
				var want []string
				for _, name := range c.events {
					want = append(want, objects[name])
				}
				s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1"+c.query)
				s.Want(want...)
				apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"d","labels":{"x":"y"}`))
				s.Want(apitest.Added(apitest.StoredWidget{Name: "d", UID: "uid-3", RV: "4", Metadata: `"labels":{"x":"y"}`}))
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
			api := apitest.NewWidgets(t)
			s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=1&labelSelector=x%3D1")
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a",`+x("2")))
			s.Want()
			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{`+x("1")+`}}`)
			s.Want(apitest.Added(apitest.StoredWidget{RV: "3", Metadata: x("1")}))
			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
			s.Want(apitest.Modified(apitest.StoredWidget{RV: "4", Generation: 2, Spec: apitest.SpecOfSizeTwo, Metadata: x("1")}))
			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{`+x("2")+`},"spec":{"size":1}}`)
			s.Want(apitest.Deleted(apitest.StoredWidget{RV: "5", Generation: 2, Spec: apitest.SpecOfSizeTwo, Metadata: x("1")}))
			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":3}}`)
			apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
			s.Want()
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a",`+x("1")))
			apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
			s.Want(apitest.Added(apitest.StoredWidget{UID: "uid-2", RV: "8", Metadata: x("1")}),
				apitest.Deleted(apitest.StoredWidget{UID: "uid-2", RV: "9", Metadata: x("1")}))
		})
	})
	t.Run("fields", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=1&fieldSelector=spec.color%3Dblue")
			apitest.CreateWidget(t, api, "a")
			s.Want()
			blue := `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`
			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"color":"blue"}}`)
			s.Want(apitest.Added(apitest.StoredWidget{RV: "3", Generation: 2, Spec: blue}))
			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"color":null}}`)
			s.Want(apitest.Deleted(apitest.StoredWidget{RV: "4", Generation: 2, Spec: blue}))
		})
	})
	t.Run("replayed from history", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a",`+x("1")))
			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{`+x("2")+`}}`)
			apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=2&labelSelector=x%3D1").
				Want(apitest.Deleted(apitest.StoredWidget{RV: "3", Metadata: x("1")}))
			apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=2&labelSelector=x%3D2").
				Want(apitest.Added(apitest.StoredWidget{RV: "3", Metadata: x("2")}))
		})
	})
	t.Run("conditions that contradict each other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&fieldSelector=metadata.namespace%3Dother")
			apitest.CreateWidget(t, api, "a")
			s.Want()
		})
	})
}

func TestWatchOneNameOrNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		byName := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=1&fieldSelector=metadata.name%3Da")
		inNamespace := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=1")
		byNamespace := apitest.OpenWatch(t, api,
			apitest.AllWidgets+"?watch=1&resourceVersion=1&fieldSelector=metadata.namespace%3Ddefault")
		namedAnywhere := apitest.OpenWatch(t, api,
			apitest.AllWidgets+"?watch=1&resourceVersion=1&fieldSelector=metadata.name%3Da")
		everywhere := apitest.OpenWatch(t, api, apitest.AllWidgets+"?watch=1&resourceVersion=1")
		apitest.CreateWidget(t, api, "a")
		apitest.CreateWidget(t, api, "b")
		apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/other/widgets", apitest.WidgetBody(`"name":"a"`))
		a, b := apitest.Added(apitest.StoredWidget{}), apitest.Added(apitest.StoredWidget{Name: "b", UID: "uid-2", RV: "3"})
		other := strings.Replace(apitest.Added(apitest.StoredWidget{UID: "uid-3", RV: "4"}), `"default"`, `"other"`, 1)
		byName.Want(a)
		inNamespace.Want(a, b)
		byNamespace.Want(a, b)
		namedAnywhere.Want(a, other)
		everywhere.Want(a, b, other)
	})
}

func TestWatchEnds(t *testing.T) {
	t.Run("after timeoutSeconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			s := apitest.OpenWatch(t, apitest.NewWidgets(t), apitest.Widgets+"?watch=1&timeoutSeconds=7")
			<-s.Done
			assert.Equal(t, 7*time.Second, time.Since(begin))
			s.Want()
		})
	})
	t.Run("by itself, not all at one time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			api := apitest.NewWidgets(t)
			times := map[time.Duration]bool{}
			for range 5 {
				s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1")
				<-s.Done
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
			s := apitest.OpenWatch(t, apitest.NewWidgets(t), apitest.Widgets+"?watch=1")
			s.Stop()
			assert.True(t, s.Ended())
		})
	})
	t.Run("when the API is shut down", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1")
			require.NoError(t, api.Close())
			assert.True(t, s.Ended())
			s.Want() // without an event
		})
	})
}

func TestBookmarks(t *testing.T) {
	t.Run("about each minute, if there is something to tell", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), apitest.Gizmos())
			s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=1&allowWatchBookmarks=true")
			apitest.LetPass(5 * time.Minute)
			s.Want()
			apitest.TouchGizmo(t, api, "g") // nothing of this watch's, but it has come further
			s.Want()
			apitest.LetPass(75 * time.Second)
			s.Want(apitest.Bookmark("2"))
			apitest.LetPass(5 * time.Minute)
			s.Want()
			apitest.CreateWidget(t, api, "a")
			s.Want(apitest.Added(apitest.StoredWidget{UID: "uid-2", RV: "3"}))
			apitest.LetPass(5 * time.Minute)
			s.Want() // the event has told as much
		})
	})
	t.Run("shortly before the end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), apitest.Gizmos())
			s := apitest.OpenWatch(t, api,
				apitest.Widgets+"?watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=10")
			apitest.TouchGizmo(t, api, "g")
			apitest.LetPass(7900 * time.Millisecond)
			s.Want()
			apitest.LetPass(200 * time.Millisecond)
			s.Want(apitest.Bookmark("2"))
			<-s.Done
			s.Want()
		})
	})
	t.Run("any selector", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=1&allowWatchBookmarks=true&labelSelector=x")
			apitest.CreateWidget(t, api, "a")
			apitest.LetPass(75 * time.Second)
			s.Want(apitest.Bookmark("2"))
		})
	})
	t.Run("only for who asks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), apitest.Gizmos())
			s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=1")
			apitest.TouchGizmo(t, api, "g")
			apitest.LetPass(10 * time.Minute)
			s.Want()
		})
	})
}

func TestWatchFromAnExpiredVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := apitest.NewStore(t)
		api := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
		for _, name := range []string{"a", "b", "c"} {
			apitest.CreateWidget(t, api, name)
		}
		require.NoError(t, store.Compact(context.Background(), 3))
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=2")
		s.Want(apitest.Event("ERROR",
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Expired","code":410,"message":"too old resource version: 2 (3)"}`))
		assert.True(t, s.Ended())
		apitest.OpenWatch(t, api, apitest.Widgets+
			"?watch=1&resourceVersion=3").Want(apitest.Added(apitest.StoredWidget{Name: "c", UID: "uid-3", RV: "4"}))
		require.NoError(t, store.Close())
	})
}

// A client that does not read holds up nobody. Once the changes that it lacks are no longer kept, its watch ends with
// 410.
func TestSlowWatchExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(storage.Options{MaxLogBytes: 20_000})
		api := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
		apitest.CreateWidget(t, api, "a")
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=2")
		release := make(chan struct{})
		s.Writer.Block(release)
		for i := range 100 {
			apitest.Must(t, api, "PATCH", apitest.Widgets+"/a", `{"spec":{"settings":{"k":"`+strings.Repeat("x", 1000+i)+`"}}}`,
				"Content-Type", apitest.TypeMergePatch)
		}
		s.Writer.Block(nil)
		close(release)
		events := s.Events()
		require.NotEmpty(t, events)
		assert.Less(t, len(events), 50)
		last := apitest.Answer{Body: events[len(events)-1]}
		assert.Equal(t, "ERROR", last.Text(t, "type"))
		assert.Equal(t, float64(410), last.Value(t, "object.code"))
		assert.Equal(t, "Expired", last.Text(t, "object.reason"))
		assert.True(t, s.Ended())
		require.NoError(t, store.Close())
	})
}

func TestWatchFromTheFuture(t *testing.T) {
	t.Run("waits for the revision, then sends later events", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			s := apitest.RequestWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=3")
			apitest.LetPass(2 * time.Second)
			apitest.CreateWidget(t, api, "a")
			require.Zero(t, s.Code(), "nothing is answered yet")
			apitest.CreateWidget(t, api, "b")
			require.Equal(t, 200, s.Code())
			s.Want()
			apitest.CreateWidget(t, api, "c")
			s.Want(apitest.Added(apitest.StoredWidget{Name: "c", UID: "uid-3", RV: "4"}))
		})
	})
	for _, c := range []struct {
		name, target string
		headers      []string
		after        time.Duration
	}{
		{"is refused in plain HTTP after a while", apitest.Widgets + "?watch=1&resourceVersion=99", nil, 3 * time.Second},
		{"also by path", apitest.ExampleV1 + "/watch/namespaces/default/widgets/a?resourceVersion=99", nil, 3 * time.Second},
		{"also without initial events by name",
			apitest.Widgets + "?watch=1&resourceVersion=99&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", nil,
			3 * time.Second},
		{"also before an upgrade", apitest.Widgets + "?watch=1&resourceVersion=99",
			[]string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key",
				"MDEyMzQ1Njc4OTAxMjM0NQ=="}, 3 * time.Second},
		{"not later than it would end", apitest.Widgets + "?watch=1&resourceVersion=99&timeoutSeconds=1", nil, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				a := apitest.Do(t, apitest.NewWidgets(t), "GET", c.target, "", c.headers...)
				assert.Equal(t, c.after, time.Since(began))
				apitest.WantFailure(t, a, 504, "Timeout", "Timeout: Too large resource version: 99, current: 1",
					`{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}`)
				assert.Equal(t, "1", a.Header.Get("Retry-After"))
			})
		})
	}
	t.Run("ends at once with its client", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := apitest.RequestWatch(t, apitest.NewWidgets(t), apitest.Widgets+"?watch=1&resourceVersion=99")
			require.False(t, s.Ended())
			began := time.Now()
			s.Stop()
			<-s.Done
			assert.Zero(t, time.Since(began))
		})
	})
	for _, query := range []string{"", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"} {
		t.Run("ends at once with the API"+query, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.NewWidgets(t)
				s := apitest.RequestWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=99"+query)
				require.False(t, s.Ended())
				began := time.Now()
				require.NoError(t, api.Close())
				<-s.Done
				assert.Zero(t, time.Since(began))
				if query == "" {
					assert.Equal(t, 503, s.Code())
				}
			})
		})
	}
	t.Run("with initial events, the error comes in the stream", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := apitest.OpenWatch(t, apitest.NewWidgets(t),
				apitest.Widgets+"?watch=1&resourceVersion=99&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
			<-s.Done
			s.Want(apitest.Event("ERROR",
				`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Timeout","code":504,
				"message":"Timeout: Too large resource version: 99, current: 1","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}}`))
		})
	})
}

func TestWatchRefuses(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, c := range []struct {
		name, query string
		causes      []apitest.Cause
	}{
		{"initial events without a match", "&sendInitialEvents=true",
			[]apitest.Cause{apitest.Forbidden("resourceVersionMatch",
				"Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")}},
		{"initial events of an exact version", "&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
			[]apitest.Cause{
				apitest.Forbidden("resourceVersionMatch",
					"Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
				apitest.NotSupported("resourceVersionMatch", `Unsupported value: "Exact": supported values: "NotOlderThan"`)}},
		{"a match without initial events", "&resourceVersionMatch=NotOlderThan&resourceVersion=1",
			[]apitest.Cause{apitest.Forbidden("resourceVersionMatch",
				"Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantInvalid(t, apitest.Do(t, api, "GET", apitest.Widgets+"?watch=1"+c.query, ""), "ListOptions.meta.k8s.io",
				"", c.causes...)
		})
	}
	for _, c := range []struct {
		name, query, accept string
		code                int
		reason, message     string
	}{
		{"a resourceVersion that is not a number", "&resourceVersion=abc", "", 400, "BadRequest",
			`invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{"a bad selector", "&fieldSelector=spec.size%3D1", "", 400, "BadRequest", "field label not supported: spec.size"},
		{"a bad timeout", "&timeoutSeconds=x", "", 400, "BadRequest", `strconv.ParseInt: parsing "x": invalid syntax`},
		{"two invalid numbers", "&limit=&timeoutSeconds=x", "", 400, "BadRequest",
			`strconv.ParseInt: parsing "x": invalid syntax`},
		{"YAML", "", apitest.TypeYAML, 406, "NotAcceptable",
			"only the following media types are accepted: application/json;stream=watch"},
		{"HTML", "", "text/html", 406, "NotAcceptable",
			"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"YAML before JSON", "", "application/yaml, application/json;q=0.9", 406, "NotAcceptable",
			"only the following media types are accepted: application/json;stream=watch"},
		{"YAML, and a resourceVersion that is not a number", "&resourceVersion=abc",
			"application/yaml, application/json;q=0.9", 400, "BadRequest", `invalid resource version`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apitest.Do(t, api, "GET", apitest.Widgets+"?watch=1"+c.query, "", "Accept", c.accept)
			if strings.HasPrefix(c.accept, apitest.TypeYAML) { // an error comes in what the client reads
				assert.Equal(t, apitest.TypeYAML, a.Header.Get("Content-Type"))
				assert.Contains(t, a.Body, c.message)
				assert.Equal(t, c.code, a.Code)
				return
			}
			apitest.WantFailure(t, a, c.code, c.reason, c.message, "")
		})
	}
}

func TestWatchOfPartialObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","labels":{"x":"y"}`))
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&allowWatchBookmarks=true&labelSelector=x", "Accept",
			apitest.AcceptPartial)
		first := apitest.StoredWidget{Metadata: `"labels":{"x":"y"}`}
		partialBookmark := func(more string) string {
			return apitest.Event("BOOKMARK",
				`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{`+more+`}}`)
		}
		s.Want(apitest.Event("ADDED", first.Partial()),
			partialBookmark(`"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}`))
		apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
		second := apitest.StoredWidget{RV: "3", Generation: 2, Metadata: first.Metadata}
		s.Want(apitest.Event("MODIFIED", second.Partial()))
		apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"labels":null}}`)
		second.RV = "4"
		s.Want(apitest.Event("DELETED", second.Partial()))
		apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":3}}`)
		apitest.LetPass(75 * time.Second)
		s.Want(partialBookmark(`"resourceVersion":"5"`))
	})
}

func TestWatchAsTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","labels":{"x":"y"}`))
		apitest.CreateWidget(t, api, "b")
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&allowWatchBookmarks=true&labelSelector=x", "Accept",
			apitest.AcceptTable)
		first := apitest.StoredWidget{Metadata: `"labels":{"x":"y"}`}
		table := func(rv, columns, cells, object string) string {
			return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"` + rv +
				`"},"columnDefinitions":` + columns +
				`,"rows":[{"cells":` + cells + `,"object":` + object + `}]}`
		}
		end := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3","annotations":{"k8s.io/initial-events-end":"true"}}}`
		s.Want(apitest.Event("ADDED", table("2", apitest.WidgetColumns, `["a",1,"red",null,null,"0s"]`, first.Partial())),
			apitest.Event("BOOKMARK", table("3", "null", `["",null,null,null,null,null]`, end)))
		apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
		second := apitest.StoredWidget{RV: "4", Generation: 2, Metadata: first.Metadata}
		s.Want(apitest.Event("MODIFIED", table("4", "null", `["a",2,"red",null,null,"0s"]`, second.Partial())))
		apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"labels":null}}`)
		second.RV = "5"
		s.Want(apitest.Event("DELETED", table("5", "null", `["a",2,"red",null,null,"0s"]`, second.Partial())))
	})
}

// A bookmark is the row of an object without fields, as far as the columns can show that.
func TestBookmarksOfTables(t *testing.T) {
	const metadata = `"metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}`
	const partial = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",` + metadata + `}`
	host := func(r *rest.Resource[apitest.Widget]) {
		r.Columns = []rest.Column{
			rest.ColumnFunc(rest.Column{Name: "Size"}, func(w *apitest.Widget) any { return *w.Spec.Size }),
			rest.ColumnFunc(rest.Column{Name: "Labels"}, func(w *apitest.Widget) any { return len(w.Labels) }),
		}
	}
	builtin := func(r *rest.Resource[apitest.Widget]) {
		r.Columns, r.Scale, r.Wire.Dialect = nil, nil, rest.DialectBuiltin
	}
	for _, c := range []struct {
		name          string
		change        func(*rest.Resource[apitest.Widget])
		include, want string
	}{
		{"a function that needs a field", host, "", `["",null,0],"object":` + partial},
		{"whole objects", host, "Object",
			`["",null,0],"object":{"kind":"Widget","apiVersion":"example.com/v1",` + metadata + `}`},
		{"no objects", host, "None", `["",null,0],"object":` + partial},
		{"a kind of Kubernetes", builtin, "", `["","0001-01-01T00:00:00Z"],"object":` + partial},
		{"what it always has", builtin, "Object",
			`["","0001-01-01T00:00:00Z"],"object":{"kind":"Widget","apiVersion":"example.com/v1",` + metadata + `,"spec":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := apitest.OpenWatch(t, apitest.NewWidgets(t, c.change),
					apitest.Widgets+"?watch=1&allowWatchBookmarks=true&includeObject="+c.include, "Accept", apitest.AcceptTable)
				events := s.Events()
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
		api := apitest.NewWidgets(t)
		server := apitest.Serve(t, api)
		response := watchOverHTTP(t, api, server)
		assert.Equal(t, "HTTP/1.1", response.Proto)
		assert.Equal(t, []string{"chunked"}, response.TransferEncoding)
	})
	t.Run("2", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		server := httptest.NewUnstartedServer(api)
		server.EnableHTTP2 = true
		server.StartTLS()
		t.Cleanup(server.Close)
		assert.Equal(t, "HTTP/2.0", watchOverHTTP(t, api, server).Proto)
		response := apitest.Open(t.Context(), t, server.Client(), "GET", server.URL+apitest.Widgets)
		assert.Equal(t, 200, response.StatusCode, "beside the watch, on the same connection")
	})
}

// watchOverHTTP follows an object from a socket, and leaves in the midst of the stream.
func watchOverHTTP(t *testing.T, api *rest.API, server *httptest.Server) *http.Response {
	w := apitest.OpenThingWatch(t, server.Client(), server.URL+apitest.Widgets+"?watch=true&resourceVersion=1")
	assert.Equal(t, "application/json", w.Response.Header.Get("Content-Type"))
	next := func() string {
		var e json.RawMessage
		require.NoError(t, w.Decoder.Decode(&e))
		return string(e)
	}
	apitest.CreateWidget(t, api, "a")
	require.JSONEq(t, apitest.Added(apitest.StoredWidget{}), apitest.Unmanaged(t, next()))
	apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
	require.JSONEq(t, apitest.Deleted(apitest.StoredWidget{RV: "3"}), apitest.Unmanaged(t, next()))
	return w.Response
}
