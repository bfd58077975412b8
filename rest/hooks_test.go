package rest_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

func withDefault(f func(ctx context.Context, w *Widget) error) widgetOption {
	return func(r *rest.Resource[Widget]) { r.Hooks.Default = f }
}

func withValidate(f func(ctx context.Context, w, old *Widget) status.FieldErrors) widgetOption {
	return func(r *rest.Resource[Widget]) { r.Hooks.Validate = f }
}

func withValidateDelete(f func(ctx context.Context, w *Widget) error) widgetOption {
	return func(r *rest.Resource[Widget]) { r.Hooks.ValidateDelete = f }
}

func TestDefaultHook(t *testing.T) {
	for _, c := range []struct {
		name string
		hook func(w *Widget)
		body string
		want stored
	}{
		{"fills in a field", func(w *Widget) {
			if w.Spec.Owner == nil {
				w.Spec.Owner = new("nobody")
			}
		}, widgetBody(`"name":"a"`), stored{spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"owner":"nobody"}`}},
		{"fills in a required field", func(w *Widget) {
			if w.Spec.Size == nil {
				w.Spec.Size = new(int32(7))
			}
		}, widgetBody(`"name":"a"`, `"spec":{}`), stored{spec: `{"size":7,"color":"red","replicas":1,"template":{"image":"none"}}`}},
		{"sees the defaults of the tags and may change them", func(w *Widget) {
			if *w.Spec.Color == "red" {
				w.Spec.Color = new("blue")
			}
		}, widgetBody(`"name":"a"`), stored{spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}},
		{"adds a label beside those of the client", func(w *Widget) { w.Labels["b"] = "2" }, widgetBody(`"name":"a","labels":{"a":"1"}`), stored{metadata: `"labels":{"a":"1","b":"2"}`}},
		{"fills in what the client wants to be null", func(w *Widget) {
			if w.Spec.Owner == nil {
				w.Spec.Owner = new("nobody")
			}
		}, widgetBody(`"name":"a"`, `"spec":{"size":1,"owner":null}`), stored{spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"owner":"nobody"}`}},
		{"fills in a field of an element", func(w *Widget) {
			for i := range w.Spec.Parts {
				w.Spec.Parts[i].Kind = cmp.Or(w.Spec.Parts[i].Kind, new("bolt"))
			}
		}, widgetBody(`"name":"a"`, `"spec":{"size":1,"parts":[{"name":"x"},{"name":"y","kind":"nut"}]}`), stored{
			spec: `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"parts":[{"name":"x","count":1,"kind":"bolt"},{"name":"y","count":1,"kind":"nut"}]}`}},
		{"begins the status", func(w *Widget) { w.Status.Phase = "Pending" }, widgetBody(`"name":"a"`, `"status":{"phase":"Ready"}`), stored{status: `{"phase":"Pending"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t, withDefault(func(_ context.Context, w *Widget) error { c.hook(w); return nil }))
			wantJSON(t, do(t, api, "POST", widgets, c.body), 201, c.want.String())
		})
	}
}

// What the client has sent is not the hook's to change (API conventions, What May Be Defaulted).
func TestDefaultHookThatOverrides(t *testing.T) {
	for _, c := range []struct {
		name, body, path string
		hook             func(w *Widget)
	}{
		{"a field", widgetBody(`"name":"a"`), "spec.size", func(w *Widget) { w.Spec.Size = new(int32(2)) }},
		{"a field taken away", widgetBody(`"name":"a"`), "spec.size", func(w *Widget) { w.Spec.Size = nil }},
		{"a label", widgetBody(`"name":"a","labels":{"a":"1"}`), "metadata.labels.a", func(w *Widget) { w.Labels["a"] = "2" }},
		{"a list", widgetBody(`"name":"a"`, `"spec":{"size":1,"steps":["x"]}`), "spec.steps", func(w *Widget) { w.Spec.Steps = append(w.Spec.Steps, "y") }},
		{"a field of an element", widgetBody(`"name":"a"`, `"spec":{"size":1,"parts":[{"name":"x"},{"name":"y","count":2}]}`), "spec.parts.1.count",
			func(w *Widget) { w.Spec.Parts[1].Count = new(int32(3)) }},
		{"an element", widgetBody(`"name":"a"`, `"spec":{"size":1,"steps":["x","y"]}`), "spec.steps.1", func(w *Widget) { w.Spec.Steps[1] = "z" }},
		{"the name", widgetBody(`"name":"a"`), "metadata.name", func(w *Widget) { w.Name = "b" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t, withDefault(func(_ context.Context, w *Widget) error { c.hook(w); return nil }))
			a := do(t, api, "POST", widgets, c.body)
			assert.Equal(t, 500, a.Code)
			assert.Equal(t, "InternalError", a.text(t, "reason"))
			assert.Contains(t, a.text(t, "message"), `the Default hook of Widget.example.com changed "`+c.path+`", which the client had set`)
			assert.Empty(t, do(t, api, "GET", allWidgets, "").names(t))
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
	api := newAPI(t, rest.Options{}, rest.Resource[Order]{Group: "example.com", Version: "v1", Plural: "orders", Wire: rest.Wire{Dialect: rest.DialectBuiltin},
		Hooks: rest.Hooks[Order]{Default: func(_ context.Context, obj *Order) error {
			obj.Spec.Amount = cmp.Or(obj.Spec.Amount, "much")
			return nil
		}}})
	must(t, api, "POST", orders, `{"apiVersion":"example.com/v1","kind":"Order","metadata":{"name":"a"},"spec":{"amount":""}}`)
	assert.Equal(t, "much", do(t, api, "GET", orders+"/a", "").text(t, "spec.amount"))
}

func TestDefaultHookRunsOnUpdatesToo(t *testing.T) {
	api := newWidgets(t, withDefault(func(_ context.Context, w *Widget) error {
		if w.Spec.Owner == nil {
			w.Spec.Owner = new("nobody")
		}
		return nil
	}))
	create(t, api, "a", `"spec":{"size":1,"owner":"me"}`)
	const nobody = `{"size":1,"color":"red","replicas":1,"template":{"image":"none"},"owner":"nobody"}`
	wantJSON(t, merge(t, api, widgets+"/a", `{"spec":{"owner":null}}`), 200, stored{rv: "3", generation: 2, spec: nobody}.String())
	wantJSON(t, do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"3"`)), 200, stored{rv: "3", generation: 2, spec: nobody}.String())
	wantJSON(t, merge(t, api, widgets+"/a/status", `{"status":{"phase":"Ready"}}`), 200, stored{rv: "4", generation: 2, spec: nobody, status: `{"phase":"Ready"}`}.String())
}

