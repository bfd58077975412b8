package chaos_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/client/pkg/v3/types"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/decorum-go/decorum/internal/test/loopback"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
)

// embeddedMember configures the member of etcd in the process of a replica.
type embeddedMember struct{ Dir, Peers, Self, Listen, Operations string }

// openEmbedded opens the store of a replica that also runs a member of etcd.
func openEmbedded(ctx context.Context, m *embeddedMember) (storage.Store, error) {
	logger := slog.New(slog.DiscardHandler)
	return embedded.Open(ctx, embedded.Options{
		Dir: m.Dir, Peers: m.Peers, Self: m.Self, Listen: m.Listen, Operations: m.Operations, Logger: logger,
		Store: etcd.Options{Prefix: prefix, Timeout: 2 * time.Second,
			Engine: storage.Options{MaxWait: 2 * time.Second, Logger: logger}},
		Configure: func(c *embed.Config) {
			c.UnsafeNoFsync = true
			c.AutoCompactionRetention = "0" // the test reads the whole history
		},
	})
}

// Whole processes, each with a replica and a member of etcd, are killed, paused and cut off from their peers. No
// acknowledged write is lost, and watches show every change once, in order.
func TestChaosOfEmbeddedMembers(t *testing.T) {
	t.Parallel()
	f, network := newEmbeddedFleet(t)
	runChaos(t, f, func(replica, _ int) []fault {
		r := f.replicas[replica]
		return []fault{
			{"process killed", r.kill, r.start},
			{"process paused", r.pause, r.resume},
			{"process cut off from its peers", func() { network.cut(replica) }, func() { network.heal(replica) }},
		}
	})
}

// A process that is cut off from its peers serves its last state and catches up afterwards. The others keep working.
func TestFaultsOfEmbeddedMembers(t *testing.T) {
	t.Parallel()
	f, network := newEmbeddedFleet(t)
	f.create(0, "first")
	for i := range f.replicas {
		f.until(i, path+"/first", http.StatusOK)
		other := (i + 1) % replicaCount
		network.cut(i)
		f.unavailable(i)
		f.create(other, "while-one-is-cut-off-"+string(rune('a'+i)))
		network.heal(i)
		f.complete()
	}
}

// One process after the other stops and starts again, as during an upgrade. The other processes accept writes in
// the meantime. No acknowledged write is lost, and watches show every change once, in order.
func TestUpgradeOfEmbeddedMembers(t *testing.T) {
	t.Parallel()
	f, _ := newEmbeddedFleet(t)
	replaced := 0
	runChaos(t, f, func(int, int) []fault {
		i, other := replaced%replicaCount, (replaced+1)%replicaCount
		name := fmt.Sprint("during-upgrade-", replaced)
		replaced++
		return []fault{{"process replaced", func() {
			f.replicas[i].stop()
			f.create(other, name)
		}, f.replicas[i].start}}
	})
	assert.GreaterOrEqual(t, replaced, replicaCount)
	f.complete()
}

// A process starts on a copy of its directory from the last minute before it was killed, which the counts do not
// reveal. It serves no earlier state: etcd ends the process, or the process catches up. The other replicas keep all
// writes and continue. With an empty directory, the process joins again.
func TestCopyFromTheLastMinute(t *testing.T) {
	t.Parallel()
	f, _ := newEmbeddedFleet(t)
	f.create(0, "before-the-copy")
	leader := f.leader()
	i, other := (leader+1)%replicaCount, (leader+2)%replicaCount
	r := f.replicas[i]
	dir, copied := r.Embedded.Dir, filepath.Join(t.TempDir(), "copy")
	r.pause()
	require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
	r.resume()
	for n := range 20 {
		f.create(leader, fmt.Sprint("after-the-copy-", n))
	}
	f.until(i, path+"/after-the-copy-19", http.StatusOK) // the member has acknowledged the writes
	r.kill()
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.CopyFS(dir, os.DirFS(copied)))
	var said bytes.Buffer
	if err := r.launch(&said); err != nil { // the leader is still the same, or a minute has passed
		t.Log(err)
		assert.Regexp(t, `is out of range|is an older copy`, said.String())
		f.create(other, "while-one-is-missing")
		require.NoError(t, os.RemoveAll(dir))
		r.start()
	}
	f.complete()
}

