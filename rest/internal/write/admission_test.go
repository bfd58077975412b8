package write_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

func patching(patch string) apitest.AdmissionFunc {
	return func(_ context.Context, r *admission.Request) error {
		return r.Patch(apimeta.MergePatch, []byte(patch))
	}
}

func TestMutatingAdmission(t *testing.T) {
	for _, c := range []struct {
		name string
		hook apitest.AdmissionFunc
		body string
		want apitest.StoredWidget
	}{
		{"patches the object", patching(`{"metadata":{"labels":{"a":"1"}}}`), apitest.WidgetBody(`"name":"a"`),
			apitest.StoredWidget{Metadata: `"labels":{"a":"1"}`}},
		{"replaces it by a typed one", func(_ context.Context, r *admission.Request) error {
			var w apitest.Widget
			if err := r.Object(&w); err != nil {
				return err
			}
			w.Spec.Size = new(*w.Spec.Size + 1)
			return r.SetObject(&w)
		}, apitest.WidgetBody(`"name":"a"`),
			apitest.StoredWidget{Spec: `{"size":2,"color":"red","replicas":1,"template":{"image":"none"}}`}},
		{"may override what the client sent", patching(`{"spec":{"color":"blue"}}`),
			apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"color":"green"}`),
			apitest.StoredWidget{Spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}},
		{"what it leaves out is defaulted again", patching(`{"spec":{"color":null}}`),
			apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"color":"green"}`), apitest.StoredWidget{}},
		{"fills in required fields", patching(`{"spec":{"size":1}}`), apitest.WidgetBody(`"name":"a"`, `"spec":{}`),
			apitest.StoredWidget{}},
		{"unknown fields are dropped", patching(`{"spec":{"nothing":1}}`), apitest.WidgetBody(`"name":"a"`),
			apitest.StoredWidget{}},
		{"the metadata of the server stays",
			patching(`{"kind":"Other","metadata":{"name":"b","namespace":"c","uid":"d","generation":7,"creationTimestamp":null,"deletionTimestamp":"` + apitest.NowText + `"}}`),
			apitest.WidgetBody(`"name":"a"`), apitest.StoredWidget{}},
		{"and so does the status", patching(`{"status":{"phase":"Ready"}}`), apitest.WidgetBody(`"name":"a"`),
			apitest.StoredWidget{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgetsWithAdmission(t, apitest.Mutating("m", c.hook))
			apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets, c.body), 201, c.want.String())
		})
	}
}

func TestMutatedObjectsAreValidated(t *testing.T) {
	api := apitest.NewWidgetsWithAdmission(t, apitest.Mutating("m", patching(`{"spec":{"size":1000}}`)))
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)),
		"Widget.example.com", "a", apitest.Invalid("spec.size",
			"Invalid value: 1000: spec.size in body should be less than or equal to 100"))
}

// Each hook sees what the ones before it did, and once more what the ones after it did.
func TestReinvocation(t *testing.T) {
	var calls []string
	hook := func(name string, f func(steps []string) []string) admission.Hook {
		return apitest.Mutating(name, func(_ context.Context, r *admission.Request) error {
			var w apitest.Widget
			if err := r.Object(&w); err != nil {
				return err
			}
			calls = append(calls, name+fmt.Sprint(w.Spec.Steps))
			w.Spec.Steps = f(w.Spec.Steps)
			return r.SetObject(&w)
		})
	}
	add := func(step string) func([]string) []string {
		return func(steps []string) []string {
			if strings.Contains(strings.Join(steps, ""), step) {
				return steps
			}
			return append(steps, step)
		}
	}
	keep := func(steps []string) []string { return steps }
	api := apitest.NewWidgetsWithAdmission(t, hook("first", add("a")), hook("idle", keep), hook("last", add("b")),
		hook("late", keep))
	a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
	require.Equal(t, 201, a.Code, a.Body)
	assert.Equal(t, []any{"a", "b"}, a.Value(t, "spec.steps"))
	assert.Equal(t, []string{"first[]", "idle[a]", "last[a]", "late[a b]", "first[a b]", "idle[a b]"}, calls)
}

