package pages_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/test/pagetest"
)

const root = "../../.."

// programs is the folder of the programs that TestMain builds.
var programs string

// kubectl is the path of a kubectl, or "" if there is none.
var kubectl string

// TestMain looks for a kubectl: the one that the stage e2e has kept, because it is of the release that the library
// follows, or the one in the path.
func TestMain(m *testing.M) {
	if kept, _ := filepath.Glob(filepath.Join(root, ".cache", "kubectl-v*")); len(kept) > 0 {
		kubectl = kept[len(kept)-1]
	} else if found, err := exec.LookPath("kubectl"); err == nil {
		kubectl = found
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	if kubectl != "" {
		dir, err := os.MkdirTemp("", "decorum-pages-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		programs = dir
		for _, example := range []string{"quickstart", "platform", "platform/teams"} {
			if err := pagetest.Build(filepath.Join(dir, filepath.Base(example)), root, "./examples/"+example); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	return m.Run()
}

// page runs the commands of a page against a program.
func page(t *testing.T, file, program string, args []string, replaced ...string) int {
	t.Helper()
	if kubectl == "" { // a contributor needs Go and make only; the stage e2e builds a kubectl, and CI runs it
		t.Skip("NOT RUN: install kubectl, or run make e2e once: it builds a kubectl and keeps it in .cache")
	}
	return pagetest.Page{Root: root, File: file, Kubectl: kubectl, Program: filepath.Join(programs, program), Args: args,
		Replaced: replaced}.Run(t)
}

func TestReadme(t *testing.T) {
	assert.Equal(t, 4, page(t, "../README.md", "quickstart", []string{"--crds"}))
}

func TestGuide(t *testing.T) {
	assert.Greater(t, page(t, "guide.md", "platform", nil), 10)
}

func TestHTTPPage(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil { // a contributor needs Go and make only; CI installs curl
		t.Skip("NOT RUN: the page needs curl; on Debian: apt-get install curl")
	}
	assert.Equal(t, 12, page(t, "http.md", "quickstart", nil))
}

func TestRuntimeKindsPage(t *testing.T) {
	assert.Greater(t, page(t, "runtime-kinds.md", "quickstart", []string{"--crds"}), 6)
}

func TestTeamsPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "teams")
	assert.Greater(t, page(t, "teams.md", "teams", []string{"--dir", dir}, "/tmp/teams", dir), 20)
}

func TestTenantsPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "teams")
	assert.Equal(t, 8, page(t, "path-tenants.md", "teams", []string{"--dir", dir}, "/tmp/teams", dir))
}
