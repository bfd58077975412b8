package service_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func sizes(page *rest.Page[apitest.Widget]) []string {
	out := []string{}
	for _, w := range page.Items {
		out = append(out, fmt.Sprintf("%s=%d", w.Name, *w.Spec.Size))
	}
	return out
}

func TestClient(t *testing.T) { apitest.OverBoth(t, testClient) }

func testClient(t *testing.T, by apitest.Transport) {
	ctx := context.Background()
	api := apitest.NewWidgets(t)
	client := by.Widgets(t, api)

	created, err := client.Create(ctx, apitest.NewWidget("a", 1))
	require.NoError(t, err)
	assert.Equal(t, "Widget", created.Kind)
	assert.Equal(t, "example.com/v1", created.APIVersion)
	assert.Equal(t, "default", created.ObjectMeta.Namespace)
	assert.Equal(t, "2", created.ResourceVersion)
	assert.Equal(t, "red", *created.Spec.Color)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())

	got, err := client.Get(ctx, "a")
	require.NoError(t, err)
	assert.Equal(t, created, got)
	assert.NotSame(t, created, got)

	got.Spec.Size, got.Status.Phase = new(int32(2)), "Ready"
	updated, err := client.Update(ctx, got)
	require.NoError(t, err)
	assert.Equal(t, "3", updated.ResourceVersion)
	assert.Equal(t, int64(2), updated.Generation)
	assert.Empty(t, updated.Status.Phase, "Update leaves the status")

	updated.Spec.Size, updated.Status.Phase = new(int32(9)), "Ready"
	updated, err = client.UpdateStatus(ctx, updated)
	require.NoError(t, err)
	assert.Equal(t, int32(2), *updated.Spec.Size, "UpdateStatus leaves the rest")
	assert.Equal(t, "Ready", updated.Status.Phase)

	require.NoError(t, client.Delete(ctx, "a", rest.DeleteOptions{}))
	_, err = client.Get(ctx, "a")
	assert.True(t, status.IsNotFound(err), "%v", err)
}

// The client returns the same errors as HTTP.
func TestClientErrors(t *testing.T) { apitest.OverBoth(t, testClientErrors) }

