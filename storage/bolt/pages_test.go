package bolt_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/bolt"
)

// freelistIn returns where the freelist of a file begins, and the root page of its tree. The layout is that of bbolt.
func freelistIn(file []byte) (at, pageSize int, root uint64) {
	order := binary.NativeEndian
	pageSize = int(order.Uint32(file[16+8:]))
	meta := file[16:]
	if other := file[pageSize+16:]; order.Uint64(other[48:]) > order.Uint64(meta[48:]) {
		meta = other
	}
	return int(order.Uint64(meta[32:])) * pageSize, pageSize, order.Uint64(meta[16:])
}

// pageInUse returns a page that contains an object and is not in the freelist. A free page may still contain an older
// state of one.
func pageInUse(file, list []byte) uint64 {
	order := binary.NativeEndian
	_, pageSize, _ := freelistIn(file)
	free := map[uint64]bool{}
	for i := range int(order.Uint16(list[10:])) {
		free[order.Uint64(list[16+8*i:])] = true
	}
	for page := uint64(2); ; page++ {
		if content := file[page*uint64(pageSize):][:pageSize]; !free[page] &&
			bytes.Contains(content, []byte("in the middle")) {
			return page
		}
	}
}

// fileWithFreePages returns the content of a file whose freelist has pages, and the objects in it.
func fileWithFreePages(t *testing.T) (file []byte, objects map[string]string) {
	path := filepath.Join(t.TempDir(), "objects.db")
	store := open(t, bolt.Options{Path: path})
	register(t, store)
	for i := range 300 {
		put(t, store, fmt.Sprintf("%03d", i), strings.Repeat("x", 300)+" in the middle")
	}
	for i := 1; i < 300; i += 2 {
		put(t, store, fmt.Sprintf("%03d", i), "")
	}
	objects = list(t, store)
	require.NoError(t, store.Close())
	require.NoError(t, bolt.Check(t.Context(), bolt.Options{Path: path}))
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	return file, objects
}

// If the freelist contains a page that is in use, bbolt would overwrite the page. The store refuses to open such a file
// for writing, and does not change it. The host can still save the objects.
func TestDamagedFreelist(t *testing.T) {
	order := binary.NativeEndian
	intact, want := fileWithFreePages(t)
	for name, damage := range map[string]func(file, list []byte, root uint64){
		"the root":              func(_, list []byte, root uint64) { order.PutUint64(list[16:], root) },
		"a meta page":           func(_, list []byte, _ uint64) { order.PutUint64(list[16:], 1) },
		"a page beyond the end": func(_, list []byte, _ uint64) { order.PutUint64(list[16:], 1<<40) },
		"a page twice":          func(_, list []byte, _ uint64) { copy(list[24:32], list[16:24]) },
		"itself":                func(_, list []byte, _ uint64) { copy(list[16:24], list[:8]) },
		"too many pages":        func(_, list []byte, _ uint64) { order.PutUint16(list[10:], 5000) },
		"far too many pages": func(_, list []byte, _ uint64) {
			order.PutUint16(list[10:], 0xffff)
			order.PutUint64(list[16:], 1<<62)
		},
		"the wrong kind of page": func(_, list []byte, _ uint64) { order.PutUint16(list[8:], 2) },
		"the page of an object":  func(file, list []byte, _ uint64) { order.PutUint64(list[16:], pageInUse(file, list)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "objects.db")
			file := bytes.Clone(intact)
			at, _, root := freelistIn(file)
			require.Greater(t, order.Uint16(file[at+10:]), uint16(2), "the file has free pages")
			damage(file, file[at:], root)
			require.NoError(t, os.WriteFile(path, file, 0o600))

			_, err := bolt.Open(t.Context(), bolt.Options{Path: path})
			require.ErrorIs(t, err, bolt.ErrDamaged)
			require.ErrorContains(t, err, path)
			require.ErrorIs(t, bolt.Compact(t.Context(), bolt.Options{Path: path}), bolt.ErrDamaged)
			require.ErrorIs(t, bolt.Check(t.Context(), bolt.Options{Path: path}), bolt.ErrDamaged)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.Equal(file, after), "it is not made worse")

			reader := open(t, bolt.Options{Path: path, ReadOnly: true})
			register(t, reader)
			assert.Equal(t, want, list(t, reader))
			var backup bytes.Buffer
			require.NoError(t, reader.Backup(t.Context(), &backup))
			require.NoError(t, reader.Close())
			restored := filepath.Join(t.TempDir(), "restored.db")
			require.NoError(t, bolt.Restore(t.Context(), &backup, bolt.Options{Path: restored}))
			require.NoError(t, bolt.Check(t.Context(), bolt.Options{Path: restored}))
		})
	}
}
