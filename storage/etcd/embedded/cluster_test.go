package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// day is the unit of the clock differences in these tests.
const day = 24 * time.Hour

// Three processes with the same flag found a cluster, although two clocks are wrong by three days. Then an operator
// performs the tasks of docs/embedded.md in turn. No write is lost.
func TestLifeOfACluster(t *testing.T) {
	t.Parallel()
	all := processes(t, 3)
	all[1].options.Store.Engine.Now = func() time.Time { return time.Now().Add(3 * day) }
	all[2].options.Store.Engine.Now = func() time.Time { return time.Now().Add(-3 * day) }
	openAll(t, all)
	operator := cluster(t, all[0])
	voters, learners := members(t, operator)
	require.Len(t, voters, 3)
	require.Empty(t, learners)
	written := map[string]*storage.Record{}
	step := func(name string, do func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			do(t)
			last := storage.Any
			for i, p := range all {
				if p.store == nil {
					continue
				}
				name := strings.ReplaceAll(strings.ToLower(name), " ", "-") + "-" + string(rune('a'+i))
				written[name] = put(t, p.store, name, name)
				assert.Greater(t, written[name].Revision, last, "revisions ascend with any clock")
				last = written[name].Revision
			}
			for i, p := range all {
				for name, want := range written {
					if p.store != nil {
						got := storagetest.Text(read(t, p.store, name))
						assert.Equal(t, storagetest.Text(want), got, "%s on process %d", name, i)
					}
				}
			}
		})
	}
	step("founded", func(t *testing.T) {
		assert.Equal(t, all[0].store.ID(), all[2].store.ID())
	})
	step("upgrade one replica at a time", func(t *testing.T) {
		for i, p := range all {
			p.close()
			put(t, all[(i+1)%3].store, "meanwhile", "x")
			p.mustOpen()
		}
	})
	step("replace a lost disk", func(t *testing.T) {
		all[2].close()
		require.NoError(t, os.RemoveAll(all[2].options.Dir))
		put(t, all[0].store, "meanwhile", "y")
		all[2].mustOpen()
		voters, learners := members(t, operator)
		assert.Len(t, voters, 3)
		assert.Empty(t, learners)
	})
	step("defragment", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var writing sync.WaitGroup
		for _, p := range all {
			writing.Go(func() {
				for ctx.Err() == nil {
					_, err := write(t.Context(), p.store, "busy", strings.Repeat("x", 1000))
					// On a busy machine, the leader may change.
					if err != nil && !errors.Is(err, storage.ErrUnavailable) {
						assert.NoError(t, err)
						return
					}
				}
			})
		}
		require.NoError(t, operator.Defragment(t.Context()))
		stop()
		writing.Wait()
	})
	step("leave", func(t *testing.T) {
		all[2].close()
		require.NoError(t, operator.Remove(t.Context(), all[2].options.Self))
		require.ErrorIs(t, all[2].open(), embedded.ErrRemoved)
		voters, _ := members(t, operator)
		assert.Len(t, voters, 2)
		assert.ErrorContains(t, operator.Remove(t.Context(), all[2].options.Self), "no member has the address")
	})
	step("without a quorum", func(t *testing.T) {
		all[1].close()
		changed := withoutQuorum(t, all[0].store, "founded-a")
		written["founded-a"] = written["founded-a"].With(storagetest.Text(changed), changed.Extracted)
		all[1].mustOpen()
	})
	step("join", func(t *testing.T) {
		require.NoError(t, os.RemoveAll(all[2].options.Dir))
		all[2].mustOpen()
		voters, _ := members(t, operator)
		assert.Len(t, voters, 3)
	})
	step("restore", func(t *testing.T) {
		backup := filepath.Join(t.TempDir(), "backup")
		var text bytes.Buffer
		require.NoError(t, operator.Backup(t.Context(), &text))
		require.NoError(t, os.WriteFile(backup, text.Bytes(), 0o600))
		lost := put(t, all[0].store, "lost", "after the backup")
		for _, p := range all {
			p.close()
		}
		require.ErrorContains(t, embedded.Restore(backup, all[0].options), "has a member already")
		for _, p := range all {
			require.NoError(t, os.RemoveAll(p.options.Dir))
		}
		text.Truncate(text.Len() - 100)
		damaged := filepath.Join(t.TempDir(), "damaged")
		require.NoError(t, os.WriteFile(damaged, text.Bytes(), 0o600))
		require.Error(t, embedded.Restore(damaged, all[0].options))
		require.NoError(t, embedded.Restore(backup, all[0].options))
		openAll(t, all)
		_, err := all[1].store.Get(t.Context(), note("lost"), storage.MostRecent)
		require.ErrorIs(t, err, storage.ErrNotFound)
		assert.Greater(t, put(t, all[2].store, "again", "x").Revision, lost.Revision, "no revision is used twice")
		for name := range written { // the backup restores the revisions, too
			read(t, all[2].store, name)
		}
	})
}

