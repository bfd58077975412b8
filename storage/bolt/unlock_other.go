//go:build !unix || solaris || aix || android

package bolt

import "os"

// abandon closes a file that bbolt still maps, which also unlocks it.
func abandon(file *os.File) error { return file.Close() }
