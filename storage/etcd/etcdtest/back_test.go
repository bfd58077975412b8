package etcdtest_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// texts returns the texts of all notes, by name.
func texts(t *testing.T, store storage.Store, revision watch.Revision) map[string]string {
	t.Helper()
	all := map[string]string{}
	storagetest.Insist(t, func() error {
		page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}, Revision: revision}, nil)
		for _, r := range page.Records {
			all[r.Key.Name] = textOf(r)
		}
		return err
	})
	return all
}

func textOf(r *storage.Record) string {
	_, text, _ := bytes.Cut(storagetest.Text(r), []byte(`"text":"`))
	text, _, _ = bytes.Cut(text, []byte(`"`))
	return string(text)
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Replicas notice that etcd was put back to an earlier state while they run, although others have reached the same
// revisions meanwhile. All then show the same objects, no resourceVersion is used twice, and older watches end.
func TestEtcdGoesBack(t *testing.T) {
	for name, test := range map[string]struct {
		own   bool // the replica that runs has made the lost commits itself
		after int  // how many commits others make before the replica is connected again
	}{
		"nobody writes":                  {after: 0},
		"others reach the same revision": {after: 3},
		"others go beyond":               {after: 7},
		"own commits, same revision":     {own: true, after: 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cluster, err := etcdtest.Start(filepath.Join(dir, "etcd"), etcdtest.Options{})
			require.NoError(t, err)
			defer cluster.Stop()
			writer := serving(t, etcd.Options{Client: connect(t, cluster)})
			_, err = put(t.Context(), writer, "kept", "kept")
			require.NoError(t, err)
			require.NoError(t, cluster.Kill(0))
			require.NoError(t, os.CopyFS(filepath.Join(dir, "saved"), os.DirFS(filepath.Join(dir, "etcd"))))
			require.NoError(t, cluster.Restart(0))

			var log lines
			cable := &network{}
			runs := serving(t, etcd.Options{Config: cable.config(cluster),
				Engine: storage.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}})
			author := writer
			if test.own {
				author = runs
			}
			var lost watch.Revision
			for i := range 3 {
				storagetest.Insist(t, func() error {
					r, err := put(t.Context(), author, fmt.Sprint("old", i), "lost")
					if err == nil {
						lost = r.Revision
					}
					return err
				})
			}
			require.Len(t, texts(t, runs, storage.MostRecent), 4)
			cursor, err := runs.Watch(t.Context(), watch.Key{Resource: notes}, lost)
			require.NoError(t, err)
			defer cursor.Close()
			require.NoError(t, writer.Close())

			cable.set(true)
			require.NoError(t, cluster.Kill(0))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "etcd")))
			require.NoError(t, os.CopyFS(filepath.Join(dir, "etcd"), os.DirFS(filepath.Join(dir, "saved"))))
			require.NoError(t, cluster.Restart(0))
			other := serving(t, etcd.Options{Client: connect(t, cluster)})
			want := map[string]string{"kept": "kept"}
			for i := range test.after {
				name := fmt.Sprint("new", i)
				_, err := put(t.Context(), other, name, "new")
				require.NoError(t, err)
				want[name] = "new"
			}
			cable.set(false)

			bounded, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for watching := true; watching; {
				_, err = cursor.Next(bounded, nil)
				watching = err == nil
			}
			assert.True(t, status.IsExpired(err), "%v", err)
			assert.Equal(t, want, texts(t, runs, storage.MostRecent))
			assert.Equal(t, want, texts(t, other, storage.MostRecent))
			storagetest.Insist(t, runs.Ready)
			assert.Contains(t, log.String(), "etcd has gone back to an earlier state")
			var written *storage.Record
			storagetest.Insist(t, func() (err error) {
				written, err = put(t.Context(), other, "kept", "changed")
				return err
			})
			assert.Greater(t, written.Revision, lost)
			found, err := runs.Get(t.Context(), note("kept"), storage.MostRecent)
			require.NoError(t, err)
			assert.Equal(t, written, found, "both have the same resourceVersions")
			storagetest.Insist(t, func() (err error) {
				written, err = put(t.Context(), runs, "kept", "changed again")
				return err
			})
			later := serving(t, etcd.Options{Client: connect(t, cluster)})
			found, err = later.Get(t.Context(), note("kept"), storage.MostRecent)
			require.NoError(t, err)
			assert.Equal(t, written, found)
			_, err = later.Watch(t.Context(), watch.Key{Resource: notes}, lost)
			assert.True(t, status.IsExpired(err), "%v", err)
		})
	}
}

