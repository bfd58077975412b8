package server_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/storage"
)

// different matches what differs between the same objects of two servers.
var different = regexp.MustCompile(`"(uid|resourceVersion|creationTimestamp|time|lastTransitionTime)":"[^"]*"`)

// managers matches the managers of an object's fields. Their order in a FlowSchema depends on whether a second has
// passed between its creation and the first write of its status.
var managers = regexp.MustCompile(`"managedFields":\[.*?\],"name"`)

// TestServersThatShareObjectsBeginWithTheSame compares all objects of new servers.
func TestServersThatShareObjectsBeginWithTheSame(t *testing.T) {
	uids := map[string]bool{}
	objects := func(common *bootstrap.Common) map[storage.Key]string {
		found := map[storage.Key]string{}
		of := newServer(t, func(c *server.Config) { c.Objects.Common = common }).API().Objects()
		for _, resource := range of.Resources() {
			records, err := of.List(t.Context(), resource.Name, "")
			require.NoError(t, err)
			for _, r := range records {
				assert.False(t, uids[r.UID], "the uid of %v is not its own", r.Key)
				json, err := r.JSON(t.Context())
				require.NoError(t, err)
				assert.Contains(t, string(json), `"uid":"`+r.UID+`"`)
				text := different.ReplaceAllString(string(json), `"$1":""`)
				if r.Key.Resource == "flowschemas.flowcontrol.apiserver.k8s.io" {
					text = managers.ReplaceAllString(text, `"name"`)
				}
				uids[r.UID], found[r.Key] = true, text
			}
		}
		return found
	}
	common := new(bootstrap.Common)
	want := objects(nil)
	for range 3 {
		assert.Equal(t, want, objects(common))
	}
}
