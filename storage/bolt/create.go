package bolt

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	bbolt "go.etcd.io/bbolt"
)

// createFile writes a complete file under a temporary name and then links it to path, so a crash cannot leave an
// incomplete file at path. It returns [os.ErrExist] if the file exists. fill writes the content.
func createFile(path string, fill func(*bbolt.DB) error) error {
	temporary, err := newTemporary(path)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	if err := fillFile(temporary, fill); err != nil {
		return withPath(path, err)
	}
	if err := os.Link(temporary, path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// newTemporary creates an empty file with mode 0600 in the directory of path, and returns its path.
func newTemporary(path string) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// fillFile makes a database in an empty file, and syncs it after fill.
func fillFile(path string, fill func(*bbolt.DB) error) error {
	return guard(path, nil, func() error {
		db, err := bbolt.Open(path, 0o600,
			&bbolt.Options{Timeout: lockWait, NoSync: true, FreelistType: bbolt.FreelistMapType})
		if err != nil {
			return err
		}
		return errors.Join(fill(db), db.Sync(), db.Close())
	})
}

// createEmpty makes a file without objects.
func createEmpty(path string) error {
	return createFile(path, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error { return initialize(tx, newID(), state{}) })
	})
}

func newID() []byte {
	id := make([]byte, 16)
	rand.Read(id)
	return id
}

// syncDirectory makes a new name durable. Windows cannot sync a directory.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := errors.Join(directory.Sync(), directory.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
