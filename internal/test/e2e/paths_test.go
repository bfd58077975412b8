package e2e_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/pagetest"
)

// Package internal/test/pages tests the pages whose programs need no module of Kubernetes and no Postgres.

func TestControllerPath(t *testing.T) {
	buildIn(t, "examples/controller", ".")
	assert.Equal(t, 8, page("path-controller.md", "controller").Run(t))
}

func TestServicePath(t *testing.T) {
	buildIn(t, "storage/postgres", "./postgrestest/cmd/postgres")
	buildIn(t, "examples/billing", ".")
	assert.Equal(t, 6, page("path-service.md", "billing", "--postgres", startPostgres(t)).Run(t))
}

func page(file, program string, args ...string) pagetest.Page {
	return pagetest.Page{Root: filepath.Join("..", "..", ".."), File: file, Kubectl: newest().program,
		Program: filepath.Join(programs, program), Args: args}
}

// buildIn builds a program of another module of the repository into the directory of the programs.
func buildIn(t *testing.T, module, pkg string) {
	t.Helper()
	program := filepath.Base(filepath.Join(module, pkg))
	require.NoError(t, pagetest.Build(filepath.Join(programs, program), filepath.Join("..", "..", "..", module), pkg))
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
			t.Skip(stderr.String()) // Postgres is not installed, and the text says how to install it; CI installs it
		}
		require.Fail(t, "Postgres does not start", stderr.String())
	}
	t.Cleanup(func() {
		assert.NoError(t, stdin.Close())
		assert.NoError(t, cmd.Wait())
	})
	return url
}
