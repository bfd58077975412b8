package rest_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Every field of a declaration is described, unless its type depends on the Go type of the kind.
func TestDescriptionsHaveAllFields(t *testing.T) {
	declared := rest.Resource[apitest.Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets", Description: "A widget.",
		Columns: []rest.Column{{Name: "Size", Path: ".spec.size"}}, Stage: rest.Stage{Deprecated: true},
		Hooks: rest.Hooks[apitest.Widget]{Default: func(context.Context, *apitest.Widget) error { return nil }},
		Verbs: []access.Verb{access.VerbGet, access.VerbList}, Wire: rest.Wire{Untracked: true},
	}
	versions, err := rest.Describe(declared)
	require.NoError(t, err)
	require.Len(t, versions, 1)
	d := versions[0]
	assert.Equal(t, rest.Names{Kind: "Widget", Singular: "widget", ListKind: "WidgetList"}, d.Resource.Names)
	assert.Equal(t, rest.Stage{Deprecated: true, Warning: "example.com/v1 Widget is deprecated"}, d.Resource.Stage)
	assert.Equal(t, reflect.TypeFor[apitest.Widget](), d.GoType)
	assert.Equal(t, []string{"Default"}, d.Hooks)
	of, in := reflect.ValueOf(declared), reflect.ValueOf(d.Resource)
	for _, f := range reflect.VisibleFields(of.Type()) {
		switch f.Name {
		case "Hooks", "Subresources", "Versions", "strategy", "Names", "Stage":
			continue
		}
		assert.Equal(t, of.FieldByIndex(f.Index).Interface(), in.FieldByIndex(f.Index).Interface(), f.Name)
	}
}

func TestDescribeRefusesWhatNewRefuses(t *testing.T) {
	_, err := rest.Describe(nil)
	assert.EqualError(t, err, "the definition is nil")
	wrong := rest.Resource[apitest.Widget]{Group: "example.com", Version: "v1"}
	_, err = rest.Describe(wrong)
	_, refused := rest.New(rest.Options{}, wrong)
	require.Error(t, err)
	assert.Contains(t, refused.Error(), err.Error())
}

func TestDescriptionsOfDocuments(t *testing.T) {
	versions, err := rest.Describe(apitest.Lanterns(func(r *rest.Resource[apimeta.Document]) { r.Schema.OpenAPI = nil }))
	require.NoError(t, err)
	assert.Equal(t, reflect.TypeFor[apimeta.Document](), versions[0].GoType)
	assert.JSONEq(t, `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`,
		string(versions[0].Resource.Schema.OpenAPI))
}
