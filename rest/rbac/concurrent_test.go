package rbac_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// A right counts as soon as it has been granted, and ends as soon as it has been withdrawn, while others grant and
// withdraw rights.
func TestConcurrentChangesCountAtOnce(t *testing.T) {
	concurrentChanges(t, rest.Options{})
}

// The same holds if the bindings have a store of their own, whose revisions are far below those of the other roles.
func TestConcurrentChangesInAnotherStoreCountAtOnce(t *testing.T) {
	own := memory.New(storage.Options{Start: 1})
	t.Cleanup(func() { require.NoError(t, own.Close()) })
	concurrentChanges(t, rest.Options{Stores: map[apimeta.GroupResource]storage.Store{
		{Group: "rbac.authorization.k8s.io", Resource: "rolebindings"}: own}})
}

func concurrentChanges(t *testing.T, options rest.Options) {
	s := startWith(t, options)
	s.must(t, "POST", clusterRoles, role("reader", readNotes))
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			user, client := fmt.Sprint("user-", worker), resttest.Client[rbac.RoleBinding](t, s.api).Namespace("default")
			for range 25 {
				_, err := client.Create(t.Context(), &rbac.RoleBinding{ObjectMeta: apimeta.ObjectMeta{Name: user},
					RoleRef:  rbac.RoleRef{Kind: "ClusterRole", Name: "reader"},
					Subjects: []rbac.Subject{{Kind: rbac.UserKind, Name: user}}})
				if !assert.NoError(t, err) || !assert.True(t, s.may(t, user), "given") {
					return
				}
				if !assert.NoError(t, client.Delete(t.Context(), user, rest.DeleteOptions{})) ||
					!assert.False(t, s.may(t, user), "taken") {
					return
				}
			}
		})
	}
	workers.Wait()
	require.False(t, s.may(t, "user-0"))
}
