package lifecycle_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// Run works on the resources that the API takes while Run works, and goes on when the API gives one up.
func TestRunFollowsWhatTheAPIServes(t *testing.T) {
	inWorld(t, lifecycle.Run, rest.Options{}, []rest.Definition{sites(), rest.NamespacesOf[Namespace]()}, func(w *world) {
		namespaces := resttest.Client[Namespace](t, w.api)
		_, err := namespaces.Create(w.Context(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
		require.NoError(w, err)
		w.site("s")
		w.settle()

		perishable := bolts()
		perishable.TimeToLive = 3 * time.Hour
		require.NoError(w, w.api.AddResources(w.Context(), parts(), perishable))
		bolts := resttest.Client[Bolt](t, w.api).Namespace("a")
		_, err = bolts.Create(w.Context(), &Bolt{ObjectMeta: apimeta.ObjectMeta{Name: "m4"}})
		require.NoError(w, err)
		w.part("a/owned", w.refTo("", "s"))
		w.part("a/free")
		require.NoError(w, w.sites().Delete(w.Context(), "s", rest.DeleteOptions{}))
		w.settle()
		assert.Equal(w, []string{"a/free"}, w.left(), "the dependent of a deleted owner is collected")
		_, err = bolts.Get(w.Context(), "m4")
		require.NoError(w, err)
		<-time.After(3 * time.Hour)
		synctest.Wait()
		_, err = bolts.Get(w.Context(), "m4")
		assert.True(w, status.IsNotFound(err), "an object of a new resource expires: %v", err)

		require.NoError(w, w.api.WithdrawResources(w.Context(), apimeta.GroupResource{Resource: "bolts"}))
		w.settle()
		require.NoError(w, namespaces.Delete(w.Context(), "a", rest.DeleteOptions{}))
		w.settle()
		assert.Empty(w, w.left())
		_, err = namespaces.Get(w.Context(), "a")
		assert.True(w, status.IsNotFound(err), err)
	})
}
