// Package programtest runs the example programs in their tests.
package programtest

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Start runs a program on a free port, with more arguments, and returns the URL that it prints when it is ready. The
// program ends with the test, or when end is called.
func Start(t *testing.T, run func(ctx context.Context, args []string, stdout io.Writer) error,
	args ...string) (url string, end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"--listen", "127.0.0.1:0"}, args...), in)
		in.CloseWithError(err)
		ended <- err
	}()
	end = sync.OnceFunc(func() {
		stop()
		assert.NoError(t, <-ended, "the program ends without an error")
	})
	t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	go io.Copy(io.Discard, out)
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	require.True(t, ok, line)
	return url, end
}
