package program_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/program"
)

// TestTheFileKubectlRunsTheKubectlInPath also has the folder of assets in PATH, where the file would find itself.
func TestTheFileKubectlRunsTheKubectlInPath(t *testing.T) {
	assets, tools := t.TempDir(), t.TempDir()
	own, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(own, filepath.Join(assets, "kubectl")))
	script := "#!/bin/sh\necho \"$@\"\ncat\necho failed >&2\nexit 3\n"
	require.NoError(t, os.WriteFile(filepath.Join(tools, "kubectl"), []byte(script), 0o755))

	path := strings.Join([]string{"", ".", assets, tools}, string(os.PathListSeparator))
	var stdout, stderr strings.Builder
	code := program.RunAssets(t.Context(), program.Process{
		Args:   []string{filepath.Join(assets, "kubectl"), "apply", "-f", "-"},
		Getenv: func(string) string { return path },
		Stdin:  strings.NewReader("kind: Pod\n"), Stdout: &stdout, Stderr: &stderr,
	})
	assert.Equal(t, 3, code)
	assert.Equal(t, "apply -f -\nkind: Pod\n", stdout.String())
	assert.Equal(t, "failed\n", stderr.String())
}