// A replica that had seen a later epoch notices that etcd has gone back to a state before it, although nobody has
// written since.
func TestEtcdGoesBackTwice(t *testing.T) {
	dir := t.TempDir()
	cluster, err := etcdtest.Start(filepath.Join(dir, "etcd"), etcdtest.Options{})
	require.NoError(t, err)
	defer cluster.Stop()
	cable := &network{}
	runs := serving(t, etcd.Options{Config: cable.config(cluster),
		Engine: storage.Options{Logger: slog.New(slog.DiscardHandler)}})
	_, err = put(t.Context(), runs, "kept", "kept")
	require.NoError(t, err)
	require.NoError(t, cluster.Kill(0))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "saved"), os.DirFS(filepath.Join(dir, "etcd"))))
	require.NoError(t, cluster.Restart(0))
	storagetest.Insist(t, func() error { _, err := put(t.Context(), runs, "lost", "lost"); return err })

	for range 2 {
		page, err := runs.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}, Revision: storage.Any}, nil)
		require.NoError(t, err)
		cursor, err := runs.Watch(t.Context(), watch.Key{Resource: notes}, page.Revision)
		require.NoError(t, err)
		cable.set(true)
		require.NoError(t, cluster.Kill(0))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "etcd")))
		require.NoError(t, os.CopyFS(filepath.Join(dir, "etcd"), os.DirFS(filepath.Join(dir, "saved"))))
		require.NoError(t, cluster.Restart(0))
		cable.set(false)
		bounded, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err = cursor.Next(bounded, nil)
		cancel()
		cursor.Close()
		require.True(t, status.IsExpired(err), "%v", err)
		require.Equal(t, map[string]string{"kept": "kept"}, texts(t, runs, storage.MostRecent))
		storagetest.Insist(t, runs.Ready)
	}
}

// Between the connection and the recognition of etcd, a replica writes nothing: others may have given a revision that
// it compares to another commit.
func TestUnrecognizedEtcdGetsNoWrites(t *testing.T) {
	dir := t.TempDir()
	cluster, err := etcdtest.Start(filepath.Join(dir, "etcd"), etcdtest.Options{})
	require.NoError(t, err)
	defer cluster.Stop()
	closed, stopReading := context.WithCancel(t.Context())
	opened := make(chan struct{})
	reads := func(ctx context.Context, method string, in, out any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
		opts ...grpc.CallOption) error {
		switch {
		case !strings.HasSuffix(method, "/Range"):
		case closed.Err() == nil:
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(closed, cancel)()
		default:
			select {
			case <-opened:
			case <-ctx.Done():
			}
		}
		return invoke(ctx, method, in, out, conn, opts...)
	}
	cable := &network{}
	config := cable.config(cluster)
	config.DialOptions = append(config.DialOptions, grpc.WithChainUnaryInterceptor(reads))
	runs := serving(t, etcd.Options{Config: config, Engine: storage.Options{Logger: slog.New(slog.DiscardHandler)}})
	// write gives up after a moment. A write that must succeed is repeated, and the others fail however busy the machine is.
	write := func(text string) (*storage.Record, error) {
		bounded, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		return put(bounded, runs, "kept", text)
	}
	storagetest.Insist(t, func() error { _, err := write("kept"); return err })
	require.NoError(t, cluster.Kill(0))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "saved"), os.DirFS(filepath.Join(dir, "etcd"))))
	require.NoError(t, cluster.Restart(0))
	var lost *storage.Record
	for i := range 3 {
		storagetest.Insist(t, func() error { lost, err = write(fmt.Sprint("lost", i)); return err })
	}

	cable.set(true)
	require.NoError(t, cluster.Kill(0))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "etcd")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "etcd"), os.DirFS(filepath.Join(dir, "saved"))))
	require.NoError(t, cluster.Restart(0))
	other := serving(t, etcd.Options{Client: connect(t, cluster)})
	var written *storage.Record
	for n := 0; written == nil || written.Revision < lost.Revision; n++ {
		written, err = put(t.Context(), other, "kept", fmt.Sprint("new", n))
		require.NoError(t, err)
	}
	require.Equal(t, lost.Revision, written.Revision)

	stopReading()
	cable.set(false)
	for i := range 5 {
		_, err := write(fmt.Sprint("overwritten", i))
		assert.Error(t, err)
	}
	close(opened)
	storagetest.Insist(t, runs.Ready)
	found, err := other.Get(t.Context(), note("kept"), storage.MostRecent)
	require.NoError(t, err)
	assert.Equal(t, textOf(written), textOf(found))
}
