package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	bbolt "go.etcd.io/bbolt"
)

// Compact returns the free space of a file to the file system. It copies the content to a new file, which then replaces
// the old one, so it needs space for the copy. No store may have the file open. The new file has the same identity and
// history. If the file is damaged, Compact returns an error and does not change it. It uses only Path; sealed objects
// remain sealed.
func Compact(ctx context.Context, opts Options) error {
	path, err := opts.path()
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // the new file replaces the old one, not a link to it
	}
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

// CompactTo writes the content of a file to a new file without free space, and leaves the old file as it is. The new
// file must not exist. Both have the same identity, so a program may use one of them only. CompactTo returns an error
// if the file is damaged, or if a store has it open for writing. It uses only Path.
func CompactTo(ctx context.Context, opts Options, path string) error {
	from, err := opts.path()
	if err != nil {
		return err
	}
	f, err := openFile(Options{Path: from, ReadOnly: true, Transformer: unopened{}})
	if err != nil {
		return err
	}
	if err = errors.Join(f.checkPages(), f.check(ctx)); err == nil {
		err = createFile(path, func(db *bbolt.DB) error { return bbolt.Compact(db, f.db, stepBytes) })
	}
	return errors.Join(err, f.release(err))
}

// unopened is a transformer that leaves sealed texts sealed.
type unopened struct{}

func (unopened) KeyID() string                                   { return "" }
func (unopened) Seal(text, _ []byte) ([]byte, error)             { return text, nil }
func (unopened) Open(_ string, sealed, _ []byte) ([]byte, error) { return sealed, nil }

// compact replaces the file while it holds the lock. A process that waits for the lock then detects that another file
// is at the path.
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