func TestErrorsOfHooks(t *testing.T) {
	const secret = "the password is 1234"
	refused := status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, "a", "not today")
	aboutA := aboutWidget("a")
	for _, c := range []struct {
		name            string
		err             error
		code            int
		reason, message string
		details         string
	}{
		{"a Status goes to the client", refused, 403, "Forbidden", `widgets.example.com "a" is forbidden: not today`, aboutA},
		{"also one that is wrapped", errors.Join(errors.New("wrapped"), refused), 403, "Forbidden", `widgets.example.com "a" is forbidden: not today`, aboutA},
		{"a status error without a Kind", &status.Error{Status: status.Status{Message: "busy", Reason: status.ReasonConflict}}, 409, "Conflict", "busy", ""},
		{"a status error with a success code", &status.Error{Status: status.Status{Message: secret, Code: 200}}, 500, "", secret, ""},
		{"any other error goes to the log", errors.New(secret), 500, "InternalError", "Internal error occurred: the request could not be completed", ""},
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
			resource := widgetResource(withDefault(func(context.Context, *Widget) error { return fail() }), withValidateDelete(func(context.Context, *Widget) error { return fail() }))
			api := newAPI(t, rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, resource)
			create(t, api, "a")
			armed = true
			wantFailure(t, do(t, api, "POST", widgets, widgetBody(`"name":"b"`)), c.code, c.reason, c.message, c.details)
			wantFailure(t, merge(t, api, widgets+"/a", `{"spec":{"size":2}}`), c.code, c.reason, c.message, c.details)
			wantFailure(t, do(t, api, "DELETE", widgets+"/a", ""), c.code, c.reason, c.message, c.details)
			wantFailure(t, do(t, api, "DELETE", widgets+"/a?dryRun=All", ""), c.code, c.reason, c.message, c.details)
			wantFailure(t, do(t, api, "DELETE", widgets, ""), c.code, c.reason, c.message, c.details)
			wantJSON(t, do(t, api, "GET", widgets, ""), 200, widgetList(`"resourceVersion":"2"`, stored{}.String()))
			assert.Equal(t, c.code == 500, strings.Contains(log.String(), secret))
		})
	}
}

