package query_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// What eve gets does not depend on the objects that only root sees: neither results nor counts, tokens, or errors at
// the limit.
func TestHiddenObjectsChangeNoAnswer(t *testing.T) {
	api := newCrates(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: restricted,
		Queries: &rest.Queries{MaxVisits: 5, MaxValues: 2}})
	create := func(name, color string, size int, labels string) {
		apitest.Must(t, api, "POST", crates, crate(name, color, int64(size), labels), "Test-User", "root")
	}
	for i := range 7 {
		create(fmt.Sprintf("c%d-shown", i), []string{"red", "blue", "green"}[i%3], i, `"app":"web","tier":"gold"`)
	}
	codes := map[string]int{}
	var targets []string
	for target, code := range map[string]int{
		allCrates: 200,
		with(allCrates, "labelSelector", "tier=gold", "limit", "7"):                                  200,
		with(allCrates, "limit", "7"):                                                                200,
		with(allCrates, "fieldQuery", "metadata.name^=c"):                                            400,
		with(allCrates, "fieldQuery", "metadata.name^=c", "limit", "5"):                              400,
		with(allCrates, "fieldQuery", "metadata.name^=c", "limit", "4"):                              200,
		with(allCrates, "fieldQuery", "spec.size<5"):                                                 200,
		with(allCrates, "fieldQuery", "spec.size<6"):                                                 400,
		with(allCrates, "fieldQuery", "spec.color=red", "limit", "3"):                                200,
		with(allCrates, "sortBy", "-spec.size", "limit", "4"):                                        200,
		with(allCrates, "sortBy", "-spec.size", "limit", "5"):                                        400,
		with(allCrates, "sortBy", "spec.size", "limit", "2", "fieldQuery", "spec.color in (red)"):    200,
		with(allCrates, "sortBy", "metadata.name", "limit", "2"):                                     400,
		with(allCrates, "facets", "spec.color", "fieldQuery", "spec.size<5"):                         200,
		with(allCrates, "facets", "spec.color"):                                                      400,
		with(oldCrates, "sortBy", "spec.tens", "limit", "2"):                                         400,
		with(allCrates, "watch", "1", "fieldQuery", "spec.size>=0", "resourceVersionMatch", "Exact"): 422,
		with(allCrates, "watch", "1", "fieldQuery", "spec.size>=0"):                                  400,
	} {
		codes[target], targets = code, append(targets, target)
	}
	answers := map[string]string{}
	for _, target := range targets {
		answer := apitest.Do(t, api, "GET", target, "", "Test-User", "eve")
		require.Equal(t, codes[target], answer.Code, "%s: %s", target, answer.Raw)
		answers[target] = withoutRevision(t, answer)
	}
	for i := range 40 {
		create(fmt.Sprintf("c%d-hidden", i), []string{"red", "blue", "grey"}[i%3], i, `"tier":"gold"`)
		for _, target := range targets {
			answer := apitest.Do(t, api, "GET", target, "", "Test-User", "eve")
			assert.Equal(t, answers[target], withoutRevision(t, answer), target)
		}
	}
	assert.Equal(t, 400, apitest.Do(t, api, "GET", with(allCrates, "fieldQuery", "spec.size<5"), "", "Test-User",
		"root").Code, "root sees too many")
}

// withoutRevision returns the body of a list without its revision, which every write to any resource changes.
func withoutRevision(t *testing.T, answer apitest.Answer) string {
	t.Helper()
	var list map[string]any
	answer.Decode(t, &list)
	metadata, _ := list["metadata"].(map[string]any)
	delete(metadata, "resourceVersion")
	if token, _ := metadata["continue"].(string); token != "" {
		text, err := base64.RawURLEncoding.DecodeString(token)
		require.NoError(t, err)
		var parts map[string]any
		require.NoError(t, json.Unmarshal(text, &parts))
		delete(parts, "rv")
		metadata["continue"] = parts
	}
	return apitest.JSONOf(t, list)
}
