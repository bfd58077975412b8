package rbac_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// The watch of a user who loses a right ends, whichever replica takes the right away. Other watches go on.
func TestWatchesEndWithTheirRights(t *testing.T) {
	store := storage.NewMemory(storage.MemoryOptions{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	s, replica := start(t, store), start(t, store)
	s.must(t, "POST", clusterRoles, role("reader", `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["list","watch"]}`))
	s.must(t, "POST", notes, `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"first"}}`)
	watched := map[string]chan rest.Event[Note]{}
	ended := map[string]chan error{}
	for _, name := range []string{"alice", "bob"} {
		s.must(t, "POST", bindings("default"), binding(name, "ClusterRole/reader", "User/"+name))
		watched[name], ended[name] = make(chan rest.Event[Note], 1), make(chan error, 1)
		go func() {
			for e, err := range rest.ClientFor[Note](s.api).Namespace("default").AsUser(rest.User{Name: name}).Watch(t.Context(), rest.WatchOptions{}) {
				if err != nil {
					ended[name] <- err
					return
				}
				watched[name] <- e
			}
		}()
		assert.Equal(t, "first", (<-watched[name]).Object.Name)
	}
	replica.must(t, "DELETE", bindings("default")+"/alice", "")
	assert.True(t, status.IsExpired(<-ended["alice"]))
	s.must(t, "POST", notes, `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"second"}}`)
	assert.Equal(t, "second", (<-watched["bob"]).Object.Name)
	assert.Empty(t, ended["bob"])
}
