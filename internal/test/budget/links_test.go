package budget_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a host may pay for embedding the library, beyond the standard library
// and the library itself. Raising a limit is a decision to write down in
// docs/decisions, with what the host gets for it.
const (
	maxPackages = 60
	maxModules  = 16
	maxBytes    = 127 << 20 / 10 // 12.7 MiB, stripped executable, linux/amd64
)

const (
	core = "github.com/decorum-go/decorum"
	host = "./testdata/host"
)

// A host links few packages of few modules.
func TestHostLinksFewPackages(t *testing.T) {
	modules := map[string]int{}
	packages := 0
	for _, line := range goLines(t, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{.Module.Path}}{{end}}",
		host) {
		_, module, _ := strings.Cut(line, " ")
		if module == core {
			continue
		}
		packages++
		modules[module]++
	}
	t.Logf("a host links %d packages (limit %d) of %d modules (limit %d) beyond std and Decorum", packages, maxPackages,
		len(modules), maxModules)
	for module, n := range modules {
		t.Logf("  %3d  %s", n, module)
	}
	assert.LessOrEqual(t, packages, maxPackages, "packages beyond std and Decorum")
	assert.LessOrEqual(t, len(modules), maxModules, "modules beyond Decorum")
	assert.NotEmpty(t, modules, "the listing found no dependency at all, so it proves nothing")
}

// A host stays a small executable.
func TestHostIsSmall(t *testing.T) {
	target := filepath.Join(t.TempDir(), "host")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", target, host)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	info, err := os.Stat(target)
	require.NoError(t, err)
	t.Logf("a stripped host has %.2f MiB (limit %.1f MiB), built with %s", megabytes(info.Size()), megabytes(maxBytes),
		runtime.Version())
	assert.LessOrEqual(t, info.Size(), int64(maxBytes), "bytes of the stripped executable")
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

// goLines runs the go command and returns its output by line, without empty ones.
func goLines(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
