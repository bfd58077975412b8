package k8s_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/surface"
)

// Users can name every type that the exported API shows.
func TestExportedAPIShowsNoInternalType(t *testing.T) {
	const module = "github.com/decorum-go/decorum/k8s"
	packages, err := surface.Check(module)
	require.NoError(t, err)
	assert.Equal(t, []string{module}, packages)
}

// This module needs no more of the core than every user does, so it works with each version of the core that is
// compatible with the one that it requires. Tests, which no user builds, may look inside.
func TestNeedsOnlyTheExportedAPI(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, "./...").CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "github.com/decorum-go/decorum/rest\n")
	for imported := range strings.Lines(string(out)) {
		assert.NotContains(t, imported, "decorum/internal/")
	}
}
