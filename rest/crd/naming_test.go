package crd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// A definition may have a name twice, unless its own names conflict as in kube-apiserver.
func TestOwnNames(t *testing.T) {
	for _, c := range []struct{ name, names, reason string }{
		{"the plural as a short name", `"shortNames":["gr","gears"]`, "ShortNamesConflict"},
		{"the singular as a short name", `"shortNames":["gr","gear"]`, "ShortNamesConflict"},
		{"the short name as the singular", `"singular":"gr"`, "SingularConflict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := enabled(t, rest.Options{})
			require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
			await(t, api, "gears.example.org", established)
			rename(t, api, c.names)
			d := await(t, api, "gears.example.org", func(d *apiextensions.CustomResourceDefinition) bool {
				return slices.Equal(d.Spec.Names.ShortNames, d.Status.AcceptedNames.ShortNames) &&
					d.Spec.Names.Singular == d.Status.AcceptedNames.Singular
			})
			assert.True(t, d.Is(apiextensions.NamesAccepted))

			api = started(t, rest.Options{}, crd.Options{OwnNamesConflict: true})
			require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
			before := await(t, api, "gears.example.org", established)
			rename(t, api, c.names)
			d = await(t, api, "gears.example.org", names(c.reason))
			assert.Equal(t, before.Status.AcceptedNames, d.Status.AcceptedNames)
			assert.Equal(t, apimeta.ConditionFalse, conditionOf(d, apiextensions.NamesAccepted).Status)
			assert.True(t, d.Is(apiextensions.Established), "the kind is served under its former names")

			rename(t, api, `"shortNames":["gr"],"singular":"gear"`)
			other := strings.NewReplacer("gears", "cogs", "Gear", "Cog", "[gr]", "[]").Replace(gears)
			require.Equal(t, 201, send(t, api, "POST "+definitions, other, nil))
			await(t, api, "cogs.example.org", established) // the API has seen the earlier change
			d = await(t, api, "gears.example.org", names(c.reason))
			assert.Equal(t, d.Spec.Names, d.Status.AcceptedNames)

			rename(t, api, `"shortNames":["gr","gea"],"singular":"gear"`)
			await(t, api, "gears.example.org", names("NoConflicts"))
		})
	}
}

// A new definition may have a name twice, also where its own names conflict.
func TestOwnNamesOfNewDefinition(t *testing.T) {
	api := started(t, rest.Options{}, crd.Options{OwnNamesConflict: true})
	require.Equal(t, 201, send(t, api, "POST "+definitions, strings.Replace(gears, "[gr]", "[gears, gear]", 1), nil))
	d := await(t, api, "gears.example.org", established)
	assert.Equal(t, []string{"gears", "gear"}, d.Status.AcceptedNames.ShortNames)
}

// names reports whether the condition NamesAccepted has a reason.
func names(reason string) func(d *apiextensions.CustomResourceDefinition) bool {
	return func(d *apiextensions.CustomResourceDefinition) bool {
		return conditionOf(d, apiextensions.NamesAccepted).Reason == reason
	}
}

// rename changes names of the definition of gears.
func rename(t *testing.T, api *rest.API, to string) {
	t.Helper()
	require.Equal(t, 200, send(t, api, "PATCH "+definitions+"/gears.example.org", `{"spec":{"names":{`+to+`}}}`, nil))
}
