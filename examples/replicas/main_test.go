package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
)

// The replicas are processes of the program that starts them: here, of the test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "replica" {
		main()
		return
	}
	os.Exit(m.Run())
}

// platform is the running program.
type platform struct {
	url   string
	mu    sync.Mutex
	pids  map[int]int      // the processes of the replicas
	again map[int]chan int // receive the process of a replica that has started again
}

var started = regexp.MustCompile(`^replica (\d+) is process (\d+)`)

// start runs the program until the test ends, and returns when it is ready.
func start(t *testing.T, store string) *platform {
	t.Helper()
	p := &platform{pids: map[int]int{}, again: map[int]chan int{}}
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"--listen", "127.0.0.1:0", "--store", store}, in)
		in.CloseWithError(err)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended, "the program ends without an error")
	})
	ready := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if url, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
				ready <- url
			}
			if m := started.FindStringSubmatch(lines.Text()); m != nil {
				number, _ := strconv.Atoi(m[1])
				pid, _ := strconv.Atoi(m[2])
				p.mu.Lock()
				p.pids[number] = pid
				if p.again[number] != nil {
					p.again[number] <- pid
				}
				p.mu.Unlock()
			}
		}
	}()
	p.url = <-ready
	return p
}

// kill kills a replica, and returns a channel that receives its process when it has started again.
func (p *platform) kill(t *testing.T, number int) <-chan int {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again[number] = make(chan int, 10)
	process, err := os.FindProcess(p.pids[number])
	require.NoError(t, err)
	require.NoError(t, process.Kill())
	return p.again[number]
}

// await waits until a function accepts the state of an object. Another replica takes the shards of a killed one after about
// 15 seconds.
func await[T any](t *testing.T, client rest.Client[T], name string, until func(*T) bool) *T {
	t.Helper()
	for event, err := range client.Follow(t.Context(), rest.WatchOptions{FieldSelector: "metadata.name=" + name}) {
		require.NoError(t, err)
		if event.Type != apimeta.EventDeleted && until(event.Object) {
			return event.Object
		}
	}
	require.Fail(t, "the watch ended")
	return nil
}

// leader returns the number of the replica that holds the lease.
func (p *platform) leader(t *testing.T) int {
	t.Helper()
	leases, err := rest.ClientForEndpoint(rest.Endpoint{URL: p.url}, builtin.Leases())
	require.NoError(t, err)
	lease := await(t, leases.Namespace("default"), "platform",
		func(l *builtin.Lease) bool { return l.Spec.HolderIdentity != nil && *l.Spec.HolderIdentity != "" })
	p.mu.Lock()
	defer p.mu.Unlock()
	for number, pid := range p.pids {
		if strings.HasSuffix(*lease.Spec.HolderIdentity, fmt.Sprint("-", pid)) {
			return number
		}
	}
	require.Fail(t, "no replica leads")
	return 0
}

// holders waits until several replicas hold leases of shards.
func (p *platform) holders(t *testing.T) {
	t.Helper()
	leases, err := rest.ClientForEndpoint(rest.Endpoint{URL: p.url}, builtin.Leases())
	require.NoError(t, err)
	holders := map[string]bool{}
	for event, err := range leases.Namespace("default").Follow(t.Context(), rest.WatchOptions{}) {
		require.NoError(t, err)
		if l := event.Object; strings.HasPrefix(l.Name, "publisher-") && !strings.HasPrefix(l.Name, "publisher-member-") {
			if holder := l.Spec.HolderIdentity; holder != nil && *holder != "" {
				holders[*holder] = true
			}
		}
		if len(holders) > 1 {
			return
		}
	}
	require.Fail(t, "the watch ended")
}

// insist creates a site, and tries again while a replica is missing. It returns the uid.
func insist(t *testing.T, sites rest.Client[site.Site], name string) string {
	for {
		_, err := sites.Create(t.Context(),
			&site.Site{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: site.SiteSpec{Title: name}})
		if err == nil || status.IsAlreadyExists(err) { // an attempt whose answer was lost may have succeeded
			break
		}
		require.NoError(t, t.Context().Err())
	}
	for {
		s, err := sites.Get(t.Context(), name)
		if err == nil {
			return s.UID
		}
		require.False(t, status.IsNotFound(err), "an acknowledged site is lost: %s", name)
		require.NoError(t, t.Context().Err())
	}
}

// Clients of the proxy lose nothing while every replica, the leader included, is killed and starts again.
func TestReplicasAreKilled(t *testing.T) {
	for _, store := range []string{"embedded", "etcd", "postgres"} {
		t.Run(store, func(t *testing.T) {
			if _, err := postgrestest.Installed(); err != nil && store == "postgres" {
				t.Skip(err) // it says what to install; CI installs Postgres
			}
			t.Parallel()
			replicasAreKilled(t, store)
		})
	}
}

func replicasAreKilled(t *testing.T, store string) {
	p := start(t, store)
	sites, err := rest.ClientForEndpoint(rest.Endpoint{URL: p.url}, site.Resource())
	require.NoError(t, err)
	sites = sites.Namespace("default")
	uids := map[string]string{"first": insist(t, sites, "first")}

	// This client follows the sites through the proxy the whole time, and counts how often each one appears. It returns an
	// error if its first request fails, so no replica is killed before that is answered.
	ctx, stop := context.WithCancel(t.Context())
	added, follows := map[string]int{}, make(chan error, 1)
	shown := map[string]chan struct{}{"first": make(chan struct{}), "last": make(chan struct{})}
	go func() {
		for event, err := range sites.Follow(ctx, rest.WatchOptions{}) {
			if err != nil {
				follows <- err
				return
			}
			if event.Type == apimeta.EventAdded {
				added[event.Object.UID]++
				if seen, ok := shown[event.Object.Name]; ok && added[event.Object.UID] == 1 {
					close(seen)
				}
			}
		}
	}()

	awaitShown := func(name string) {
		select {
		case <-shown[name]:
		case err := <-follows:
			require.NoError(t, err)
		}
	}
	awaitShown("first")

	p.holders(t)
	first := p.leader(t)
	for i := range 3 {
		again := p.kill(t, (first+i)%3)
		for n := range 10 {
			name := fmt.Sprintf("site-%d-%d", i, n)
			uids[name] = insist(t, sites, name)
		}
		<-again
	}
	uids["last"] = insist(t, sites, "last")
	awaitShown("last")
	stop()
	assert.Equal(t, context.Canceled, <-follows)
	for name, uid := range uids {
		found, err := sites.Get(t.Context(), name)
		require.NoError(t, err)
		assert.Equal(t, uid, found.UID)
		assert.Equal(t, 1, added[uid], "how often the watch showed %s", name)
	}

	// The replicas publish all sites. They have also taken the shards of the killed replicas.
	var last *site.Site
	for name := range uids {
		published := await(t, sites, name,
			func(s *site.Site) bool { return apimeta.IsConditionTrue(s.Status.Conditions, "Ready") })
		if name == "last" {
			last = published
		}
	}
	answer, err := http.Get(strings.TrimSuffix(p.url, "/platform") + last.Status.Path)
	require.NoError(t, err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Contains(t, string(page), "<h1>last</h1>")
}

func TestWrongFlagIsAnError(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"--port", "1"}, io.Discard), "port")
	require.ErrorContains(t, run(t.Context(), []string{"--listen", "127.0.0.1:0", "--store", "x"}, io.Discard), "store")
}