// newEmbeddedFleet starts three processes with empty directories. They found a cluster.
func newEmbeddedFleet(t testing.TB) (*fleet, *peerNetwork) {
	t.Helper()
	f := &fleet{TB: t}
	network := &peerNetwork{TB: t, members: map[string]int{}}
	var peers, endpoints []string
	for i := range replicaCount {
		r := &replica{TB: t}
		r.address()
		listen, err := loopback.Reserve()
		require.NoError(t, err)
		operations, err := loopback.Reserve()
		require.NoError(t, err)
		self := network.open(i, listen)
		r.Embedded = &embeddedMember{Dir: t.TempDir(), Self: self, Listen: listen, Operations: operations}
		peers, endpoints = append(peers, self), append(endpoints, "http://"+operations)
		f.replicas = append(f.replicas, r)
	}
	var started sync.WaitGroup
	for _, r := range f.replicas {
		r.Embedded.Peers = strings.Join(peers, ",")
		started.Go(r.start)
	}
	started.Wait()
	for _, r := range f.replicas {
		require.NotNil(t, r.process)
		r.endWithTest()
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	f.client = client
	list, err := client.MemberList(t.Context())
	require.NoError(t, err)
	network.name(list, peers)
	return f, network
}

// peerNetwork is the network between the members of etcd. While a process is cut off, its connections stay open but
// carry no data.
type peerNetwork struct {
	testing.TB
	mu      sync.Mutex
	flows   []chan struct{} // closed while data flows from and to a process
	members map[string]int  // the process of a member, by its id
}

// open returns an address at which the other processes reach a process. The process itself listens at another address.
func (n *peerNetwork) open(process int, listens string) (address string) {
	flows := make(chan struct{})
	close(flows)
	n.mu.Lock()
	n.flows = append(n.flows, flows)
	n.mu.Unlock()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(n, err)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { n.connect(ctx, near, process, listens) })
		}
	})
	n.Cleanup(func() {
		stop()
		listener.Close()
		running.Wait()
	})
	return listener.Addr().String()
}

// connect carries a connection. Its first request names the member that opened it.
func (n *peerNetwork) connect(ctx context.Context, near net.Conn, to int, listens string) {
	defer near.Close()
	defer context.AfterFunc(ctx, func() { near.Close() })()
	var head bytes.Buffer
	request, err := http.ReadRequest(bufio.NewReader(io.TeeReader(near, &head)))
	if err != nil {
		return
	}
	ends := []int{to}
	n.mu.Lock()
	if from, ok := n.members[request.Header.Get("X-Server-From")]; ok {
		ends = append(ends, from)
	}
	n.mu.Unlock()
	if !n.wait(ctx, ends) {
		return
	}
	far, err := net.Dial("tcp", listens)
	if err != nil {
		return
	}
	defer far.Close()
	defer context.AfterFunc(ctx, func() { far.Close() })()
	var back sync.WaitGroup
	back.Go(func() { n.carry(ctx, near, far, ends) })
	n.carry(ctx, far, io.MultiReader(&head, near), ends)
	near.Close()
	back.Wait()
}

// carry copies until the connection ends.
func (n *peerNetwork) carry(ctx context.Context, to net.Conn, from io.Reader, ends []int) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		count, err := from.Read(buffer)
		if !n.wait(ctx, ends) {
			return
		}
		if _, failed := to.Write(buffer[:count]); failed != nil || err != nil {
			return
		}
	}
}

// wait waits until data flows between processes. It returns false if the test ends.
func (n *peerNetwork) wait(ctx context.Context, ends []int) bool {
	for _, process := range ends {
		n.mu.Lock()
		flows := n.flows[process]
		n.mu.Unlock()
		select {
		case <-flows:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// name records the process of each member.
func (n *peerNetwork) name(list *clientv3.MemberListResponse, peers []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, m := range list.Members {
		for process, peer := range peers {
			if m.PeerURLs[0] == "http://"+peer {
				n.members[types.ID(m.ID).String()] = process
			}
		}
	}
	assert.Len(n, n.members, len(peers))
}

func (n *peerNetwork) cut(process int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.flows[process] = make(chan struct{})
}

func (n *peerNetwork) heal(process int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.flows[process])
}
