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

// createFile makes a whole file beside path and then gives it its name, so that a crash leaves no torn file under this name. It returns
// [os.ErrExist] if there is one already. fill writes what the file holds.
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

// newTemporary returns the path of a new, empty file with mode 0600 beside another one.
func newTemporary(path string) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// fillFile makes an empty file a database, and syncs it once it is full.
func fillFile(path string, fill func(*bbolt.DB) error) error {
	return guard(path, nil, func() error {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait, NoSync: true, FreelistType: bbolt.FreelistMapType})
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
