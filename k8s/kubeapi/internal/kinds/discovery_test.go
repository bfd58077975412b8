package kinds_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// discover reads a document of discovery.
func discover(t *testing.T, api *rest.API, path string, into any) {
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), into), "%s: %s", path, w.Body)
}

// The file lists what a server of Kubernetes 1.37.2 serves in these groups. A line has the path of a resource, its
// kind, its verbs, its short names and its categories.
func TestResourcesAreThoseOfKubernetes(t *testing.T) {
	api := newAPI(t)
	var groups metav1.APIGroupList
	discover(t, api, "/apis", &groups)
	paths := []string{"/api/v1"}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			paths = append(paths, "/apis/"+v.GroupVersion)
		}
	}
	var got []string
	for _, path := range paths {
		var list metav1.APIResourceList
		discover(t, api, path, &list)
		for _, r := range list.APIResources {
			if r.Namespaced {
				r.Name = "NAMESPACE/" + r.Name
			}
			slices.Sort(r.Verbs)
			line := fmt.Sprintf("%s/%s %s %s %s", path, r.Name, r.Kind, strings.Join(r.Verbs, ","),
				strings.Join(append(r.ShortNames, r.Categories...), ","))
			got = append(got, strings.TrimSpace(line))
		}
	}
	slices.Sort(got)
	want, err := os.ReadFile("testdata/resources.txt")
	require.NoError(t, err)
	assert.Equal(t, strings.TrimSpace(string(want)), strings.Join(got, "\n"))
}
