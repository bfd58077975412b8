package e2e_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kubectl shows the history of an object as a list and as a table, shows it as it was, undoes a change, and restores a
// deleted object.
func TestHistory(t *testing.T) {
	for _, k := range kubectls {
		t.Run(k.version, func(t *testing.T) {
			s := startServer(t, host{program: "warehouse"}, k)
			stock := `{"apiVersion":"warehouse.example.com/v1","kind":"Stock","metadata":{"name":"lima"},
				"spec":{"part":"bolts","count":1}}`
			s.feed(t, stock, "create", "-f", "-")
			s.run(t, "patch", "stock", "lima", "--type=merge", "-p", `{"spec":{"count":2}}`)
			path := s.rawPath(t, "/apis/warehouse.example.com/v1/namespaces/"+namespace+"/stocks/lima")
			count := func() string { return s.run(t, "get", "stock", "lima", "-o", "jsonpath={.spec.count}") }

			var list struct {
				Kind  string
				Items []struct {
					Metadata struct{ ResourceVersion string }
					Written  struct{ Manager, Operation string }
					Changed  []string
				}
			}
			answer := s.run(t, "get", "--raw", path+"/history")
			require.NoError(t, json.Unmarshal([]byte(answer), &list), answer)
			assert.Equal(t, "ObjectVersionList", list.Kind)
			require.Len(t, list.Items, 2)
			assert.Equal(t, "Patch", list.Items[0].Written.Operation)
			assert.Equal(t, "kubectl-patch", list.Items[0].Written.Manager)
			assert.Equal(t, []string{".spec.count"}, list.Items[0].Changed)
			first := list.Items[1].Metadata.ResourceVersion
			assert.Contains(t, s.run(t, "get", "--raw", path+"/history?revision="+first), `"count":1`)
			assert.Contains(t, s.run(t, "get", "--raw", path+"/history?from="+first), `"old":1,"new":2`)
			if k.minor >= 33 { // kubectl 1.30 takes only status and scale
				table := s.run(t, "get", "stock", "lima", "--subresource=history")
				assert.Regexp(t, `(?m)^REVISION +TIME +USER +OPERATION +CHANGED$`, table)
				assert.Regexp(t, `(?m)^`+first+` .* Create *$`, table)
			}

			undo := `{"apiVersion":"history.decorum-go.github.io/v1alpha1","kind":"UndoRequest"}`
			s.feed(t, undo, "create", "--raw", path+"/undo?dryRun=All", "-f", "-")
			assert.Equal(t, "2", count())
			assert.Contains(t, s.feed(t, undo, "create", "--raw", path+"/undo", "-f", "-"), `"count":1`)
			assert.Equal(t, "1", count())
			s.run(t, "delete", "stock", "lima")
			s.feed(t, undo, "create", "--raw", path+"/undo", "-f", "-")
			assert.Equal(t, "1", count())
		})
	}
}
