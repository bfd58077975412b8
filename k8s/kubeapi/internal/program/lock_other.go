//go:build !unix || solaris || aix

package program

import (
	"io/fs"
	"os"
)

// lock does nothing, because nothing here tells whether a process has ended.
func lock(*os.File) (bool, error) { return true, nil }

// ownedByUser reports false, so that no folder is removed.
func ownedByUser(fs.FileInfo) bool { return false }