func TestValidateHook(t *testing.T) {
	var olds []string
	api := newWidgets(t, withValidate(func(_ context.Context, w, old *Widget) status.FieldErrors {
		seen := "none"
		if old != nil {
			seen = *old.Spec.Color
			old.Spec.Color = new("changed by the hook")
		}
		olds = append(olds, seen)
		var errs status.FieldErrors
		if w.Spec.Owner != nil && *w.Spec.Owner == "evil" {
			errs = append(errs, status.ForbiddenField(status.Field("spec", "owner"), "must not be evil"))
		}
		w.Spec.Owner = new("changed by the hook") // which changes nothing
		return errs
	}))
	evil := forbidden("spec.owner", "Forbidden: must not be evil")

	wantInvalid(t, do(t, api, "POST", widgets, widgetBody(`"name":"a"`, `"spec":{"size":1,"owner":"evil"}`)), "Widget.example.com", "a", evil)
	wantInvalid(t, do(t, api, "POST", widgets, widgetBody(`"name":"a"`, `"spec":{"size":0,"owner":"evil"}`)), "Widget.example.com", "a",
		invalid("spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1"), evil)
	wantJSON(t, do(t, api, "POST", widgets, widgetBody(`"name":"a"`)), 201, stored{uid: "uid-3"}.String())
	wantInvalid(t, merge(t, api, widgets+"/a", `{"spec":{"owner":"evil"}}`), "Widget.example.com", "a", evil)
	wantJSON(t, merge(t, api, widgets+"/a", `{"spec":{"color":"blue"}}`), 200,
		stored{uid: "uid-3", rv: "3", generation: 2, spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}.String())
	assert.Equal(t, 200, merge(t, api, widgets+"/a/status", `{"status":{"phase":"Ready"}}`).Code)
	assert.Equal(t, []string{"none", "none", "none", "red", "red", "blue"}, olds)
}

func TestValidateDeleteHook(t *testing.T) {
	api := newWidgets(t, withValidateDelete(func(_ context.Context, w *Widget) error {
		if w.Labels["keep"] != "" {
			return status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, w.Name, "it is to be kept")
		}
		return nil
	}))
	must(t, api, "POST", widgets, widgetBody(`"name":"a","labels":{"keep":"1"}`))
	create(t, api, "b")
	wantFailure(t, do(t, api, "DELETE", widgets+"/a", ""), 403, "Forbidden", `widgets.example.com "a" is forbidden: it is to be kept`, aboutWidget("a"))
	assert.Equal(t, 200, do(t, api, "DELETE", widgets+"/b", "").Code)
	assert.Equal(t, []string{"a"}, do(t, api, "GET", widgets, "").names(t))
}

