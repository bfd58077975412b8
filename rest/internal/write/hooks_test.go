package write_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestDefaultHook(t *testing.T) {
	for _, c := range []struct {
		name string
		hook func(w *apitest.Widget)
		body string
		want apitest.StoredWidget
	}{
		{"fills in a field", func(w *apitest.Widget) {
			if w.Spec.Owner == nil {
				w.Spec.Owner = new("nobody")
			}
		}, apitest.WidgetBody(`"name":"a"`),
			apitest.StoredWidget{Spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"owner":"nobody"}`}},
		{"fills in a required field", func(w *apitest.Widget) {
			if w.Spec.Size == nil {
				w.Spec.Size = new(int32(7))
			}
		}, apitest.WidgetBody(`"name":"a"`, `"spec":{}`),
			apitest.StoredWidget{Spec: `{"size":7,"color":"red","replicas":1,"template":{"image":"none"}}`}},
		{"sees the defaults of the tags and may change them", func(w *apitest.Widget) {
			if *w.Spec.Color == "red" {
				w.Spec.Color = new("blue")
			}
		}, apitest.WidgetBody(`"name":"a"`),
			apitest.StoredWidget{Spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}},
		{"adds a label beside those of the client", func(w *apitest.Widget) { w.Labels["b"] = "2" },
			apitest.WidgetBody(`"name":"a","labels":{"a":"1"}`), apitest.StoredWidget{Metadata: `"labels":{"a":"1","b":"2"}`}},
		{"fills in a field that the client has set to null", func(w *apitest.Widget) {
			if w.Spec.Owner == nil {
				w.Spec.Owner = new("nobody")
			}
		}, apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"owner":null}`),
			apitest.StoredWidget{Spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"owner":"nobody"}`}},
		{"fills in a field of an element", func(w *apitest.Widget) {
			for i := range w.Spec.Parts {
				w.Spec.Parts[i].Kind = cmp.Or(w.Spec.Parts[i].Kind, new("bolt"))
			}
		}, apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"parts":[{"name":"x"},{"name":"y","kind":"nut"}]}`),
			apitest.StoredWidget{
				Spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"parts":[{"name":"x","count":1,"kind":"bolt"},{"name":"y","count":1,"kind":"nut"}]}`}},
		{"adds elements to a set and to a keyed list", func(w *apitest.Widget) {
			w.Spec.Tags = append([]string{"mine"}, w.Spec.Tags...)
			w.Spec.Parts = slices.Insert(w.Spec.Parts, 1, widget.Part{Name: "z"})
			w.Spec.Parts[0].Kind = new("nut")
		}, apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"tags":["b","a"],"parts":[{"name":"x"},{"name":"y"}]}`),
			apitest.StoredWidget{
				Spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"tags":["mine","b","a"],"parts":[{"name":"x","count":1,"kind":"nut"},{"name":"z","count":1},{"name":"y","count":1}]}`}},
		{"fills an empty set", func(w *apitest.Widget) { w.Spec.Tags = append(w.Spec.Tags, "mine") },
			apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"tags":[]}`), apitest.StoredWidget{
				Spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"tags":["mine"]}`}},
		{"begins the status", func(w *apitest.Widget) { w.Status.Phase = "Pending" },
			apitest.WidgetBody(`"name":"a"`, `"status":{"phase":"Ready"}`), apitest.StoredWidget{Status: `{"phase":"Pending"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t,
				apitest.WithDefault(func(_ context.Context, w *apitest.Widget) error { c.hook(w); return nil }))
			apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets, c.body), 201, c.want.String())
		})
	}
}

