package crd_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/resttest"
)

// A name that a definition gives up goes to the oldest definition that waits for it.
func TestNameThatIsGivenUpGoesToTheNext(t *testing.T) {
	now := time.Now()
	api := enabled(t, rest.Options{Now: func() time.Time { return now }}) // all definitions are equally old
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	for _, waiting := range []string{"wheels", "axles"} {
		require.Equal(t, 201, send(t, api, "POST "+definitions,
			strings.NewReplacer("gears", waiting, "Gear", strings.ToUpper(waiting[:1])+waiting[1:len(waiting)-1]).Replace(gears),
			nil))
		await(t, api, waiting+".example.org", func(d *apiextensions.CustomResourceDefinition) bool {
			return conditionOf(d, apiextensions.NamesAccepted).Reason == "ShortNamesConflict"
		})
	}
	shortNames := func(plural, names string) int {
		return send(t, api, "PATCH "+definitions+"/"+plural+".example.org", `{"spec":{"names":{"shortNames":[`+names+`]}}}`,
			nil)
	}
	require.Equal(t, 200, shortNames("gears", ""))
	await(t, api, "axles.example.org", established) // of two that are equally old, the first by name
	assert.Equal(t, 404, send(t, api, "GET /apis/example.org/v1/wheels", "", nil))

	// Two definitions cannot exchange their names in one step, because each keeps its own until it has the new one.
	require.Equal(t, 200, shortNames("gears", `"ge"`))
	await(t, api, "gears.example.org", func(d *apiextensions.CustomResourceDefinition) bool {
		return len(d.Status.AcceptedNames.ShortNames) == 1
	})
	require.Equal(t, 200, shortNames("gears", `"gr"`))
	await(t, api, "gears.example.org",
		func(d *apiextensions.CustomResourceDefinition) bool { return !d.Is(apiextensions.NamesAccepted) })
	require.Equal(t, 200, shortNames("axles", `"ge"`))
	await(t, api, "axles.example.org",
		func(d *apiextensions.CustomResourceDefinition) bool { return !d.Is(apiextensions.NamesAccepted) })
	require.Equal(t, 200, shortNames("axles", `"ax"`))
	d := await(t, api, "gears.example.org",
		func(d *apiextensions.CustomResourceDefinition) bool { return d.Is(apiextensions.NamesAccepted) })
	assert.Equal(t, []string{"gr"}, d.Status.AcceptedNames.ShortNames)
	assert.True(t, d.Is(apiextensions.Established))
}

// A definition may be created again as soon as it is gone, even with another scope.
func TestDefinitionComesBackWithAnotherScope(t *testing.T) {
	h := newHost(t, newUnreliable(t), crd.Options{})
	cluster := strings.Replace(gears, "scope: Namespaced", "scope: Cluster", 1)
	for i := range 4 {
		definition, path := gears, gearPath
		if i%2 == 1 {
			definition, path = cluster, "/apis/example.org/v1/gears"
		}
		h.post(definition)
		require.Equal(t, 201, send(t, h, "POST "+path, gear("a"), nil))
		assert.Equal(t, []string{"a"}, h.namesAt(path))
		require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/gears.example.org", "", nil))
		await(t, h.API, "gears.example.org", gone)
	}
}

// Clients that create objects while their definition is deleted leave none behind.
func TestNothingIsLeftOfAKindThatClientsKeepUsing(t *testing.T) {
	h := newHost(t, newUnreliable(t), crd.Options{})
	for round := range 10 {
		h.post(gears)
		assert.Empty(t, h.namesAt(gearPath), "round %d", round)
		var clients sync.WaitGroup
		begun := make(chan struct{}, 100)
		for client := range 4 {
			clients.Go(func() {
				for i, code := 0, 201; code == 201 && i < 40; i++ {
					code = send(t, h, "POST "+gearPath, gear(fmt.Sprintf("g-%d-%d", client, i)), nil)
					assert.Contains(t, []int{201, 403, 404, 503}, code)
					if i == 3 {
						begun <- struct{}{}
					}
				}
			})
		}
		<-begun
		require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/gears.example.org", "", nil))
		await(t, h.API, "gears.example.org", gone)
		clients.Wait()
	}
}

// Objects outlive every change of the schema and the versions of their kind.
func TestLiveKindChangesItsSchemaAndVersions(t *testing.T) {
	h := newHost(t, newUnreliable(t), crd.Options{})
	h.post(gears)
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("a"), nil))
	change := func(versions string) {
		t.Helper()
		require.Equal(t, 200, send(t, h, "PATCH "+definitions+"/gears.example.org", `{"spec":{"versions":[`+versions+`]}}`,
			nil))
		awaitChanges(t, h.API)
	}
	version := func(name string, served, storage bool, spec string) string {
		return fmt.Sprintf(`{"name":%q,"served":%v,"storage":%v,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{%s}}}}}}`, name, served, storage, spec)
	}
	const teeth = `"teeth":{"type":"integer"}`
	specAt := func(version string) (spec map[string]any) {
		t.Helper()
		var obj struct{ Spec map[string]any }
		require.Equal(t, 200, send(t, h, "GET /apis/example.org/"+version+"/namespaces/default/gears/a", "", &obj))
		return obj.Spec
	}

	change(version("v1", true, true, teeth+`,"color":{"type":"string","default":"red"}`)) // wider, with a default
	assert.Equal(t, map[string]any{"teeth": 5.0, "color": "red"}, specAt("v1"))
	change(version("v1", true, true, `"teeth":{"type":"integer","maximum":3}`)) // narrower: the object is invalid now, and loses a field
	assert.Equal(t, map[string]any{"teeth": 5.0}, specAt("v1"))
	assert.Equal(t, 422, send(t, h, "POST "+gearPath, strings.Replace(gear("b"), "5", "4", 1), nil))
	assert.Equal(t, 200, send(t, h, "PATCH "+gearPath+"/a", `{"metadata":{"labels":{"a":"b"}}}`, nil),
		"an update may keep the old value")

	change(version("v1", true, true, teeth) + "," + version("v2", true, false, teeth)) // a version more
	assert.Equal(t, map[string]any{"teeth": 5.0}, specAt("v2"))
	change(version("v1", true, false, teeth) + "," + version("v2", true, true, teeth)) // another storage version
	assert.Equal(t, map[string]any{"teeth": 5.0}, specAt("v1"))
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("b"), nil))
	change(version("v1", false, false, teeth) + "," + version("v2", true, true, teeth)) // a version less that is served
	assert.Equal(t, 404, send(t, h, "GET "+gearPath, "", nil))

	require.Equal(t, 200, send(t, h, "PATCH "+definitions+"/gears.example.org/status",
		`{"status":{"storedVersions":["v2"]}}`, nil))
	change(version("v2", true, true, teeth)) // a version less
	assert.Equal(t, map[string]any{"teeth": 5.0}, specAt("v2"))
	h.stop()
	h.start()
	assert.Equal(t, []string{"a", "b"}, h.namesAt("/apis/example.org/v2/namespaces/default/gears"))
	d, err := resttest.Client[apiextensions.CustomResourceDefinition](t, h.API).Get(t.Context(), "gears.example.org")
	require.NoError(t, err)
	assert.Equal(t, []string{"v2"}, d.Status.StoredVersions)
}