func testClientErrors(t *testing.T, by apitest.Transport) {
	ctx := context.Background()
	api := apitest.NewWidgets(t)
	client := by.Widgets(t, api)
	a, err := client.Create(ctx, apitest.NewWidget("a", 1))
	require.NoError(t, err)
	stale := *a
	stale.ResourceVersion = "1"
	versionless := *a
	versionless.ResourceVersion = ""
	elsewhere := *a
	elsewhere.ObjectMeta.Namespace = "other"
	const noName = "the name of the object must not be empty"
	ofBackground := apimeta.DeletionPropagation("Sideways")
	for _, c := range []struct {
		name string
		call func() error
		is   func(error) bool
		text string
	}{
		{"get", func() error { _, err := client.Get(ctx, "none"); return err }, status.IsNotFound,
			`widgets.example.com "none" not found`},
		{"create of a taken name", func() error { _, err := client.Create(ctx, apitest.NewWidget("a", 1)); return err },
			status.IsAlreadyExists, `widgets.example.com "a" already exists`},
		{"create of an invalid object", func() error { _, err := client.Create(ctx, apitest.NewWidget("b", 0)); return err },
			status.IsInvalid, `Widget.example.com "b" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1`},
		{"create in another namespace", func() error { _, err := client.Create(ctx, &elsewhere); return err },
			status.IsBadRequest, "the namespace of the provided object does not match the namespace sent on the request"},
		{"create in no namespace", func() error {
			_, err := by.AllWidgets(t, api).Create(ctx, apitest.NewWidget("b", 1))
			return err
		}, status.IsBadRequest,
			"the client of widgets.example.com has no namespace: call Namespace to choose one"},
		{"get in no namespace", func() error { _, err := by.AllWidgets(t, api).Get(ctx, "a"); return err },
			status.IsBadRequest, "the client of widgets.example.com has no namespace: call Namespace to choose one"},
		{"update of what has changed", func() error { _, err := client.Update(ctx, &stale); return err }, status.IsConflict,
			`Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again`},
		{"update without a version", func() error { _, err := client.Update(ctx, &versionless); return err },
			status.IsInvalid, `Widget.example.com "a" is invalid: metadata.resourceVersion: Required value: get the object before you update it, or call Modify`},
		{"update of an absent object",
			func() error {
				_, err := client.Update(ctx, apitest.NewWidget("none", 1))
				return err
			}, status.IsNotFound,
			`widgets.example.com "none" not found`},
		{"update of a status that is stale", func() error { _, err := client.UpdateStatus(ctx, &stale); return err },
			status.IsConflict, ""},
		{"delete", func() error { return client.Delete(ctx, "none", rest.DeleteOptions{}) }, status.IsNotFound,
			`widgets.example.com "none" not found`},
		{"delete of another uid", func() error {
			return client.Delete(ctx, "a", rest.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: new("x")}})
		}, status.IsConflict, ""},
		{"delete by an unknown policy",
			func() error {
				return client.Delete(ctx, "a", rest.DeleteOptions{PropagationPolicy: ofBackground})
			}, status.IsInvalid, ""},
		{"get without a name", func() error { _, err := client.Get(ctx, ""); return err }, status.IsBadRequest, noName},
		{"update without a name", func() error { _, err := client.Update(ctx, apitest.NewWidget("", 1)); return err },
			status.IsBadRequest, noName},
		{"modification without a name", func() error {
			_, err := client.Modify(ctx, "", func(*apitest.Widget) error { return nil })
			return err
		}, status.IsBadRequest, noName},
		{"patch without a name", func() error { _, err := client.Patch(ctx, "", apimeta.MergePatch, []byte("{}")); return err },
			status.IsBadRequest, noName},
		{"apply without a name", func() error {
			_, err := client.FieldManager("m").Apply(ctx, "", apitest.NewWidget("", 1), apimeta.ApplyOptions{})
			return err
		}, status.IsBadRequest, noName},
		{"delete without a name", func() error { return client.Delete(ctx, "", rest.DeleteOptions{}) }, status.IsBadRequest,
			noName},
		{"create of nothing", func() error { _, err := client.Create(ctx, nil); return err }, status.IsBadRequest,
			"the object must not be nil"},
		{"update to nothing", func() error { _, err := client.Update(ctx, nil); return err }, status.IsBadRequest,
			"the object must not be nil"},
		{"a bad label selector", func() error {
			_, err := client.List(ctx, rest.ListOptions{LabelSelector: "x==="})
			return err
		}, status.IsBadRequest, ""},
		{"a bad field selector", func() error {
			_, err := client.List(ctx, rest.ListOptions{FieldSelector: "spec.size=1"})
			return err
		}, status.IsBadRequest,
			"field label not supported: spec.size"},
		{"a bad token", func() error { _, err := client.List(ctx, rest.ListOptions{Continue: "x"}); return err },
			status.IsBadRequest, ""},
		{"a bad version to watch from",
			func() error {
				return apitest.FirstError(client.Watch(ctx, rest.WatchOptions{ResourceVersion: "x"}))
			}, status.IsBadRequest, ""},
		{"a bad selector to watch", func() error {
			return apitest.FirstError(client.Watch(ctx, rest.WatchOptions{FieldSelector: "x"}))
		}, status.IsBadRequest, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.call()
			require.Error(t, err)
			assert.True(t, c.is(err), "%v", err)
			if c.text != "" {
				assert.Equal(t, c.text, err.Error())
			}
		})
	}
	got, err := client.Get(ctx, "a")
	require.NoError(t, err)
	assert.Equal(t, a, got)
}

