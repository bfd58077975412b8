package postgres_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// A dump of a store that an older program has written opens: its objects are those that this program saw, sealed ones
// too. Each file is named for the commit of its program.
func TestDumpOfAnOlderProgram(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		commit := strings.TrimSuffix(filepath.Base(file), ".sql")
		t.Run(commit, func(t *testing.T) {
			s := server(t)
			execute(t, connect(t, s.URL("postgres")), `CREATE DATABASE "`+commit+`"`)
			script, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, s.Restore(commit, script))
			aead, err := seal.NewAEAD(seal.Key{ID: "2026", Secret: bytes.Repeat([]byte("k"), 32)})
			require.NoError(t, err)

			store := serving(t, postgres.Options{Pool: connect(t, s.URL(commit)), Schema: "older", Transformer: aead})
			plain, sealed := latest(t, store, "plain"), latest(t, store, "sealed")
			require.Equal(t, `{"kind":"Note","metadata":{"name":"plain","namespace":"default","resourceVersion":"1795706668658408"},"text":"2"}`,
				string(storagetest.Text(plain)))
			require.Equal(t, `{"kind":"Note","metadata":{"name":"sealed","namespace":"default","resourceVersion":"1795706668658411"},"text":"secret"}`,
				string(storagetest.Text(sealed)))
			require.Nil(t, latest(t, store, "deleted"))

			_, err = store.Watch(t.Context(), watch.Key{Resource: notes}, plain.Revision)
			require.True(t, status.IsExpired(err), "a dump does not continue on the server of its original: %v", err)
			next, err := put(t.Context(), store, "plain", "3")
			require.NoError(t, err)
			require.Greater(t, next.Revision, sealed.Revision)
		})
	}
}
