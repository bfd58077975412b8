//go:build unix && !solaris && !aix

package program

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lock locks a file until it is closed. It reports false if another process has locked it.
func lock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// ownedByUser reports whether a file belongs to the user of this process.
func ownedByUser(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
