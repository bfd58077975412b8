package pagetest

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

// listens is where the programs of the documentation listen, according to its pages.
const listens = "http://127.0.0.1:8080"

// Page is a page of the documentation, and what its commands need.
type Page struct {
	Root    string   // the checkout, relative to the working directory
	File    string   // the name of the page in docs
	Kubectl string   // the path of kubectl
	Program string   // the path of the program that serves what the page is about
	Args    []string // the arguments of the program, without its address
	// Replaced alternates texts of the page and their replacements in the test.
	Replaced []string
}

var block = regexp.MustCompile("(?s)(?:<!-- ([^>]*) -->\n)?```(sh|text)\n(.*?)```")

// Run runs the commands of the page in their order, and returns how many there are: each block of type sh, unless the
// line above it says that it is not run, or that another test runs it. A block of type text must equal the output of
// the last command before it. A command after an exclamation mark must fail.
func (p Page) Run(t *testing.T) (ran int) {
	t.Helper()
	url := Start(t, []string{"ready"}, p.Program, append([]string{"--listen", "127.0.0.1:0"}, p.Args...)...)[0]
	home := t.TempDir()
	kubectl, err := filepath.Abs(p.Kubectl)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(kubectl, filepath.Join(home, "kubectl")))
	text, err := os.ReadFile(filepath.Join(p.Root, "docs", p.File))
	require.NoError(t, err)
	var said string
	whole := strings.HasPrefix(string(text), "<!-- run by ")
	for _, found := range block.FindAllStringSubmatch(strings.NewReplacer(p.Replaced...).Replace(string(text)), -1) {
		mark, kind, lines := found[1], found[2], found[3]
		switch {
		case kind == "text" && said == "":
			continue // it is the output of a command that does not run here
		case kind == "text":
			assert.Equal(t, withoutAges(lines), withoutAges(said))
			continue
		case mark == "" && !whole, mark != "" && !strings.HasSuffix(mark, " "+t.Name()):
			said = ""
			continue
		}
		for line := range strings.Lines(lines) {
			line, fails := strings.CutPrefix(strings.TrimSpace(line), "! ")
			line = strings.ReplaceAll(line, listens, strings.TrimSuffix(url, "/platform"))
			said = p.command(t, home, line, fails)
			ran++
		}
	}
	return ran
}

// command runs a command in the checkout, as a reader would, and returns its output.
func (p Page) command(t *testing.T, home, line string, fails bool) string {
	t.Helper()
	if url, ok := strings.CutPrefix(line, "curl http"); ok { // such a command does not need curl on the machine
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
	cmd.Dir = p.Root
	cmd.Env = os.Environ()
	if strings.HasPrefix(line, "kubectl ") {
		cmd.Env = []string{"HOME=" + home, "KUBECONFIG=" + filepath.Join(home, "guide"),
			"PATH=" + home + ":" + os.Getenv("PATH")}
	}
	out, err := cmd.CombinedOutput()
	require.Equal(t, fails, err != nil, "%s\n%s", line, out)
	return string(out)
}

// withoutAges returns a text as words, with one word for every age.
func withoutAges(text string) []string {
	words := strings.Fields(text)
	for i, w := range words {
		if age.MatchString(w) {
			words[i] = "AGE"
		}
	}
	return words
}

var age = regexp.MustCompile(`^[0-9]+(ms|s|m)$`)
