//go:build !race

package crd_test

import (
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const trapPath = "/apis/example.org/v1/traps"

// trap returns an object of kind Trap, with this member spec.
func trap(name, spec string) string {
	return `{"apiVersion":"example.org/v1","kind":"Trap","metadata":{"name":"` + name +
		`","finalizers":["example.org/hold"]},"spec":` + spec + `}`
}

// listOf returns the schema of a list whose elements have these properties.
func listOf(properties string) string {
	return `{"type":"array","items":{"type":"object","properties":{` + properties + `}}}`
}

// empty returns n empty objects.
func empty(n int) string { return repeated("{}", n) }

func repeated(element string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// defaultOf returns a property with a default of n bytes.
func defaultOf(n int) string {
	return `"d":{"type":"string","default":"` + strings.Repeat("x", n) + `"}`
}

// measured sends a request, and returns the status code, the answer, and how many bytes the API allocated meanwhile.
func measured(api *rest.API, request, body string) (code int, answer string, allocated int) {
	method, target, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", map[bool]string{true: "application/merge-patch+json",
		false: "application/json"}[method == "PATCH"])
	w := httptest.NewRecorder()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	api.ServeHTTP(w, r)
	runtime.ReadMemStats(&after)
	return w.Code, w.Body.String(), int(after.TotalAlloc - before.TotalAlloc)
}

// The cost of a write grows linearly with the text of the object, whatever the schema adds to each element of a list,
// and however many states its patterns have. An object that its defaults alone would make too large is refused before
// they are encoded.
func TestCostOfHostileObjects(t *testing.T) {
	const large = "limit of an object is 6291456"
	properties := func(more string) string { return more + numbered(`"p%d":{"type":"string"}`, 5000) }
	keyed := `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],` +
		`"items":{"type":"object","required":["k"],"properties":{"k":{"type":"integer"}}}}`
	tests := map[string]struct {
		schema, spec string
		code         int
		message      string
	}{
		"900,000 defaults of 300 bytes": {listOf(defaultOf(300)), empty(900_000), 413, large},
		"50,000 defaults of 10 KB":      {listOf(defaultOf(10_000)), empty(50_000), 413, large},
		"200,000 defaults of 50 KB":     {listOf(defaultOf(50_000)), empty(200_000), 413, large},
		"defaults for nulls": {`{"type":"array","items":{"type":"string","default":"` + strings.Repeat("x", 50_000) + `"}}`,
			repeated("null", 200_000), 413, large},
		"lists in lists": {`{"type":"array","items":` + listOf(`"l":`+listOf(defaultOf(1000))) + `}`,
			repeated(repeated(`{"l":`+empty(100)+`}`, 10), 100), 413, large},
		"a default with many lists": {listOf(`"l":{"type":"array","default":` + empty(1000) +
			`,"items":{"type":"object","properties":{` +
			defaultOf(1000) + `}}}`), empty(50_000), 413, large},
		"maps": {`{"type":"object","additionalProperties":{"type":"object","properties":{` + defaultOf(10_000) + `}}}`,
			`{` + numbered(`"k%d":{}`, 50_000) + `}`, 413, large},
		"5,000 properties, one default": {listOf(properties(defaultOf(1) + ",")), empty(300_000), 201, ""},
		"5,000 properties, none absent": {listOf(properties(defaultOf(1) + ",")), repeated(`{"d":""}`, 200_000), 201, ""},
		"5,000 required properties": {strings.Replace(listOf(properties("")), `"object",`,
			`"object","required":[`+numbered(`"p%d"`, 5000)+`],`, 1), empty(300_000), 422, "Required value"},
		"a pattern of 100,000 states": {`{"type":"string","pattern":"^(` + strings.Repeat("a?", 50) + `){1000}$"}`,
			`"` + strings.Repeat("a", 20<<10) + `"`, 422, "is too long for the pattern"},
		"50,000 owned elements": {keyed, "[" + numbered(`{"k":%d}`, 50_000) + "]", 201, ""},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			api := enabled(t, rest.Options{})
			require.Equal(t, 201, send(t, api, "POST "+definitions, definition(c.schema), nil))
			await(t, api, "traps.example.org", established)
			body := trap("a", c.spec)
			var code, allocated int
			var answer string
			took := apitest.Cost(t, func() { code, answer, allocated = measured(api, "POST "+trapPath, body) })
			t.Logf("%d bytes in, %d out, %d MiB allocated, %v", len(body), len(answer), allocated>>20, took)
			assert.Equal(t, c.code, code, "%.300s", answer)
			assert.Contains(t, answer, c.message)
			assert.LessOrEqual(t, allocated, 600*len(body)+64<<20)
		})
	}
}

// A definition can get a default that would make the objects that are already stored too large. They stay as they are:
// clients read them without that default, remove their finalizers, and delete them. A new object of that form is
// refused.
func TestDefaultsTooLargeForStoredObjects(t *testing.T) {
	const stored = 10
	api := enabled(t, rest.Options{})
	require.Equal(t, 201, send(t, api, "POST "+definitions, definition(listOf(`"d":{"type":"string"}`)), nil))
	await(t, api, "traps.example.org", established)
	for n := range stored {
		require.Equal(t, 201, send(t, api, "POST "+trapPath, trap(fmt.Sprint("large", n), empty(20_000)), nil))
	}
	require.Equal(t, 201, send(t, api, "POST "+trapPath, trap("small", empty(2)), nil))

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	changed := `{"spec":{"versions":[` + version("v1", "true", listOf(defaultOf(20_000))) + `]}}`
	served := api.Objects().Changed()
	require.Equal(t, 200, send(t, api, "PATCH "+definitions+"/traps.example.org", changed, nil))
	<-served
	_, small, _ := measured(api, "GET "+trapPath+"/small", "")
	require.Contains(t, small, "xxx")
	runtime.ReadMemStats(&after)
	allocated := int(after.TotalAlloc - before.TotalAlloc)
	t.Logf("%d MiB allocated for the change", allocated>>20)
	assert.Less(t, allocated, 512<<20)

	code, answer, allocated := measured(api, "GET "+trapPath+"/large0", "")
	assert.Equal(t, 200, code)
	assert.NotContains(t, answer, "xxx")
	assert.Less(t, allocated, 4<<20)
	code, answer, allocated = measured(api, "POST "+trapPath, trap("new", empty(20_000)))
	assert.Equal(t, 413, code, "%.300s", answer)
	assert.Less(t, allocated, 64<<20)
	code, answer, _ = measured(api, "PATCH "+trapPath+"/large0", `{"metadata":{"labels":{"a":"b"}}}`)
	assert.Equal(t, 200, code, "%.300s", answer)
	code, answer, _ = measured(api, "PATCH "+trapPath+"/large0", `{"spec":[{}]}`)
	assert.Equal(t, 200, code, "%.300s", answer)
	assert.Contains(t, answer, "xxx", "it has its defaults as soon as they fit")
	require.Equal(t, 200, send(t, api, "DELETE "+trapPath+"/large1", "", nil))
	require.Equal(t, 200, send(t, api, "PATCH "+trapPath+"/large1", `{"metadata":{"finalizers":null}}`, nil))
	assert.Equal(t, 404, send(t, api, "GET "+trapPath+"/large1", "", nil))
}
