package bolt_test

import (
	"os"
	"syscall"
)

// datasync makes the content of a file durable, with the call that bbolt uses.
func datasync(file *os.File) error { return syscall.Fdatasync(int(file.Fd())) }
