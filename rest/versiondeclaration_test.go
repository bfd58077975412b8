package rest_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestInvalidVersionDeclarations(t *testing.T) {
	beta := func(change func(*rest.Resource[apitest.CogV1beta1])) func(*rest.Resource[apitest.Cog]) {
		return func(r *rest.Resource[apitest.Cog]) {
			b := apitest.BetaCogResource()
			change(&b)
			r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(b, apitest.CogToV1, apitest.CogFromV1)}
		}
	}
	for _, c := range []struct {
		name   string
		change func(*rest.Resource[apitest.Cog])
		want   string
	}{
		{"twice", func(r *rest.Resource[apitest.Cog]) { r.Versions = append(r.Versions, r.Versions[0]) },
			`kind "Cog": Versions: "v1beta1" is declared twice`},
		{"the stored one again", func(r *rest.Resource[apitest.Cog]) { r.Version = "v1beta1" },
			`kind "Cog": Versions: "v1beta1" is declared twice`},
		{"nil", func(r *rest.Resource[apitest.Cog]) { r.Versions = []rest.VersionOf[apitest.Cog]{nil} },
			`kind "Cog": Versions: one is nil`},
		{"no name", beta(func(b *rest.Resource[apitest.CogV1beta1]) { b.Version = "" }),
			`kind "Cog": version "": Version "": a DNS-1035 label`},
		{"names of its own", beta(func(b *rest.Resource[apitest.CogV1beta1]) { b.Plural = "cogs" }),
			`kind "Cog": version "v1beta1": Plural is declared for all versions by the stored one`},
		{"an absent field", beta(func(b *rest.Resource[apitest.CogV1beta1]) {
			b.SelectableFields = []string{"spec.material"}
		}),
			`kind "Cog": version "v1beta1": SelectableFields: "spec.material": unknown field`},
		{"of a virtual kind", func(r *rest.Resource[apitest.Cog]) {
			r.Hooks.Call = func(context.Context, *apitest.Cog) error { return nil }
		}, `kind "Cog": Versions: a virtual kind and namespaces have one`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rest.New(rest.Options{}, apitest.CogResource(c.change))
			require.ErrorContains(t, err, "rest.New: "+c.want)
		})
	}
}

// Whoever adds a field to Resource either refuses it in a further version, or says here that a version has its own.
func TestEachFieldBelongsToTheKindOrToItsVersions(t *testing.T) {
	own := []string{"Group", "Version", "Description", "Stage", "Overlay", "Columns", "SelectableFields", "Scale",
		"Subresources", "Rules", "Schema", "Hooks"}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[rest.Resource[apitest.CogV1beta1]]()) {
		if !field.IsExported() || slices.Contains(own, field.Name) {
			continue
		}
		beta := apitest.BetaCogResource()
		setAnything(t, reflect.ValueOf(&beta).Elem().FieldByIndex(field.Index))
		_, err := rest.New(rest.Options{}, apitest.CogResource(func(r *rest.Resource[apitest.Cog]) {
			r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(beta, apitest.CogToV1, apitest.CogFromV1)}
		}))
		assert.ErrorContains(t, err, field.Name+" is declared for all versions by the stored one")
	}

	// Those of the kind reach all versions.
	t.Run("inherited", func(t *testing.T) {
		api := apitest.NewCogs(t, func(r *rest.Resource[apitest.Cog]) {
			r.Scope, r.Names.ListKind, r.Names.Singular, r.Verbs = rest.ScopeCluster, "Cogs", "gear",
				[]access.Verb{access.VerbGet, access.VerbList}
		})
		list := apitest.Must(t, api, "GET", "/apis/example.com/v1beta1", "")
		assert.Equal(t, "gear", list.Text(t, "resources.0.singularName"))
		assert.Equal(t, []any{"get", "list"}, list.Value(t, "resources.0.verbs"))
		assert.Equal(t, []any{"cg"}, list.Value(t, "resources.0.shortNames"))
		assert.Equal(t, "Cogs", apitest.Must(t, api, "GET", "/apis/example.com/v1beta1/cogs", "").Text(t, "kind"))
		assert.Equal(t, 405, apitest.Do(t, api, "DELETE", "/apis/example.com/v1beta1/cogs/a", "").Code)
	})
}

