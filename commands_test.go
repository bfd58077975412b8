package decorum_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// A mark in a page says which test runs commands, or why none does. It stands above a block, or in the first line for
	// the whole page.
	runBy  = regexp.MustCompile(`^<!-- run by (\S+) (Test\w+) -->$`)
	notRun = regexp.MustCompile(`^<!-- not run: \S.* -->$`)
	// bareCommand is a command in a block without a language, or in an indented one, where no test would find it.
	bareCommand = regexp.MustCompile(`^\s*(! )?(cd|curl|export|git|go|helm|kubectl|make|mkdir|npm) `)
)

// Every command in a page of documentation runs in a test, or the page says why not.
func TestCommandsRunOrSayWhyNot(t *testing.T) {
	blocks := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		whole := isMark(t, page, lines[0])
		language := "" // the language of the block around the line, or "" outside of blocks
		for i, line := range lines {
			opens, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
			switch {
			case fence && language != "":
				language = ""
			case fence && opens == "sh":
				language = opens
				blocks++
				assert.True(t, whole || isMark(t, page, lines[max(i-1, 0)]),
					"%s:%d: no line above says which test runs these commands, or why none does", page, i+1)
			case fence:
				language = "```" + opens
			case language == "```" || language == "" && strings.HasPrefix(line, "    "):
				assert.NotRegexp(t, bareCommand, line, "%s:%d: a command stands in a block of the language sh", page, i+1)
			}
		}
		assert.Empty(t, language, "%s: a block is not closed", page)
	}
	assert.NotZero(t, blocks)
}

// isMark reports whether the line is a mark. The test that it names must exist.
func isMark(t *testing.T, page, line string) bool {
	t.Helper()
	match := runBy.FindStringSubmatch(line)
	if match == nil {
		return notRun.MatchString(line)
	}
	code, err := os.ReadFile(match[1])
	require.NoError(t, err, page)
	assert.Contains(t, string(code), "\nfunc "+match[2]+"(t *testing.T) {\n", "%s names a test that %s does not have",
		page, match[1])
	return true
}

// pages returns the files of the documentation: all Markdown of the repository, but the decisions, which are history.
func pages(t *testing.T) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if entry.IsDir() && (entry.Name() == "node_modules" || path == "docs/decisions" ||
			strings.HasPrefix(entry.Name(), ".") && path != ".") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			out = append(out, filepath.ToSlash(path))
		}
		return err
	}))
	return out
}
