package console_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/console"
)

// built are the programs that the tests have built, by directory.
var built struct {
	sync.Mutex
	directory string
	paths     map[string]string
}

func endPrograms() {
	if built.directory != "" {
		_ = os.RemoveAll(built.directory)
	}
}

// build compiles the program in a directory of the repository, once.
func build(t *testing.T, directory string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if path, ok := built.paths[directory]; ok {
		return path
	}
	if built.directory == "" {
		var err error
		built.directory, err = os.MkdirTemp("", "console")
		require.NoError(t, err)
		built.paths = map[string]string{}
	}
	path := filepath.Join(built.directory, strings.ReplaceAll(directory, "/", "-"))
	command := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".")
	command.Dir = filepath.Join("..", "..", "..", directory)
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	built.paths[directory] = path
	return path
}

// start runs the program in a directory of the repository until the test ends. It returns the URL that the program
// prints.
func start(t *testing.T, directory string, arguments ...string) string {
	t.Helper()
	command := exec.Command(build(t, directory), arguments...)
	command.Dir = t.TempDir()
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		assert.NoError(t, command.Process.Signal(os.Interrupt))
		_ = command.Wait()
	})
	lines := bufio.NewReader(output)
	line, err := lines.ReadString('\n')
	require.NoError(t, err, problems.String())
	go io.Copy(io.Discard, lines)
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	require.True(t, ok, line)
	return url
}

// serve serves an API at /platform and the console at /console/. It returns the URL of their host.
func serve(t testing.TB, api http.Handler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	mux.Handle("/console/", console.New(console.Options{API: "/platform"}))
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// send sends an object, or a patch of one, and requires success.
func send(t *testing.T, method, url, contentType, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", contentType)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Less(t, answer.StatusCode, 300, string(text))
}
