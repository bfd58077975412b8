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

// pageServer is where the programs of the documentation listen, according to its pages.
const pageServer = "http://127.0.0.1:8080"

// The tests run the commands of a page in their order. They run each block of type sh. A block of type text must equal the
// output of the last command before it. A command after an exclamation mark must fail.

func TestGuide(t *testing.T) {
	assert.Greater(t, runPage(t, "guide.md", host{program: "platform"}), 10)
}

func TestHTTPPage(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		// make test requires Go, make and a C compiler only. CI has curl.
		t.Skip("NOT RUN: the page needs curl; on Debian: apt-get install curl")
	}
	assert.Equal(t, 12, runPage(t, "http.md", host{program: "quickstart"}))
}

func TestRuntimeKindsPage(t *testing.T) {
	assert.Greater(t, runPage(t, "runtime-kinds.md", host{program: "quickstart", args: []string{"--crds"}}), 6)
}

func TestTeamsPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "teams")
	assert.Greater(t, runPage(t, "teams.md", host{program: "teams", args: []string{"--dir", dir}}, "/tmp/teams", dir), 20)
}

// runPage runs the commands of a page of the documentation against a host, and returns how many there are. replaced alternates texts of the
// page and what stands in their place in the test.
func runPage(t *testing.T, page string, h host, replaced ...string) (ran int) {
	t.Helper()
	s := startServer(t, h, newest())
	require.NoError(t, os.Symlink(s.kubectl.program, filepath.Join(s.home, "kubectl")))
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	require.NoError(t, err)
	var said string
	for _, block := range regexp.MustCompile("(?s)```(sh|text)\n(.*?)```").FindAllStringSubmatch(strings.NewReplacer(replaced...).Replace(string(text)), -1) {
		if block[1] == "text" {
			assert.Equal(t, withoutAges(block[2]), withoutAges(said))
			continue
		}
		for line := range strings.Lines(block[2]) {
			line, fails := strings.CutPrefix(strings.TrimSpace(line), "! ")
			said = pageCommand(t, s, line, fails)
			ran++
		}
	}
	return ran
}

// pageCommand runs a command of a page in a checkout of the library, as a reader would, and returns its output.
func pageCommand(t *testing.T, s *server, line string, fails bool) string {
	t.Helper()
	line = strings.ReplaceAll(line, pageServer, strings.TrimSuffix(s.url, "/platform"))
	if url, ok := strings.CutPrefix(line, "curl http"); ok { // a page that needs no more of curl than this runs without it
		url = "http" + url
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
