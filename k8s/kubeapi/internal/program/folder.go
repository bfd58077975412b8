package program

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

const (
	// folderPattern is the pattern of the names of folders for the time of one run.
	folderPattern = "kubeapi-*"
	// lockName is a file that the process locks which uses the folder. The system releases the lock when the process ends,
	// however it ends.
	lockName = "lock"
	// ownership is the content of that file. Folders of other programs may have files of the same name.
	ownership = "kubeapi uses this folder, and removes it with all that is in it.\n"
)

// newFolder creates a folder for the files of this run. The caller calls remove at the end. newFolder also removes the
// folders of processes that were killed.
func newFolder() (dir string, remove func(), err error) {
	removeLeftFolders(os.TempDir())
	if dir, err = os.MkdirTemp("", folderPattern); err != nil {
		return "", nil, err
	}
	unlock, err := own(dir)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() {
		_ = removeFolder(dir)
		unlock()
	}, nil
}

// own locks a new folder. The lock gets its name only when it is locked, so that no other process finds it without an
// owner.
func own(dir string) (unlock func(), err error) {
	file, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString(ownership); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if locked, err := lock(file); err != nil || !locked {
		return nil, errors.Join(err, file.Close())
	}
	if err := os.Rename(file.Name(), filepath.Join(dir, lockName)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// removeLeftFolders removes the folders of this user whose process has ended. It leaves alone what it does not know.
func removeLeftFolders(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(parent, folderPattern)) // the pattern is valid
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && ownedByUser(info) {
			removeIfLeft(dir)
		}
	}
}

// removeFolder removes a folder, the lock last. So if it fails, another process finds the rest.
func removeFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// removeIfLeft removes a folder if kubeapi has made it and no process holds its lock.
func removeIfLeft(dir string) {
	path := filepath.Join(dir, lockName)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if locked, err := lock(file); err != nil || !locked {
		return
	}
	content := make([]byte, len(ownership)+1)
	if n, _ := io.ReadFull(file, content); string(content[:n]) == ownership {
		_ = removeFolder(dir)
	}
}
