package apitest

import (
	"runtime/pprof"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/decorum-go/decorum/"

// LibraryGoroutines counts the goroutines that run, or were started by, code of this library. Tests and this package do
// not count.
func LibraryGoroutines(t testing.TB) int {
	t.Helper()
	return len(Goroutines(t, ""))
}

// Goroutines returns the stacks of the goroutines that run, or were started by, code of the package with a path below
// the module, such as rest/callout. An empty path stands for all packages.
func Goroutines(t testing.TB, path string) []string {
	t.Helper()
	var dump strings.Builder
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&dump, 2))
	return slices.DeleteFunc(strings.Split(dump.String(), "\n\n"), func(stack string) bool { return !runs(stack, path) })
}

// runs reports whether a stack has a frame of a package. Each frame has two lines: the function, and the file.
func runs(stack, path string) bool {
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		of, ours := strings.CutPrefix(strings.TrimPrefix(lines[i], "created by "), module)
		if ours && !strings.Contains(lines[i+1], "_test.go:") && !strings.HasPrefix(of, "rest/internal/apitest.") &&
			(path == "" || strings.HasPrefix(of, path+".")) {
			return true
		}
	}
	return false
}
