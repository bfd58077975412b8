package crd_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// lamps declares a kind of the host.
func lamps() rest.Resource[Lamp] {
	return rest.Resource[Lamp]{Group: "home.example.com", Version: "v1", Plural: "lamps"}
}

const lampDefinition = definitions + "/lamps.home.example.com"

// The kinds of the host are in one list with those of clients, each with its mark, and both are served.
func TestCompiledKindsAreShown(t *testing.T) {
	var log bytes.Buffer
	api := started(t, rest.Options{}, crd.Options{Compiled: []rest.Definition{lamps(), builtin.Leases()},
		Logger: slog.New(slog.NewTextHandler(&log, nil))}, lamps(), builtin.Leases())
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	page, err := resttest.Client[apiextensions.CustomResourceDefinition](t, api).List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	shown := page.Items[1]
	assert.Equal(t, "lamps.home.example.com", shown.Name)
	assert.Equal(t, map[string]string{apiextensions.CompiledAnnotation: "true"}, shown.Annotations)
	assert.Empty(t, page.Items[0].Annotations)
	assert.True(t, established(shown))
	assert.Equal(t, "Lamp", shown.Status.AcceptedNames.Kind)
	assert.Equal(t, []string{"v1"}, shown.Status.StoredVersions)
	color := shown.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["color"]
	assert.Equal(t, "The color of the light.", color.Description)
	assert.Contains(t, log.String(), `kind \"Lease\": it uses the built-in dialect`)

	require.Equal(t, 201, send(t, api, "POST /apis/home.example.com/v1/namespaces/default/lamps",
		`{"apiVersion":"home.example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{}}`, nil))
}

// Clients may neither write the definition of a kind of the host, nor take its name or its mark.
func TestClientsCannotWriteCompiledKinds(t *testing.T) {
	api := started(t, rest.Options{}, crd.Options{Compiled: []rest.Definition{lamps()}, Logger: discard}, lamps())
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	before := await(t, api, "lamps.home.example.com", established)
	taken := strings.NewReplacer("gears", "lamps", "Gear", "Lamp", "example.org", "home.example.com").Replace(gears)
	mark := `{"metadata":{"annotations":{"` + apiextensions.CompiledAnnotation + `":"true"}}}`
	for _, c := range []struct {
		request, body string
		code          int
		want          string
	}{
		{"POST " + definitions, taken, 403, "the server itself declares this kind"},
		{"PATCH " + lampDefinition, `{"metadata":{"labels":{"a":"b"}}}`, 403, "the server itself declares this kind"},
		{"PATCH " + lampDefinition, `{"metadata":{"annotations":null}}`, 403, "the server itself declares this kind"},
		{"PATCH " + lampDefinition + "/status", `{"status":{"conditions":null}}`, 403,
			"the server itself declares this kind"},
		{"DELETE " + lampDefinition, "", 403, "the server itself declares this kind"},
		{"PATCH " + definitions + "/gears.example.org", mark, 422, "only the server writes the definitions of its own kinds"},
		{"POST " + definitions, strings.Replace(strings.ReplaceAll(gears, "gears", "wheels"), "{name:",
			"{annotations: {"+apiextensions.CompiledAnnotation+`: "true"}, name:`, 1), 422, "only the server writes"},
	} {
		var got struct{ Message string }
		assert.Equal(t, c.code, send(t, api, c.request, c.body, &got), c.request)
		assert.Contains(t, got.Message, c.want, c.request)
	}
	assert.Equal(t, before, await(t, api, "lamps.home.example.com", established))
}

// A host without kinds at run time shows its own, and nothing else.
func TestReadOnlyDefinitions(t *testing.T) {
	api := started(t, rest.Options{}, crd.Options{Compiled: []rest.Definition{lamps()}, ReadOnly: true}, lamps())
	var got struct{ Message string }
	assert.Equal(t, 403, send(t, api, "POST "+definitions, gears, &got))
	assert.Contains(t, got.Message, "this server serves only the kinds that it was compiled with")
	assert.Equal(t, 200, send(t, api, "GET "+lampDefinition, "", nil))
}

// The definitions follow the program: a restart changes them, and removes those of kinds that are gone. The objects do
// not depend on them.
func TestCompiledKindsOfTheNextRelease(t *testing.T) {
	store := memory.New(storage.Options{})
	defer store.Close()
	run := func(of crd.Options, declared ...rest.Definition) (*rest.API, func()) {
		of.Logger = discard
		api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{crd.New(of)}}, declared...)
		require.NoError(t, err)
		require.NoError(t, api.Start(t.Context()))
		return api, func() { require.NoError(t, api.Close()) }
	}
	shows := func(declared ...rest.Definition) crd.Options { return crd.Options{Compiled: declared} }
	api, end := run(shows(lamps()), lamps())
	require.Equal(t, 201, send(t, api, "POST /apis/home.example.com/v1/namespaces/default/lamps",
		`{"apiVersion":"home.example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{}}`, nil))
	first := await(t, api, "lamps.home.example.com", established)
	end()

	api, end = run(shows(lamps()), lamps())
	assert.Equal(t, first, await(t, api, "lamps.home.example.com", established), "nothing has changed")
	end()

	next := lamps()
	next.Names.Short = []string{"lmp"}
	api, end = run(shows(next), next)
	changed := await(t, api, "lamps.home.example.com", established)
	assert.Equal(t, first.UID, changed.UID)
	assert.Equal(t, []string{"lmp"}, changed.Status.AcceptedNames.ShortNames)
	require.Equal(t, 200, send(t, api, "DELETE /apis/home.example.com/v1/namespaces/default/lamps/a", "", nil))
	end()

	other := lamps()
	other.Version = "v2"
	api, end = run(shows(other), other)
	assert.Equal(t, "v2", await(t, api, "lamps.home.example.com", established).Spec.Versions[0].Name)
	require.Equal(t, 201, send(t, api, "POST /apis/home.example.com/v2/namespaces/default/lamps",
		`{"apiVersion":"home.example.com/v2","kind":"Lamp","metadata":{"name":"b"},"spec":{}}`, nil))
	end()

	api, end = run(crd.Options{}, other)
	assert.Equal(t, 404, send(t, api, "GET "+lampDefinition, "", nil))
	assert.Equal(t, 200, send(t, api, "GET /apis/home.example.com/v2/namespaces/default/lamps/b", "", nil))
	end()
}

// The name of a kind of the host may not belong to a definition of a client.
func TestStoredDefinitionOfACompiledKind(t *testing.T) {
	store := memory.New(storage.Options{})
	defer store.Close()
	api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{crd.New(crd.Options{})}})
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	taken := strings.NewReplacer("gears", "lamps", "Gear", "Lamp", "example.org", "home.example.com").Replace(gears)
	require.Equal(t, http.StatusCreated, send(t, api, "POST "+definitions, taken, nil))
	require.NoError(t, api.Close())

	api, err = rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{
		crd.New(crd.Options{Compiled: []rest.Definition{lamps()}})}}, lamps())
	require.NoError(t, err)
	defer api.Close()
	assert.ErrorContains(t, api.Start(t.Context()),
		`definition "lamps.home.example.com": a client has stored this definition`)
}

func TestCompiledTwice(t *testing.T) {
	_, err := rest.New(rest.Options{Plugins: []rest.Plugin{
		crd.New(crd.Options{Compiled: []rest.Definition{lamps(), lamps()}})}}, lamps())
	assert.ErrorContains(t, err, `Options.Compiled has the kind "lamps.home.example.com" twice`)
}
