package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/storagetest"
)

const (
	childPath = "DECORUM_BOLT_CHILD" // the file that a child process writes until it dies
	childEnd  = "DECORUM_BOLT_END"   // the number of the commit at which it dies
	childCold = "DECORUM_BOLT_COLD"  // not empty: no text stays in memory
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		child(path)
	}
	os.Exit(m.Run())
}

// child writes until it kills itself before, during or after the commit with the given number.
func child(path string) {
	end, _ := strconv.Atoi(os.Getenv(childEnd))
	die := func() {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
	commits := 0
	before := func() error {
		switch {
		case commits != end:
		case end%3 == 0:
			die()
		case end%3 == 2:
			time.AfterFunc(rand.N(time.Millisecond), die)
		}
		return nil
	}
	after := func() error {
		if commits >= end {
			die()
		}
		commits++
		return nil
	}
	opts := bolt.Options{Path: path}
	if os.Getenv(childCold) != "" {
		opts.TextBytes = 1
	}
	store, err := bolt.OpenHooked(context.Background(), opts, before, after)
	if err == nil {
		err = storagetest.Work(context.Background(), store, os.Stdout)
	}
	os.Stderr.WriteString(err.Error())
	os.Exit(1)
}

// open opens a store. The test must close it.
func open(t *testing.T, opts bolt.Options) *bolt.Store {
	t.Helper()
	store, err := bolt.Open(t.Context(), opts)
	require.NoError(t, err)
	return store
}

// subject makes stores in new files. It sets the Path of opts.
func subject(opts bolt.Options) storagetest.Subject {
	at := func(path string) bolt.Options {
		opts := opts
		opts.Path = path
		return opts
	}
	failing := map[storage.Store]*atomic.Int64{}
	reopen := func(t *testing.T, store storage.Store) storage.Store {
		require.NoError(t, store.Close())
		return open(t, at(store.(*bolt.Store).Stats().Path))
	}
	return storagetest.Subject{
		New: func(t *testing.T) storage.Store {
			left := &atomic.Int64{}
			left.Store(-1)
			fail := func() error {
				switch n := left.Load(); {
				case n == 0:
					return errors.New("the disk is broken")
				case n > 0:
					left.Add(-1)
				}
				return nil
			}
			store, err := bolt.OpenHooked(t.Context(), at(filepath.Join(t.TempDir(), "objects.db")), fail,
				func() error { return nil })
			require.NoError(t, err)
			failing[store] = left
			return store
		},
		Reopen: reopen,
		Fail:   func(_ *testing.T, store storage.Store, n int) { failing[store].Store(int64(n)) },
		Kill: func(t *testing.T, n int) ([]byte, storage.Store) {
			path := filepath.Join(t.TempDir(), "objects.db")
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), childPath+"="+path, childEnd+"="+strconv.Itoa(n))
			if opts.TextBytes > 0 {
				cmd.Env = append(cmd.Env, childCold+"=1")
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			written, err := cmd.Output()
			require.ErrorContains(t, err, "signal: killed", "%s", &stderr)
			return written, open(t, at(path))
		},
	}
}

func TestStore(t *testing.T) {
	storagetest.Run(t, subject(bolt.Options{}))
}

// TestColdStore reads every text from the file, because no text fits into the budget.
func TestColdStore(t *testing.T) {
	storagetest.Run(t, subject(bolt.Options{TextBytes: 1, Engine: storage.Options{MaxLogBytes: 64 << 20}}))
}

func TestSealedStore(t *testing.T) {
	aead, err := bolt.NewAEAD(bolt.Key{ID: "1", Secret: make([]byte, 32)})
	require.NoError(t, err)
	sealed := subject(bolt.Options{Transformer: aead})
	sealed.Kill = nil // the child does not know the key
	storagetest.Run(t, sealed)
}