func TestClientForTheWrongType(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(),
		rest.Resource[apitest.Widget]{Group: "other.example.com", Version: "v1", Plural: "widgets"})
	_, err := rest.ClientForType[apitest.Sum](api)
	assert.EqualError(t, err, "rest.ClientForType: the API serves no resource of apitest.Sum")
	_, err = rest.ClientForType[apitest.Widget](api)
	assert.EqualError(t, err, "rest.ClientForType: apitest.Widget is the type of more than one resource: call rest.ClientForResource")
}

func TestClientList(t *testing.T) { apitest.OverBoth(t, testClientList) }

func testClientList(t *testing.T, by apitest.Transport) {
	ctx := context.Background()
	api := apitest.NewWidgets(t)
	client := by.Widgets(t, api)
	for i, name := range []string{"c", "a", "b"} {
		w := apitest.NewWidget(name, int32(i+1))
		w.Labels = map[string]string{"n": name}
		_, err := client.Create(ctx, w)
		require.NoError(t, err)
	}
	_, err := by.AllWidgets(t, api).Namespace("other").Create(ctx, apitest.NewWidget("z", 4))
	require.NoError(t, err)
	for _, c := range []struct {
		name    string
		client  rest.Client[apitest.Widget]
		options rest.ListOptions
		want    []string
	}{
		{"of a namespace", client, rest.ListOptions{}, []string{"a=2", "b=3", "c=1"}},
		{"of all", by.AllWidgets(t, api), rest.ListOptions{}, []string{"a=2", "b=3", "c=1", "z=4"}},
		{"by label", client, rest.ListOptions{LabelSelector: "n in (a,b)"}, []string{"a=2", "b=3"}},
		{"by field", client, rest.ListOptions{FieldSelector: "metadata.name=c"}, []string{"c=1"}},
		{"nothing", client, rest.ListOptions{LabelSelector: "none"}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			page, err := c.client.List(ctx, c.options)
			require.NoError(t, err)
			assert.Equal(t, c.want, sizes(page))
			assert.Equal(t, "5", page.ResourceVersion)
			assert.Empty(t, page.Continue)
		})
	}
	t.Run("in pages", func(t *testing.T) {
		page, err := client.List(ctx, rest.ListOptions{Limit: 2})
		require.NoError(t, err)
		assert.Equal(t, []string{"a=2", "b=3"}, sizes(page))
		require.NoError(t, client.Delete(ctx, "c", rest.DeleteOptions{}))
		page, err = client.List(ctx, rest.ListOptions{Limit: 2, Continue: page.Continue})
		require.NoError(t, err)
		assert.Equal(t, []string{"c=1"}, sizes(page))
		assert.Equal(t, "5", page.ResourceVersion)
		assert.Empty(t, page.Continue)
	})
}

func TestClientAll(t *testing.T) { apitest.OverBoth(t, testClientAll) }

func testClientAll(t *testing.T, by apitest.Transport) {
	ctx := context.Background()
	store := apitest.NewStore(t)
	client := by.Widgets(t, apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource()))
	var want []string
	for i := range 7 {
		name := fmt.Sprintf("w%d", i)
		_, err := client.Create(ctx, apitest.NewWidget(name, 1))
		require.NoError(t, err)
		want = append(want, name)
	}
	read := func(options rest.ListOptions, each func(name string) bool) {
		for w, err := range client.All(ctx, options) {
			require.NoError(t, err)
			if !each(w.Name) {
				return
			}
		}
	}
	t.Run("page by page", func(t *testing.T) {
		for _, limit := range []int64{0, 1, 3, 7, 100} {
			var got []string
			read(rest.ListOptions{Limit: limit}, func(name string) bool { got = append(got, name); return true })
			assert.Equal(t, want, got, "limit %d", limit)
		}
	})
	t.Run("until the caller breaks off", func(t *testing.T) {
		var got []string
		read(rest.ListOptions{Limit: 2}, func(name string) bool { got = append(got, name); return len(got) < 3 })
		assert.Equal(t, want[:3], got)
	})
	t.Run("over a compaction", func(t *testing.T) {
		var got []string
		read(rest.ListOptions{Limit: 2}, func(name string) bool {
			if got = append(got, name); name == "w0" {
				require.NoError(t, client.Delete(ctx, "w3", rest.DeleteOptions{}))
				require.NoError(t, store.Compact(ctx, store.Revision()))
			}
			return true
		})
		assert.Equal(t, []string{"w0", "w1", "w2", "w4", "w5", "w6"}, got)
	})
	t.Run("an error comes last", func(t *testing.T) {
		for _, err := range client.All(ctx, rest.ListOptions{LabelSelector: "x==="}) {
			assert.True(t, status.IsBadRequest(err))
		}
	})
}

