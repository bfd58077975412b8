package tools_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nodeForClient is the release of Node.js that clientNode needs.
const nodeForClient = 22

// The client of Kubernetes for Node.js creates, lists, patches, applies, watches and deletes objects, and follows them
// with an informer.
func TestClientNode(t *testing.T) {
	dir := npm(t, clientNode)
	program := installedNode(t)
	if program == "" {
		if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
			// This release of the client does not run with an older Node.js, and npm has a newer one for Linux on amd64 only.
			t.Skipf("NOT RUN: install Node.js %d or newer", nodeForClient)
		}
		program = filepath.Join(npm(t, node), "node_modules", node.module, "bin/node")
	}
	for _, run := range []struct{ name, script, argument string }{
		{"plain host", "host.mjs", quickstart(t)},
		{"kubeapi", "cluster.mjs", kubeapi(t)},
	} {
		t.Run(run.name, func(t *testing.T) {
			write(t, dir, run.script, read(t, "testdata/"+run.script))
			assert.Equal(t, "passed\n", command{dir: dir}.run(t, program, run.script, run.argument))
		})
	}
}

// installedNode is the path of the installed Node.js, or "" if it is older than clientNode needs.
func installedNode(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		return ""
	}
	version := command{}.run(t, path, "--version")
	major, err := strconv.Atoi(strings.SplitN(strings.TrimPrefix(version, "v"), ".", 2)[0])
	require.NoError(t, err, version)
	if major <= nodeForClient { // early releases of this major are too old as well
		return ""
	}
	return path
}
