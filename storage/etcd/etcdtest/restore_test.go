package etcdtest_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
	"github.com/decorum-go/decorum/watch"
)

// After etcd was restored from a backup with a bumped revision, marked compacted, clients that saw later states notice
// that they must list again, and no revision is used twice.
func TestRestoredBackup(t *testing.T) {
	dir := t.TempDir()
	cluster, err := etcdtest.Start(filepath.Join(dir, "before"), etcdtest.Options{})
	require.NoError(t, err)
	defer cluster.Stop()
	client := connect(t, cluster)
	store := open(t, etcd.Options{Client: client})
	require.NoError(t, store.Register(t.Context(), noteResource))
	kept, err := put(t.Context(), store, "kept", "saved")
	require.NoError(t, err)

	backup, err := client.Snapshot(t.Context())
	require.NoError(t, err)
	file := filepath.Join(dir, "backup.db")
	out, err := os.Create(file)
	require.NoError(t, err)
	_, err = io.Copy(out, backup)
	require.NoError(t, err)
	require.NoError(t, out.Close())
	_, err = put(t.Context(), store, "kept", "changed after the backup")
	require.NoError(t, err)
	lost, err := put(t.Context(), store, "lost", "made after the backup")
	require.NoError(t, err)
	id := store.ID()
	require.NoError(t, store.Close())
	require.NoError(t, cluster.Stop())

	require.NoError(t, snapshot.NewV3(zap.NewNop()).Restore(snapshot.RestoreConfig{
		SnapshotPath: file, Name: "member-0", OutputDataDir: filepath.Join(dir, "after", "member-0"),
		PeerURLs:       []string{"http://127.0.0.1:1"},
		InitialCluster: "member-0=http://127.0.0.1:1", InitialClusterToken: "restored", RevisionBump: 1_000_000_000,
		MarkCompacted: true,
	}))
	restored, err := etcdtest.Start(filepath.Join(dir, "after"), etcdtest.Options{})
	require.NoError(t, err)
	defer restored.Stop()
	store = serving(t, etcd.Options{Client: connect(t, restored)})
	assert.Equal(t, id, store.ID())
	assert.Greater(t, store.Revision(), lost.Revision)
	found, err := store.Get(t.Context(), note("kept"), storage.MostRecent)
	require.NoError(t, err)
	assert.Equal(t, kept, found)
	_, err = store.Get(t.Context(), note("lost"), storage.MostRecent)
	assert.ErrorIs(t, err, storage.ErrNotFound)
	for _, seen := range []watch.Revision{kept.Revision, lost.Revision} {
		_, err = store.Watch(t.Context(), watch.Key{Resource: notes}, seen)
		assert.True(t, status.IsExpired(err), "a watch from revision %d: %v", seen, err)
	}
	again, err := put(t.Context(), store, "lost", "made after the restore")
	require.NoError(t, err)
	assert.Greater(t, again.Revision, lost.Revision)
}
