package smallfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/smallfile"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	_, err := smallfile.Read(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, size := range []int64{0, 1, smallfile.MaxBytes} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Truncate(path, size))
		text, err := smallfile.Read(path)
		require.NoError(t, err)
		assert.Len(t, text, int(size))
	}
	require.NoError(t, os.Truncate(path, smallfile.MaxBytes+1))
	text, err := smallfile.Read(path)
	require.EqualError(t, err, path+": exceeds the limit of 16777216 bytes")
	assert.Nil(t, text)
}
