package write_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Release is a kind with a union and a field that is fixed when it is made.
type Release struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               ReleaseSpec `json:"spec"`
}

type ReleaseSpec struct {
	Channel  string   `json:"channel,omitempty" api:"immutable,default=stable"`
	Strategy string   `json:"strategy,omitempty" api:"default=Recreate,discriminator"`
	Rolling  *Rolling `json:"rolling,omitempty" api:"member"`
	Canary   *Canary  `json:"canary,omitempty" api:"member"`
	Note     string   `json:"note,omitempty"`
}

type Rolling struct {
	Surge int32 `json:"surge,omitempty" api:"min=1"`
}

type Canary struct {
	Percent int32 `json:"percent,omitempty" api:"min=1,max=99"`
}

// StrictRelease is a Release after its author has thought of another rule.
type StrictRelease struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		ReleaseSpec
		Note string `json:"note,omitempty" api:"maxLength=3"`
	} `json:"spec"`
}

const releases = "/apis/example.com/v1/namespaces/default/releases"

func release(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Release","metadata":{"name":%q},"spec":%s}`, name, spec)
}

func newReleases(t *testing.T, change ...func(*rest.Resource[Release])) *rest.API {
	t.Helper()
	r := rest.Resource[Release]{Group: "example.com", Version: "v1", Plural: "releases"}
	for _, c := range change {
		c(&r)
	}
	return apitest.New(t, rest.Options{}, r)
}

func TestUnionsInWrites(t *testing.T) {
	api := newReleases(t)
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", releases, release("a", `{"strategy":"Rolling"}`)),
		"Release.example.com", "a", apitest.Invalid("spec.rolling",
			"Invalid value: \"\": must be specified when `strategy` is \"Rolling\""))
	apitest.Must(t, api, "POST", releases, release("a", `{"strategy":"Rolling","rolling":{"surge":2}}`))

	a := apitest.MergePatch(t, api, releases+"/a", `{"spec":{"strategy":"Canary","canary":{"percent":5}}}`)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, map[string]any{"channel": "stable", "strategy": "Canary", "canary": map[string]any{"percent": 5.0}},
		a.Value(t, "spec"), "the other member goes")
	apitest.WantInvalid(t, apitest.MergePatch(t, api, releases+"/a", `{"spec":{"rolling":{"surge":1}}}`),
		"Release.example.com", "a", apitest.Invalid("spec.rolling",
			"Invalid value: \"\": may only be specified when `strategy` is \"Rolling\""))
}

func TestImmutableDefaultsStay(t *testing.T) {
	api := newReleases(t)
	made := apitest.Must(t, api, "POST", releases, release("a", `{"channel":"beta"}`))
	version := made.Text(t, "metadata.resourceVersion")
	body := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Release","metadata":{"name":"a","resourceVersion":%q},"spec":{%%s}}`, version)

	apitest.WantInvalid(t, apitest.Do(t, api, "PUT", releases+"/a", fmt.Sprintf(body, `"channel":"stable"`)),
		"Release.example.com", "a", apitest.Invalid("spec.channel", `Invalid value: "stable": field is immutable`))
	put := apitest.Must(t, api, "PUT", releases+"/a", fmt.Sprintf(body, ``))
	assert.Equal(t, "beta", put.Text(t, "spec.channel"), "who leaves it out does not ask for the default")
	assert.Equal(t, version, put.Text(t, "metadata.resourceVersion"), "and changes nothing")
}

// A rule that comes later does not stand in the way of who changes something else.
func TestRatchetingOfWrites(t *testing.T) {
	before := apitest.Must(t, newReleases(t), "POST", releases, release("a", `{"note":"too long"}`))
	store := apitest.NewStore(t)
	api := apitest.New(t, rest.Options{Store: store},
		rest.Resource[StrictRelease]{Group: "example.com", Version: "v1", Plural: "releases",
			Names: rest.Names{Kind: "Release"}})
	_, err := store.Update(context.Background(),
		storage.Key{Resource: "releases.example.com", Namespace: "default", Name: "a"},
		func(*storage.Record) ([]byte, error) { return []byte(before.Body), nil })
	require.NoError(t, err)

	a := apitest.MergePatch(t, api, releases+"/a",
		`{"metadata":{"labels":{"a":"b"}},"spec":{"strategy":"Canary","canary":{"percent":5}}}`)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, "too long", a.Text(t, "spec.note"))
	tooLong := apitest.TooLong("spec.note", "Too long: may not be more than 3 bytes")
	apitest.WantInvalid(t, apitest.MergePatch(t, api, releases+"/a", `{"spec":{"note":"too long still"}}`),
		"Release.example.com", "a", tooLong)
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", releases, release("b", `{"note":"too long"}`)),
		"Release.example.com", "b", tooLong)
}

func TestPrepareHook(t *testing.T) {
	withPrepare := func(f func(w, old *apitest.Widget) error) apitest.WidgetOption {
		return func(r *rest.Resource[apitest.Widget]) {
			r.Hooks.Prepare = func(_ context.Context, w, old *apitest.Widget) error { return f(w, old) }
		}
	}
	t.Run("drops a field that clients may not set, and sets the first status", func(t *testing.T) {
		api := apitest.NewWidgets(t, withPrepare(func(w, old *apitest.Widget) error {
			w.Spec.Owner = nil
			if old == nil {
				w.Status.Phase = "Pending"
			} else {
				w.Spec.Owner, w.Status.Phase = old.Spec.Owner, "Ready"
			}
			w.UID, w.Generation, w.Labels = "mine", 99, map[string]string{"prepared": "yes"}
			return nil
		}))
		want := apitest.StoredWidget{Metadata: `"labels":{"prepared":"yes"}`, Status: `{"phase":"Pending"}`}
		apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"owner":"me"}`)), 201, want.String())
		want.RV, want.Generation, want.Spec = "3", 2, apitest.SpecOfSizeTwo
		apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2,"owner":"me"}}`), 200,
			want.String())
		want.RV, want.Status = "4", `{"phase":"Ready"}`
		apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a/status", `{"status":{"phase":"Failed"}}`), 200,
			want.String())
	})
	t.Run("its result is validated", func(t *testing.T) {
		api := apitest.NewWidgets(t,
			withPrepare(func(w, _ *apitest.Widget) error { w.Spec.Size = new(int32(500)); return nil }))
		apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)),
			"Widget.example.com", "a", apitest.Invalid("spec.size",
				"Invalid value: 500: spec.size in body should be less than or equal to 100"))
	})
	t.Run("it may refuse", func(t *testing.T) {
		api := apitest.NewWidgets(t, withPrepare(func(w, _ *apitest.Widget) error {
			return status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, w.Name, "not today")
		}))
		assert.Equal(t, 403, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)).Code)
	})
	for name, fail := range map[string]func(w, old *apitest.Widget) error{
		"an error is the server's": func(_, _ *apitest.Widget) error { return errors.New("no disk") },
		"so is a panic":            func(_, _ *apitest.Widget) error { panic("no disk") },
	} {
		t.Run(name, func(t *testing.T) {
			api := apitest.NewWidgets(t, withPrepare(fail))
			a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
			assert.Equal(t, 500, a.Code)
			assert.NotContains(t, a.Body, "disk")
			assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
		})
	}
}
