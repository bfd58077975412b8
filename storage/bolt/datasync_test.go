//go:build !linux

package bolt_test

import "os"

// datasync makes a file durable.
func datasync(file *os.File) error { return file.Sync() }
