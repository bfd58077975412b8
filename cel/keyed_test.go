package cel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
)

// Note is the element of a list without keys.
type Note struct {
	Word string `json:"word,omitempty"`
}

// keyedAPI serves Widgets of another struct, in which all parts have an older value.
func keyedAPI(t testing.TB, options rest.Options, rules cel.Rules) *rest.API {
	t.Helper()
	type WidgetSpec struct {
		Min   int64             `json:"min,omitempty"`
		Parts []Part            `json:"parts,omitempty" api:"list=map,key=name"`
		Map   map[string]string `json:"map,omitempty"`
		Notes []Note            `json:"notes,omitempty"`
	}
	type Widget struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               WidgetSpec `json:"spec,omitzero"`
	}
	api, err := rest.New(options,
		rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets", Rules: cel.New(rules)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api
}