func TestValidatingAdmissionRefuses(t *testing.T) {
	teapot := status.Generic(418, "short and stout")
	for _, c := range []struct {
		name            string
		err             error
		code            int
		reason, message string
		details         string
	}{
		{"an error is forbidden", errors.New("not on a Sunday"), 403, "Forbidden",
			`widgets.example.com "a" is forbidden: not on a Sunday`, apitest.AboutWidget("a")},
		{"a Status stays as it is", teapot, 418, "", "short and stout", ""},
		{"also a wrapped one", fmt.Errorf("wrapped: %w", teapot), 418, "", "short and stout", ""},
		{"the text of a store's error is withheld", fmt.Errorf("lookup: %w", storage.ErrResource), 500, "InternalError",
			"Internal error occurred: the request could not be completed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			armed := false
			api := apitest.NewWidgetsWithAdmission(t,
				apitest.Validating("v", func(context.Context, *admission.Request) error {
					if armed {
						return c.err
					}
					return nil
				}))
			apitest.CreateWidget(t, api, "a")
			armed = true
			for _, a := range []apitest.Answer{
				apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
					apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`)),
				apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`),
				apitest.MergePatch(t, api, apitest.Widgets+"/a/status", `{"status":{"phase":"Ready"}}`),
				apitest.MergePatch(t, api, apitest.Widgets+"/a/scale", `{"spec":{"replicas":2}}`),
				apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""),
				apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?dryRun=All", ""),
				apitest.Do(t, api, "DELETE", apitest.Widgets, ""),
			} {
				apitest.WantFailure(t, a, c.code, c.reason, c.message, c.details)
			}
			assert.GreaterOrEqual(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`)).Code, 400)
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 200,
				apitest.WidgetList(`"resourceVersion":"2"`, apitest.StoredWidget{}.String()))
		})
	}
}

func TestPanicInAdmission(t *testing.T) {
	boom := func(context.Context, *admission.Request) error { panic("the secret") }
	for _, c := range []struct {
		name string
		hook admission.Hook
	}{{"Mutate", apitest.Mutating("m", boom)}, {"Validate", apitest.Validating("v", boom)}} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			api := apitest.New(t, rest.Options{Admission: []admission.Hook{c.hook},
				Logger: slog.New(slog.NewTextHandler(&log, nil))}, apitest.WidgetResource())
			apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)), 500,
				"InternalError", "Internal error occurred: the request could not be completed", "")
			assert.Contains(t, log.String(), "the secret")
			assert.Empty(t, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
		})
	}
}

// A hook receives the operation, the kind, the user and the options of each write.
func TestAdmissionRequest(t *testing.T) {
	var seen []string
	var during *rest.API
	user := access.WithUser(context.Background(), access.User{Name: "jane"})
	look := func(_ context.Context, r *admission.Request) error {
		describe := func(decode func(any) error) string {
			var obj struct {
				Kind string `json:"kind"`
				Spec struct {
					Size     int `json:"size"`
					Replicas int `json:"replicas"`
				} `json:"spec"`
			}
			if decode(&obj) != nil {
				return "-"
			}
			return fmt.Sprintf("%s:%d/%d", obj.Kind, obj.Spec.Size, obj.Spec.Replicas)
		}
		seen = append(seen, fmt.Sprintf("%s %s %s/%s %s.%s %s dry=%v %T %s <- %s", r.User.Name, r.Operation, r.Namespace,
			r.Name, r.Resource.Resource, r.Kind.Kind, r.Subresource, r.DryRun, optionsOf(r), describe(r.Object),
			describe(r.OldObject)))
		return nil
	}
	api := apitest.New(t, rest.Options{Admission: []admission.Hook{apitest.Validating("v", look)}},
		apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) { r.Wire.CreateOnUpdate = true }))
	during = api
	client := apitest.WidgetClient(t, during)
	for _, c := range []struct {
		name string
		do   func(t *testing.T)
		want []string
	}{
		{"POST", func(t *testing.T) { apitest.CreateWidget(t, api, "a") },
			[]string{"system:anonymous CREATE default/a widgets.Widget  dry=false *apimeta.CreateOptions Widget:1/1 <- -"}},
		{"PUT that creates", func(t *testing.T) {
			apitest.Must(t, api, "PUT", apitest.Widgets+"/b", apitest.WidgetBody(`"name":"b"`))
		},
			[]string{"system:anonymous CREATE default/b widgets.Widget  dry=false *apimeta.CreateOptions Widget:1/1 <- -"}},
		{"PUT that changes nothing", func(t *testing.T) {
			apitest.Must(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a","resourceVersion":"2"`))
		},
			[]string{"system:anonymous UPDATE default/a widgets.Widget  dry=false *apimeta.UpdateOptions Widget:1/1 <- Widget:1/1"}},
		{"PATCH in a dry run", func(t *testing.T) {
			apitest.MergePatch(t, api, apitest.Widgets+"/a?dryRun=All", `{"spec":{"size":2}}`)
		},
			[]string{"system:anonymous UPDATE default/a widgets.Widget  dry=true *apimeta.PatchOptions Widget:2/1 <- Widget:1/1"}},
		{"status", func(t *testing.T) {
			apitest.MergePatch(t, api, apitest.Widgets+"/a/status", `{"status":{"phase":"Ready"},"spec":{"size":3}}`)
		},
			[]string{"system:anonymous UPDATE default/a widgets.Widget status dry=false *apimeta.PatchOptions Widget:1/1 <- Widget:1/1"}},
		{"scale", func(t *testing.T) { apitest.MergePatch(t, api, apitest.Widgets+"/a/scale", `{"spec":{"replicas":5}}`) },
			[]string{"system:anonymous UPDATE default/a widgets.Scale scale dry=false *apimeta.PatchOptions Scale:0/5 <- Scale:0/1"}},
		{"apply that changes", func(t *testing.T) {
			apitest.Must(t, api, "PATCH", apitest.Widgets+"/a?fieldManager=m&force=true",
				apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"replicas":5}`), "Content-Type", "application/apply-patch+yaml")
		}, []string{"system:anonymous UPDATE default/a widgets.Widget  dry=false *apimeta.PatchOptions Widget:1/5 <- Widget:1/5"}},
		{"apply that creates", func(t *testing.T) {
			apitest.Must(t, api, "PATCH", apitest.Widgets+"/new?fieldManager=m&dryRun=All", apitest.WidgetBody(`"name":"new"`),
				"Content-Type", "application/apply-patch+yaml")
		}, []string{"system:anonymous CREATE default/new widgets.Widget  dry=true *apimeta.PatchOptions Widget:1/1 <- -"}},
		{"typed client", func(t *testing.T) {
			_, err := client.Modify(user, "a", func(w *apitest.Widget) error { w.Spec.Size = new(int32(4)); return nil })
			require.NoError(t, err)
		}, []string{"jane UPDATE default/a widgets.Widget  dry=false *apimeta.UpdateOptions Widget:4/5 <- Widget:1/5"}},
		{"DELETE", func(t *testing.T) { apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "") },
			[]string{"system:anonymous DELETE default/a widgets.Widget  dry=false *apimeta.DeleteOptions - <- Widget:4/5"}},
		{"DELETE of a collection", func(t *testing.T) {
			apitest.CreateWidget(t, api, "c")
			seen = nil
			apitest.Must(t, api, "DELETE", apitest.Widgets, "")
		}, []string{
			"system:anonymous DELETE default/b widgets.Widget  dry=false *apimeta.DeleteOptions - <- Widget:1/1",
			"system:anonymous DELETE default/c widgets.Widget  dry=false *apimeta.DeleteOptions - <- Widget:1/1"}},
		{"in-process delete", func(t *testing.T) {
			apitest.CreateWidget(t, api, "d")
			seen = nil
			require.NoError(t, client.Delete(user, "d", rest.DeleteOptions{}))
		}, []string{"jane DELETE default/d widgets.Widget  dry=false *apimeta.DeleteOptions - <- Widget:1/1"}},
	} {
		seen = nil
		c.do(t)
		assert.Equal(t, c.want, seen, c.name)
	}
}

func TestAdmissionOfSubresources(t *testing.T) {
	called := 0
	count := apitest.Validating("v", func(context.Context, *admission.Request) error { called++; return nil })
	count.Resources = []string{"widgets.example.com/*"}
	phase := apitest.Mutating("m", patching(`{"spec":{"size":9},"status":{"phase":"Failed"}}`))
	phase.Resources = []string{"widgets.example.com/status"}
	scale := apitest.Mutating("s", patching(`{"spec":{"replicas":7}}`))
	scale.Resources = []string{"*/scale"}
	api := apitest.NewWidgetsWithAdmission(t, count, phase, scale)
	apitest.CreateWidget(t, api, "a")
	assert.Equal(t, 0, called, "the object itself is no subresource")
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a/status", `{"status":{"phase":"Ready"}}`), 200,
		apitest.StoredWidget{RV: "3", Status: `{"phase":"Failed"}`}.String())
	a := apitest.MergePatch(t, api, apitest.Widgets+"/a/scale", `{"spec":{"replicas":2}}`)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, float64(7), a.Value(t, "spec.replicas"))
	assert.Equal(t, 2, called)
	a = apitest.Do(t, api, "PATCH", apitest.Widgets+"/a/scale?fieldManager=m&force=true",
		`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":3}}`, "Content-Type",
		"application/apply-patch+yaml")
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, float64(7), a.Value(t, "spec.replicas"))
	assert.Equal(t, 3, called)
}