// A member does not start on an older copy of its directory, even if the copy was made while it ran. With an empty
// directory, its process joins again, and no write is lost.
func TestOlderCopies(t *testing.T) {
	t.Parallel()
	all := processes(t, 3)
	openAll(t, all)
	p := all[2]
	for _, c := range []struct {
		name string
		end  func(t *testing.T) // ends the member after the copy
	}{
		{"made before the last start", func(t *testing.T) {
			p.close()
			p.mustOpen()
			require.NoError(t, p.store.Crash())
			p.store = nil
		}},
		{"made while the member ran, before it stopped", func(*testing.T) { p.close() }},
		{"made while the member ran, before it was killed", func(t *testing.T) {
			require.NoError(t, p.store.Count(t.Context()))
			require.NoError(t, p.store.Crash())
			p.store = nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			copied := filepath.Join(t.TempDir(), "copy")
			require.NoError(t, os.CopyFS(copied, os.DirFS(p.options.Dir)))
			written := put(t, all[0].store, "after-the-copy", c.name)
			c.end(t)
			require.NoError(t, os.RemoveAll(p.options.Dir))
			require.NoError(t, os.CopyFS(p.options.Dir, os.DirFS(copied)))

			err := p.open()
			require.ErrorIs(t, err, embedded.ErrOldCopy)
			require.ErrorContains(t, err, "empty it, and the process joins again")
			require.ErrorContains(t, err, p.options.Dir)
			require.NoError(t, os.RemoveAll(p.options.Dir))
			p.mustOpen()
			for _, p := range all {
				assert.Equal(t, written, read(t, p.store, "after-the-copy"))
			}
		})
	}
}

// A process whose member was lost soon after it joined can join again at once.
func TestProcessJoinsAgainAtOnce(t *testing.T) {
	t.Parallel()
	all := processes(t, 3)
	openAll(t, all)
	p := all[2]
	for range 5 {
		require.NoError(t, p.store.Crash())
		p.store = nil
		require.NoError(t, os.RemoveAll(p.options.Dir))
		p.mustOpen()
	}
}

// withoutQuorum requires that a replica serves its state and refuses everything else. It returns the named object.
func withoutQuorum(t *testing.T, store *embedded.Store, name string) *storage.Record {
	t.Helper()
	for ready := error(nil); ready == nil; ready = store.Ready() {
		require.NoError(t, t.Context().Err())
	}
	_, err := store.Get(t.Context(), note(name), storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrUnavailable)
	_, err = write(t.Context(), store, "refused", "x")
	require.ErrorIs(t, err, storage.ErrUnavailable)
	r, err := store.Get(t.Context(), note(name), storage.Any)
	require.NoError(t, err)
	return r
}

// A cluster of one without addresses grows to three. It keeps its data in place and its store ID.
func TestClusterOfOneGrows(t *testing.T) {
	t.Parallel()
	all := processes(t, 3)
	first := alone(t)
	first.mustOpen()
	written := put(t, first.store, "first", "x")
	id := first.store.ID()
	operator, err := first.store.Cluster(t.Context())
	require.NoError(t, err)
	var backup bytes.Buffer
	require.NoError(t, operator.Backup(t.Context(), &backup))
	assert.NotZero(t, backup.Len())
	require.NoError(t, operator.Close())
	first.close()

	all[0].options.Dir = first.options.Dir
	all[0].mustOpen()
	assert.Equal(t, written, read(t, all[0].store, "first"))
	openAll(t, all[1:])
	voters, _ := members(t, cluster(t, all[0]))
	assert.Len(t, voters, 3)
	for _, p := range all {
		assert.Equal(t, id, p.store.ID())
		assert.Equal(t, written, read(t, p.store, "first"))
	}
	all[0].close() // the others are a quorum
	put(t, all[1].store, "second", "y")
	assert.Equal(t, "second", read(t, all[2].store, "second").Key.Name)
}

// A process with an empty directory does not found a cluster while a peer is unreachable, because that peer could hold
// the data.
func TestEmptyProcessesWaitForAllPeers(t *testing.T) {
	t.Parallel()
	all := processes(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	refused := make(chan error, 2)
	for _, p := range all[:2] {
		go func() {
			_, err := embedded.Open(ctx, p.options)
			refused <- err
		}()
	}
	for range 2 {
		err := <-refused
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "not all peers answer")
		assert.ErrorContains(t, err, all[2].options.Self)
	}
}

// A full database refuses writes and serves reads, even after a restart. It accepts writes again after its free space
// was reclaimed.
func TestFullQuota(t *testing.T) {
	t.Parallel()
	p := alone(t)
	p.options.Quota = 4 << 20
	p.mustOpen()
	first := put(t, p.store, "first", "x")
	var err error
	for i := 0; err == nil; i++ {
		_, err = write(t.Context(), p.store, "large", fmt.Sprint(strings.Repeat("x", 500_000), i))
	}
	require.ErrorIs(t, err, storage.ErrReadOnly)
	require.Error(t, p.store.Ready())
	assert.Equal(t, first, read(t, p.store, "first"))

	p.close()
	p.mustOpen()
	assert.Equal(t, first, read(t, p.store, "first"))
	_, err = write(t.Context(), p.store, "large", "small")
	require.ErrorIs(t, err, storage.ErrReadOnly)
	operator, err := p.store.Cluster(t.Context())
	require.NoError(t, err)
	defer operator.Close()
	found, err := operator.Members(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.True(t, found[0].Full)
	require.NoError(t, operator.Reclaim(t.Context()))
	put(t, p.store, "large", "small")
	storagetest.Insist(t, p.store.Ready)
	after, err := operator.Members(t.Context())
	require.NoError(t, err)
	assert.False(t, after[0].Full)
	assert.Less(t, after[0].Bytes, found[0].Bytes)
}
