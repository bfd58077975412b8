package budget_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxFileBytes is far above the size of the largest source file, and far below that of a program.
const maxFileBytes = 1 << 20

// A program that was built inside the tree and committed by mistake stays in the history for good.
func TestFilesAreSources(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", ".cache", "node_modules": // Git ignores the last two
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		assert.Less(t, info.Size(), int64(maxFileBytes), "%s is larger than a source file", path)
		return nil
	}))
}
