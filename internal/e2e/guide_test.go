package e2e_test

import (
	"bufio"
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

// The tests run the commands of a page in their order: each block of type sh, unless the line above it says that it is
// not run, or that another test runs it. A block of type text must equal the output of the last command before it. A
// command after an exclamation mark must fail.

func TestReadme(t *testing.T) {
	assert.Equal(t, 4, runPage(t, "../README.md", host{program: "quickstart", args: []string{"--crds"}}))
}

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

func TestControllerPath(t *testing.T) {
	buildIn(t, "examples/controller", ".")
	assert.Equal(t, 8, runPage(t, "path-controller.md", host{program: "controller"}))
}

func TestTenantsPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "teams")
	assert.Equal(t, 8, runPage(t, "path-tenants.md", host{program: "teams", args: []string{"--dir", dir}}, "/tmp/teams",
		dir))
}

func TestServicePath(t *testing.T) {
	buildIn(t, "storage/postgres", "./postgrestest/cmd/postgres")
	buildIn(t, "examples/billing", ".")
	assert.Equal(t, 6, runPage(t, "path-service.md",
		host{program: "billing", args: []string{"--postgres", startPostgres(t)}}))
}

// buildIn builds a program of another module of the repository into the directory of the programs.
func buildIn(t *testing.T, module, pkg string) {
	t.Helper()
	program := filepath.Base(filepath.Join(module, pkg))
	require.NoError(t, build(filepath.Join(programs, program), filepath.Join("..", "..", module), pkg))
}

// startPostgres starts an empty Postgres that ends with the test, and returns its URL. The test is skipped where
// Postgres is not installed.
func startPostgres(t *testing.T) string {
	t.Helper()
	const notInstalled = 3                                   // the status of the program
	cmd := exec.Command(filepath.Join(programs, "postgres")) // it ends with its standard input, after the program that uses it
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	url, ready := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ready {
		_ = cmd.Wait()
		if cmd.ProcessState.ExitCode() == notInstalled {
			t.Skip(stderr.String()) // it says what to install; CI installs Postgres
		}
		require.Fail(t, "Postgres does not start", stderr.String())
	}
	t.Cleanup(func() {
		assert.NoError(t, stdin.Close())
		assert.NoError(t, cmd.Wait())
	})
	return url
}

// runPage runs the commands of a page of the documentation against a host, and returns how many there are. replaced
// alternates texts of the page and what stands in their place in the test.
func runPage(t *testing.T, page string, h host, replaced ...string) (ran int) {
	t.Helper()
	s := startServer(t, h, newest())
	require.NoError(t, os.Symlink(s.kubectl.program, filepath.Join(s.home, "kubectl")))
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	require.NoError(t, err)
	var said string
	whole := strings.HasPrefix(string(text), "<!-- run by ")
	blocks := regexp.MustCompile("(?s)(?:<!-- ([^>]*) -->\n)?```(sh|text)\n(.*?)```")
	for _, block := range blocks.FindAllStringSubmatch(strings.NewReplacer(replaced...).Replace(string(text)), -1) {
		mark, kind, lines := block[1], block[2], block[3]
		switch {
		case kind == "text" && said == "":
			continue // the output of a command that is not run here
		case kind == "text":
			assert.Equal(t, withoutAges(lines), withoutAges(said))
			continue
		case mark == "" && !whole, mark != "" && !strings.HasSuffix(mark, " "+t.Name()):
			said = ""
			continue
		}
		for line := range strings.Lines(lines) {
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
		cmd.Env = []string{"HOME=" + s.home, "KUBECONFIG=" + filepath.Join(s.home, "guide"),
			"PATH=" + s.home + ":" + os.Getenv("PATH")}
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
