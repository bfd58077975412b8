package etcdtest_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// A backup of an etcd whose store an older program has written opens: its objects are those that this program saw,
// sealed ones too. Each file is named for the commit of its program.
func TestBackupOfAnOlderProgram(t *testing.T) {
	files, err := filepath.Glob("testdata/*.db.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".db.gz"), func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, snapshot.NewV3(zap.NewNop()).Restore(snapshot.RestoreConfig{
				SnapshotPath: unpacked(t, file, dir), Name: "member-0", OutputDataDir: filepath.Join(dir, "member-0"),
				PeerURLs: []string{"http://127.0.0.1:1"}, InitialCluster: "member-0=http://127.0.0.1:1",
				InitialClusterToken: "restored",
			}))
			cluster, err := etcdtest.Start(dir, etcdtest.Options{})
			require.NoError(t, err)
			defer cluster.Stop()
			aead, err := seal.NewAEAD(seal.Key{ID: "2026", Secret: bytes.Repeat([]byte("k"), 32)})
			require.NoError(t, err)

			store := serving(t, etcd.Options{Client: connect(t, cluster), Prefix: "/older", Transformer: aead})
			assert.Equal(t, "4081858b26947c1b83c49e827474a066", store.ID())
			plain, err := store.Get(t.Context(), note("plain"), storage.MostRecent)
			require.NoError(t, err)
			assert.Equal(t, `{"kind":"Note","metadata":{"name":"plain","namespace":"default","resourceVersion":"1795707271801288"},"text":"2"}`,
				string(storagetest.Text(plain)))
			sealed, err := store.Get(t.Context(), note("sealed"), storage.MostRecent)
			require.NoError(t, err)
			assert.Equal(t, `{"kind":"Note","metadata":{"name":"sealed","namespace":"default","resourceVersion":"1795707271802056"},"text":"secret"}`,
				string(storagetest.Text(sealed)))
			_, err = store.Get(t.Context(), note("deleted"), storage.MostRecent)
			assert.ErrorIs(t, err, storage.ErrNotFound)
			next, err := put(t.Context(), store, "plain", "3")
			require.NoError(t, err)
			assert.Greater(t, next.Revision, sealed.Revision)
		})
	}
}

// unpacked writes the content of a compressed file into a folder, and returns the path of the new file.
func unpacked(t *testing.T, file, dir string) string {
	t.Helper()
	packed, err := os.Open(file)
	require.NoError(t, err)
	defer packed.Close()
	reader, err := gzip.NewReader(packed)
	require.NoError(t, err)
	content, err := io.ReadAll(reader)
	require.NoError(t, err)
	path := filepath.Join(dir, "backup.db")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}