func TestClientModify(t *testing.T) { apitest.OverBoth(t, testClientModify) }

func testClientModify(t *testing.T, by apitest.Transport) {
	ctx := context.Background()
	withWidget := func(t *testing.T, size int32) rest.Client[apitest.Widget] {
		client := by.Widgets(t, apitest.NewWidgets(t))
		_, err := client.Create(ctx, apitest.NewWidget("a", size))
		require.NoError(t, err)
		return client
	}
	t.Run("tries again when somebody was faster", func(t *testing.T) {
		client, runs := withWidget(t, 1), 0
		got, err := client.Modify(ctx, "a", func(w *apitest.Widget) error {
			if runs++; runs == 1 {
				_, err := client.Modify(ctx, "a",
					func(w *apitest.Widget) error { w.Labels = map[string]string{"x": "y"}; return nil })
				require.NoError(t, err)
			}
			w.Spec.Size, w.Status.Phase = new(*w.Spec.Size+1), "Ready"
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, 2, runs)
		assert.Equal(t, int32(2), *got.Spec.Size)
		assert.Equal(t, map[string]string{"x": "y"}, got.Labels)
		assert.Empty(t, got.Status.Phase)
	})
	t.Run("of the status", func(t *testing.T) {
		got, err := withWidget(t, 2).ModifyStatus(ctx, "a",
			func(w *apitest.Widget) error { w.Status.Phase, w.Spec.Size = "Ready", new(int32(50)); return nil })
		require.NoError(t, err)
		assert.Equal(t, "Ready", got.Status.Phase)
		assert.Equal(t, int32(2), *got.Spec.Size)
	})
	t.Run("an error of the function ends it", func(t *testing.T) {
		client, enough := withWidget(t, 2), errors.New("enough")
		_, err := client.Modify(ctx, "a", func(w *apitest.Widget) error { w.Spec.Size = new(int32(3)); return enough })
		require.ErrorIs(t, err, enough)
		got, err := client.Get(ctx, "a")
		require.NoError(t, err)
		assert.Equal(t, int32(2), *got.Spec.Size)
	})
	t.Run("its result is validated", func(t *testing.T) {
		client := withWidget(t, 1)
		_, err := client.Modify(ctx, "a", func(w *apitest.Widget) error { w.Spec.Size = new(int32(1000)); return nil })
		assert.True(t, status.IsInvalid(err), "%v", err)
		_, err = client.Modify(ctx, "a", func(w *apitest.Widget) error { w.Name = "b"; return nil })
		assert.True(t, status.IsBadRequest(err), "%v", err)
		_, err = client.Modify(ctx, "none", func(*apitest.Widget) error { return nil })
		assert.True(t, status.IsNotFound(err), "%v", err)
	})
}

func TestClientPatch(t *testing.T) { apitest.OverBoth(t, testClientPatch) }

func testClientPatch(t *testing.T, by apitest.Transport) {
	ctx := context.Background()
	client := by.Widgets(t, apitest.NewWidgets(t))
	_, err := client.Create(ctx, apitest.NewWidget("a", 1))
	require.NoError(t, err)
	got, err := client.Patch(ctx, "a", apimeta.MergePatch, []byte(`{"spec":{"size":2},"status":{"phase":"Ready"}}`))
	require.NoError(t, err)
	assert.Equal(t, int32(2), *got.Spec.Size)
	assert.Empty(t, got.Status.Phase)
	got, err = client.PatchStatus(ctx, "a", apimeta.JSONPatch,
		[]byte(`[{"op":"add","path":"/status","value":{"phase":"Ready"}}]`))
	require.NoError(t, err)
	assert.Equal(t, "Ready", got.Status.Phase)
	_, err = client.Patch(ctx, "a", apimeta.StrategicPatch, []byte(`{}`))
	assert.True(t, status.IsUnsupportedMediaType(err), "%v", err)
	_, err = client.Patch(ctx, "a", apimeta.MergePatch, []byte(`{"metadata":{"resourceVersion":"2"}}`))
	assert.True(t, status.IsConflict(err), "%v", err)
	_, err = client.Patch(ctx, "a", apimeta.MergePatch, []byte(`{`))
	assert.True(t, status.IsBadRequest(err), "%v", err)
}

func TestClientSubresources(t *testing.T) { apitest.OverBoth(t, testClientSubresources) }

func testClientSubresources(t *testing.T, by apitest.Transport) {
	ctx := context.Background()
	client := by.Widgets(t, apitest.NewWidgets(t, apitest.WithSubresources), apitest.WithSubresources)
	_, err := client.Create(ctx, apitest.NewWidget("a", 1))
	require.NoError(t, err)
	p, err := rest.GetSubresource[apitest.Paint](ctx, client, "a", "paint")
	require.NoError(t, err)
	assert.Equal(t, "red", p.Spec.Color)
	p.Spec.Color = "blue"
	p, err = rest.UpdateSubresource(ctx, client, "a", "paint", p)
	require.NoError(t, err)
	assert.Equal(t, "blue", p.Spec.Color)
	assert.Equal(t, "3", p.ResourceVersion)
	p.ResourceVersion, p.Spec.Color = "2", "red"
	_, err = rest.UpdateSubresource(ctx, client, "a", "paint", p)
	assert.True(t, status.IsConflict(err), "%v", err)

	r, err := rest.CreateSubresource(ctx, client, "a", "restart", &apitest.Restart{Reason: "a crash"})
	require.NoError(t, err)
	assert.Equal(t, &apitest.Restart{TypeMeta: apimeta.TypeMeta{Kind: "RestartNow", APIVersion: "actions.example.com/v2"},
		Reason: "a crash of a", Done: true}, r)
	r, err = rest.CreateSubresource(ctx, client, "a", "restart", &apitest.Restart{})
	require.NoError(t, err)
	assert.Nil(t, r)
	_, err = rest.GetSubresource[apitest.Restart](ctx, client, "a", "restart")
	assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
	_, err = rest.GetSubresource[apitest.Restart](ctx, client, "a", "bogus")
	assert.True(t, status.IsNotFound(err), "%v", err)
	_, err = rest.GetSubresource[apitest.Paint](ctx, client, "none", "paint")
	assert.True(t, status.IsNotFound(err), "%v", err)
}

// wantOutcome asserts the last event of each object. want alternates objects and events. It ignores earlier events and
// objects that were created and deleted, because over HTTP the connection determines how many changes the client
// receives before the store drops its history.
func wantOutcome(t *testing.T, events []string, want ...string) {
	t.Helper()
	got, wanted := map[string]string{}, map[string]string{}
	for _, e := range events {
		words := strings.Fields(e)
		got[words[1]] = words[0]
	}
	for i := 0; i < len(want); i += 2 {
		wanted[want[i]] = want[i+1]
	}
	maps.DeleteFunc(got, func(name, last string) bool { return last == "DELETED" && wanted[name] == "" })
	assert.Equal(t, wanted, got, "%v", events)
}

func TestClientWatch(t *testing.T) { apitest.OverBoth(t, testClientWatch) }

func testClientWatch(t *testing.T, by apitest.Transport) {
	synctest.Test(t, func(t *testing.T) {
		client := by.Widgets(t, apitest.NewWidgets(t))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, err := client.Create(ctx, apitest.NewWidget("a", 1))
		require.NoError(t, err)
		var events []string
		var ended error
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e, err := range client.Watch(ctx, rest.WatchOptions{}) {
				if err != nil {
					ended = err
					break
				}
				assert.Equal(t, e.ResourceVersion, e.Object.ResourceVersion)
				events = append(events, apitest.DescribeEvent(e))
			}
		}()
		synctest.Wait()
		b, err := client.Create(ctx, apitest.NewWidget("b", 1))
		require.NoError(t, err)
		b.Spec.Size = new(int32(2))
		_, err = client.Update(ctx, b)
		require.NoError(t, err)
		require.NoError(t, client.Delete(ctx, "a", rest.DeleteOptions{}))
		synctest.Wait()
		cancel()
		<-done
		assert.Equal(t, []string{"ADDED a 2", "ADDED b 3", "MODIFIED b 4", "DELETED a 5"}, events)
		assert.ErrorIs(t, ended, context.Canceled)
	})
}

