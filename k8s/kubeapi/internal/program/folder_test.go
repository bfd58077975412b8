package program_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/program"
)

// folderEnvironment makes the test program create a folder, print its name, and wait, instead of running tests.
const folderEnvironment = "KUBEAPI_TEST_FOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(folderEnvironment) == "" {
		os.Exit(m.Run())
	}
	dir, _, err := program.NewFolder()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "kubeconfig"), []byte("secret"), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(dir)
	_, _ = os.Stdin.Read(make([]byte, 1)) // ends with the test, which kills this process
}

// A start removes the folders of processes that were killed, and nothing else.
func TestFoldersOfKilledProcesses(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	start := func() (dir string, kill func()) {
		process := exec.CommandContext(t.Context(), os.Args[0])
		process.Env = append(os.Environ(), folderEnvironment+"=1")
		stdin, err := process.StdinPipe()
		require.NoError(t, err)
		stdout, err := process.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, process.Start())
		line := make([]byte, 1024)
		n, err := stdout.Read(line)
		require.NoError(t, err)
		return string(line[:n-1]), func() {
			require.NoError(t, process.Process.Kill())
			_ = process.Wait()
			_ = stdin.Close()
		}
	}
	killed, kill := start()
	running, end := start()
	defer end()
	require.DirExists(t, killed)
	kill()
	others := []string{"kubeapi-unlocked", "kubeapi-notes", "kubeapi-of-another-program", "elsewhere"}
	for _, name := range others {
		require.NoError(t, os.Mkdir(filepath.Join(temp, name), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(temp, "kubeapi-file"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(running, "lock"), filepath.Join(temp, "kubeapi-notes", "lock")))

	require.NoError(t, os.WriteFile(filepath.Join(temp, "kubeapi-of-another-program", "lock"), nil, 0o600))

	dir, remove, err := program.NewFolder()
	require.NoError(t, err)
	assert.NoDirExists(t, killed)
	assert.FileExists(t, filepath.Join(running, "kubeconfig"), "its process lives")
	assert.FileExists(t, filepath.Join(temp, "kubeapi-file"))
	for _, name := range others {
		assert.DirExists(t, filepath.Join(temp, name), "nothing proves that its owner is gone")
	}
	program.RemoveLeftFolders(temp)
	assert.DirExists(t, dir, "its own process lives, too")
	remove()
	assert.NoDirExists(t, dir)
}
