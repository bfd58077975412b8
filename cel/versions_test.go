package cel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// OldWidget is a Widget in an older version.
type OldWidget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Low  int64  `json:"low,omitempty"`
		High int64  `json:"high,omitempty"`
		Name string `json:"name,omitempty"`
	} `json:"spec,omitzero"`
}

// The rules of the stored version apply to writes in another version. An update may keep values that
// already broke them.
func TestRulesOfTheStoredVersion(t *testing.T) {
	store := memory.New(storage.Options{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	serve := func(rules cel.Rules) rest.Client[OldWidget] {
		r := rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets", Versions: []rest.VersionOf[Widget]{
			rest.Converted(rest.Resource[OldWidget]{Version: "v1beta1"}, func(in *OldWidget, out *Widget) error {
				out.Spec = WidgetSpec{Min: in.Spec.Low, Max: in.Spec.High, Name: in.Spec.Name}
				return nil
			}, func(in *Widget, out *OldWidget) error {
				out.Spec.Low, out.Spec.High, out.Spec.Name = in.Spec.Min, in.Spec.Max, in.Spec.Name
				return nil
			})}}
		r.Rules = cel.New(rules)
		api, err := rest.New(rest.Options{Store: store}, r)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, api.Close()) })
		return resttest.Client[OldWidget](t, api).Namespace("default")
	}
	older := serve(nil)
	widget := &OldWidget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}}
	widget.Spec.Low, widget.Spec.High = 5, 1
	_, err := older.Create(t.Context(), widget)
	require.NoError(t, err)

	client := serve(cel.Rules{
		"WidgetSpec":      {{Rule: "!has(self.min) || !has(self.max) || self.min <= self.max", Message: "min is above max"}},
		"WidgetSpec.name": {{Rule: "oldSelf == self", Message: "the name must not change"}},
	})
	widget.Name = "b"
	_, err = client.Create(t.Context(), widget)
	assert.EqualError(t, err, `Widget.example.com "b" is invalid: in v1: spec: Invalid value: min is above max`)

	var told []string
	ctx := rest.WithWarnings(t.Context(), func(text string) { told = append(told, text) })
	set := func(ctx context.Context, f func(*OldWidget)) error {
		_, err := client.Modify(ctx, "a", func(w *OldWidget) error { f(w); return nil })
		return err
	}
	require.NoError(t, set(ctx, func(w *OldWidget) { w.Labels = map[string]string{"a": "b"} }),
		"the value broke the rule before")
	assert.Equal(t, []string{"in v1: spec: Invalid value: min is above max"}, told)
	require.NoError(t, set(ctx, func(w *OldWidget) { w.Spec.Low, w.Spec.Name = 1, "one" }))
	assert.EqualError(t, set(ctx, func(w *OldWidget) { w.Spec.Name = "two" }),
		`Widget.example.com "a" is invalid: in v1: spec.name: Invalid value: "two": the name must not change`)
}