func TestClientWatchFromAVersion(t *testing.T) { apitest.OverBoth(t, testClientWatchFromAVersion) }

func testClientWatchFromAVersion(t *testing.T, by apitest.Transport) {
	ctx := context.Background()
	store := apitest.NewStore(t)
	client := by.Widgets(t, apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource()))
	for _, name := range []string{"a", "b", "c"} {
		w := apitest.NewWidget(name, 1)
		w.Labels = map[string]string{"n": name}
		_, err := client.Create(ctx, w)
		require.NoError(t, err)
	}
	first := func(options rest.WatchOptions, n int) (out []string) {
		for e, err := range client.Watch(ctx, options) {
			require.NoError(t, err)
			if out = append(out, apitest.DescribeEvent(e)); len(out) == n {
				break
			}
		}
		return out
	}
	assert.Equal(t, []string{"ADDED b 3", "ADDED c 4"}, first(rest.WatchOptions{ResourceVersion: "2"}, 2))
	assert.Equal(t, []string{"ADDED c 4"}, first(rest.WatchOptions{ResourceVersion: "2", LabelSelector: "n=c"}, 1))
	assert.Equal(t, []string{"ADDED b 3"}, first(rest.WatchOptions{FieldSelector: "metadata.name=b"}, 1))
	require.NoError(t, store.Compact(ctx, 4))
	assert.True(t, status.IsExpired(apitest.FirstError(client.Watch(ctx, rest.WatchOptions{ResourceVersion: "2"}))))
}

