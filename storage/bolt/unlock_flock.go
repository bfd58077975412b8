//go:build unix && !solaris && !aix && !android

package bolt

import (
	"errors"
	"os"
	"syscall"
)

// abandon closes a file that bbolt still maps. The mapping would keep the lock, so abandon unlocks the file first.
func abandon(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}
