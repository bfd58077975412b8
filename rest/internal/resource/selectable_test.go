package resource_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// An Event of the core group has such a field: its source is the component, or else the reporting controller.
func TestSelectorNameTakesTheFirstFieldWithAValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.New(t, rest.Options{},
			lampResource[Lamp]("fitting=spec.base,spec.watts", "power=spec.watts", "spec.watts"))
		for name, spec := range map[string]string{"screwed": `{"watts":5,"base":"E27"}`, "soldered": `{"watts":5}`} {
			apitest.Must(t, api, "POST", lamps,
				`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"`+name+`"},"spec":`+spec+`}`)
		}
		for selector, want := range map[string][]string{
			"fitting=E27":                       {"screwed"},
			"fitting=5":                         {"soldered"},
			"fitting!=5,power=5":                {"screwed"},
			"power=5":                           {"screwed", "soldered"},
			"fitting=":                          {},
			"metadata.name!=soldered,fitting=5": {},
		} {
			assert.Equal(t, want, apitest.List(t, api, lamps, "fieldSelector", selector).Names(t), selector)
		}
		apitest.WantFailure(t, apitest.Do(t, api, "GET", lamps+"?fieldSelector=spec.base%3DE27", ""), 400, "BadRequest",
			"field label not supported: spec.base", "")

		var published []string
		for _, f := range apitest.ReadOpenAPI(t, apitest.Do(t, api, "GET", "/openapi/v3/apis/example.com/v1", "")).Kind(t,
			"Lamp").Selectable {
			published = append(published, f.FieldPath)
		}
		assert.Equal(t, []string{"spec.watts"}, published, "names are not paths")

		s := apitest.OpenWatch(t, api, lamps+"?watch=1&resourceVersion=3&fieldSelector=fitting%3D5")
		for _, base := range []string{"null", `"E14"`} {
			apitest.MergePatch(t, api, lamps+"/screwed", `{"spec":{"base":`+base+`}}`)
		}
		events := s.Events()
		require.Len(t, events, 2)
		assert.Contains(t, events[0], `"type":"ADDED"`)
		assert.Contains(t, events[1], `"type":"DELETED"`)
	})
}

func TestChangedSelectorNameSelectsStoredObjects(t *testing.T) {
	api, _, err := restarted(t, lampResource[Lamp]("fitting=spec.base"), lampResource[Lamp]("fitting=spec.watts"),
		makeLamp(t))
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, apitest.List(t, api, lamps, "fieldSelector", "fitting=5").Names(t))
	assert.Empty(t, apitest.List(t, api, lamps, "fieldSelector", "fitting=E27").Names(t))
}

// A boolean that an object does not have is false, as clients ask for nodes: spec.unschedulable=false.
func TestAbsentSelectableFields(t *testing.T) {
	for dialect, want := range map[rest.Dialect][]string{rest.DialectBuiltin: {"open", "unlocked"},
		rest.DialectCustom: {"unlocked"}} {
		api := apitest.New(t, rest.Options{},
			rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: dialect},
				SelectableFields: []string{"locked"}})
		for name, locked := range map[string]string{"open": "", "unlocked": `,"locked":false`, "shut": `,"locked":true`} {
			apitest.Must(t, api, "POST", apitest.Memos,
				`{"apiVersion":"v1","kind":"Memo","metadata":{"name":"`+name+`"}`+locked+`}`)
		}
		assert.Equal(t, want, apitest.List(t, api, apitest.Memos, "fieldSelector", "locked=false").Names(t))
		assert.Equal(t, []string{"shut"},
			apitest.List(t, api, apitest.Memos, "fieldSelector", "locked!=false,locked!=").Names(t))
	}
}
