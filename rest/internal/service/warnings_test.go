package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestWarningsOfTypedClients(t *testing.T) { apitest.OverBoth(t, testWarningsOfTypedClients) }

func testWarningsOfTypedClients(t *testing.T, by apitest.Transport) {
	api := apitest.New(t, rest.Options{Admission: []admission.Hook{
		apitest.Mutating("m", func(_ context.Context, r *admission.Request) error { r.Warn("seen"); return nil }),
	}}, apitest.WidgetResource())
	client := by.Widgets(t, api)
	var told []string
	ctx := rest.WithWarnings(context.Background(), func(text string) { told = append(told, text) })
	wants := func(what string, texts ...string) {
		t.Helper()
		assert.Equal(t, texts, told, what)
		told = nil
	}
	size := int32(1)
	w, err := client.Create(ctx, &apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a", Finalizers: []string{"bare"}},
		Spec: apitest.WidgetSpec{Size: &size}})
	require.NoError(t, err)
	wants("create", "seen", `metadata.finalizers: "bare": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`)
	w.Labels = map[string]string{"x": "y"}
	_, err = client.Update(ctx, w)
	require.NoError(t, err)
	wants("update", "seen")
	_, err = client.Patch(ctx, "a", apimeta.MergePatch, []byte(`{"spec":{"size":2,"bogus":1}}`))
	require.NoError(t, err)
	wants("patch", `unknown field "spec.bogus"`, "seen")
	_, err = client.Modify(ctx, "a", func(w *apitest.Widget) error { w.Labels = nil; return nil })
	require.NoError(t, err)
	wants("modify", "seen")
	require.NoError(t, client.Delete(ctx, "a", rest.DeleteOptions{}))
	wants("delete", "seen")
	_, err = client.Modify(context.Background(), "a",
		func(w *apitest.Widget) error { w.Labels = map[string]string{"z": ""}; return nil })
	require.NoError(t, err)
	wants("nobody asked")
}
