package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// APIs that share their Types answer as those that do not, also if they declare the same Go type differently and start
// at the same time.
func TestAPIsThatShareTypesDoNotInfluenceEachOther(t *testing.T) {
	answers := func(api http.Handler) string {
		var all strings.Builder
		for _, r := range []struct{ method, target, body, contentType string }{
			{"POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"unknown":2,"tags":["x"]}`),
				"application/json"},
			{"POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`, `"spec":{"color":"black"}`), "application/json"},
			{"PATCH", apitest.Widgets + "/a?fieldManager=m", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"tags":["y"]}`),
				apitest.TypeApply},
			{"PATCH", apitest.Widgets + "/a/scale", `{"spec":{"replicas":3}}`, apitest.TypeMergePatch},
			{"GET", apitest.Widgets + "/a", "", ""},
			{"GET", "/openapi/v3/apis/example.com/v1", "", ""},
			{"GET", "/openapi/v2", "", ""},
		} {
			a := apitest.Do(t, api, r.method, r.target, r.body, "Content-Type", r.contentType)
			all.WriteString(r.method + " " + r.target + " " + http.StatusText(a.Code) + " " + a.Body + "\n")
		}
		return all.String()
	}
	shared := new(rest.TypeCache)
	seen := map[string]string{}
	for _, c := range []struct {
		name    string
		options rest.Options
		option  apitest.WidgetOption
	}{
		{"plain", rest.Options{}, func(*rest.Resource[apitest.Widget]) {}},
		{"described", rest.Options{}, func(r *rest.Resource[apitest.Widget]) { r.Description = "Another description." }},
		{"defaulted", rest.Options{}, func(r *rest.Resource[apitest.Widget]) {
			r.Overlay = map[string]string{"WidgetSpec.color": "default=green"}
		}},
		{"merged", rest.Options{}, func(r *rest.Resource[apitest.Widget]) {
			r.Overlay = map[string]string{"WidgetSpec.tags": "list=atomic"}
		}},
		{"built-in", rest.Options{}, func(r *rest.Resource[apitest.Widget]) { r.Wire.Dialect = rest.DialectBuiltin }},
		{"untracked", rest.Options{}, func(r *rest.Resource[apitest.Widget]) { r.Wire.Untracked = true }},
		{"unscaled", rest.Options{}, func(r *rest.Resource[apitest.Widget]) { r.Scale = nil }},
		{"hooked", rest.Options{}, func(r *rest.Resource[apitest.Widget]) {
			r.Hooks.Default = func(_ context.Context, w *apitest.Widget) error { w.Spec.Owner = new("me"); return nil }
		}},
		{"reviewed", rest.Options{Admission: []admission.Hook{{Name: "label",
			Mutate: func(_ context.Context, r *admission.Request) error {
				w := new(apitest.Widget)
				if err := r.Object(w); err != nil {
					return err
				}
				w.Labels = map[string]string{"seen": "true"}
				return r.SetObject(w)
			}}}}, func(*rest.Resource[apitest.Widget]) {}},
	} {
		alone := answers(apitest.New(t, c.options, apitest.WidgetResource(c.option)))
		for other, answers := range seen {
			assert.NotEqual(t, answers, alone, "the test cannot tell %s from %s", c.name, other)
		}
		seen[c.name] = alone
		for range 2 { // the second one finds the schema
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				options := c.options
				options.Types = shared
				assert.Equal(t, alone, answers(apitest.New(t, options, apitest.WidgetResource(c.option))))
			})
		}
	}
}

// A host may use the map of an Overlay for the next declaration.
func TestChangedOverlayIsAnotherType(t *testing.T) {
	overlay := map[string]string{"WidgetSpec.color": "default=green"}
	shared := rest.Options{Types: new(rest.TypeCache)}
	with := func(r *rest.Resource[apitest.Widget]) { r.Overlay = overlay }
	color := func(api http.Handler) string { return apitest.CreateWidget(t, api, "a").Text(t, "spec.color") }
	assert.Equal(t, "green", color(apitest.New(t, shared, apitest.WidgetResource(with))))
	overlay["WidgetSpec.color"] = "default=blue"
	assert.Equal(t, "blue", color(apitest.New(t, shared, apitest.WidgetResource(with))))
}
