package write_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// graceful Widgets have as many seconds as their size says, unless the client says.
func graceful(r *rest.Resource[apitest.Widget]) {
	r.Hooks.GracePeriod = func(_ context.Context, w *apitest.Widget, asked *int64) (int64, error) {
		if asked != nil {
			return *asked, nil
		}
		return int64(*w.Spec.Size), nil
	}
}

func removedWhenDue(r *rest.Resource[apitest.Widget]) {
	graceful(r)
	r.RemoveWhenDue = true
}

// dying is a Widget of size 30 whose deletion was asked for at the time of all tests.
func dying(rv, due string, grace int, finalizers ...string) apitest.StoredWidget {
	metadata := fmt.Sprintf(`"deletionTimestamp":%q,"deletionGracePeriodSeconds":%d`, due, grace)
	for _, f := range finalizers {
		metadata += `,"finalizers":["` + f + `"]`
	}
	return apitest.StoredWidget{RV: rv, Generation: 2,
		Spec: `{"size":30,"color":"red","replicas":1,"template":{"image":"none"}}`, Metadata: metadata}
}

func TestGracefulDeletion(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []string // what is sent with each DELETE
		want  []string // the object that is answered; empty: it is gone
	}{
		{"the kind's period", []string{""}, []string{dying("3", "2026-01-02T03:04:35Z", 30).String()}},
		{"the client's period", []string{`{"gracePeriodSeconds":5}`},
			[]string{dying("3", "2026-01-02T03:04:10Z", 5).String()}},
		{"a longer one", []string{`{"gracePeriodSeconds":60}`}, []string{dying("3", "2026-01-02T03:05:05Z", 60).String()}},
		{"none", []string{`{"gracePeriodSeconds":0}`}, []string{""}},
		{"a negative one is one second", []string{`{"gracePeriodSeconds":-7}`},
			[]string{dying("3", "2026-01-02T03:04:06Z", 1).String()}},
		{"again", []string{"", ""}, []string{dying("3", "2026-01-02T03:04:35Z", 30).String(),
			dying("3", "2026-01-02T03:04:35Z", 30).String()}},
		{"it cannot grow", []string{"", `{"gracePeriodSeconds":31}`},
			[]string{dying("3", "2026-01-02T03:04:35Z", 30).String(), dying("3", "2026-01-02T03:04:35Z", 30).String()}},
		{"it can shrink", []string{"", `{"gracePeriodSeconds":10}`},
			[]string{dying("3", "2026-01-02T03:04:35Z", 30).String(), dying("4", "2026-01-02T03:04:15Z", 10).String()}},
		{"to nothing", []string{"", `{"gracePeriodSeconds":0}`},
			[]string{dying("3", "2026-01-02T03:04:35Z", 30).String(), ""}},
		{"a policy comes too late", []string{"", `{"propagationPolicy":"Orphan"}`},
			[]string{dying("3", "2026-01-02T03:04:35Z", 30).String(), dying("3", "2026-01-02T03:04:35Z", 30).String()}},
		{"a policy in time", []string{`{"propagationPolicy":"Orphan"}`, `{"gracePeriodSeconds":0}`},
			[]string{dying("3", "2026-01-02T03:04:35Z", 30, "orphan").String(),
				dying("4", "2026-01-02T03:04:05Z", 0, "orphan").String()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t, graceful)
			apitest.CreateWidget(t, api, "a", `"spec":{"size":30}`)
			for i, body := range c.steps {
				dry := apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?dryRun=All", "")
				require.Equal(t, 200, dry.Code)
				a := apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", body)
				if c.want[i] == "" {
					apitest.WantJSON(t, a, 200, goneA)
					assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
				} else {
					apitest.WantJSON(t, a, 200, c.want[i])
				}
			}
		})
	}
}