func TestClientWatchFromTheFuture(t *testing.T) { apitest.OverBoth(t, testClientWatchFromTheFuture) }

func testClientWatchFromTheFuture(t *testing.T, by apitest.Transport) {
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, api *rest.API, cancel func())
		is        func(error) bool
		after     time.Duration
	}{
		"is refused after a while": {func(*testing.T, *rest.API, func()) {}, status.IsTooLargeResourceVersion,
			3 * time.Second},
		"ends at once with the API": {func(t *testing.T, api *rest.API, _ func()) { require.NoError(t, api.Close()) },
			status.IsServiceUnavailable, 0},
		"ends at once with its caller": {func(_ *testing.T, _ *rest.API, cancel func()) { cancel() },
			func(err error) bool { return errors.Is(err, context.Canceled) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.NewWidgets(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				began := time.Now()
				ended := make(chan error, 1)
				go func() {
					ended <- apitest.FirstError(by.Widgets(t, api).Watch(ctx, rest.WatchOptions{ResourceVersion: "99"}))
				}()
				synctest.Wait()
				c.meanwhile(t, api, cancel)
				err := <-ended
				assert.True(t, c.is(err), "%v", err)
				if by == apitest.OverHTTP && status.IsServiceUnavailable(err) {
					return // the end of the API would wait for the request that waits for the version
				}
				assert.Equal(t, c.after, time.Since(began))
			})
		})
	}
}

// A client that has missed changes receives the difference.
func TestClientFollow(t *testing.T) { apitest.OverBoth(t, testClientFollow) }

