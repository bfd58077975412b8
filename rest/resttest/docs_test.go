package resttest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All code of docs/testing.md comes from tests, so it compiles and does what the page says. Only the indentation may
// differ.
func TestThePageShowsTests(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	require.NoError(t, err)
	var files []string
	for _, pattern := range []string{"*_test.go", "migration/*_test.go", "../../examples/embed/*_test.go"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	var code strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		code.WriteString(unindented(string(text)))
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	require.Greater(t, len(blocks), 5)
	for _, part := range blocks {
		block, _, closed := strings.Cut(part, "```")
		require.True(t, closed, "a code block is not closed")
		assert.True(t, strings.Contains(code.String(), unindented(block)), "no test contains this block of the page:\n%s", block)
	}
}

func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimLeft(line, "\t "))
	}
	return out.String()
}
