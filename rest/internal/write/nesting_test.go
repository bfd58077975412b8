package write_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

const (
	writesItself = `Operation cannot be fulfilled on widgets.example.com "a": a hook that runs when the object is written has written it 15 times itself`
	alwaysLoses  = `Operation cannot be fulfilled on widgets.example.com "a": the object changed during each of 16 attempts to write it: ` +
		`it has too many writers, or a hook that runs for this write writes it too`
)

// givenUp is where a test gives up on a hook that runs again and again.
const givenUp = 1000

// meddler is a hook that writes the widget for which it runs.
type meddler struct {
	client rest.Client[apitest.Widget]
	api    *rest.API
	armed  bool
	runs   int
	write  func(ctx context.Context, m *meddler) error
}

func (m *meddler) run(ctx context.Context) error {
	if !m.armed {
		return nil
	}
	if m.runs++; m.runs >= givenUp {
		return nil
	}
	return m.write(ctx, m)
}

func (m *meddler) modify(ctx context.Context) error {
	_, err := m.client.Modify(ctx, "a", func(w *apitest.Widget) error {
		w.Spec.Weight = new(float64(m.runs))
		return nil
	})
	return err
}

// newMeddler makes an API of widgets with the hook in some place, and the widget a.
func newMeddler(t *testing.T, place string, write func(ctx context.Context, m *meddler) error) *meddler {
	m := &meddler{write: write}
	asked := func(ctx context.Context, _ *admission.Request) error { return m.run(ctx) }
	var options rest.Options
	m.api = apitest.New(t, rest.Options{}, apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) {
		switch place {
		case "Default":
			r.Hooks.Default = func(ctx context.Context, _ *apitest.Widget) error { return m.run(ctx) }
		case "Prepare":
			r.Hooks.Prepare = func(ctx context.Context, _, _ *apitest.Widget) error { return m.run(ctx) }
		case "ValidateDelete":
			r.Hooks.ValidateDelete = func(ctx context.Context, _ *apitest.Widget) error { return m.run(ctx) }
		case "Mutate":
			options.Admission = []admission.Hook{{Name: "h", Mutate: asked}}
		case "Validate":
			options.Admission = []admission.Hook{{Name: "h", Validate: asked}}
		}
	}))
	if options.Admission != nil {
		m.api = apitest.New(t, options, apitest.WidgetResource())
	}
	m.client = apitest.ClientFor[apitest.Widget](t, m.api).Namespace("default")
	apitest.CreateWidget(t, m.api, "a")
	m.armed = true
	return m
}

