package rights_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// A request that would be another user's is refused before anything is done, also where the two are one.
func TestImpersonationIsRefused(t *testing.T) {
	api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{auth.Reviews()}}, apitest.WidgetResource())
	apitest.CreateWidget(t, api, "a")
	for _, header := range []string{"Impersonate-User", "Impersonate-Group", "Impersonate-Uid",
		"Impersonate-Extra-Scopes"} {
		for _, c := range []struct{ method, target, body string }{
			{"GET", apitest.Widgets, ""},
			{"GET", apitest.Widgets + "/a", ""},
			{"GET", apitest.Widgets + "?watch=1", ""},
			{"GET", apitest.Widgets + "/a/status", ""},
			{"POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`)},
			{"PUT", apitest.Widgets + "/a", apitest.WidgetBody(`"name":"a"`, `"spec":{"size":2}`)},
			{"PATCH", apitest.Widgets + "/a", `{"spec":{"size":2}}`},
			{"DELETE", apitest.Widgets + "/a", ""},
			{"DELETE", apitest.Widgets, ""},
			{"POST", whoami, "{}"},
		} {
			apitest.WantFailure(t, apitest.Do(t, byAlice(api), c.method, c.target, c.body, header, "alice", "Content-Type",
				"application/json"), 403, "Forbidden",
				"forbidden: this server does not support impersonation; send the request without the header "+header, "{}")
		}
		assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.ExampleV1, "", header, "alice").Code,
			"discovery is the same for all")
	}
	assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
	assert.Equal(t, "2", apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Text(t, "metadata.resourceVersion"),
		"nothing was written")

	request := httptest.NewRequest("GET", apitest.Widgets, nil)
	request.Header["impersonate-user"] = []string{"alice"} // no request but one in process has such a header
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, request)
	assert.Equal(t, http.StatusForbidden, answer.Code)
}

// Hooks can tell the host's own calls from a request of nobody known.
func TestUserOfInProcessClients(t *testing.T) {
	for _, c := range []struct {
		name    string
		options rest.Options
		want    access.User
	}{
		{"by default", rest.Options{}, access.User{Name: "system:host", Groups: []string{"system:authenticated"}}},
		{"named by the host", rest.Options{HostUser: access.User{Name: "billing", Groups: []string{"services"}}},
			access.User{Name: "billing", Groups: []string{"services"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var inHook, inAdmission []access.User
			note := func(ctx context.Context) { inHook = append(inHook, access.UserFrom(ctx)) }
			c.options.Admission = []admission.Hook{{Name: "notes", SideEffects: admission.SideEffectsNone,
				Validate: func(_ context.Context, r *admission.Request) error {
					inAdmission = append(inAdmission, r.User)
					return nil
				}}}
			widgetsOf := apitest.WidgetResource()
			widgetsOf.Hooks.Default = func(ctx context.Context, _ *apitest.Widget) error { note(ctx); return nil }
			widgetsOf.Hooks.ValidateDelete = func(ctx context.Context, _ *apitest.Widget) error { note(ctx); return nil }
			settingsOf := apitest.SettingsResource()
			settingsOf.Hooks.Default = func(ctx context.Context, _ *apitest.Settings) error { note(ctx); return nil }
			api := apitest.New(t, c.options, widgetsOf, settingsOf)
			wants := func(what string, hooks int, want access.User, admitted bool) {
				t.Helper()
				require.Len(t, inHook, hooks, what)
				for _, u := range append(inHook, inAdmission...) {
					assert.Equal(t, want, u, what)
				}
				assert.Equal(t, admitted, len(inAdmission) > 0, what)
				inHook, inAdmission = nil, nil
			}
			wants("the API makes a singleton", 1, c.want, false)

			ctx, client := t.Context(), apitest.ClientFor[apitest.Widget](t, api).Namespace("default")
			w, err := client.Create(ctx,
				&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: new(int32(1))}})
			require.NoError(t, err)
			wants("create", 1, c.want, true)
			w.Spec.Size = new(int32(2))
			_, err = client.Update(ctx, w)
			require.NoError(t, err)
			wants("update", 1, c.want, true)
			_, err = client.Modify(ctx, "a", func(w *apitest.Widget) error { w.Spec.Size = new(int32(3)); return nil })
			require.NoError(t, err)
			wants("modify", 1, c.want, true)
			_, err = client.Patch(ctx, "a", apimeta.MergePatch, []byte(`{"spec":{"size":4}}`))
			require.NoError(t, err)
			wants("patch", 1, c.want, true)
			_, err = client.FieldManager("m").Apply(ctx, "a", map[string]any{"spec": map[string]any{"owner": "o"}},
				apimeta.ApplyOptions{})
			require.NoError(t, err)
			wants("apply", 1, c.want, true)
			key := storage.Key{Resource: "widgets.example.com", Namespace: "default", Name: "a"}
			require.NoError(t, api.Objects().Patch(ctx, key, "", []byte(`{"spec":{"size":5}}`)))
			wants("a patch without types", 1, c.want, true)

			alice := access.User{Name: "alice"}
			_, err = client.Patch(access.WithUser(ctx, alice), "a", apimeta.MergePatch, []byte(`{"spec":{"size":6}}`))
			require.NoError(t, err)
			wants("for a user", 1, alice, true)

			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":7}}`)
			wants("over HTTP", 1, access.User{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}}, true)

			require.NoError(t, client.Delete(ctx, "a", rest.DeleteOptions{}))
			wants("delete", 1, c.want, true)
		})
	}
}