// setAnything gives v some value that is not zero.
func setAnything(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("anything")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { panic("not called") }))
	case reflect.Struct:
		setAnything(t, v.Field(0))
	default:
		t.Fatalf("%s has no value here", v.Type())
	}
}

func TestEachVersionPassesTheHooksOfTheStoredVersion(t *testing.T) {
	prime := status.FieldErrors{status.InvalidField(status.NewPath("spec", "teeth"), 4, "must be prime")}
	var olds []*apitest.Cog
	stored := func(r *rest.Resource[apitest.Cog]) {
		r.Hooks.Validate = func(_ context.Context, c, old *apitest.Cog) (status.FieldErrors, error) {
			if olds = append(olds, old); c.Spec.Teeth == 4 {
				return prime, nil
			}
			return nil, nil
		}
		r.Hooks.ValidateDelete = func(_ context.Context, c *apitest.Cog) error {
			return status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "cogs"}, c.Name, "it turns")
		}
	}
	t.Run("without hooks of its own", func(t *testing.T) {
		api := apitest.NewCogs(t, stored)
		olds = nil
		apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":4}`)),
			"Cog.example.com", "a", apitest.Invalid("in v1: spec.teeth", "Invalid value: 4: must be prime"))
		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":5}`)).Code)
		require.Equal(t, 422, apitest.MergePatch(t, api, apitest.BetaCogs+"/a", `{"spec":{"toothCount":4}}`).Code)
		require.Len(t, olds, 3)
		assert.Nil(t, olds[1])
		assert.EqualValues(t, 5, olds[2].Spec.Teeth, "old is the stored object")
		assert.Equal(t, 403, apitest.Do(t, api, "DELETE", apitest.BetaCogs+"/a", "").Code)
	})
	t.Run("with hooks of its own", func(t *testing.T) {
		var seen int32
		api := apitest.NewCogs(t, stored, func(r *rest.Resource[apitest.Cog]) {
			beta := apitest.BetaCogResource()
			beta.Hooks.Default = func(_ context.Context, c *apitest.CogV1beta1) error {
				c.Spec.Oiled = true
				return nil
			}
			beta.Hooks.Validate = func(_ context.Context, c, _ *apitest.CogV1beta1) (status.FieldErrors, error) {
				seen = c.Spec.ToothCount
				return nil, nil
			}
			beta.Hooks.ValidateDelete = func(_ context.Context, c *apitest.CogV1beta1) error {
				if c.Labels["kept"] != "" {
					return status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "cogs"}, c.Name, "it is kept")
				}
				return nil
			}
			r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(beta, apitest.CogToV1, apitest.CogFromV1)}
		})
		olds = nil
		require.Equal(t, 422, apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":4}`)).Code)
		assert.EqualValues(t, 4, seen)
		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":5}`)).Code)
		assert.Contains(t, apitest.Must(t, api, "GET", apitest.Cogs+"/a", "").Body, `"example.com/oiled":"true"`)
		assert.Contains(t, apitest.Do(t, api, "DELETE", apitest.BetaCogs+"/a", "").Body, "it turns")
		require.Equal(t, 200, apitest.MergePatch(t, api, apitest.Cogs+"/a", `{"metadata":{"labels":{"kept":"yes"}}}`).Code)
		assert.Contains(t, apitest.Do(t, api, "DELETE", apitest.BetaCogs+"/a", "").Body, "it is kept",
			"its own is asked first")
		assert.Contains(t, apitest.Do(t, api, "DELETE", apitest.Cogs+"/a", "").Body, "it turns")
	})
}
