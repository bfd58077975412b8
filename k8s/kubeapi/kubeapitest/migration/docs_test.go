package migration_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The diff on the page removes exactly the lines that only package before has, and adds those that only package after
// has.
func TestThePageShowsTheDifference(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/testing.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(page), "```diff\n")
	require.True(t, found, "the page shows a diff")
	block, _, _ = strings.Cut(block, "```")
	before, after := lines(t, "before/suite_test.go"), lines(t, "after/suite_test.go")
	assert.ElementsMatch(t, missing(before, after), starting(block, "-"), "removed")
	assert.ElementsMatch(t, missing(after, before), starting(block, "+"), "added")
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Split(string(text), "\n")
}

// missing returns the lines of a that b lacks, or has less often.
func missing(a, b []string) []string {
	left := slices.Clone(b)
	return slices.DeleteFunc(slices.Clone(a), func(line string) bool {
		i := slices.Index(left, line)
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
		return i >= 0
	})
}

func starting(diff, sign string) []string {
	var out []string
	for line := range strings.SplitSeq(diff, "\n") {
		if rest, ok := strings.CutPrefix(line, sign); ok {
			out = append(out, rest)
		}
	}
	return out
}
