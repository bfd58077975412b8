package service_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// The writes of a dry run take every step and store nothing.
func TestClientDryRun(t *testing.T) { apitest.OverBoth(t, testClientDryRun) }

func testClientDryRun(t *testing.T, by apitest.Transport) {
	ctx := t.Context()
	client := by.Widgets(t, apitest.NewWidgets(t))
	dry := client.DryRun()
	absent := func(name string) {
		_, err := client.Get(ctx, name)
		assert.True(t, status.IsNotFound(err), "%v", err)
	}

	made, err := dry.Create(ctx, apitest.NewWidget("a", 1))
	require.NoError(t, err)
	assert.Equal(t, "red", *made.Spec.Color, "it is defaulted")
	absent("a")
	_, err = dry.Create(ctx, apitest.NewWidget("a", 1000))
	assert.True(t, status.IsInvalid(err), "it is validated: %v", err)

	created, err := client.Create(ctx, apitest.NewWidget("b", 1))
	require.NoError(t, err)
	patched, err := dry.Patch(ctx, "b", apimeta.MergePatch, []byte(`{"spec":{"size":7}}`))
	require.NoError(t, err)
	assert.Equal(t, int32(7), *patched.Spec.Size)
	_, err = dry.FieldManager("m").Apply(ctx, "c", map[string]any{"spec": map[string]any{"size": 1}},
		apimeta.ApplyOptions{})
	require.NoError(t, err)
	absent("c")
	require.NoError(t, dry.Delete(ctx, "b", rest.DeleteOptions{}))
	deleted, err := dry.DeleteCollection(ctx, rest.DeleteOptions{}, rest.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, deleted.Items, 1)
	got, err := client.Get(ctx, "b")
	require.NoError(t, err)
	assert.Equal(t, created, got)
}

// A client says what unknown fields of its patches mean.
func TestClientValidation(t *testing.T) { apitest.OverBoth(t, testClientValidation) }

func testClientValidation(t *testing.T, by apitest.Transport) {
	api := apitest.NewWidgets(t)
	client := by.Widgets(t, api)
	_, err := client.Create(t.Context(), apitest.NewWidget("a", 1))
	require.NoError(t, err)
	unknown := []byte(`{"spec":{"nonsense":1}}`)
	for _, tt := range []struct {
		validation apimeta.FieldValidation
		warnings   []string
		refused    func(error) bool
	}{
		{"", []string{`unknown field "spec.nonsense"`}, nil},
		{apimeta.FieldValidationWarn, []string{`unknown field "spec.nonsense"`}, nil},
		{apimeta.FieldValidationIgnore, nil, nil},
		{apimeta.FieldValidationStrict, nil, status.IsInvalid},
		{"Maybe", nil, status.IsInvalid},
	} {
		t.Run(string(tt.validation), func(t *testing.T) {
			var heard []string
			ctx := rest.WithWarnings(t.Context(), func(text string) { heard = append(heard, text) })
			_, err := client.Validation(tt.validation).Patch(ctx, "a", apimeta.MergePatch, unknown)
			if tt.refused == nil {
				require.NoError(t, err)
			} else {
				assert.True(t, tt.refused(err), "%v", err)
			}
			assert.Equal(t, tt.warnings, heard)
		})
	}
}

// Reads name the state that they want as they do over HTTP.
func TestClientReadsAtAVersion(t *testing.T) { apitest.OverBoth(t, testClientReadsAtAVersion) }

func testClientReadsAtAVersion(t *testing.T, by apitest.Transport) {
	ctx := t.Context()
	client := by.Widgets(t, apitest.NewWidgets(t))
	first, err := client.Create(ctx, apitest.NewWidget("a", 1))
	require.NoError(t, err)
	_, err = client.Create(ctx, apitest.NewWidget("b", 1))
	require.NoError(t, err)

	then, err := client.List(ctx,
		rest.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: apimeta.MatchExact})
	require.NoError(t, err)
	assert.Equal(t, first.ResourceVersion, then.ResourceVersion)
	assert.Len(t, then.Items, 1)
	later, err := client.List(ctx,
		rest.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: apimeta.MatchNotOlderThan})
	require.NoError(t, err)
	assert.Len(t, later.Items, 2)
	_, err = client.List(ctx, rest.ListOptions{ResourceVersionMatch: apimeta.MatchExact})
	assert.True(t, status.IsInvalid(err), "a match without a version: %v", err)

	got, err := client.GetNotOlderThan(ctx, "a", first.ResourceVersion)
	require.NoError(t, err)
	assert.Equal(t, first, got)
	got, err = client.GetNotOlderThan(ctx, "a", "0")
	require.NoError(t, err)
	assert.Equal(t, first, got)
	_, err = client.GetNotOlderThan(ctx, "a", "x")
	assert.True(t, status.IsBadRequest(err), "%v", err)
}

