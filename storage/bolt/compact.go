package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	bbolt "go.etcd.io/bbolt"
)

// Compact gives the free space of a file back: it copies what the file holds to a new file, which then takes its place. It needs as much
// space beside the file. No store may have the file open. A file that is damaged stays as it is. Identity and history stay the same.
func Compact(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	f, err := openFile(Options{Path: path, Transformer: unopened{}})
	if err != nil {
		return err
	}
	err = f.compact(ctx)
	return errors.Join(err, f.release(err))
}

// unopened is the transformer of who needs no text.
type unopened struct{}

func (unopened) KeyID() string                                   { return "" }
func (unopened) Seal(text, _ []byte) ([]byte, error)             { return text, nil }
func (unopened) Open(_ string, sealed, _ []byte) ([]byte, error) { return sealed, nil }

// compact replaces the file while it is locked. A process that waits for the lock finds out that another file has its place.
func (f *file) compact(ctx context.Context) error {
	if err := f.check(ctx); err != nil {
		return err
	}
	temporary, err := newTemporary(f.path)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	err = fillFile(temporary, func(db *bbolt.DB) error { return bbolt.Compact(db, f.db, stepBytes) })
	if err != nil {
		return withPath(f.path, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Rename(temporary, f.path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(f.path))
}