// A Default hook may not change a value that the client has sent (API conventions, What May Be Defaulted).
func TestDefaultHookThatOverrides(t *testing.T) {
	for _, c := range []struct {
		name, body, path string
		hook             func(w *apitest.Widget)
	}{
		{"a field", apitest.WidgetBody(`"name":"a"`), "spec.size", func(w *apitest.Widget) { w.Spec.Size = new(int32(2)) }},
		{"a field taken away", apitest.WidgetBody(`"name":"a"`), "spec.size", func(w *apitest.Widget) { w.Spec.Size = nil }},
		{"a label", apitest.WidgetBody(`"name":"a","labels":{"a":"1"}`), "metadata.labels.a",
			func(w *apitest.Widget) { w.Labels["a"] = "2" }},
		{"a list", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"steps":["x"]}`), "spec.steps",
			func(w *apitest.Widget) { w.Spec.Steps = append(w.Spec.Steps, "y") }},
		{"a field of an element", apitest.WidgetBody(`"name":"a"`,
			`"spec":{"size":1,"parts":[{"name":"x"},{"name":"y","count":2}]}`), "spec.parts.1.count",
			func(w *apitest.Widget) { w.Spec.Parts[1].Count = new(int32(3)) }},
		{"an element", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"steps":["x","y"]}`), "spec.steps.1",
			func(w *apitest.Widget) { w.Spec.Steps[1] = "z" }},
		{"an element of a set", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"tags":["x","y"]}`), "spec.tags.1",
			func(w *apitest.Widget) { w.Spec.Tags = []string{"x", "z", "w"} }},
		{"the order of a set", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"tags":["x","y"]}`), "spec.tags.1",
			func(w *apitest.Widget) { w.Spec.Tags = []string{"y", "x"} }},
		{"an element of a keyed list taken away", apitest.WidgetBody(`"name":"a"`,
			`"spec":{"size":1,"parts":[{"name":"x"},{"name":"y"}]}`), "spec.parts.0",
			func(w *apitest.Widget) { w.Spec.Parts[0].Name = "z" }},
		{"a field of an element behind a new one", apitest.WidgetBody(`"name":"a"`,
			`"spec":{"size":1,"parts":[{"name":"x","count":2}]}`), "spec.parts.0.count",
			func(w *apitest.Widget) {
				w.Spec.Parts = []widget.Part{{Name: "z"}, {Name: "x", Count: new(int32(3))}}
			}},
		{"the name", apitest.WidgetBody(`"name":"a"`), "metadata.name", func(w *apitest.Widget) { w.Name = "b" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t,
				apitest.WithDefault(func(_ context.Context, w *apitest.Widget) error { c.hook(w); return nil }))
			a := apitest.Do(t, api, "POST", apitest.Widgets, c.body)
			assert.Equal(t, 500, a.Code)
			assert.Equal(t, "InternalError", a.Text(t, "reason"))
			assert.Contains(t, a.Text(t, "message"),
				`the Default hook of Widget.example.com changed "`+c.path+`", which the client had set`)
			assert.Empty(t, apitest.Do(t, api, "GET", apitest.AllWidgets, "").Names(t))
		})
	}
}

// Order has a field that its Go type always writes.
type Order struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Amount string `json:"amount"`
	} `json:"spec"`
}

// A client with a Go type of Kubernetes sends a zero for each field that it leaves out and whose tag has no omitempty.
func TestDefaultHookFillsInTheZerosOfBuiltinKinds(t *testing.T) {
	const orders = "/apis/example.com/v1/namespaces/default/orders"
	api := apitest.New(t, rest.Options{}, rest.Resource[Order]{Group: "example.com", Version: "v1", Plural: "orders",
		Wire: rest.Wire{Dialect: rest.DialectBuiltin},
		Hooks: rest.Hooks[Order]{Default: func(_ context.Context, obj *Order) error {
			obj.Spec.Amount = cmp.Or(obj.Spec.Amount, "much")
			return nil
		}}})
	apitest.Must(t, api, "POST", orders,
		`{"apiVersion":"example.com/v1","kind":"Order","metadata":{"name":"a"},"spec":{"amount":""}}`)
	assert.Equal(t, "much", apitest.Do(t, api, "GET", orders+"/a", "").Text(t, "spec.amount"))
}