func testClientFollow(t *testing.T, by apitest.Transport) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		store := apitest.NewStore(t)
		client := by.Widgets(t, apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource()))
		for _, name := range []string{"changed", "deleted", "recreated", "same"} {
			_, err := client.Create(ctx, apitest.NewWidget(name, 1))
			require.NoError(t, err)
		}
		_, err := client.Modify(ctx, "same", func(w *apitest.Widget) error { w.Spec.Size = new(int32(2)); return nil })
		require.NoError(t, err)
		var events []string
		hold, held := make(chan struct{}), make(chan struct{})
		var ended error
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e, err := range client.Follow(ctx, rest.WatchOptions{}) {
				if err != nil {
					ended = err
					return
				}
				events = append(events, apitest.DescribeEvent(e))
				name := e.Object.Name
				*e.Object = apitest.Widget{} // it is the caller's
				if e.Type == apimeta.EventModified && name == "same" {
					close(held)
					<-hold // it falls behind
				}
			}
		}()
		synctest.Wait()
		assert.Equal(t, []string{"ADDED changed 2", "ADDED deleted 3", "ADDED recreated 4", "ADDED same 6"}, events)
		events = nil
		_, err = client.Modify(ctx, "same", func(w *apitest.Widget) error { w.Spec.Size = new(int32(3)); return nil })
		require.NoError(t, err)
		<-held
		for range 2 {
			_, err = client.Modify(ctx, "changed",
				func(w *apitest.Widget) error { w.Spec.Size = new(*w.Spec.Size + 1); return nil })
			require.NoError(t, err)
		}
		require.NoError(t, client.Delete(ctx, "deleted", rest.DeleteOptions{}))
		require.NoError(t, client.Delete(ctx, "recreated", rest.DeleteOptions{}))
		_, err = client.Create(ctx, apitest.NewWidget("recreated", 1))
		require.NoError(t, err)
		_, err = client.Create(ctx, apitest.NewWidget("new", 1))
		require.NoError(t, err)
		require.NoError(t, store.Compact(ctx, store.Revision()))
		close(hold)
		synctest.Wait()
		if by == apitest.OverHTTP {
			wantOutcome(t, events, "changed", "MODIFIED", "deleted", "DELETED", "new", "ADDED", "recreated", "ADDED", "same",
				"MODIFIED")
		} else {
			slices.Sort(events)
			assert.Equal(t, []string{"ADDED new 13", "ADDED recreated 13", "DELETED deleted 13", "DELETED recreated 13",
				"MODIFIED changed 13", "MODIFIED same 7"}, events)
		}
		events = nil
		_, err = client.Create(ctx, apitest.NewWidget("later", 1))
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []string{"ADDED later 14"}, events)
		cancel()
		<-done
		assert.ErrorIs(t, ended, context.Canceled)
		require.NoError(t, store.Close())
	})
}

// A client that continues from its own list receives the difference to that list, also for objects whose events it has
// not seen.
func TestClientFollowFromAVersion(t *testing.T) { apitest.OverBoth(t, testClientFollowFromAVersion) }