func TestAPanicInAHookWritesNothing(t *testing.T) {
	const secret = "the password is 1234"
	for _, c := range []struct {
		name   string
		option widgetOption
		write  func(api *rest.API) answer
	}{
		{"Default", withDefault(func(_ context.Context, w *Widget) error { return explode(w.Name == "b" || *w.Spec.Size == 2, secret) }), nil},
		{"Validate", withValidate(func(_ context.Context, w, _ *Widget) status.FieldErrors {
			_ = explode(w.Name == "b" || *w.Spec.Size == 2, secret)
			return nil
		}), nil},
		{"ValidateDelete", withValidateDelete(func(context.Context, *Widget) error { return explode(true, secret) }),
			func(api *rest.API) answer { return do(t, api, "DELETE", widgets+"/a", "") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			api := newAPI(t, rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, widgetResource(c.option))
			create(t, api, "a")
			writes := []func(*rest.API) answer{c.write}
			if c.write == nil {
				writes = []func(*rest.API) answer{
					func(api *rest.API) answer { return do(t, api, "POST", widgets, widgetBody(`"name":"b"`)) },
					func(api *rest.API) answer {
						return do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`))
					},
					func(api *rest.API) answer { return merge(t, api, widgets+"/a", `{"spec":{"size":2}}`) },
				}
			}
			for _, write := range writes {
				log.Reset()
				wantFailure(t, write(api), 500, "InternalError", "Internal error occurred: the request could not be completed", "")
				assert.Contains(t, log.String(), secret)
				assert.Contains(t, log.String(), "hooks_test.go", "the log has the stack")
				wantJSON(t, do(t, api, "GET", widgets, ""), 200, widgetList(`"resourceVersion":"2"`, stored{}.String()))
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
		var client rest.Client[Widget]
		api := newWidgets(t, withValidate(func(ctx context.Context, w, old *Widget) status.FieldErrors {
			if w.Name == "shadow" || old != nil {
				return nil
			}
			page, err := client.List(ctx, rest.ListOptions{})
			if err == nil && len(page.Items) == 0 {
				_, err = client.Create(ctx, &Widget{ObjectMeta: apimeta.ObjectMeta{Name: "shadow"}, Spec: WidgetSpec{Size: new(int32(3))}})
			}
			if err == nil {
				_, err = client.Get(ctx, "shadow")
			}
			if err != nil {
				return status.FieldErrors{status.InternalField(status.Field("spec"), err)}
			}
			return nil
		}), withValidateDelete(func(ctx context.Context, w *Widget) error {
			if w.Name == "shadow" {
				return nil
			}
			return client.Delete(ctx, "shadow", rest.DeleteOptions{})
		}))
		client = widgetClient(t, api)
		wantJSON(t, do(t, api, "POST", widgets, widgetBody(`"name":"a"`)), 201, stored{rv: "3"}.String())
		assert.Equal(t, []string{"a", "shadow"}, do(t, api, "GET", widgets, "").names(t))
		assert.Equal(t, 200, do(t, api, "DELETE", widgets+"/a", "").Code)
		assert.Empty(t, do(t, api, "GET", widgets, "").names(t))
	})
	t.Run("the same object", func(t *testing.T) {
		var client rest.Client[Widget]
		var runs atomic.Int32
		api := newWidgets(t, withValidate(func(ctx context.Context, w, old *Widget) status.FieldErrors {
			if old == nil || *w.Spec.Size != 2 || runs.Add(1) > 1 {
				return nil
			}
			changed, err := client.Get(ctx, "a")
			require.NoError(t, err)
			changed.Labels = map[string]string{"hook": "was-here"}
			_, err = client.Update(ctx, changed)
			require.NoError(t, err)
			return nil
		}))
		client = widgetClient(t, api)
		create(t, api, "a")
		wantJSON(t, merge(t, api, widgets+"/a", `{"spec":{"size":2}}`), 200,
			stored{rv: "4", generation: 2, spec: sizeTwo, metadata: `"labels":{"hook":"was-here"}`}.String())
		assert.Equal(t, int32(2), runs.Load(), "the patch ran again on what the hook had written")
	})
	t.Run("the same object, and a PUT that is not for what it has become", func(t *testing.T) {
		var client rest.Client[Widget]
		api := newWidgets(t, withValidate(func(ctx context.Context, w, old *Widget) status.FieldErrors {
			if old != nil && *w.Spec.Size == 2 {
				changed, err := client.Get(ctx, "a")
				require.NoError(t, err)
				changed.Labels = map[string]string{"hook": "was-here"}
				_, err = client.Update(ctx, changed)
				require.NoError(t, err)
			}
			return nil
		}))
		client = widgetClient(t, api)
		create(t, api, "a")
		assert.Equal(t, 409, do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`)).Code)
		wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{rv: "3", metadata: `"labels":{"hook":"was-here"}`}.String())
	})
}

// A hook sees the request's context.
func TestHooksGetTheContextOfTheRequest(t *testing.T) {
	var users []string
	api := newWidgets(t,
		withDefault(func(ctx context.Context, _ *Widget) error { users = append(users, rest.UserFrom(ctx).Name); return nil }),
		withValidateDelete(func(ctx context.Context, _ *Widget) error { users = append(users, rest.UserFrom(ctx).Name); return nil }))
	ctx := rest.WithUser(context.Background(), rest.User{Name: "alice"})
	client := widgetClient(t, api)
	_, err := client.Create(ctx, &Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: WidgetSpec{Size: new(int32(1))}})
	require.NoError(t, err)
	require.NoError(t, client.Delete(ctx, "a", rest.DeleteOptions{}))
	assert.Equal(t, []string{"alice", "alice"}, users)
}
