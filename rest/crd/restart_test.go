package crd_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/storage/bolt"
)

// newHostOfFile returns a host whose store is a file. reopen closes the host and the file, and opens both again.
func newHostOfFile(t *testing.T, declared ...rest.Definition) (h *host, reopen func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "objects.db")
	var store *bolt.Store
	open := func() {
		var err error
		store, err = bolt.Open(t.Context(), bolt.Options{Path: path})
		require.NoError(t, err)
	}
	open()
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	h = newHost(t, store, crd.Options{}, declared...)
	return h, func() {
		h.stop()
		require.NoError(t, store.Close())
		open()
		h.store = store
		h.start(declared...)
	}
}

// answerTo returns the whole answer to a GET.
func answerTo(h http.Handler, target string) string {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result().Status + " " + w.Header().Get("ETag") + "\n" + w.Body.String()
}

// A host that opens its file again serves the same kinds and objects at once, and continues its watches.
func TestKindsComeBackFromAFile(t *testing.T) {
	h, reopen := newHostOfFile(t)
	h.post(gears)
	h.post(strings.NewReplacer("gear", "wheel", "Gear", "Wheel", "gr]", "wh]").Replace(gears))
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("a"), nil))
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	require.Equal(t, 200, send(t, h, "GET "+gearPath, "", &list))
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("b"), nil))

	before := map[string]string{}
	addresses := []string{"/apis", "/apis/example.org", "/apis/example.org/v1", "/openapi/v2", "/openapi/v3",
		"/openapi/v3/apis/example.org/v1", definitions + "/gears.example.org", definitions + "/wheels.example.org",
		gearPath + "/a", gearPath + "/b"}
	for _, address := range addresses {
		before[address] = answerTo(h, address)
		require.True(t, strings.HasPrefix(before[address], "200"), before[address])
	}
	reopen()
	for _, address := range addresses {
		assert.Equal(t, before[address], answerTo(h, address), address)
	}
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("c"), nil))

	var names []string
	gearsV1 := apimeta.GroupVersionResource{Group: "example.org", Version: "v1", Resource: "gears"}
	for event, err := range documents(t, h.API, gearsV1).Watch(t.Context(),
		rest.WatchOptions{ResourceVersion: list.Metadata.ResourceVersion}) {
		require.NoError(t, err)
		if names = append(names, string(event.Type)+" "+event.Object.Name); len(names) == 2 {
			break
		}
	}
	assert.Equal(t, []string{"ADDED b", "ADDED c"}, names)
}

// A restarted host completes a deletion from any step.
func TestDeletionContinuesAfterARestart(t *testing.T) {
	h, reopen := newHostOfFile(t)
	h.post(gears)
	require.Equal(t, 201, send(t, h, "POST "+gearPath,
		strings.Replace(gear("held"), `"metadata":{`, `"metadata":{"finalizers":["example.org/hold"],`, 1), nil))
	require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/gears.example.org", "", nil))
	reopen()
	require.Equal(t, 403, send(t, h, "POST "+gearPath, gear("b"), nil), "the definition is terminating from the start")
	require.Equal(t, 200, send(t, h, "PATCH "+gearPath+"/held", `{"metadata":{"finalizers":null}}`, nil))
	await(t, h.API, "gears.example.org", gone)
	h.post(gears)
	assert.Empty(t, h.namesAt(gearPath))
}
