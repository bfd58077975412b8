package embedded_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// TestStore checks the contract of stores over direct calls. The chaos tests of module etcdtest kill whole processes.
func TestStore(t *testing.T) {
	p := alone(t)
	p.mustOpen()
	prefixes, count := map[storage.Store]string{}, 0
	of := func(t *testing.T, prefix string) storage.Store {
		store, err := p.store.Beside(t.Context(), etcd.Options{Prefix: prefix, Timeout: time.Minute})
		require.NoError(t, err)
		prefixes[store] = prefix
		return store
	}
	storagetest.Run(t, storagetest.Subject{
		New: func(t *testing.T) storage.Store {
			count++
			return of(t, fmt.Sprint("/stores/", count))
		},
		Peer: func(t *testing.T, store storage.Store) storage.Store { return of(t, prefixes[store]) },
		Reopen: func(t *testing.T, store storage.Store) storage.Store {
			require.NoError(t, store.Close())
			return of(t, prefixes[store])
		},
	})
}