// An update that removes the last finalizer ends an object only when its time is up.
func TestGraceOutlivesFinalizers(t *testing.T) {
	api := apitest.NewWidgets(t, graceful)
	apitest.Must(t, api, "POST", apitest.Widgets,
		apitest.WidgetBody(`"name":"a","finalizers":["example.com/f"]`, `"spec":{"size":30}`))
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""), 200,
		dying("3", "2026-01-02T03:04:35Z", 30, "example.com/f").String())
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"finalizers":null}}`), 200,
		dying("4", "2026-01-02T03:04:35Z", 30).String())
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?gracePeriodSeconds=0", ""), 200, goneA)
}

// Controllers wait for an event with the deletionTimestamp, even if the server may remove the object immediately.
func TestWatchersSeeAGracePeriodOfZero(t *testing.T) {
	for _, c := range []struct {
		name    string
		seconds []int64 // the grace period of each DELETE
		want    []string
	}{
		{"first", []int64{0}, []string{"MODIFIED 3 0", "DELETED 4 0"}},
		{"later", []int64{20, 0}, []string{"MODIFIED 3 20", "MODIFIED 4 0", "DELETED 5 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t, graceful)
			apitest.CreateWidget(t, api, "a", `"spec":{"size":30}`)
			client := apitest.ClientFor[apitest.Widget](t, api).Namespace("default")
			for _, n := range c.seconds {
				require.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{GracePeriodSeconds: &n}))
			}
			var events []string
			for event, err := range client.Watch(t.Context(), rest.WatchOptions{ResourceVersion: "2"}) {
				require.NoError(t, err)
				require.NotNil(t, event.Object.DeletionTimestamp)
				events = append(events, fmt.Sprintf("%s %s %d", event.Type, event.Object.ResourceVersion,
					*event.Object.DeletionGracePeriodSeconds))
				if event.Type == apimeta.EventDeleted {
					break
				}
			}
			assert.Equal(t, c.want, events)
		})
	}
}

func TestObjectStaysMarkedForDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) {
			graceful(r)
			r.Wire.MarkedFor = time.Hour
		})
		apitest.CreateWidget(t, api, "a", `"spec":{"size":30}`)
		client, start := apitest.ClientFor[apitest.Widget](t, api).Namespace("default"), time.Now()
		go func() {
			assert.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{GracePeriodSeconds: new(int64)}))
			assert.Equal(t, time.Hour, time.Since(start))
		}()
		synctest.Wait()
		marked, err := client.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.NotNil(t, marked.DeletionTimestamp)
		apitest.LetPass(time.Hour)
		synctest.Wait()
		_, err = client.Get(t.Context(), "a")
		assert.True(t, status.IsNotFound(err))
	})
}

func TestGracePeriodHookFails(t *testing.T) {
	for name, hook := range map[string]func(context.Context, *apitest.Widget, *int64) (int64, error){
		"panic": func(context.Context, *apitest.Widget, *int64) (int64, error) { panic("boom") },
		"error": func(context.Context, *apitest.Widget, *int64) (int64, error) { return 0, errors.New("boom") },
	} {
		t.Run(name, func(t *testing.T) {
			api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Hooks.GracePeriod = hook })
			apitest.CreateWidget(t, api, "a")
			apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""), 500, "InternalError",
				"Internal error occurred: the request could not be completed", "")
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
		})
	}
}

// deletedAfter waits for the object to go and returns how long it took.
func deletedAfter(t *testing.T, client rest.Client[apitest.Widget], from string) time.Duration {
	t.Helper()
	began := time.Now()
	for event, err := range client.Watch(t.Context(), rest.WatchOptions{ResourceVersion: from}) {
		require.NoError(t, err)
		if event.Type == apimeta.EventDeleted {
			return time.Since(began)
		}
	}
	return -1
}

func TestRemovedWhenDue(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(t *testing.T, client rest.Client[apitest.Widget])
		want time.Duration
	}{
		{"after its time", func(*testing.T, rest.Client[apitest.Widget]) {}, 30 * time.Second},
		{"after a shorter one", func(t *testing.T, client rest.Client[apitest.Widget]) {
			require.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{GracePeriodSeconds: new(int64(5))}))
		}, 5 * time.Second},
		{"and not if the name is another's by then", func(t *testing.T, client rest.Client[apitest.Widget]) {
			require.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
			_, err := client.Create(t.Context(),
				&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: new(int32(60))}})
			require.NoError(t, err)
			// The end of one that is due later is past the time of the first one.
			_, err = client.Create(t.Context(),
				&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "later"}, Spec: apitest.WidgetSpec{Size: new(int32(40))}})
			require.NoError(t, err)
			require.NoError(t, client.Delete(t.Context(), "later", rest.DeleteOptions{}))
			list, err := client.List(t.Context(), rest.ListOptions{})
			require.NoError(t, err)
			require.Equal(t, 40*time.Second, deletedAfter(t, client, list.ResourceVersion).Round(time.Second),
				"the first deletion took a moment")
			_, err = client.Get(t.Context(), "a")
			require.NoError(t, err)
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.Start(t, rest.Options{}, apitest.WidgetResource(removedWhenDue))
				client := apitest.WidgetClient(t, api)
				_, err := client.Create(t.Context(),
					&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: new(int32(30))}})
				require.NoError(t, err)
				require.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{}))
				list, err := client.List(t.Context(), rest.ListOptions{})
				require.NoError(t, err)
				c.then(t, client)
				assert.Equal(t, c.want, deletedAfter(t, client, list.ResourceVersion))
			})
		})
	}
}

// The store keeps the objects that wait, so the API of the next process removes them, at once if their time has passed
// meanwhile.
func TestRemovedWhenDueAfterARestart(t *testing.T) {
	for _, c := range []struct {
		name        string
		down, until time.Duration
	}{{"in time", 10 * time.Second, 20 * time.Second}, {"late", time.Minute, 0}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := apitest.NewStore(t)
				api := apitest.Start(t, rest.Options{Store: first}, apitest.WidgetResource(removedWhenDue))
				client := apitest.WidgetClient(t, api)
				_, err := client.Create(t.Context(),
					&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: new(int32(30))}})
				require.NoError(t, err)
				require.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{}))
				require.NoError(t, api.Close())
				endOfAnother(t, c.down)
				_, err = first.Get(t.Context(), storage.Key{Resource: "widgets.example.com", Namespace: "default", Name: "a"}, 0)
				require.NoError(t, err, "an API that is closed removes nothing")

				second := reopened{first}
				api = apitest.Start(t, rest.Options{Store: second}, apitest.WidgetResource(removedWhenDue))
				client = apitest.WidgetClient(t, api)
				assert.Equal(t, c.until, deletedAfter(t, client, "2"))
				require.NoError(t, api.Close())
				require.NoError(t, first.Close())
			})
		})
	}
}

// endOfAnother waits for the end of an object of another API, which comes so much later.
func endOfAnother(t *testing.T, later time.Duration) {
	t.Helper()
	api := apitest.Start(t, rest.Options{}, apitest.WidgetResource(removedWhenDue))
	client := apitest.WidgetClient(t, api)
	created, err := client.Create(t.Context(),
		&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"},
			Spec: apitest.WidgetSpec{Size: new(int32(later.Seconds()))}})
	require.NoError(t, err)
	require.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{}))
	// A deletionTimestamp has no fraction of a second. The clock of the test may have one: a writer that lost a race
	// pauses.
	fraction := time.Since(time.Now().Truncate(time.Second))
	require.Equal(t, later, fraction+deletedAfter(t, client, created.ResourceVersion))
}

// A removal that fails is tried again.
func TestRemovedWhenDueAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &failingStore{Store: apitest.NewStore(t)}
		var log strings.Builder
		api := apitest.Start(t, rest.Options{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))},
			apitest.WidgetResource(removedWhenDue))
		client := apitest.WidgetClient(t, api)
		created, err := client.Create(t.Context(),
			&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: new(int32(30))}})
		require.NoError(t, err)
		require.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{}))
		store.failures.Store(2)
		assert.Equal(t, 50*time.Second, deletedAfter(t, client, created.ResourceVersion))
		require.NoError(t, api.Close())
		require.NoError(t, store.Close())
		assert.Equal(t, 2, strings.Count(log.String(), "an object whose grace period has passed cannot be removed"))
	})
}

// failingStore fails as many updates as it is told to.
type failingStore struct {
	*memory.Store
	failures atomic.Int64
}

func (s *failingStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	if s.failures.Load() > 0 {
		s.failures.Add(-1)
		return nil, errors.New("the disk is full")
	}
	return s.Engine.Update(ctx, key, fn)
}

// reopened is a store that has the objects of another one, as a durable store has after a restart.
type reopened struct{ *memory.Store }

func (reopened) Register(context.Context, storage.Resource) error { return nil }

func TestRemoveWhenDueNeedsAPeriod(t *testing.T) {
	_, err := rest.New(rest.Options{},
		apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) { r.RemoveWhenDue = true }))
	assert.ErrorContains(t, err, "RemoveWhenDue: needs GracePeriod")
}

func TestGraceSpaceOfAdmission(t *testing.T) {
	var asked int
	api := apitest.New(t, rest.Options{Admission: []admission.Hook{{Name: "v",
		Operations: []admission.Operation{admission.Delete},
		Validate:   func(context.Context, *admission.Request) error { asked++; return nil }}}},
		apitest.WidgetResource(graceful))
	apitest.CreateWidget(t, api, "a")
	apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
	apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
	assert.Equal(t, 1, asked, "a deletion that changes nothing asks nobody")
}

func TestUnsafeDeletion(t *testing.T) {
	const ignore = "?ignoreStoreReadErrorWithClusterBreakingPotential=true"
	const field = "ignoreStoreReadErrorWithClusterBreakingPotential"
	key := storage.Key{Resource: "widgets.example.com", Namespace: "default", Name: "broken"}
	broken := func(t *testing.T, allowed bool) (*rest.API, *memory.Store) {
		store := apitest.NewStore(t)
		api := apitest.New(t, rest.Options{Store: store, UnsafeDeletion: allowed},
			apitest.WidgetResource(apitest.WithValidateDelete(func(context.Context, *apitest.Widget) error { return nil })))
		_, err := store.Update(t.Context(), key, func(*storage.Record) ([]byte, error) {
			return []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"broken","namespace":"default","uid":"u","resourceVersion":"0","finalizers":["example.com/f"]},"spec":7}`), nil
		})
		require.NoError(t, err)
		return api, store
	}
	t.Run("removes an unreadable object", func(t *testing.T) {
		api, _ := broken(t, true)
		assert.Equal(t, 500, apitest.Do(t, api, "DELETE", apitest.Widgets+"/broken", "").Code)
		apitest.WantJSON(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/broken"+ignore, ""), 200,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"broken","group":"example.com","kind":"widgets","uid":"u"}}`)
		assert.Equal(t, 404, apitest.Do(t, api, "DELETE", apitest.Widgets+"/broken"+ignore, "").Code)
	})
	t.Run("keeps the object in a dry run", func(t *testing.T) {
		api, store := broken(t, true)
		apitest.CreateWidget(t, api, "a")
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/broken"+ignore+"&dryRun=All", "")
		_, err := store.Get(t.Context(), key, 0)
		assert.NoError(t, err)
		assert.Equal(t, 409, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a"+ignore+"&dryRun=All", "").Code)
	})
	t.Run("keeps a readable object", func(t *testing.T) {
		api, _ := broken(t, true)
		apitest.CreateWidget(t, api, "a")
		apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", `{"`+field+`":true}`), 409, "Conflict",
			`Operation cannot be fulfilled on widgets.example.com "a": unsafe deletion is not allowed because the object is decodable from storage`,
			apitest.AboutWidget("a"))
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/a?"+field+"=false", "")
	})
	t.Run("is an option of the host's", func(t *testing.T) {
		api, store := broken(t, false)
		assert.Equal(t, 500, apitest.Do(t, api, "DELETE", apitest.Widgets+"/broken"+ignore, "").Code)
		_, err := store.Get(t.Context(), key, 0)
		assert.NoError(t, err)
	})
	t.Run("is ignored, also beside others, unless the host allows it", func(t *testing.T) {
		for _, c := range []struct{ query, body string }{
			{ignore + "&gracePeriodSeconds=0", ""}, {ignore + "&propagationPolicy=Background", ""},
			{"", `{"` + field + `":true,"propagationPolicy":"Background","gracePeriodSeconds":5,"preconditions":{}}`},
		} {
			api, _ := broken(t, false)
			apitest.CreateWidget(t, api, "a")
			apitest.Must(t, api, "DELETE", apitest.Widgets+"/a"+c.query, c.body)
			assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
		}
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, []string{"a"}, apitest.Must(t, api, "DELETE", apitest.Widgets+ignore, "").Names(t))
	})
	t.Run("alone", func(t *testing.T) {
		api, _ := broken(t, true)
		apitest.WantInvalid(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/broken",
			`{"`+field+`":true,"propagationPolicy":"Orphan","gracePeriodSeconds":0,"preconditions":{}}`),
			"DeleteOptions.meta.k8s.io", "",
			apitest.Invalid(field, "Invalid value: true: cannot be set together with .propagationPolicy"),
			apitest.Invalid(field, "Invalid value: true: cannot be set together with .gracePeriodSeconds"),
			apitest.Invalid(field, "Invalid value: true: cannot be set together with .preconditions"))
		apitest.WantInvalid(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/broken"+ignore+"&orphanDependents=true", ""),
			"DeleteOptions.meta.k8s.io", "",
			apitest.Invalid(field, "Invalid value: true: cannot be set together with .orphanDependents"))
	})
	t.Run("not for a collection", func(t *testing.T) {
		api, _ := broken(t, true)
		apitest.WantInvalid(t, apitest.Do(t, api, "DELETE", apitest.Widgets+ignore, ""), "DeleteOptions.meta.k8s.io", "",
			apitest.Invalid(field, "Invalid value: true: is not allowed with DELETECOLLECTION, try again after removing the option"))
	})
	t.Run("admission has its say", func(t *testing.T) {
		refused := status.Generic(418, "no")
		store := apitest.NewStore(t)
		api := apitest.New(t, rest.Options{Store: store, UnsafeDeletion: true, Admission: []admission.Hook{{Name: "v",
			Validate: func(_ context.Context, r *admission.Request) error {
				assert.Equal(t, "broken", r.Name)
				return refused
			}}}}, apitest.WidgetResource())
		_, err := store.Update(t.Context(), key, func(*storage.Record) ([]byte, error) {
			return []byte(`{"metadata":{"name":"broken","namespace":"default","resourceVersion":"0"},"spec":7}`), nil
		})
		require.NoError(t, err)
		assert.Equal(t, 418, apitest.Do(t, api, "DELETE", apitest.Widgets+"/broken"+ignore, "").Code)
	})
}