func TestDefaultHookRunsOnUpdatesToo(t *testing.T) {
	api := apitest.NewWidgets(t, apitest.WithDefault(func(_ context.Context, w *apitest.Widget) error {
		if w.Spec.Owner == nil {
			w.Spec.Owner = new("nobody")
		}
		return nil
	}))
	apitest.CreateWidget(t, api, "a", `"spec":{"size":1,"owner":"me"}`)
	const nobody = `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"owner":"nobody"}`
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"owner":null}}`), 200,
		apitest.StoredWidget{RV: "3", Generation: 2, Spec: nobody}.String())
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
		apitest.WidgetBody(`"name":"a","resourceVersion":"3"`)), 200,
		apitest.StoredWidget{RV: "3", Generation: 2, Spec: nobody}.String())
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a/status", `{"status":{"phase":"Ready"}}`), 200,
		apitest.StoredWidget{RV: "4", Generation: 2, Spec: nobody, Status: `{"phase":"Ready"}`}.String())
}

func TestErrorsOfHooks(t *testing.T) {
	const secret = "the password is 1234"
	refused := status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, "a", "not today")
	aboutA := apitest.AboutWidget("a")
	for _, c := range []struct {
		name            string
		err             error
		code            int
		reason, message string
		details         string
	}{
		{"a Status goes to the client", refused, 403, "Forbidden", `widgets.example.com "a" is forbidden: not today`, aboutA},
		{"also one that is wrapped", errors.Join(errors.New("wrapped"), refused), 403, "Forbidden",
			`widgets.example.com "a" is forbidden: not today`, aboutA},
		{"a status error without a Kind",
			&status.Error{Status: status.Status{Message: "busy", Reason: status.ReasonConflict}}, 409, "Conflict", "busy", ""},
		{"a status error with a success code", &status.Error{Status: status.Status{Message: secret, Code: 200}}, 500, "",
			secret, ""},
		{"any other error goes to the log", errors.New(secret), 500, "InternalError",
			"Internal error occurred: the request could not be completed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			armed := false
			fail := func() error {
				if armed {
					return c.err
				}
				return nil
			}
			resource := apitest.WidgetResource(apitest.WithDefault(func(context.Context, *apitest.Widget) error {
				return fail()
			}), apitest.WithValidateDelete(func(context.Context, *apitest.Widget) error { return fail() }))
			api := apitest.New(t, rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, resource)
			apitest.CreateWidget(t, api, "a")
			armed = true
			apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`)), c.code,
				c.reason, c.message, c.details)
			apitest.WantFailure(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`), c.code, c.reason,
				c.message, c.details)
			apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""), c.code, c.reason, c.message,
				c.details)
			apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a?dryRun=All", ""), c.code, c.reason,
				c.message, c.details)
			apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets, ""), c.code, c.reason, c.message, c.details)
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 200,
				apitest.WidgetList(`"resourceVersion":"2"`, apitest.StoredWidget{}.String()))
			assert.Equal(t, c.code == 500, strings.Contains(log.String(), secret))
		})
	}
}

func TestValidateHook(t *testing.T) {
	var olds []string
	api := apitest.NewWidgets(t, apitest.WithValidate(func(_ context.Context, w,
		old *apitest.Widget) (status.FieldErrors, error) {
		seen := "none"
		if old != nil {
			seen = *old.Spec.Color
			old.Spec.Color = new("changed by the hook")
		}
		olds = append(olds, seen)
		var errs status.FieldErrors
		if w.Spec.Owner != nil && *w.Spec.Owner == "evil" {
			errs = append(errs, status.ForbiddenField(status.NewPath("spec", "owner"), "must not be evil"))
		}
		w.Spec.Owner = new("changed by the hook") // the new owner changes nothing
		return errs, nil
	}))
	evil := apitest.Forbidden("spec.owner", "Forbidden: must not be evil")

	apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Widgets,
		apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"owner":"evil"}`)), "Widget.example.com", "a", evil)
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Widgets,
		apitest.WidgetBody(`"name":"a"`, `"spec":{"size":0,"owner":"evil"}`)), "Widget.example.com", "a",
		apitest.Invalid("spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1"), evil)
	apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)), 201,
		apitest.StoredWidget{UID: "uid-3"}.String())
	apitest.WantInvalid(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"owner":"evil"}}`),
		"Widget.example.com", "a", evil)
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"color":"blue"}}`), 200,
		apitest.StoredWidget{UID: "uid-3", RV: "3", Generation: 2,
			Spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}.String())
	assert.Equal(t, 200, apitest.MergePatch(t, api, apitest.Widgets+"/a/status", `{"status":{"phase":"Ready"}}`).Code)
	assert.Equal(t, []string{"none", "none", "none", "red", "red", "blue"}, olds)
}

// The server distinguishes faults of an object from errors that keep Validate from deciding.
func TestValidateHookThatFails(t *testing.T) {
	const secret = "the password is 1234"
	for _, c := range []struct {
		name            string
		errs            status.FieldErrors
		err             error
		code            int
		reason, message string
	}{
		{"a Status goes to the client", nil, status.ServiceUnavailable("the database does not answer"), 503,
			"ServiceUnavailable", "the database does not answer"},
		{"it comes before errors in fields", status.FieldErrors{status.RequiredField(status.NewPath("spec", "owner"), "")},
			status.ServiceUnavailable("the database does not answer"), 503, "ServiceUnavailable",
			"the database does not answer"},
		{"any other error goes to the log", nil, errors.New(secret), 500, "InternalError",
			"Internal error occurred: the request could not be completed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			armed := false
			api := apitest.New(t, rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, apitest.WidgetResource(
				apitest.WithValidate(func(context.Context, *apitest.Widget, *apitest.Widget) (status.FieldErrors, error) {
					if armed {
						return c.errs, c.err
					}
					return nil, nil
				})))
			apitest.CreateWidget(t, api, "a")
			armed = true
			for _, failed := range []apitest.Answer{
				apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`)),
				apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`),
				apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":1}}`),
				apitest.MergePatch(t, api, apitest.Widgets+"/a?dryRun=All", `{"spec":{"size":2}}`),
			} {
				apitest.WantFailure(t, failed, c.code, c.reason, c.message, "")
			}
			apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 200,
				apitest.WidgetList(`"resourceVersion":"2"`, apitest.StoredWidget{}.String()))
			assert.Equal(t, c.code == 500, strings.Contains(log.String(), secret))
		})
	}
}

