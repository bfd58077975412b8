package rbac_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// The watch of a user who loses a right ends, whichever replica takes the right away. Other watches go on.
func TestWatchesEndWithTheirRights(t *testing.T) {
	store := memory.New(storage.Options{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	s, replica := start(t, store), start(t, store)
	s.must(t, "POST", clusterRoles,
		role("reader", `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["list","watch"]}`))
	s.must(t, "POST", notes, `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"first"}}`)
	watched := map[string]chan rest.Event[Note]{}
	ended := map[string]chan error{}
	for _, name := range []string{"alice", "bob"} {
		s.must(t, "POST", bindings("default"), binding(name, "ClusterRole/reader", "User/"+name))
		watched[name], ended[name] = make(chan rest.Event[Note], 1), make(chan error, 1)
		go func() {
			for e, err := range resttest.Client[Note](t,
				s.api).Namespace("default").AsUser(access.User{Name: name}).Watch(t.Context(), rest.WatchOptions{}) {
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

// The watch of a client that acts as an administrator ends when the client may no longer act as one, although the
// rights of administrators do not depend on the roles, and nobody else watches.
func TestWatchesOfImpersonatedAdministratorsEnd(t *testing.T) {
	s := start(t, nil)
	s.must(t, "POST", clusterRoles,
		role("actor", `{"apiGroups":[""],"resources":["users","groups"],"verbs":["impersonate"]}`))
	s.must(t, "POST", clusterRoleBindings, binding("alice", "ClusterRole/actor", "User/alice"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://host"+notes+"?watch=true", nil)
	require.NoError(t, err)
	r.Header = http.Header{"Test-User": {"alice"}, "Impersonate-User": {"root"}, "Impersonate-Group": {"admins"}}
	got, err := rest.RoundTripper(s.api).RoundTrip(r)
	require.NoError(t, err)
	defer got.Body.Close()
	require.Equal(t, http.StatusOK, got.StatusCode)
	s.must(t, "DELETE", clusterRoleBindings+"/alice", "")
	text, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"reason":"Expired"`)
}

// After the store has failed, the Authorizer follows the roles again, and applies the changes that it missed.
func TestWatchesEndWithTheirRightsAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &apitest.FailsToWatchOnce{Store: memory.New(storage.Options{})}
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		s := start(t, store)
		s.must(t, "POST", clusterRoles,
			role("reader", `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["list","watch"]}`))
		s.must(t, "POST", bindings("default"), binding("alice", "ClusterRole/reader", "User/alice"))
		ended := make(chan error, 1)
		go func() {
			for _, err := range resttest.Client[Note](t,
				s.api).Namespace("default").AsUser(access.User{Name: "alice"}).Watch(t.Context(), rest.WatchOptions{}) {
				ended <- err
			}
		}()
		synctest.Wait()
		require.True(t, store.Failed.Load())
		s.must(t, "DELETE", bindings("default")+"/alice", "")
		assert.True(t, status.IsExpired(<-ended))
	})
}