// The answer to the deletion of a collection carries the warnings of the deletions.
func TestDeleteCollectionReturnsWarnings(t *testing.T) {
	api := apitest.New(t, rest.Options{},
		apitest.WidgetResource(apitest.WithValidateDelete(func(ctx context.Context, w *apitest.Widget) error {
			rest.Warn(ctx, w.Name+" had an owner")
			return nil
		})))
	apitest.CreateWidget(t, api, "a")
	assert.Equal(t, []string{`299 - "a had an owner"`},
		apitest.Must(t, api, "DELETE", apitest.Widgets, "").Header["Warning"])
}

// countingStore counts the updates that are begun.
type countingStore struct {
	*memory.Store
	updates atomic.Int64
}

func (s *countingStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	s.updates.Add(1)
	return s.Engine.Update(ctx, key, fn)
}

// The API forgets the timer of an object that is deleted early.
func TestEarlyDeletionEndsTheGracePeriod(t *testing.T) {
	for _, c := range []struct {
		name       string
		finalizers []string
		end        func(ctx context.Context, client rest.Client[apitest.Widget], name string) error
	}{
		{"deleted at once", nil, func(ctx context.Context, client rest.Client[apitest.Widget], name string) error {
			return client.Delete(ctx, name, rest.DeleteOptions{GracePeriodSeconds: new(int64(0))})
		}},
		{"deleted at once and released", []string{"example.com/f"},
			func(ctx context.Context, client rest.Client[apitest.Widget], name string) error {
				if err := client.Delete(ctx, name, rest.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
					return err
				}
				_, err := client.Modify(ctx, name, func(w *apitest.Widget) error { w.Finalizers = nil; return nil })
				return err
			}},
	} {
		for _, together := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, together: %t", c.name, together), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := &countingStore{Store: apitest.NewStore(t)}
					api := apitest.Start(t, rest.Options{Store: store}, apitest.WidgetResource(removedWhenDue))
					client := apitest.WidgetClient(t, api)
					for i := range 1000 {
						name := fmt.Sprint("w-", i)
						_, err := client.Create(t.Context(),
							&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: name, Finalizers: c.finalizers},
								Spec: apitest.WidgetSpec{Size: new(int32(30))}})
						require.NoError(t, err)
						var deleting sync.WaitGroup
						slowly := func() {
							if err := client.Delete(t.Context(), name, rest.DeleteOptions{}); !status.IsNotFound(err) {
								assert.NoError(t, err)
							}
						}
						if together {
							deleting.Go(slowly)
						} else {
							slowly()
						}
						require.NoError(t, c.end(t.Context(), client, name))
						deleting.Wait()
					}
					page, err := client.List(t.Context(), rest.ListOptions{})
					require.NoError(t, err)
					require.Empty(t, page.Items)
					before := store.updates.Load()
					endOfAnother(t, time.Minute)
					assert.Equal(t, before, store.updates.Load())
					require.NoError(t, api.Close())
					require.NoError(t, store.Close())
				})
			})
		}
	}
}
