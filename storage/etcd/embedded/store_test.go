package embedded_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// TestStore checks the contract of stores over direct calls. The chaos tests of module etcdtest kill whole processes.
func TestStore(t *testing.T) {
	p := alone(t)
	p.mustOpen()
	put(t, p.store, "first", "1") // the store follows its member from now on, so its goroutines do not count as left
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

// A second Close does nothing, even if it begins before the first one has ended.
func TestCloseTwice(t *testing.T) {
	t.Parallel()
	p := alone(t)
	p.mustOpen()
	closed := make(chan error)
	for range 2 {
		go func() { closed <- p.store.Close() }()
	}
	assert.NoError(t, <-closed)
	assert.NoError(t, <-closed)
	assert.NoError(t, p.store.Close())
}

// A canceled Open returns an error and leaves its addresses and its directory free for the next one.
func TestOpenIsCanceled(t *testing.T) {
	t.Parallel()
	all := processes(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	options := all[0].options
	options.Logger = slog.New(slog.NewTextHandler(firstLine{cancel}, nil))
	now := time.Now()
	options.Store.Engine.Now = func() time.Time {
		now = now.Add(time.Minute) // the process soon logs that it waits for its peer
		return now
	}
	_, err := embedded.Open(ctx, options)
	require.ErrorIs(t, err, context.Canceled)
	openAll(t, all)
	put(t, all[0].store, "a", "1")
	assert.Contains(t, string(storagetest.Text(read(t, all[1].store, "a"))), `"text":"1"`)
}

// firstLine cancels a context when something is written.
type firstLine struct{ cancel context.CancelFunc }

func (f firstLine) Write(line []byte) (int, error) {
	f.cancel()
	return len(line), nil
}
