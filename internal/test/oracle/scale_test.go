package oracle

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

const scaledThings = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},
"versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},
"schema":{"openAPIV3Schema":{"type":"object","properties":{"status":` + anyStatus + `,
"spec":{"type":"object","properties":{"replicas":{"type":"integer"},"size":{"type":"integer"}}}}}}}]}}`

// scaling is a write to the thing a or to its count, by one manager.
type scaling struct{ verb, manager, body string }

func byPut(manager, count string) scaling { return scaling{"PUT", manager, count} }

func byPatch(manager, count string) scaling { return scaling{"PATCH", manager, count} }

// scaled is what clients see after a write.
type scaled struct {
	code    int
	version string // resourceVersion
	owners  string // managedFields, with "at" for the times
}

// owned reports whether somebody owns the count.
func (s scaled) owned() bool { return strings.Contains(s.owners, "f:replicas") }

func (s scaling) send(t *testing.T, api http.Handler) scaled {
	const things = "/apis/example.com/v1/namespaces/default/things"
	scale := `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":` + s.body + `}}`
	method, path, body, contentType := "PATCH", things+"/a", s.body, "application/merge-patch+json"
	switch s.verb {
	case "create":
		method, path, contentType = "POST", things, "application/json"
	case "apply":
		contentType = "application/apply-patch+yaml"
	case "PUT":
		method, path, body, contentType = "PUT", path+"/scale", scale, "application/json"
	case "PATCH":
		path, body = path+"/scale", `{"spec":{"replicas":`+s.body+`}}`
	case "apply scale":
		path, body, contentType = path+"/scale", scale, "application/apply-patch+yaml"
	}
	r := httptest.NewRequest(method, path+"?fieldManager="+s.manager, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	stored := httptest.NewRecorder()
	api.ServeHTTP(stored, httptest.NewRequest("GET", things+"/a", nil))
	var obj object
	require.NoError(t, utiljson.Unmarshal(stored.Body.Bytes(), &obj), "%s", stored.Body)
	metadata := obj["metadata"].(object)
	entries, _ := metadata["managedFields"].([]any)
	for _, e := range entries {
		if e := e.(object); e["time"] != nil {
			e["time"] = "at"
		}
	}
	// Upstream has no OpenAPI document in these tests, and counts the maps themselves as applied.
	owners, err := json.Marshal(entries)
	require.NoError(t, err)
	return scaled{w.Code, metadata["resourceVersion"].(string), strings.ReplaceAll(string(owners), `".":{},`, "")}
}

// A write to /scale that repeats the count has the same effects as upstream, until upstream forgets the owner of the
// count. Ours keeps the owner; docs/differences.md names that difference. The first of the forgotten writes raises
// upstream's resourceVersion, and ours only if it changes the object.
func TestScaleToThePresentCount(t *testing.T) {
	const both = `,"spec":{"replicas":2,"size":1}`
	create := scaling{"create", "creator", thing("v1", both)}
	for name, c := range map[string]struct{ same, forgotten []scaling }{
		"PUT, created with the object": {
			[]scaling{create, byPut("b", "2")},
			[]scaling{byPut("b", "2"), byPut("c", "2"), byPut("c", "3"), byPut("c", "3")},
		},
		"PATCH, created with the object": {
			[]scaling{create, byPatch("b", "2")},
			[]scaling{byPatch("b", "2"), byPut("c", "2")},
		},
		"PUT by the creator": {
			[]scaling{create, byPut("creator", "2")},
			[]scaling{byPut("creator", "2"), byPut("creator", "3")},
		},
		"PUT, then an update of the object": {
			[]scaling{create, byPut("b", "2")},
			[]scaling{{"update", "c", `{"metadata":{"labels":{"a":"b"}}}`}, byPut("b", "2")},
		},
		"PUT of zero, created with the object": {
			[]scaling{{"create", "creator", thing("v1", `,"spec":{"replicas":0,"size":1}`)}, byPut("b", "0")},
			[]scaling{byPut("b", "0")},
		},
		"apply, created with the object": {
			[]scaling{create, {"apply scale", "b", "2"}}, nil,
		},
		"PUT, updated alone": {same: []scaling{
			create, {"update", "u", `{"spec":{"replicas":3}}`},
			byPut("b", "3"), byPut("b", "3"), byPatch("c", "3"), byPut("u", "3"), byPut("b", "4"), byPut("c", "4"),
		}},
		"PUT, scaled by the creator": {same: []scaling{
			create, byPut("creator", "3"),
			byPut("b", "3"), byPut("b", "3"), byPatch("c", "3"), byPut("creator", "3"), byPut("c", "4"),
		}},
		"PUT, scaled by another manager": {same: []scaling{
			create, byPut("a", "3"),
			byPut("b", "3"), byPut("b", "3"), byPatch("c", "3"), byPut("a", "3"), byPut("c", "4"),
		}},
		"PUT, scaled to zero": {same: []scaling{create, byPut("a", "0"), byPut("b", "0"), byPut("b", "0")}},
		"PUT, applied": {same: []scaling{
			{"apply", "a", thing("v1", both)}, byPut("b", "2"), byPut("b", "2"), byPatch("c", "2"), byPut("c", "3"),
		}},
		"apply, scaled by another manager": {same: []scaling{
			create, byPut("a", "3"), {"apply scale", "b", "3"}, {"apply scale", "b", "3"}, byPut("c", "3"), byPatch("c", "3"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			apis := newBothAPIs(t, []byte(scaledThings))
			var upstream, ours scaled
			for i, s := range c.same {
				theirs, mine := s.send(t, apis.upstream), s.send(t, apis.ours)
				assert.Equal(t, theirs.code, mine.code, "%d: %v", i, s)
				assert.Equal(t, theirs.owners, mine.owners, "%d: %v", i, s)
				assert.Equal(t, theirs.version != upstream.version, mine.version != ours.version,
					"%d: %v changes the resourceVersion", i, s)
				upstream, ours = theirs, mine
			}
			for i, s := range c.forgotten {
				theirs, mine := s.send(t, apis.upstream), s.send(t, apis.ours)
				assert.Equal(t, theirs.code, mine.code, "%d: %v", i, s)
				assert.False(t, theirs.owned(), "%d: %v: an owner in %s", i, s, theirs.owners)
				assert.True(t, mine.owned(), "%d: %v: no owner in %s", i, s, mine.owners)
				if i == 0 {
					assert.NotEqual(t, upstream.version, theirs.version)
					assert.Equal(t, s.verb == "update", mine.version != ours.version)
				}
			}
		})
	}
}
