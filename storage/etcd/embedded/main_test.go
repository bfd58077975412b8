package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/internal/test/loopback"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
	"github.com/decorum-go/decorum/storage/storagetest"
)

const notes = "notes.example.com"

var noteResource = storage.Resource{Name: notes, Namespaced: true, Extract: storage.NewExtractor(), Fingerprint: "1"}

func note(name string) storage.Key {
	return storage.Key{Resource: notes, Namespace: "default", Name: name}
}

// put writes a note. It retries, because a cluster has no leader for a moment after a change.
func put(t testing.TB, store storage.Store, name, text string) (r *storage.Record) {
	t.Helper()
	storagetest.Insist(t, func() (err error) {
		r, err = write(t.Context(), store, name, text)
		return err
	})
	return r
}

func write(ctx context.Context, store storage.Store, name, text string) (*storage.Record, error) {
	json := fmt.Appendf(nil, `{"kind":"Note","metadata":{"name":%q,"namespace":"default","resourceVersion":""},"text":%q}`,
		name, text)
	return store.Update(ctx, note(name), func(*storage.Record) ([]byte, error) { return json, nil })
}

// read returns the most recent note.
func read(t testing.TB, store storage.Store, name string) (r *storage.Record) {
	t.Helper()
	storagetest.Insist(t, func() (err error) {
		r, err = store.Get(t.Context(), note(name), storage.MostRecent)
		return err
	})
	return r
}

// process represents one process of a host. Its member runs in the process of the test.
type process struct {
	testing.TB
	options embedded.Options
	store   *embedded.Store
}

// open opens the store of a process.
func (p *process) open() error {
	ctx, cancel := context.WithTimeout(p.Context(), hangtest.Deadline)
	defer cancel()
	store, err := embedded.Open(ctx, p.options)
	if err != nil {
		return err
	}
	p.store = store
	err = store.Register(ctx, noteResource)
	for errors.Is(err, storage.ErrUnavailable) && ctx.Err() == nil { // the leader may change
		err = store.Register(ctx, noteResource)
	}
	return err
}

func (p *process) mustOpen() {
	p.Helper()
	require.NoError(p, p.open())
}

func (p *process) close() {
	p.Helper()
	if p.store != nil {
		assert.NoError(p, p.store.Close())
		p.store = nil
	}
}

// unsynced makes a member of a test faster, because the member does not sync its files.
func unsynced(config *embed.Config) {
	config.UnsafeNoFsync = true
}

// processes returns processes that name each other as peers, with an authority.
func processes(t testing.TB, count int) []*process {
	t.Helper()
	authority := filepath.Join(t.TempDir(), "authority.pem")
	text, err := embedded.MakeAuthority()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(authority, text, 0o600))
	var all []*process
	var addresses []string
	for range count {
		peer, err := loopback.Reserve()
		require.NoError(t, err)
		operations, err := loopback.Reserve()
		require.NoError(t, err)
		addresses = append(addresses, peer)
		all = append(all, &process{TB: t, options: embedded.Options{
			Dir: t.TempDir(), Self: peer, Operations: operations, Authority: authority, Configure: unsynced,
			Logger: slog.New(slog.DiscardHandler),
			Store: etcd.Options{Timeout: time.Minute,
				Engine: storage.Options{Logger: slog.New(slog.DiscardHandler)}},
		}})
	}
	for _, p := range all {
		p.options.Peers = strings.Join(addresses, ",")
		t.Cleanup(p.close)
	}
	return all
}

// openAll opens the stores of all processes at the same time.
func openAll(t testing.TB, all []*process) {
	t.Helper()
	opened := make(chan error, len(all))
	for _, p := range all {
		go func() { opened <- p.open() }()
	}
	for range all {
		require.NoError(t, <-opened)
	}
}

// alone returns a process without peers.
func alone(t testing.TB) *process {
	t.Helper()
	p := &process{TB: t, options: embedded.Options{Dir: t.TempDir(), Configure: unsynced, Logger: slog.New(slog.DiscardHandler),
		Store: etcd.Options{Timeout: time.Minute, Engine: storage.Options{Logger: slog.New(slog.DiscardHandler)}}}}
	t.Cleanup(p.close)
	return p
}

// cluster returns the operations of a cluster, as an operator sees them on a machine with the authority.
func cluster(t testing.TB, p *process) *embedded.Cluster {
	t.Helper()
	c, err := embedded.Connect(t.Context(), embedded.Options{Peers: p.options.Peers, Authority: p.options.Authority})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// members returns the addresses of the members, separated into voters and learners.
func members(t testing.TB, c *embedded.Cluster) (voters, learners []string) {
	t.Helper()
	all, err := c.Members(t.Context())
	require.NoError(t, err)
	for _, m := range all {
		if m.Learner {
			learners = append(learners, m.Address)
		} else {
			voters = append(voters, m.Address)
		}
	}
	return voters, learners
}