// A hook that writes the object for which it runs ends, and the answer says why.
func TestHookWritesItsOwnObject(t *testing.T) {
	modify := func(ctx context.Context, m *meddler) error { return m.modify(ctx) }
	change := func(m *meddler) apitest.Answer {
		return apitest.MergePatch(t, m.api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
	}
	for _, c := range []struct {
		name, place string
		write       func(ctx context.Context, m *meddler) error
		ask         func(m *meddler) apitest.Answer
		want        string
	}{
		{"of the kind, before validation", "Prepare", modify, change, writesItself},
		{"of the kind, that fills in", "Default", modify, change, writesItself},
		{"of the kind, before deletion", "ValidateDelete", modify,
			func(m *meddler) apitest.Answer { return apitest.Do(t, m.api, "DELETE", apitest.Widgets+"/a", "") }, writesItself},
		{"mutating", "Mutate", modify, change, writesItself},
		{"validating", "Validate", modify, change, writesItself},
		{"asked by a status", "Validate", modify, func(m *meddler) apitest.Answer {
			return apitest.MergePatch(t, m.api, apitest.Widgets+"/a/status", `{"status":{"phase":"Ready"}}`)
		}, writesItself},
		{"asked by /scale", "Validate", modify, func(m *meddler) apitest.Answer {
			return apitest.MergePatch(t, m.api, apitest.Widgets+"/a/scale", `{"spec":{"replicas":9}}`)
		}, writesItself},
		{"asked by an apply to /scale", "Validate", modify, func(m *meddler) apitest.Answer {
			return apitest.Do(t, m.api, "PATCH", apitest.Widgets+"/a/scale?fieldManager=m&force=true",
				`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":9}}`, "Content-Type",
				apitest.TypeApply)
		}, writesItself},
		{"writing /scale", "Mutate", func(ctx context.Context, m *meddler) error {
			_, err := rest.UpdateSubresource[map[string]any](ctx, m.client, "a", "scale",
				&map[string]any{"metadata": map[string]any{"name": "a"}, "spec": map[string]any{"replicas": m.runs}})
			return err
		}, change, writesItself},
		{"writing over HTTP", "Validate", func(ctx context.Context, m *meddler) error {
			r, err := http.NewRequestWithContext(ctx, "PATCH", "http://api"+apitest.Widgets+"/a",
				strings.NewReader(fmt.Sprintf(`{"spec":{"weight":%d}}`, m.runs)))
			if err != nil {
				return err
			}
			r.Header.Set("Content-Type", apitest.TypeMergePatch)
			answer, err := rest.RoundTripper(m.api).RoundTrip(r)
			if err != nil {
				return err
			}
			defer func() { _ = answer.Body.Close() }()
			if answer.StatusCode == 409 {
				return status.Conflict(apimeta.GroupResource{Resource: "widgets"}, "a", "over HTTP")
			}
			return nil
		}, change, `Operation cannot be fulfilled on widgets "a": over HTTP`},
		{"writing as if it were no hook", "Validate", func(_ context.Context, m *meddler) error {
			m.armed = false
			defer func() { m.armed = true }()
			return m.modify(context.Background())
		}, change, alwaysLoses},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMeddler(t, c.place, c.write)
				a := c.ask(m)
				require.Equal(t, 409, a.Code, a.Body)
				assert.Equal(t, c.want, a.Text(t, "message"))
				assert.Equal(t, "Conflict", a.Text(t, "reason"))
				assert.Equal(t, 16, m.runs)
			})
		})
	}
	t.Run("that ignores the error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := newMeddler(t, "Validate", func(ctx context.Context, m *meddler) error { _ = m.modify(ctx); return nil })
			change(m)
			assert.Less(t, m.runs, 64)
		})
	})
	t.Run("that creates it", func(t *testing.T) {
		m := newMeddler(t, "Validate", func(ctx context.Context, m *meddler) error {
			_, err := m.client.Create(ctx,
				&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "b"}, Spec: apitest.WidgetSpec{Size: new(int32(1))}})
			return err
		})
		a := apitest.Do(t, m.api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`))
		require.Equal(t, 409, a.Code, a.Body)
		assert.Contains(t, a.Text(t, "message"), "has written it 15 times itself")
		assert.Equal(t, 16, m.runs)
	})
	t.Run("that creates others like it", func(t *testing.T) {
		m := newMeddler(t, "Validate", func(ctx context.Context, m *meddler) error {
			_, err := m.client.Create(ctx,
				&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{GenerateName: "b-"}, Spec: apitest.WidgetSpec{Size: new(int32(1))}})
			return err
		})
		a := apitest.Do(t, m.api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`))
		require.Equal(t, 409, a.Code, a.Body)
		assert.Contains(t, a.Text(t, "message"), "100 writes are nested, each made by a hook of the one before")
		assert.Equal(t, 100, m.runs)
	})
}

// A hook may write many objects, and the same one many times, as long as that does not run it for its own writes.
func TestHookWritesALot(t *testing.T) {
	m := newMeddler(t, "Validate", func(ctx context.Context, m *meddler) error {
		m.armed = false
		for range 40 {
			if err := m.modify(ctx); err != nil {
				return err
			}
			if _, err := m.client.Create(ctx, &apitest.Widget{ObjectMeta: apimeta.ObjectMeta{GenerateName: "b-"},
				Spec: apitest.WidgetSpec{Size: new(int32(1))}}); err != nil {
				return err
			}
			m.runs++
		}
		return nil
	})
	apitest.CreateWidget(t, m.api, "b")
	a := apitest.Must(t, m.api, "GET", apitest.Widgets+"/a", "")
	assert.EqualValues(t, 40, a.Value(t, "spec.weight"))
	assert.Len(t, apitest.Do(t, m.api, "GET", apitest.Widgets, "").Names(t), 42)
}

// A hook cannot wait until its own write has ended; what it can wait for is another API.
func TestShutdownInAHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		another := apitest.NewWidgets(t)
		var ended, endedAnother error
		m := newMeddler(t, "Validate", func(ctx context.Context, m *meddler) error {
			endedAnother, ended = another.Shutdown(ctx), m.api.Shutdown(ctx)
			return nil
		})
		apitest.CreateWidget(t, m.api, "b")
		assert.EqualError(t, ended, "rest: a hook of a write cannot wait until that write has ended: call Shutdown outside of hooks")
		assert.NoError(t, endedAnother)
		assert.Equal(t, 503, apitest.Do(t, m.api, "GET", apitest.Widgets+"/b", "").Code, "the API has begun to shut down")
		assert.NoError(t, m.api.Close())
	})
}
