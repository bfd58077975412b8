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

// kubectls returns a folder whose kubectl is this executable, and one whose kubectl is a script.
func kubectls(t *testing.T, script string) (assets, tools string) {
	assets, tools = t.TempDir(), t.TempDir()
	own, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(own, filepath.Join(assets, "kubectl")))
	require.NoError(t, os.WriteFile(filepath.Join(tools, "kubectl"), []byte(script), 0o755))
	return assets, tools
}

// TestTheFileKubectlRunsTheKubectlInPath also has the folder of assets in PATH, where the file would find itself.
func TestTheFileKubectlRunsTheKubectlInPath(t *testing.T) {
	assets, tools := kubectls(t, "#!/bin/sh\necho \"$@\"\ncat\necho failed >&2\nexit 3\n")

	path := strings.Join([]string{"", ".", assets, tools}, string(os.PathListSeparator))
	var stdout, stderr strings.Builder
	code := program.RunAssets(t.Context(), program.Process{
		Args:   []string{filepath.Join(assets, "kubectl"), "apply", "-f", "-"},
		Getenv: func(name string) string { return map[string]string{"PATH": path}[name] },
		Stdin:  strings.NewReader("kind: Pod\n"), Stdout: &stdout, Stderr: &stderr,
	})
	assert.Equal(t, 3, code)
	assert.Equal(t, "apply -f -\nkind: Pod\n", stdout.String())
	assert.Equal(t, "failed\n", stderr.String())
}

// TestTheFileKubectlTriesEachFolderOnce has the files of two versions in PATH.
func TestTheFileKubectlTriesEachFolderOnce(t *testing.T) {
	assets, others := kubectls(t, "#!/bin/sh\necho \"$DECORUM_UNTRIED_PATH\"\n")
	run := func(environment map[string]string) (int, string) {
		var stdout, stderr strings.Builder
		code := program.RunAssets(t.Context(), program.Process{
			Args:   []string{filepath.Join(assets, "kubectl"), "version"},
			Getenv: func(name string) string { return environment[name] },
			Stdin:  strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		})
		return code, stdout.String() + stderr.String()
	}
	path := others + string(os.PathListSeparator) + assets
	code, untried := run(map[string]string{"PATH": path})
	require.Equal(t, 0, code, untried)
	code, answer := run(map[string]string{"PATH": path, "DECORUM_UNTRIED_PATH": strings.TrimSpace(untried)})
	assert.Equal(t, 1, code)
	assert.Contains(t, answer, "PATH has none")
}
