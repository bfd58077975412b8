package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// place is where the objects of an example are.
func place(t *testing.T, doc map[string]any) string {
	t.Helper()
	version, kind := doc["apiVersion"].(string), doc["kind"].(string)
	path := "/apis/" + version
	if !strings.Contains(version, "/") {
		path = "/api/" + version
	}
	for name, r := range kubernetesAPI(t).resourcesOf(t, path) {
		switch {
		case r.Kind != kind || strings.Contains(name, "/"):
		case r.Namespaced:
			return path + "/namespaces/default/" + name
		default:
			return path + "/" + name
		}
	}
	t.Fatalf("%s %s is not served", version, kind)
	return ""
}

// documents returns the examples as they are in the file.
func documents(t *testing.T) []map[string]any {
	t.Helper()
	text, err := os.ReadFile("testdata/valid.yaml")
	require.NoError(t, err)
	var all []map[string]any
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var doc map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(part), &doc))
		// The Service kubernetes has the first address.
		if free := map[any]string{"Service": "10.0.0.9", "IPAddress": "10.0.0.8"}[doc["kind"]]; free != "" {
			part = strings.ReplaceAll(part, "10.0.0.1", free)
			require.NoError(t, yaml.Unmarshal([]byte(part), &doc))
		}
		all = append(all, doc)
	}
	return all
}

// differ matches what is new in each answer: uids, resourceVersions, times, ages and names of volumes.
var differ = regexp.MustCompile(`kube-api-access-[a-z0-9]{5}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|"resourceVersion":"[0-9]+"|[-0-9]{10}T[:0-9]{8}Z|\b([0-9]+m)?[0-9]+s\b`)

// shown returns an answer without what is new in it.
func (a answer) shown(t *testing.T) (doc any) {
	t.Helper()
	text := differ.ReplaceAllFunc(a.body, func(found []byte) []byte {
		if bytes.HasPrefix(found, []byte(`"`)) {
			return []byte(`"resourceVersion":""`)
		}
		return []byte("new")
	})
	require.NoError(t, json.Unmarshal(text, &doc), "%s", a.body)
	return doc
}

// differences returns where two documents differ.
func differences(path string, want, got any) (all []string) {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			keys := maps.Clone(want)
			maps.Copy(keys, got)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				all = append(all, differences(path+"."+key, want[key], got[key])...)
			}
			return all
		}
	case []any:
		if got, ok := got.([]any); ok && len(got) == len(want) {
			for i := range want {
				all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])...)
			}
			return all
		}
	}
	if !reflect.DeepEqual(want, got) {
		all = append(all, fmt.Sprintf("%s: Kubernetes: %v, we: %v", path, want, got))
	}
	return all
}

// exception is a difference that stays, because it is an accident of Kubernetes, or comes with the newer k8s.io/api of
// our program.
type exception struct{ resource, at string }

var exceptions = []exception{
	{"daemonsets", ".rows[0].object.metadata"},                   // a field of the internal version, which Kubernetes does not show here
	{"ipaddresses", ".rows[0].cells"},                            // Kubernetes has a cell without a column
	{"storageversionmigrations", ".columnDefinitions[0].format"}, // Kubernetes does not mark it as the name
}

// Both sides answer the same to requests about the examples.
func TestAnswers(t *testing.T) {
	const asTable = asJSON + ";as=Table;v=v1;g=meta.k8s.io"
	seen := map[exception]bool{}
	ourAPI(t) // the program is built before the first object exists, so that objects of both sides have the same age
	for _, doc := range documents(t) {
		at := place(t, doc)
		object := at + "/" + doc["metadata"].(map[string]any)["name"].(string)
		both := func(method, path, accept string, doc any) {
			t.Helper()
			var body []byte
			if doc != nil {
				body = encode(t, doc)
			}
			want, got := kubernetesAPI(t).send(t, method, path, accept, body), ourAPI(t).send(t, method, path, accept, body)
			assert.Equal(t, want.code, got.code, "%s %s", method, path)
			for _, d := range differences("", want.shown(t), got.shown(t)) {
				i := slices.IndexFunc(exceptions,
					func(e exception) bool { return strings.HasSuffix(at, "/"+e.resource) && strings.HasPrefix(d, e.at) })
				if assert.GreaterOrEqual(t, i, 0, "%s %s: %s", method, path, d) {
					seen[exceptions[i]] = true
				}
			}
		}
		both(http.MethodPost, at, asJSON, doc)
		if doc["status"] != nil {
			both(http.MethodPut, object+"/status", asJSON, doc)
		}
		both(http.MethodGet, object, asTable, nil)
		both(http.MethodPut, object, asJSON, doc)
		both(http.MethodDelete, object, asJSON, nil)
	}
	for _, e := range exceptions {
		assert.True(t, seen[e], "%s %s: the two sides no longer differ", e.resource, e.at)
	}
}