// A collection is deleted object by object.
func TestClientDeleteCollection(t *testing.T) { apitest.OverBoth(t, testClientDeleteCollection) }

func testClientDeleteCollection(t *testing.T, by apitest.Transport) {
	ctx := t.Context()
	client := by.Widgets(t, apitest.NewWidgets(t))
	for _, name := range []string{"a", "b", "c"} {
		_, err := client.Create(ctx, apitest.NewWidget(name, 1))
		require.NoError(t, err)
	}
	_, err := client.DeleteCollection(ctx, rest.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: new("another")}},
		rest.ListOptions{})
	assert.True(t, status.IsConflict(err), "%v", err)
	deleted, err := client.DeleteCollection(ctx, rest.DeleteOptions{}, rest.ListOptions{FieldSelector: "metadata.name!=b"})
	require.NoError(t, err)
	assert.Len(t, deleted.Items, 2)
	left, err := client.List(ctx, rest.ListOptions{})
	require.NoError(t, err)
	require.Len(t, left.Items, 1)
	assert.Equal(t, "b", left.Items[0].Name)
	_, err = by.AllWidgets(t, apitest.NewWidgets(t)).DeleteCollection(ctx, rest.DeleteOptions{}, rest.ListOptions{})
	assert.True(t, status.IsBadRequest(err), "a namespace is missing: %v", err)
}

// A hook finds the client of its API in its context, and may warn the client of
// the write.
func TestHooksHaveAClientAndWarn(t *testing.T) {
	sees := func(ctx context.Context) error {
		widgets, err := rest.ClientForHook[apitest.Widget](ctx)
		if err != nil {
			return err
		}
		_, err = widgets.Namespace("default").Get(ctx, "seen")
		return err
	}
	api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) {
		r.Hooks.Validate = func(ctx context.Context, w, _ *apitest.Widget) (status.FieldErrors, error) {
			if w.Name != "seen" {
				assert.NoError(t, sees(ctx))
			}
			rest.Warn(ctx, "it is about "+w.Name)
			return nil, nil
		}
	})
	ctx := rest.WithWarnings(t.Context(), func(text string) { assert.Equal(t, "it is about seen", text) })
	_, err := apitest.WidgetClient(t, api).Create(ctx, apitest.NewWidget("seen", 1))
	require.NoError(t, err)
	w := apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`))
	assert.Equal(t, []string{`299 - "it is about b"`}, w.Header["Warning"])

	_, err = rest.ClientForHook[apitest.Widget](t.Context())
	assert.ErrorContains(t, err, "the context does not belong to a hook")
	assert.False(t, rest.Warn(t.Context(), "lost"))
	_, err = access.Authorize(t.Context(), access.Access{Verb: access.VerbGet, Path: "/version"})
	assert.ErrorContains(t, err, "the context does not belong to a hook")
}

// A middleware answers as the API does.
func TestErrorOfAMiddleware(t *testing.T) {
	api := apitest.NewWidgets(t)
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Authorization") {
		case "":
			api.Error(w, r, status.Unauthorized("who are you?"))
		case "broken":
			api.Error(w, r, errors.New("the directory is down"))
		default:
			api.ServeHTTP(w, r)
		}
	})
	refused := apitest.Do(t, middleware, "GET", apitest.Widgets, "")
	assert.Equal(t, http.StatusUnauthorized, refused.Code)
	assert.Equal(t, "who are you?", apitest.StatusOf(t, refused).Message)
	assert.Equal(t, "application/json", refused.Header.Get("Content-Type"))
	assert.Equal(t, "application/vnd.kubernetes.protobuf",
		apitest.Do(t, middleware, "GET", apitest.Widgets, "", "Accept",
			"application/vnd.kubernetes.protobuf").Header.Get("Content-Type"))
	hidden := apitest.Do(t, middleware, "GET", apitest.Widgets+"?%zz", "", "Authorization", "broken")
	assert.Equal(t, http.StatusInternalServerError, hidden.Code)
	assert.NotContains(t, hidden.Body, "directory")
	assert.Equal(t, http.StatusOK, apitest.Do(t, middleware, "GET", apitest.Widgets, "", "Authorization", "me").Code)
}
