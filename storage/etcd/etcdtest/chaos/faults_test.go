package chaos_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
)

// fleet is a cluster of etcd with replicas.
type fleet struct {
	testing.TB
	cluster  *etcdtest.Cluster
	client   *clientv3.Client // reaches the members without links
	replicas []*replica
	acked    []string // the names of the registers whose creation was acknowledged
}

func newFleet(t testing.TB, replicas int, opts etcdtest.Options) *fleet {
	t.Helper()
	cluster, err := etcdtest.Start(t.TempDir(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, cluster.Stop()) })
	client, err := clientv3.New(clientv3.Config{Endpoints: cluster.Endpoints(), Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	f := &fleet{TB: t, cluster: cluster, client: client}
	for range replicas {
		f.replicas = append(f.replicas, newReplica(t, cluster, ""))
	}
	return f
}

// leader returns the number of the member that leads.
func (f *fleet) leader() int {
	f.Helper()
	for f.Context().Err() == nil {
		for i, endpoint := range f.client.Endpoints() {
			ctx, cancel := context.WithTimeout(f.Context(), attempt)
			s, err := f.client.Status(ctx, endpoint)
			cancel()
			if err == nil && s.Leader != 0 && s.Leader == s.Header.MemberId {
				return i
			}
		}
	}
	require.Fail(f, "etcd has no leader")
	return 0
}

// create creates a register through a replica, and insists.
func (f *fleet) create(replica int, name string) {
	f.Helper()
	require.NoError(f, create(f.Context(), f.replicas[replica].url, name, name))
	f.acked = append(f.acked, name)
}

// until sends a GET to a replica until the answer has one of the codes.
func (f *fleet) until(replica int, path string, codes ...int) answer {
	f.Helper()
	for {
		a := send(f.Context(), http.MethodGet, f.replicas[replica].url+path, nil)
		if slices.Contains(codes, a.code) {
			return a
		}
		require.NoError(f, f.Context().Err(), "%s: %d %s", path, a.code, a.body)
	}
}

// complete requires that every replica lists all acknowledged registers.
func (f *fleet) complete() {
	f.Helper()
	for i := range f.replicas {
		var names []string
		for _, r := range f.until(i, path, http.StatusOK).list().Items {
			names = append(names, r.Name)
		}
		assert.Subset(f, names, f.acked, "replica %d", i)
		f.until(i, "/readyz", http.StatusOK)
	}
}

// unavailable requires that a replica answers neither reads of the most recent state nor writes, but reads of any
// state.
func (f *fleet) unavailable(replica int) {
	f.Helper()
	url := f.replicas[replica].url
	var asking sync.WaitGroup
	for _, request := range []struct {
		method, path string
		body         any
	}{
		{http.MethodGet, path, nil},
		{http.MethodGet, path + "/" + f.acked[0], nil},
		{http.MethodPost, path, registerOf("refused", "x", "")},
		{http.MethodPatch, path + "/" + f.acked[0],
			map[string]any{"metadata": map[string]any{"labels": map[string]string{"a": "b"}}}},
	} {
		asking.Go(func() {
			a := send(f.Context(), request.method, url+request.path, request.body)
			assert.Contains(f, []int{http.StatusServiceUnavailable, http.StatusGatewayTimeout}, a.code, "%s %s: %s",
				request.method, request.path, a.body)
			assert.Contains(f, string(a.body), `"kind":"Status"`)
			if a.code == http.StatusServiceUnavailable {
				assert.NotEmpty(f, a.retry, "%s %s: Retry-After", request.method, request.path)
			}
		})
	}
	asking.Wait()
	for _, p := range []string{path + "?resourceVersion=0", path + "/" + f.acked[0] + "?resourceVersion=0"} {
		assert.Equal(f, http.StatusOK, send(f.Context(), http.MethodGet, url+p, nil).code, p)
	}
	for ready := http.StatusOK; ready == http.StatusOK && f.Context().Err() == nil; {
		ready = send(f.Context(), http.MethodGet, url+"/readyz", nil).code
	}
}

// follow watches through a replica from a revision, and returns a channel with what the watch showed: the names of the
// added registers, and at the end the code.
func (f *fleet) follow(replica int, after string) <-chan string {
	shown := make(chan string, 1000)
	go func() {
		code := watch(f.Context(), f.replicas[replica].url, after, func(e event) bool {
			if e.Type == "ADDED" {
				shown <- e.Object.Name
			}
			return true
		})
		shown <- fmt.Sprint(code)
		close(shown)
	}()
	return shown
}

// showsOr410 requires that a watch shows these registers in this order, or ends with 410.
func (f *fleet) showsOr410(shown <-chan string, names ...string) {
	f.Helper()
	for _, name := range names {
		got := <-shown
		if got == "410" {
			return
		}
		require.Equal(f, name, got)
	}
}

// Every fault is followed by the next one, on the same cluster. After each, all replicas serve everything that was
// acknowledged.
func TestFaults(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, etcdtest.Options{Members: 3})
	f.create(0, "first")
	step := func(name string, test func(t *testing.T, f *fleet)) {
		t.Run(name, func(t *testing.T) {
			of := *f
			of.TB = t
			test(t, &of)
			of.complete()
			f.acked = of.acked
		})
	}
	step("a replica is cut off", func(t *testing.T, f *fleet) {
		at := f.until(0, path, http.StatusOK).list().Metadata.ResourceVersion
		shown := f.follow(0, at)
		f.create(0, "before-the-cut")
		require.Equal(t, "before-the-cut", <-shown)
		f.replicas[0].cut()
		f.unavailable(0)
		f.create(1, "meanwhile-1")
		f.create(1, "meanwhile-2")
		a := send(t.Context(), http.MethodGet, f.replicas[0].url+path+"/meanwhile-1?resourceVersion=0", nil)
		assert.Equal(t, http.StatusNotFound, a.code, "it answers from its own state")
		f.replicas[0].heal()
		f.until(0, path+"/meanwhile-1", http.StatusOK)
		f.showsOr410(shown, "meanwhile-1", "meanwhile-2")
	})
	step("somebody compacts etcd while a replica is cut off", func(t *testing.T, f *fleet) {
		at := f.until(0, path, http.StatusOK).list().Metadata.ResourceVersion
		shown := f.follow(0, at)
		f.create(0, "before-the-compaction")
		require.Equal(t, "before-the-compaction", <-shown)
		for _, l := range f.replicas[0].links {
			l.sever() // the replica must ask for the changes again
		}
		var names []string
		for i := range 20 {
			names = append(names, fmt.Sprint("compacted-", i))
			f.create(1, names[i])
		}
		now, err := f.client.Get(t.Context(), "anything")
		require.NoError(t, err)
		_, err = f.client.Compact(t.Context(), now.Header.Revision)
		require.NoError(t, err)
		f.replicas[0].heal()
		f.complete()
		f.showsOr410(shown, names...)
	})
	step("the leader is killed", func(t *testing.T, f *fleet) {
		leader := f.leader()
		require.NoError(t, f.cluster.Kill(leader))
		f.create(0, "without-a-leader")
		f.create(1, "with-a-new-one")
		require.NoError(t, f.cluster.Restart(leader))
	})
	step("most members are slow", func(t *testing.T, f *fleet) {
		require.NoError(t, f.cluster.Pause(0))
		require.NoError(t, f.cluster.Pause(1))
		var both sync.WaitGroup
		both.Go(func() { f.unavailable(0) })
		both.Go(func() { f.unavailable(1) })
		both.Wait()
		require.NoError(t, f.cluster.Resume(0))
		require.NoError(t, f.cluster.Resume(1))
		f.create(0, "after-the-pause")
	})
	step("all members are killed", func(t *testing.T, f *fleet) {
		at := f.until(1, path, http.StatusOK).list().Metadata.ResourceVersion
		shown := f.follow(1, at)
		for i := range f.cluster.Size() {
			require.NoError(t, f.cluster.Kill(i))
		}
		f.unavailable(0)
		restarted := make(chan error, f.cluster.Size())
		for i := range f.cluster.Size() {
			go func() { restarted <- f.cluster.Restart(i) }()
		}
		for range f.cluster.Size() {
			require.NoError(t, <-restarted)
		}
		f.create(0, "after-the-restart")
		f.showsOr410(shown, "after-the-restart")
	})
	step("a replica is killed", func(t *testing.T, f *fleet) {
		at := f.until(1, path, http.StatusOK).list().Metadata.ResourceVersion
		f.replicas[1].kill()
		f.create(0, "without-the-other")
		f.replicas[1].start()
		f.showsOr410(f.follow(1, at), "without-the-other")
	})
}

// If the database of etcd is full, writes fail with a reason, and reads continue.
func TestFullEtcd(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, etcdtest.Options{Quota: 4 << 20})
	f.create(0, "first")
	for i := 0; ; i++ {
		a := send(t.Context(), http.MethodPost, f.replicas[0].url+path,
			registerOf(fmt.Sprint("large-", i), strings.Repeat("x", 500_000), ""))
		if strings.Contains(string(a.body), "no space left") {
			assert.Equal(t, http.StatusServiceUnavailable, a.code)
			break
		}
		require.Contains(t, []int{http.StatusCreated, http.StatusGatewayTimeout}, a.code, "%s", a.body)
		require.Less(t, i, 100, "the quota limits the database")
	}
	f.until(0, "/readyz", http.StatusInternalServerError, http.StatusServiceUnavailable)
	f.until(0, path+"/first", http.StatusOK)
}
