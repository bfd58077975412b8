// Package pagetest builds and runs programs as a reader of the documentation would, and runs the commands of its pages
// against them.
package pagetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
)

// Patience bounds every command, so that a hang fails the test that caused it.
const Patience = hangtest.Deadline

// Build builds a package of a module into a program. The folder of the module is relative to the working directory.
func Build(program, module, pkg string, flags ...string) error {
	args := append([]string{"build", "-o", program}, flags...)
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s in %s: %w\n%s", pkg, module, err, out)
	}
	return nil
}

// Start runs a program until the test ends, and returns the values of its first lines. The program must print a line
// for each of the keys: the key, a space and the value. At the end of the test, Start interrupts the program, which
// must exit without an error.
func Start(t *testing.T, keys []string, program string, args ...string) (values []string) {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = Patience
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	lines := bufio.NewReader(stdout)
	var first []string
	for range keys {
		line, _ := lines.ReadString('\n') // a program that ends prints fewer lines
		first = append(first, strings.TrimSpace(line))
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(io.Discard, lines)
	}()
	t.Cleanup(func() {
		interrupt()
		<-drained
		// If an interrupted program exits with status 0, Wait returns the context's error.
		if err := cmd.Wait(); err != nil {
			assert.ErrorIs(t, err, context.Canceled)
		}
		assert.Equal(t, 0, cmd.ProcessState.ExitCode(), "%s ends cleanly when interrupted: %s", program, cmd.ProcessState)
	})
	for i, key := range keys {
		value, ok := strings.CutPrefix(first[i], key+" ")
		require.True(t, ok, "line %d of %s is %q", i+1, program, first[i])
		values = append(values, value)
	}
	return values
}
