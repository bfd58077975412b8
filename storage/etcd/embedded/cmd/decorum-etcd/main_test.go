package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/loopback"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
)

// runCommand runs a command and returns its output and its exit code.
func runCommand(t *testing.T, arguments ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), arguments, &out, &err)
	return out.String(), err.String(), code
}

// An operator makes an authority, looks at a cluster, backs it up and restores it.
func TestCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	authority, backup := filepath.Join(dir, "authority.pem"), filepath.Join(dir, "backup")
	_, stderr, code := runCommand(t, "authority", authority)
	require.Zero(t, code, stderr)
	_, stderr, code = runCommand(t, "authority", authority)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "file exists")

	peer, err := loopback.Reserve()
	require.NoError(t, err)
	operations, err := loopback.Reserve()
	require.NoError(t, err)
	flags := []string{"--peers", peer, "--authority", authority}
	command := func(name string, rest ...string) (string, string, int) {
		return runCommand(t, append(append([]string{name}, flags...), rest...)...)
	}
	_, stderr, code = command("members")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "no peer belongs to a cluster")

	opts := embedded.Options{Dir: filepath.Join(dir, "member"), Peers: peer, Operations: operations, Authority: authority,
		Logger: slog.New(slog.DiscardHandler)}
	opts.Store.Engine = storage.Options{Logger: slog.New(slog.DiscardHandler)}
	store, err := embedded.Open(t.Context(), opts)
	require.NoError(t, err)
	stdout, stderr, code := command("members")
	require.Zero(t, code, stderr)
	assert.Regexp(t, fmt.Sprintf(`(?m)^%s +%s +leader +\d+ +\d+ +ok$`, peer, operations), stdout)
	_, stderr, code = command("remove", net.JoinHostPort("127.0.0.1", "1"))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "no member has the address 127.0.0.1:1")
	for _, arguments := range [][]string{{"backup", backup}, {"defragment"}, {"reclaim"}} {
		_, stderr, code = command(arguments[0], arguments[1:]...)
		require.Zero(t, code, stderr)
	}
	id := store.ID()
	require.NoError(t, store.Close())

	opts.Dir = filepath.Join(dir, "restored")
	_, stderr, code = command("restore", "--dir", opts.Dir, backup)
	require.Zero(t, code, stderr)
	_, stderr, code = command("restore", "--dir", opts.Dir, backup)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "has a member already")
	store, err = embedded.Open(t.Context(), opts)
	require.NoError(t, err)
	assert.Equal(t, id, store.ID())
	require.NoError(t, store.Close())
}

func TestWrongArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{nil, {"x"}, {"members", "x"}, {"backup"}, {"backup", "a", "b"}, {"members", "--x"}} {
		_, stderr, code := runCommand(t, arguments...)
		assert.Equal(t, 2, code, arguments)
		assert.NotEmpty(t, stderr)
	}
}
