package storagetest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
)

// Insist repeats an operation that failed because the authority of a replica did not answer in time. Any other error
// fails the test.
func Insist(t testing.TB, operation func() error) {
	t.Helper()
	err := operation()
	for errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrUnknown) {
		t.Log(err)
		require.NoError(t, t.Context().Err(), "%v", err)
		err = operation()
	}
	require.NoError(t, err)
}

// Exceeded reports whether a write has exceeded a limit (see [storage.Exceeded]). Any other error fails the test.
func Exceeded(t testing.TB, err error) bool {
	t.Helper()
	if err == nil {
		return false
	}
	_, exceeded := errors.AsType[*storage.Exceeded](err)
	assert.True(t, exceeded, err) // not require, because writers are goroutines
	return exceeded
}

// RunAgain runs the test program once more, with a further environment variable such as "VICTIM=3", and returns what it
// prints. The TestMain of the program tells by the variable that it is not to run tests, but to do what [Subject.Kill]
// asks for.
func RunAgain(t testing.TB, variable string) []byte {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	process := exec.Command(program)
	process.Stdout, process.Stderr = &stdout, &stderr
	process.Env = append(os.Environ(), variable)
	require.NoError(t, process.Run(), stderr.String())
	return stdout.Bytes()
}
