package rbac_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// leaving is a store whose lists, once it is away, wait and then fail, as those of a replica without its authority.
type leaving struct {
	*memory.Store
	away    atomic.Bool
	lists   atomic.Int64 // begun while the store was away
	release chan struct{}
}

func (s *leaving) List(ctx context.Context, q storage.Query, into []*storage.Record) (storage.Listing, error) {
	if !s.away.Load() {
		return s.Store.List(ctx, q, into)
	}
	s.lists.Add(1)
	select {
	case <-s.release:
	case <-ctx.Done():
	}
	return storage.Listing{}, storage.Unavailable(errors.New("away"))
}

// An Authorizer that has to read the roles anew, while the store is away, asks the store once for all requests. Each
// request waits until its own context ends at the latest.
func TestRequestsWaitTogetherForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &leaving{Store: memory.New(storage.Options{MaxLogBytes: 4 << 10}), release: make(chan struct{})}
		defer store.Close()
		s := start(t, store)
		s.must(t, "POST", clusterRoles, role("reader", readNotes))
		s.must(t, "POST", clusterRoleBindings, binding("everywhere", "ClusterRole/reader", "User/bob"))
		s.must(t, "POST", notes, `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"kept"}}`)
		require.Equal(t, 200, s.send(t, "bob", "GET", notes+"/kept", "").Code)
		writer := resttest.Client[rbac.ClusterRole](t, s.api)
		for range 100 { // more than the log holds
			_, err := writer.Create(t.Context(), &rbac.ClusterRole{ObjectMeta: apimeta.ObjectMeta{Name: "much"}})
			require.NoError(t, err)
			require.NoError(t, writer.Delete(t.Context(), "much", rest.DeleteOptions{}))
		}
		store.away.Store(true)

		const requests = 20
		codes := make(chan int, requests)
		ask := func(ctx context.Context) int {
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, notes+"/kept", nil)
			r.Header.Set("Test-User", "bob")
			w := httptest.NewRecorder()
			s.api.ServeHTTP(w, r)
			return w.Code
		}
		for range requests {
			go func() { codes <- ask(t.Context()) }()
		}
		synctest.Wait() // all requests wait for one list
		left, leave := context.WithCancel(t.Context())
		leave()
		assert.Equal(t, http.StatusGatewayTimeout, ask(left), "a request whose client has left does not wait")
		synctest.Wait()
		assert.Empty(t, codes, "the others still wait")
		close(store.release)
		for range requests {
			assert.Equal(t, http.StatusServiceUnavailable, <-codes)
		}
		assert.EqualValues(t, 1, store.lists.Load(), "requests wait for the same list")

		store.away.Store(false)
		assert.Equal(t, 200, s.send(t, "bob", "GET", notes+"/kept", "").Code)
	})
}
