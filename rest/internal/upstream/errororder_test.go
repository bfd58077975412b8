package upstream_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A body that cannot be decoded is reported before a missing object and a conflict. In the custom dialect a value of a
// wrong type is found later, when the object is validated.
func TestErrorsComeInUpstreamsOrder(t *testing.T) {
	for _, d := range []struct {
		name    string
		dialect rest.Dialect
		// missing, stale and current are the answers to a PUT with a value of a wrong type.
		missing, stale, current int
	}{
		{"custom", rest.DialectCustom, 404, 409, 422},
		{"built-in", rest.DialectBuiltin, 400, 400, 400},
	} {
		t.Run(d.name, func(t *testing.T) {
			api := newTrials(t, d.dialect)
			created := apitest.Do(t, api, "POST", trials, trial("a", "", ""))
			require.Equal(t, 201, created.Code, created.Body)
			stale, wrongType := `,"resourceVersion":"1000000"`, `,"count":"x"`
			put := func(name, query, metadata, spec string) int {
				return apitest.Do(t, api, "PUT", trials+"/"+name+query, trial(name, metadata, spec)).Code
			}
			current := `,"resourceVersion":"` + resourceVersionIn(t, created.Body) + `"`
			assert.Equal(t, d.missing, put("b", "", stale, wrongType), "wrong type, missing object")
			assert.Equal(t, d.stale, put("a", "", stale, wrongType), "wrong type, stale resourceVersion")
			assert.Equal(t, d.current, put("a", "", current, wrongType), "wrong type")

			for _, name := range []string{"a", "b"} {
				assert.Equal(t, 400, put(name, "?fieldValidation=Strict", stale, `,"more":1`), "unknown field of %s", name)
				assert.Equal(t, 400, put(name, "", stale+`,"labels":5`, ""), "labels of %s", name)
			}
			other := apitest.Do(t, api, "PUT", trials+"/b", trial("a", stale, wrongType))
			assert.Equal(t, 400, other.Code)
			assert.Equal(t, d.missing == 404, strings.Contains(other.Body, "does not match the name on the URL"), other.Body)
		})
	}
}

// resourceVersionIn returns the resourceVersion of an object in JSON.
func resourceVersionIn(t *testing.T, body string) string {
	t.Helper()
	_, after, found := strings.Cut(body, `"resourceVersion":"`)
	require.True(t, found, body)
	rv, _, _ := strings.Cut(after, `"`)
	return rv
}
