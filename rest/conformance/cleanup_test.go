package conformance_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

func TestCasesCleanUp(t *testing.T) {
	golden := recorded(t)
	for _, keep := range []bool{false, true} {
		var mu sync.Mutex
		var deleted []string
		server := &fake{Instead: func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodDelete {
				return false
			}
			mu.Lock()
			defer mu.Unlock()
			parts := strings.Split(r.URL.Path, "/")
			deleted = append(deleted, parts[len(parts)-2]+" "+r.URL.RawQuery)
			return true
		}}
		_, err := conformance.Run(t.Context(), conformance.Options{
			Server: server.start(t), Cases: folder("story.yaml", stories), Golden: golden, Keep: keep,
		})
		require.NoError(t, err)
		slices.Sort(deleted)
		if keep {
			assert.Empty(t, deleted)
			continue
		}
		objects := slices.Repeat([]string{"configmaps gracePeriodSeconds=0"}, 4) // two given, two created
		assert.Equal(t, append(objects, "namespaces ", "namespaces ", "namespaces "), deleted)
	}
}

// An object that a case reads, and has not created, stays.
func TestCleanUpLeavesOtherObjects(t *testing.T) {
	deleted := ""
	server := &fake{Instead: func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/configmaps/"):
			deleted = r.URL.Path
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/configmaps/theirs"):
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"theirs","uid":"1"}}`))
			return true
		}
		return false
	}}
	theirs := strings.ReplaceAll(oneCase("a", "[]"), "GET /api", "GET /api/v1/namespaces/default/configmaps/theirs")
	o := conformance.Options{Server: server.start(t), Cases: folder("one.yaml", theirs)}
	_, err := conformance.Record(t.Context(), o, nil, t.TempDir())
	require.NoError(t, err)
	assert.Empty(t, deleted)
}

// The suite asks for the kinds first, and creates nothing on a server that lacks one.
func TestMissingKinds(t *testing.T) {
	golden, created := recorded(t), false
	server := &fake{Instead: func(w http.ResponseWriter, r *http.Request) bool {
		created = created || r.Method == http.MethodPost
		if strings.HasPrefix(r.URL.Path, "/api/v1/configmaps") {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		return false
	}}
	o := conformance.Options{Server: server.start(t), Cases: folder("story.yaml", stories), Golden: golden}
	_, err := conformance.Run(t.Context(), o)
	var missing *conformance.MissingKindsError
	require.ErrorAs(t, err, &missing)
	assert.False(t, created)
	assert.Equal(t, []conformance.MissingKind{{
		Kind: "ConfigMap", APIVersion: "v1", Resource: "configmaps", Path: "/api/v1/configmaps?limit=1", Status: 404,
		Cases: 3,
	}}, missing.Missing)
	assert.ErrorContains(t, err, "ConfigMap (v1 configmaps), for 3 cases: GET /api/v1/configmaps?limit=1 answers 404")

	o.SkipMissing, o.Cases = true, folder("story.yaml", stories, "one.yaml", oneCase("a", "[]"))
	o.Golden = folder("story.json", `{"cases":{}}`, "one.json",
		`{"cases":{"a":[{"req":"GET /api","status":200,"headers":{"Content-Type":"application/json"},"body":{"kind":"APIVersions","versions":["v1"]}}]}}`)
	report, err := conformance.Run(t.Context(), o)
	require.NoError(t, err)
	assert.True(t, report.OK())
	assert.Equal(t, 3, report.Skipped)
	assert.Len(t, report.Results, 1)
}