func TestDryRunPastSideEffects(t *testing.T) {
	for _, c := range []struct {
		effects   admission.SideEffects
		validates bool // the hook validates, and does nothing else
		refused   bool
	}{
		{admission.SideEffectsNone, false, false}, {admission.SideEffectsNoneOnDryRun, false, false},
		{admission.SideEffectsSome, false, true}, {"", false, true},
		{admission.SideEffectsNone, true, false}, {admission.SideEffectsNoneOnDryRun, true, false}, {admission.SideEffectsSome, true, true},
		{"", true, false},
	} {
		t.Run(fmt.Sprintf("effects %s, validates only %v", c.effects, c.validates), func(t *testing.T) {
			called := 0
			count := func(context.Context, *admission.Request) error { called++; return nil }
			hook := admission.Hook{Name: "quota.example.com", SideEffects: c.effects, Mutate: count, Validate: count}
			if c.validates {
				hook.Mutate = nil
			}
			api := apitest.NewWidgetsWithAdmission(t, hook)
			apitest.CreateWidget(t, api, "a")
			called = 0
			for _, a := range []apitest.Answer{
				apitest.Do(t, api, "POST", apitest.Widgets+"?dryRun=All", apitest.WidgetBody(`"name":"b"`)),
				apitest.MergePatch(t, api, apitest.Widgets+"/a?dryRun=All", `{"spec":{"size":2}}`),
				apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?dryRun=All", ""),
			} {
				if c.refused {
					apitest.WantFailure(t, a, 400, "BadRequest", `admission webhook "quota.example.com" does not support dry run`, "")
				} else {
					assert.Less(t, a.Code, 300, a.Body)
				}
			}
			assert.Equal(t, c.refused, called == 0)
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 200,
				apitest.WidgetList(`"resourceVersion":"2"`, apitest.StoredWidget{}.String()))
		})
	}
}

