package lifecycle_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// heldBack is the condition of a namespace with objects of unserved resources.
const heldBack = "True DiscoveryFailed: Discovery failed for some resources, 1 failing: the namespace has objects that the API cannot delete, " +
	"because it does not serve them at the moment: parts.example.com"

func partsResource() apimeta.GroupResource {
	return apimeta.GroupResource{Group: "example.com", Resource: "parts"}
}

// A namespace stays while it has objects of a resource that the API has given up, so nobody who gets the name next sees
// them.
func TestNamespaceWithObjectsOfAWithdrawnResource(t *testing.T) {
	emptying(t, rest.Options{}, func(w *world, namespaces rest.Client[Namespace]) {
		w.part("a/x")
		w.settle()
		require.NoError(w, w.api.WithdrawResources(w.Context(), partsResource()))
		for _, name := range []string{"a", "b"} {
			require.NoError(w, namespaces.Delete(w.Context(), name, rest.DeleteOptions{}))
		}
		w.settle()
		assert.Equal(w, heldBack, conditionsOf(w.T, namespaces, "a")["NamespaceDeletionDiscoveryFailure"])
		_, err := namespaces.Create(w.Context(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
		require.True(w, status.IsAlreadyExists(err), "%v", err)
		_, err = namespaces.Get(w.Context(), "b")
		require.True(w, status.IsNotFound(err), "the other namespace has no such objects: %v", err)

		require.NoError(w, w.api.AddResources(w.Context(), parts()))
		w.settle()
		_, err = namespaces.Get(w.Context(), "a")
		require.True(w, status.IsNotFound(err), "%v", err)
		assert.Empty(w, w.left())
	})
}

// During a rolling update, an older program may lead. It does not release a namespace in which a newer one has made
// objects.
func TestOlderLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(storage.Options{})
		defer func() { assert.NoError(t, store.Close()) }()
		newer, err := rest.New(rest.Options{Store: store}, rest.NamespacesOf[Namespace](), parts(), sites())
		require.NoError(t, err)
		inBubble(t, lifecycle.Run, rest.Options{Store: store}, []rest.Definition{rest.NamespacesOf[Namespace](), sites()},
			func(w *world) {
				w.newer = newer
				namespaces := resttest.Client[Namespace](t, w.api)
				_, err := namespaces.Create(w.Context(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
				require.NoError(w, err)
				w.part("a/x")
				require.NoError(w, namespaces.Delete(w.Context(), "a", rest.DeleteOptions{}))
				w.settle()
				assert.Equal(w, heldBack, conditionsOf(w.T, namespaces, "a")["NamespaceDeletionDiscoveryFailure"])
				assert.Equal(w, []string{"a/x"}, w.left())
			})
		// The next leader serves the resource.
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- lifecycle.Run(ctx, newer, lifecycle.Options{}) }()
		synctest.Wait()
		_, err = resttest.Client[Namespace](t, newer).Get(t.Context(), "a")
		assert.True(t, status.IsNotFound(err), "%v", err)
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, newer.Close())
	})
}
