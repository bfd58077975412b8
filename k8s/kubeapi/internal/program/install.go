package program

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// unused is the age at which an installation removes the folder of an earlier one, counted from its last use.
const unused = 30 * 24 * time.Hour

// install copies this executable into a folder of the user's cache, under each name that envtest looks for, and prints
// the path of the folder. The folder is named for the content of the executable, so that versions do not disturb each
// other.
func install(_ context.Context, p Process) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("%w: set XDG_CACHE_HOME", err)
	}
	cache = filepath.Join(cache, "decorum", "kubeapi")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	sum, err := hashOf(own)
	if err != nil {
		return err
	}
	folder := filepath.Join(cache, sum)
	if now := time.Now(); os.Chtimes(folder, now, now) != nil { // the folder does not exist
		if err := fill(own, folder); err != nil {
			return err
		}
	}
	removeUnused(cache)
	_, err = fmt.Fprintln(p.Stdout, folder)
	return err
}

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:12]), nil
}

// fill creates the folder whole, so that no other process finds half of it.
func fill(executable, folder string) error {
	temporary, err := os.MkdirTemp(filepath.Dir(folder), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	var first string
	for _, name := range slices.Sorted(maps.Keys(roles())) {
		path := filepath.Join(temporary, name)
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
		if first == "" {
			first, err = path, copyExecutable(executable, path)
		} else if err = os.Link(first, path); err != nil { // not every file system has links
			err = copyExecutable(executable, path)
		}
		if err != nil {
			return err
		}
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return err
	}
	err = os.Rename(temporary, folder)
	if _, missing := os.Stat(folder); err != nil && missing == nil {
		return nil // another process was faster
	}
	return err
}

func copyExecutable(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// removeUnused removes folders that no installation has printed for a long time. A folder that cannot be removed does
// no harm.
func removeUnused(cache string) {
	folders, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, folder := range folders {
		if info, err := folder.Info(); err == nil && time.Since(info.ModTime()) > unused {
			_ = os.RemoveAll(filepath.Join(cache, folder.Name()))
		}
	}
}