func TestWarningsOfAdmission(t *testing.T) {
	api := apitest.NewWidgetsWithAdmission(t,
		apitest.Mutating("m", func(_ context.Context, r *admission.Request) error { r.Warn("first"); return nil }),
		apitest.Validating("v", func(_ context.Context, r *admission.Request) error { r.Warn("second"); return nil }))
	for _, a := range []apitest.Answer{
		apitest.CreateWidget(t, api, "a"),
		apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`),
		apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""),
	} {
		assert.Equal(t, []string{`299 - "first"`, `299 - "second"`}, a.Header.Values("Warning"))
	}
}

// A hook holds no lock: it may read and write the resource that it is asked about, and even the same object.
func TestAdmissionMayCallTheAPI(t *testing.T) {
	var client rest.Client[apitest.Widget]
	inside := false // what hooks write asks them too
	hook := func(ctx context.Context, r *admission.Request) error {
		if inside {
			return nil
		}
		inside = true
		defer func() { inside = false }()
		if r.Operation == admission.Update {
			// Another change of the very object: the write runs again on what it is then.
			_, err := client.Modify(ctx, r.Name, func(w *apitest.Widget) error { w.Spec.Owner = new("hook"); return nil })
			return err
		}
		if _, err := client.Get(ctx, r.Name); err != nil && !status.IsNotFound(err) {
			return err
		}
		_, err := client.Create(ctx,
			&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "log-" + strings.ToLower(string(r.Operation)) + "-" +
				r.Name}, Spec: apitest.WidgetSpec{Size: new(int32(1))}})
		if status.IsAlreadyExists(err) {
			return nil
		}
		return err
	}
	api := apitest.NewWidgetsWithAdmission(t, apitest.Validating("v", hook))
	client = apitest.WidgetClient(t, api)
	apitest.CreateWidget(t, api, "a")
	a := apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, "hook", a.Value(t, "spec.owner"))
	assert.Equal(t, float64(2), a.Value(t, "spec.size"))
	apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
	assert.Equal(t, []string{"log-create-a", "log-delete-a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
}

func TestAdmissionConfiguration(t *testing.T) {
	ok := func(context.Context, *admission.Request) error { return nil }
	for _, c := range []struct {
		name  string
		hooks []admission.Hook
		want  string
	}{
		{"no name", []admission.Hook{{Validate: ok}}, `admission "": name: `},
		{"no function", []admission.Hook{{Name: "a"}}, `admission "a": neither Mutate nor Validate is set`},
		{"two of a name", []admission.Hook{{Name: "a", Mutate: ok}, {Name: "a", Mutate: ok}},
			`admission "a": duplicate name`},
		{"operation", []admission.Hook{{Name: "a", Mutate: ok, Operations: []admission.Operation{"PATCH"}}},
			`admission "a": Operations: unknown operation "PATCH"`},
		{"side effects", []admission.Hook{{Name: "a", Mutate: ok, SideEffects: "Few"}},
			`admission "a": SideEffects: unknown value "Few": must be None, NoneOnDryRun or Some`},
		{"resource", []admission.Hook{{Name: "a", Mutate: ok, Resources: []string{"widgets"}}},
			`admission "a": Resources: the API does not serve "widgets"`},
		{"subresource", []admission.Hook{{Name: "a", Mutate: ok, Resources: []string{"widgets.example.com/log"}}},
			`admission "a": Resources: the API does not serve "widgets.example.com/log"`},
		{"singular", []admission.Hook{{Name: "a", Mutate: ok, Resources: []string{"widget.example.com"}}},
			`admission "a": Resources: the API does not serve "widget.example.com"`},
		{"kind", []admission.Hook{{Name: "a", Mutate: ok, Resources: []string{"Gear.example.com"}}},
			`admission "a": Resources: the API does not serve "Gear.example.com"`},
		{"group", []admission.Hook{{Name: "a", Mutate: ok, Resources: []string{"gears.example_com"}}},
			`admission "a": Resources: the API does not serve "gears.example_com"`},
		{"subresource of a later resource",
			[]admission.Hook{{Name: "a", Mutate: ok, Resources: []string{"gears.example.com/a/b"}}},
			`admission "a": Resources: the API does not serve "gears.example.com/a/b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rest.New(rest.Options{Admission: c.hooks}, apitest.WidgetResource())
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestAdmissionChoosesOperations(t *testing.T) {
	hook := apitest.Validating("v", func(context.Context, *admission.Request) error { return errors.New("kept") })
	hook.Operations = []admission.Operation{admission.Delete}
	hook.Resources = []string{"widgets.example.com"}
	api := apitest.NewWidgetsWithAdmission(t, hook)
	apitest.CreateWidget(t, api, "a")
	assert.Equal(t, 403, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", "").Code)
}

// A hook that changes the object in Validate, or reads an object that the operation lacks, gets an error, and the
// client gets a 500.
func TestAdmissionMisuse(t *testing.T) {
	for _, c := range []struct {
		name string
		hook admission.Hook
	}{
		{"change in Validate", apitest.Validating("v", patching(`{}`))},
		{"replace in Validate", apitest.Validating("v",
			func(_ context.Context, r *admission.Request) error { return r.SetObject(map[string]any{}) })},
		{"old object of a create", apitest.Validating("v",
			func(_ context.Context, r *admission.Request) error { return r.OldObject(new(apitest.Widget)) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apitest.Do(t, apitest.NewWidgetsWithAdmission(t, c.hook), "POST", apitest.Widgets,
				apitest.WidgetBody(`"name":"a"`))
			assert.Equal(t, 500, a.Code)
			assert.Equal(t, "InternalError", a.Text(t, "reason"))
		})
	}
}

// The hooks review a connection to a stream with the options of its URL. They do not see a request that only reads.
func TestAdmissionOfStreams(t *testing.T) {
	var seen []string
	hook := admission.Hook{Name: "v", Mutate: func(_ context.Context, r *admission.Request) error {
		var o apitest.ThingProxyOptions
		if err := r.Object(&o); err != nil {
			return err
		}
		seen = append(seen, fmt.Sprintf("%s %s/%s %s %s %s %v", r.Operation, r.Namespace, r.Name, r.Subresource, r.Kind.Kind,
			o.Path, optionsOf(r)))
		if o.Path == "secret" {
			return errors.New("not for you")
		}
		r.Warn("look, but do not touch")
		return r.Patch(apimeta.MergePatch, []byte(`{"path":"public"}`))
	}}
	s := apitest.NewThingStreams(t, rest.Options{Admission: []admission.Hook{hook}},
		apitest.ThingLog{Name: "log", Output: apitest.NoOutput},
		apitest.ThingProxy{Name: "proxy",
			Serve: func(w http.ResponseWriter, _ *http.Request, _ *apitest.Thing, o *apitest.ThingProxyOptions) {
				_, _ = io.WriteString(w, o.Path)
			}})
	seen = nil
	w := s.Do("GET", apitest.Things+"/a/proxy/?path=here", "")
	assert.Equal(t, "public", w.Body)
	w = s.Do("DELETE", apitest.Things+"/a/proxy/?path=secret", "")
	assert.Equal(t, 403, w.Code)
	assert.Contains(t, w.Body, `things.things.example.com \"a\" is forbidden: not for you`)
	assert.Equal(t, 400, s.Do("GET", apitest.Things+"/a/proxy/?dryRun=All", "").Code)
	assert.Equal(t, 200, s.Do("GET", apitest.Things+"/a/log", "").Code)
	assert.Equal(t, []string{"CONNECT default/a proxy ThingProxyOptions here <nil>",
		"CONNECT default/a proxy ThingProxyOptions secret <nil>"}, seen)
}

// The API does not take an error of a hook about another object for an error of the store.
func TestHookErrorsAboutAnotherObject(t *testing.T) {
	gadgets := apimeta.GroupResource{Group: "example.com", Resource: "gadgets"}
	exists, missing := status.AlreadyExists(gadgets, "g"), status.NotFound(gadgets, "g")
	for _, c := range []struct {
		name string
		err  error
		do   func(t *testing.T, api *rest.API) apitest.Answer
		want admission.Operation
	}{
		{"there is one already, on generateName", exists, func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"generateName":"a-"`))
		}, admission.Create},
		{"there is one already, on a PUT that creates", exists, func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "PUT", apitest.Widgets+"/b", apitest.WidgetBody(`"name":"b"`))
		}, admission.Create},
		{"absent, on PUT", missing, func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a","resourceVersion":"2"`))
		}, admission.Update},
		{"absent, on apply", missing, func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldManager=m&force=true",
				apitest.WidgetBody(`"name":"a"`, `"spec":{"size":2}`), "Content-Type", apitest.TypeApply)
		}, admission.Update},
		{"absent, on DELETE", missing, func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", "")
		}, admission.Delete},
		{"absent, on DELETE of the collection", missing, func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "DELETE", apitest.Widgets, "")
		}, admission.Delete},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked []admission.Operation
			armed := false
			hook := apitest.Validating("v", func(_ context.Context, r *admission.Request) error {
				if !armed {
					return nil
				}
				asked = append(asked, r.Operation)
				return c.err
			})
			api := apitest.New(t, rest.Options{Admission: []admission.Hook{hook}},
				apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) { r.Wire.CreateOnUpdate = true }))
			apitest.CreateWidget(t, api, "a")
			armed = true
			a := c.do(t, api)
			assert.Equal(t, c.err.Error(), a.Text(t, "message"))
			assert.Equal(t, status.CodeOf(c.err), a.Code)
			assert.Equal(t, []admission.Operation{c.want}, asked)
			assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
		})
	}
}

// optionsOf returns the options of a request that are set, or nil.
func optionsOf(r *admission.Request) any {
	switch o := r.Options; {
	case o.Create != nil:
		return o.Create
	case o.Update != nil:
		return o.Update
	case o.Patch != nil:
		return o.Patch
	case o.Delete != nil:
		return o.Delete
	}
	return nil
}