// A write that changes nothing is validated like any other.
func TestValidateSeesUnchangedObjects(t *testing.T) {
	api := apitest.NewWidgets(t, apitest.WithValidate(func(_ context.Context, w,
		old *apitest.Widget) (status.FieldErrors, error) {
		if old != nil && *w.Spec.Color == *old.Spec.Color {
			return status.FieldErrors{status.ForbiddenField(status.NewPath("spec", "color"), "must change")}, nil
		}
		return nil, nil
	}))
	a := apitest.Widgets + "/a"
	stored := apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)).Body
	for name, send := range map[string]func() apitest.Answer{
		"PUT":         func() apitest.Answer { return apitest.Do(t, api, "PUT", a, stored) },
		"dry run":     func() apitest.Answer { return apitest.Do(t, api, "PUT", a+"?dryRun=All", stored) },
		"merge patch": func() apitest.Answer { return apitest.MergePatch(t, api, a, `{"spec":{"size":1}}`) },
		"status": func() apitest.Answer {
			return apitest.MergePatch(t, api, a+"/status", `{"metadata":{"labels":{"a":"b"}}}`)
		},
		"scale": func() apitest.Answer { return apitest.MergePatch(t, api, a+"/scale", `{"spec":{"replicas":1}}`) },
	} {
		t.Run(name, func(t *testing.T) {
			apitest.WantInvalid(t, send(), "Widget.example.com", "a", apitest.Forbidden("spec.color", "Forbidden: must change"))
		})
	}
	assert.Equal(t, stored, apitest.Do(t, api, "GET", a, "").Body)
	apitest.Must(t, api, "PATCH", a, `{"spec":{"color":"blue"}}`, "Content-Type", "application/merge-patch+json")
}

func TestValidateDeleteHook(t *testing.T) {
	api := apitest.NewWidgets(t, apitest.WithValidateDelete(func(_ context.Context, w *apitest.Widget) error {
		if w.Labels["keep"] != "" {
			return status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, w.Name, "it is to be kept")
		}
		return nil
	}))
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","labels":{"keep":"1"}`))
	apitest.CreateWidget(t, api, "b")
	apitest.WantFailure(t, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", ""), 403, "Forbidden",
		`widgets.example.com "a" is forbidden: it is to be kept`, apitest.AboutWidget("a"))
	assert.Equal(t, 200, apitest.Do(t, api, "DELETE", apitest.Widgets+"/b", "").Code)
	assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
}

func TestPanicInAHookWritesNothing(t *testing.T) {
	const secret = "the password is 1234"
	for _, c := range []struct {
		name   string
		option apitest.WidgetOption
		write  func(api *rest.API) apitest.Answer
	}{
		{"Default", apitest.WithDefault(func(_ context.Context, w *apitest.Widget) error {
			return explode(w.Name == "b" || *w.Spec.Size == 2, secret)
		}), nil},
		{"Validate", apitest.WithValidate(func(_ context.Context, w, _ *apitest.Widget) (status.FieldErrors, error) {
			_ = explode(w.Name == "b" || *w.Spec.Size == 2, secret)
			return nil, nil
		}), nil},
		{"ValidateDelete", apitest.WithValidateDelete(func(context.Context, *apitest.Widget) error {
			return explode(true, secret)
		}),
			func(api *rest.API) apitest.Answer { return apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", "") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			api := apitest.New(t, rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))},
				apitest.WidgetResource(c.option))
			apitest.CreateWidget(t, api, "a")
			writes := []func(*rest.API) apitest.Answer{c.write}
			if c.write == nil {
				writes = []func(*rest.API) apitest.Answer{
					func(api *rest.API) apitest.Answer {
						return apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`))
					},
					func(api *rest.API) apitest.Answer {
						return apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
							apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`))
					},
					func(api *rest.API) apitest.Answer {
						return apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
					},
				}
			}
			for _, write := range writes {
				log.Reset()
				apitest.WantFailure(t, write(api), 500, "InternalError",
					"Internal error occurred: the request could not be completed", "")
				assert.Contains(t, log.String(), secret)
				assert.Contains(t, log.String(), "hooks_test.go", "the log has the stack")
				apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 200,
					apitest.WidgetList(`"resourceVersion":"2"`, apitest.StoredWidget{}.String()))
			}
		})
	}
}

