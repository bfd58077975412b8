package e2e_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// guideServer is where the program of the guide listens, according to the guide.
const guideServer = "http://127.0.0.1:8080"

// The test runs the commands of docs/guide.md in their order. It runs each block of type sh. A block of type text must equal the
// output of the last command before it. A command after an exclamation mark must fail.
func TestGuide(t *testing.T) {
	s := startServer(t, host{program: "platform"}, newest())
	require.NoError(t, os.Symlink(s.kubectl.program, filepath.Join(s.home, "kubectl")))
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide.md"))
	require.NoError(t, err)
	var said string
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```(sh|text)\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
		if block[1] == "text" {
			assert.Equal(t, withoutAges(block[2]), withoutAges(said))
			continue
		}
		for line := range strings.Lines(block[2]) {
			line, fails := strings.CutPrefix(strings.TrimSpace(line), "! ")
			said = guideCommand(t, s, line, fails)
			ran++
		}
	}
	assert.Greater(t, ran, 10)
}

// guideCommand runs a command of the guide in a checkout of the library, as a reader would, and returns its output.
func guideCommand(t *testing.T, s *server, line string, fails bool) string {
	t.Helper()
	line = strings.ReplaceAll(line, guideServer, strings.TrimSuffix(s.url, "/platform"))
	if url, ok := strings.CutPrefix(line, "curl "); ok {
		answer, err := http.Get(url)
		require.NoError(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, "%s\n%s", line, body)
		return string(body)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = os.Environ()
	if strings.HasPrefix(line, "kubectl ") {
		cmd.Env = []string{"HOME=" + s.home, "KUBECONFIG=" + filepath.Join(s.home, "guide"), "PATH=" + s.home + ":" + os.Getenv("PATH")}
	}
	out, err := cmd.CombinedOutput()
	require.Equal(t, fails, err != nil, "%s\n%s", line, out)
	return string(out)
}

// withoutAges returns a text as words, with one word for every age.
func withoutAges(text string) []string {
	words := strings.Fields(text)
	for i, w := range words {
		if regexp.MustCompile(`^[0-9]+(ms|s|m)$`).MatchString(w) {
			words[i] = "AGE"
		}
	}
	return words
}
