package crd_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// tools has a short name that no definition of its group can get.
func tools() rest.Definition {
	return rest.Resource[apimeta.Document]{Group: "example.org", Version: "v1", Plural: "tools",
		Names: rest.Names{Kind: "Tool", Short: []string{"tl"}}, Schema: rest.Schema{OpenAPI: []byte(`{"type":"object"}`)}}
}

// takeToolName gives the definition of gears a short name of tools, so that the API cannot serve the new generation.
func (h *host) takeToolName() {
	h.Helper()
	require.Equal(h, 200, send(h.T, h, "PATCH "+definitions+"/gears.example.org",
		`{"spec":{"names":{"shortNames":["tl"]}}}`, nil))
	await(h.T, h.API, "gears.example.org", has("OlderGenerationServed"))
}

// forms returns how many older generations the store holds.
func forms(t *testing.T, store storage.Store) int {
	t.Helper()
	page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: "servedforms.decorum"}}, nil)
	require.NoError(t, err)
	return len(page.Records)
}

// A definition that changes to something that the API cannot serve is served in the last form that worked, also after
// restarts.
func TestOlderGenerationComesBackFromAFile(t *testing.T) {
	h, reopen := newHostOfFile(t, tools())
	h.post(gears)
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("a"), nil))
	h.takeToolName()
	before := answerTo(h, definitions+"/gears.example.org")
	for _, name := range []string{"b", "c"} {
		reopen()
		assert.Equal(t, before, answerTo(h, definitions+"/gears.example.org"), "a restart does not write the definition")
		var got object
		require.Equal(t, 200, send(t, h, "GET "+gearPath+"/a", "", &got))
		require.Equal(t, 201, send(t, h, "POST "+gearPath, gear(name), nil))
		assert.Equal(t, 422, send(t, h, "POST "+gearPath, strings.Replace(gear("d"), `"teeth":5`, `"teeth":"many"`, 1), nil),
			"the schema is there")
	}
	assert.Equal(t, []string{"a", "b", "c"}, h.namesAt(gearPath))

	require.Equal(t, 200, send(t, h, "PATCH "+definitions+"/gears.example.org", `{"spec":{"names":{"shortNames":["gr"]}}}`,
		nil))
	await(t, h.API, "gears.example.org", has("InitialNamesAccepted"))
	assert.Zero(t, forms(t, h.store))
	reopen()
	assert.Equal(t, []string{"a", "b", "c"}, h.namesAt(gearPath))

	h.takeToolName()
	reopen()
	require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/gears.example.org", "", nil))
	await(t, h.API, "gears.example.org", gone)
	assert.Zero(t, forms(t, h.store))
	h.post(gears)
	assert.Empty(t, h.namesAt(gearPath))
}

// A replica that starts later serves the older generation too, and the replicas drop it once they serve the newest one.
func TestOlderGenerationOnReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newUnreliable(t).Store
		hosts := []*host{newHost(t, store, crd.Options{}, tools()), newHost(t, store, crd.Options{}, tools())}
		synctest.Wait() // each has seen the note of the other
		hosts[0].post(gears)
		require.Equal(t, 201, send(t, hosts[1], "POST "+gearPath, gear("a"), nil))
		hosts[0].takeToolName()
		hosts = append(hosts, newHost(t, store, crd.Options{}, tools()))
		for _, h := range hosts {
			assert.Equal(t, []string{"a"}, h.namesAt(gearPath))
		}
		for _, h := range hosts {
			h.stop()
		}
		h := newHost(t, store, crd.Options{}, tools())
		assert.Equal(t, []string{"a"}, h.namesAt(gearPath))
		require.Equal(t, 200, send(t, h, "PATCH "+definitions+"/gears.example.org",
			`{"spec":{"names":{"shortNames":["gr"]}}}`, nil))
		await(t, h.API, "gears.example.org", has("InitialNamesAccepted"))
		assert.Zero(t, forms(t, store))
	})
}

// Replicas that disagree whether they can serve a generation do not write its conditions for ever, and the one that
// serves the newest generation drops the older one, because an older schema would prune what clients write now.
func TestReplicasThatDisagree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newUnreliable(t).Store
		able, unable := newHost(t, store, crd.Options{IgnoreRules: true}), newHost(t, store, crd.Options{})
		synctest.Wait() // each has seen the note of the other
		able.post(gears)
		var d struct {
			Metadata struct{ ResourceVersion string }
		}
		require.Equal(t, 200, send(t, able, "GET "+definitions+"/gears.example.org", "", &d))
		ruled := strings.Replace(gears, "openAPIV3Schema: {type: object, ",
			"openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: 'true'}], ", 1)
		ruled = strings.Replace(ruled, "{name: gears.example.org",
			"{resourceVersion: '"+d.Metadata.ResourceVersion+"', name: gears.example.org", 1)
		require.Equal(t, 200, send(t, able, "PUT "+definitions+"/gears.example.org", ruled, nil))
		assert.NotZero(t, changesWithin(t, store, storedDefinitions, time.Hour))
		synctest.Wait()
		before := answerTo(able, definitions+"/gears.example.org")
		assert.Contains(t, before, "InitialNamesAccepted")
		assert.Zero(t, changesWithin(t, store, storedDefinitions, time.Hour))
		synctest.Wait()
		assert.Equal(t, before, answerTo(able, definitions+"/gears.example.org"))
		assert.Zero(t, forms(t, store))
		assert.Equal(t, 200, send(t, unable, "GET "+gearPath, "", nil))
	})
}