func explode(now bool, text string) error {
	if now {
		panic(text)
	}
	return nil
}

// A hook runs outside every lock, so it may call the API: read it, write other objects, and even write the object whose
// write it is part of.
func TestHooksMayCallTheAPI(t *testing.T) {
	t.Run("other objects", func(t *testing.T) {
		var client rest.Client[apitest.Widget]
		api := apitest.NewWidgets(t,
			apitest.WithValidate(func(ctx context.Context, w, old *apitest.Widget) (status.FieldErrors, error) {
				if w.Name == "shadow" || old != nil {
					return nil, nil
				}
				page, err := client.List(ctx, rest.ListOptions{})
				if err == nil && len(page.Items) == 0 {
					_, err = client.Create(ctx,
						&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "shadow"}, Spec: apitest.WidgetSpec{Size: new(int32(3))}})
				}
				if err == nil {
					_, err = client.Get(ctx, "shadow")
				}
				return nil, err
			}), apitest.WithValidateDelete(func(ctx context.Context, w *apitest.Widget) error {
				if w.Name == "shadow" {
					return nil
				}
				return client.Delete(ctx, "shadow", rest.DeleteOptions{})
			}))
		client = apitest.WidgetClient(t, api)
		apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)), 201,
			apitest.StoredWidget{RV: "3"}.String())
		assert.Equal(t, []string{"a", "shadow"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
		assert.Equal(t, 200, apitest.Do(t, api, "DELETE", apitest.Widgets+"/a", "").Code)
		assert.Empty(t, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
	})
	t.Run("the same object", func(t *testing.T) {
		var client rest.Client[apitest.Widget]
		var runs atomic.Int32
		api := apitest.NewWidgets(t,
			apitest.WithValidate(func(ctx context.Context, w, old *apitest.Widget) (status.FieldErrors, error) {
				if old == nil || *w.Spec.Size != 2 || runs.Add(1) > 1 {
					return nil, nil
				}
				changed, err := client.Get(ctx, "a")
				require.NoError(t, err)
				changed.Labels = map[string]string{"hook": "was-here"}
				_, err = client.Update(ctx, changed)
				require.NoError(t, err)
				return nil, nil
			}))
		client = apitest.WidgetClient(t, api)
		apitest.CreateWidget(t, api, "a")
		apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`), 200,
			apitest.StoredWidget{RV: "4", Generation: 2, Spec: apitest.SpecOfSizeTwo,
				Metadata: `"labels":{"hook":"was-here"}`}.String())
		assert.Equal(t, int32(2), runs.Load(), "the patch ran again on what the hook had written")
	})
	t.Run("the same object, so the PUT is outdated", func(t *testing.T) {
		var client rest.Client[apitest.Widget]
		api := apitest.NewWidgets(t,
			apitest.WithValidate(func(ctx context.Context, w, old *apitest.Widget) (status.FieldErrors, error) {
				if old != nil && *w.Spec.Size == 2 {
					changed, err := client.Get(ctx, "a")
					require.NoError(t, err)
					changed.Labels = map[string]string{"hook": "was-here"}
					_, err = client.Update(ctx, changed)
					require.NoError(t, err)
				}
				return nil, nil
			}))
		client = apitest.WidgetClient(t, api)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, 409, apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
			apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`)).Code)
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200,
			apitest.StoredWidget{RV: "3", Metadata: `"labels":{"hook":"was-here"}`}.String())
	})
}

// A hook sees the request's context.
func TestHooksGetTheContextOfTheRequest(t *testing.T) {
	var users []string
	api := apitest.NewWidgets(t,
		apitest.WithDefault(func(ctx context.Context, _ *apitest.Widget) error {
			users = append(users, access.UserFrom(ctx).Name)
			return nil
		}),
		apitest.WithValidateDelete(func(ctx context.Context, _ *apitest.Widget) error {
			users = append(users, access.UserFrom(ctx).Name)
			return nil
		}))
	ctx := access.WithUser(context.Background(), access.User{Name: "alice"})
	client := apitest.WidgetClient(t, api)
	_, err := client.Create(ctx, &apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"},
		Spec: apitest.WidgetSpec{Size: new(int32(1))}})
	require.NoError(t, err)
	require.NoError(t, client.Delete(ctx, "a", rest.DeleteOptions{}))
	assert.Equal(t, []string{"alice", "alice"}, users)
}
