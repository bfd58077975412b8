package etcdtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/storagetest"
)

func TestStore(t *testing.T) {
	client := connect(t, shared)
	prefixes := map[storage.Store]string{}
	of := func(t *testing.T, prefix string) storage.Store {
		store := open(t, etcd.Options{Client: client, Prefix: prefix})
		prefixes[store] = prefix
		return store
	}
	storagetest.Run(t, storagetest.Subject{
		New:  func(t *testing.T) storage.Store { return of(t, newPrefix()) },
		Kill: kill(client),
		Peer: func(t *testing.T, store storage.Store) storage.Store { return of(t, prefixes[store]) },
		Reopen: func(t *testing.T, store storage.Store) storage.Store {
			require.NoError(t, store.Close())
			return of(t, prefixes[store])
		},
	})
}