func testClientFollowFromAVersion(t *testing.T, by apitest.Transport) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		store := apitest.NewStore(t)
		client := by.Widgets(t, apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource()))
		create := func(name string) {
			_, err := client.Create(ctx, apitest.NewWidget(name, 1))
			require.NoError(t, err)
		}
		modify := func(name string) {
			_, err := client.Modify(ctx, name, func(w *apitest.Widget) error { w.Spec.Size = new(*w.Spec.Size + 1); return nil })
			require.NoError(t, err)
		}
		for _, name := range []string{"changed", "deleted", "gate", "recreated", "same"} {
			create(name)
		}
		page, err := client.List(ctx, rest.ListOptions{})
		require.NoError(t, err)
		modify("gate")
		var events []string
		hold := make(chan struct{})
		following, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e, err := range client.Follow(following, rest.WatchOptions{ResourceVersion: page.ResourceVersion}) {
				if err != nil {
					assert.ErrorIs(t, err, context.Canceled)
					return
				}
				events = append(events, apitest.DescribeEvent(e)+" as "+e.Object.ResourceVersion)
				if len(events) == 1 {
					<-hold
				}
			}
		}()
		synctest.Wait()
		modify("changed")
		require.NoError(t, client.Delete(ctx, "deleted", rest.DeleteOptions{}))
		require.NoError(t, client.Delete(ctx, "recreated", rest.DeleteOptions{}))
		create("recreated")
		create("brief")
		require.NoError(t, client.Delete(ctx, "brief", rest.DeleteOptions{}))
		create("new")
		require.NoError(t, store.Compact(ctx, store.Revision()))
		close(hold)
		synctest.Wait()
		if by == apitest.OverHTTP {
			wantOutcome(t, events, "changed", "MODIFIED", "deleted", "DELETED", "gate", "MODIFIED", "new", "ADDED", "recreated",
				"ADDED")
		} else {
			slices.Sort(events)
			assert.Equal(t, []string{"ADDED new 14 as 14", "ADDED recreated 14 as 11", "DELETED deleted 14 as 14",
				"DELETED recreated 14 as 14", "MODIFIED changed 14 as 8", "MODIFIED gate 7 as 7"}, events)
		}
		stop()
		<-done

		for _, c := range []struct {
			name, version string
			is            func(error) bool
		}{
			{"a version that is not retained", page.ResourceVersion, status.IsExpired},
			{"a version that is not reached", "999", status.IsTooLargeResourceVersion},
			{"no version", "yesterday", status.IsBadRequest},
		} {
			var errs []error
			for e, err := range client.Follow(ctx, rest.WatchOptions{ResourceVersion: c.version}) {
				assert.Nil(t, e.Object, c.name)
				errs = append(errs, err)
			}
			require.Len(t, errs, 1, c.name)
			assert.True(t, c.is(errs[0]), "%s: %v", c.name, errs[0])
		}
		require.NoError(t, store.Close())
	})
}

func TestClientAfterShutdown(t *testing.T) { apitest.OverBoth(t, testClientAfterShutdown) }

func testClientAfterShutdown(t *testing.T, by apitest.Transport) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		api := apitest.NewWidgets(t)
		client := by.Widgets(t, api)
		ended := make(chan error, 1)
		go func() { ended <- apitest.FirstError(client.Watch(ctx, rest.WatchOptions{})) }()
		synctest.Wait()
		require.NoError(t, api.Close(), "it does not wait for a watch")
		assert.True(t, status.IsServiceUnavailable(<-ended), "the watch says why it has ended")
		_, err := client.Get(ctx, "a")
		assert.True(t, status.IsServiceUnavailable(err), "%v", err)
		_, err = client.Create(ctx, apitest.NewWidget("a", 1))
		assert.True(t, status.IsServiceUnavailable(err), "%v", err)
	})
}

// Verbs bind those who come over HTTP; see TestDisabledVerbs. Hooks and validation bind everyone.
func TestClientGoesThroughTheHooks(t *testing.T) { apitest.OverBoth(t, testClientGoesThroughTheHooks) }

func testClientGoesThroughTheHooks(t *testing.T, by apitest.Transport) {
	client := by.Widgets(t, apitest.NewWidgets(t,
		apitest.WithDefault(func(_ context.Context, w *apitest.Widget) error {
			if w.Spec.Owner == nil {
				w.Spec.Owner = new("nobody")
			}
			return nil
		}),
		apitest.WithValidate(func(_ context.Context, w, _ *apitest.Widget) (status.FieldErrors, error) {
			if *w.Spec.Owner == "evil" {
				return status.FieldErrors{status.ForbiddenField(status.NewPath("spec", "owner"), "must not be evil")}, nil
			}
			return nil, nil
		})))
	w, err := client.Create(context.Background(), apitest.NewWidget("a", 1))
	require.NoError(t, err)
	assert.Equal(t, "nobody", *w.Spec.Owner)
	w.Spec.Owner = new("evil")
	_, err = client.Update(context.Background(), w)
	assert.True(t, status.IsInvalid(err), "%v", err)
}
