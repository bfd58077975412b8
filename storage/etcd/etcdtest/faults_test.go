package etcdtest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// network dials, and can cut all its connections.
type network struct {
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func (n *network) dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut && err == nil {
		conn.Close()
		err = errors.New("the network is cut")
	}
	if err == nil {
		n.conns = append(n.conns, conn)
	}
	return conn, err
}

func (n *network) set(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut = cut; cut {
		for _, conn := range n.conns {
			conn.Close()
		}
		n.conns = nil
	}
}

func (n *network) config(cluster *etcdtest.Cluster) clientv3.Config {
	return clientv3.Config{Endpoints: cluster.Endpoints(), DialOptions: []grpc.DialOption{grpc.WithContextDialer(n.dial)}}
}

// heldWatch is a stream of watches that delivers nothing while the gate is locked.
type heldWatch struct {
	grpc.ClientStream
	gate *sync.RWMutex
}

func (h heldWatch) RecvMsg(m any) error {
	err := h.ClientStream.RecvMsg(m)
	h.gate.RLock()
	defer h.gate.RUnlock()
	return err
}

// A replica shows its own commits although its watch is late, unless another program has written in between.
func TestOwnCommitsPrecedeTheWatch(t *testing.T) {
	cluster, err := etcdtest.Start(t.TempDir(), etcdtest.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { cluster.Stop() })
	var gate sync.RWMutex
	hold := func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer,
		opts ...grpc.CallOption) (grpc.ClientStream, error) {
		stream, err := open(ctx, desc, conn, method, opts...)
		return heldWatch{stream, &gate}, err
	}
	store := serving(t, etcd.Options{Config: clientv3.Config{
		Endpoints: cluster.Endpoints(), DialOptions: []grpc.DialOption{grpc.WithChainStreamInterceptor(hold)},
	}})
	first, err := put(t.Context(), store, "x", "1")
	require.NoError(t, err)
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, first.Revision)
	require.NoError(t, err)
	defer cursor.Close()

	gate.Lock()
	for _, text := range []string{"2", "3"} {
		written, err := put(t.Context(), store, "x", text)
		require.NoError(t, err)
		shown, err := store.Get(t.Context(), note("x"), storage.Any)
		require.NoError(t, err)
		assert.Equal(t, written, shown)
	}
	_, err = connect(t, cluster).Put(t.Context(), "/elsewhere", "")
	require.NoError(t, err)
	_, err = put(t.Context(), store, "x", "4")
	assert.ErrorIs(t, err, storage.ErrUnknown)
	gate.Unlock()

	_, err = store.Get(t.Context(), note("x"), storage.MostRecent)
	require.NoError(t, err)
	changes, err := cursor.Poll(nil)
	require.NoError(t, err)
	require.Len(t, changes, 3)
	for i, c := range changes {
		assert.Contains(t, string(storagetest.Text(c.Current)), fmt.Sprintf(`"text":"%d"`, i+2))
	}
}

// A replica that is cut off from etcd serves what it has, refuses everything else, and then catches up without losing
// an event.
func TestCutOff(t *testing.T) {
	prefix, cable := newPrefix(), &network{}
	here := serving(t, etcd.Options{Client: connect(t, shared), Prefix: prefix})
	far := serving(t, etcd.Options{Config: cable.config(shared), Prefix: prefix, Timeout: time.Second,
		Engine: storage.Options{MaxWait: time.Second}})
	first, err := put(t.Context(), here, "x", "1")
	require.NoError(t, err)
	storagetest.Insist(t, func() error {
		_, err := far.Get(t.Context(), note("x"), storage.MostRecent)
		return err
	})
	cursor, err := far.Watch(t.Context(), watch.Key{Resource: notes}, first.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	cable.set(true)
	for i := range 5 {
		_, err = put(t.Context(), here, "x", fmt.Sprint(i+2))
		require.NoError(t, err)
	}
	_, err = far.Get(t.Context(), note("x"), storage.MostRecent)
	assert.ErrorIs(t, err, storage.ErrUnavailable)
	unready := far.Ready()
	assert.ErrorIs(t, unready, storage.ErrUnavailable)
	assert.ErrorContains(t, unready, "etcd", "an operator must see what is away")
	assert.NotContains(t, unready.Error(), "replica")
	_, err = put(t.Context(), far, "y", "1")
	assert.ErrorIs(t, err, storage.ErrUnavailable)
	assert.NotZero(t, status.From(err).Status.Details.RetryAfterSeconds)
	got, err := far.Get(t.Context(), note("x"), storage.Any)
	require.NoError(t, err)
	assert.Equal(t, first, got)

	cable.set(false)
	for seen := 0; seen < 5; {
		changes, err := cursor.Next(t.Context(), nil)
		require.NoError(t, err)
		seen += len(changes)
		assert.LessOrEqual(t, seen, 5)
	}
	storagetest.Insist(t, func() error {
		_, err := far.Get(t.Context(), note("x"), storage.MostRecent)
		return err
	})
	storagetest.Insist(t, far.Ready)
	storagetest.Insist(t, func() error {
		_, err := put(t.Context(), far, "y", "1")
		return err
	})
}

// counters are objects that writers increment through several replicas.
type counters struct {
	*testing.T
	replicas     []*etcd.Store
	acknowledged [4]atomic.Int64
	unknown      [4]atomic.Int64
	refused      atomic.Int64
	progress     chan struct{} // receives a value for each acknowledged write
}

// increment increments one counter until the context ends.
func (c *counters) increment(ctx context.Context, counter int) {
	key := note(fmt.Sprint(counter))
	for n := 0; ctx.Err() == nil; n++ {
		store := c.replicas[(counter+n)%len(c.replicas)]
		_, err := store.Update(c.Context(), key, func(current *storage.Record) ([]byte, error) {
			value := 0
			if current != nil {
				value = valueOf(current)
			}
			return noteJSON(key.Name, fmt.Sprint(value+1)), nil
		})
		switch {
		case err == nil:
			c.acknowledged[counter].Add(1)
			select {
			case c.progress <- struct{}{}:
			case <-ctx.Done():
			}
		case errors.Is(err, storage.ErrUnknown):
			c.unknown[counter].Add(1)
		case errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrContended):
			c.refused.Add(1)
		default:
			assert.NoError(c, err)
			return
		}
	}
}

func valueOf(r *storage.Record) (value int) {
	at := len(storagetest.Text(r)) - 2
	for scale := 1; storagetest.Text(r)[at-1] != '"'; scale *= 10 {
		at--
		value += int(storagetest.Text(r)[at]-'0') * scale
	}
	return value
}

// follow checks that a watch shows every value of every counter once, in order, until each has reached its final value.
func (c *counters) follow(store storage.Store, after watch.Revision, final <-chan [4]int) {
	cursor, err := store.Watch(c.Context(), watch.Key{Resource: notes}, after)
	if !assert.NoError(c, err) {
		return
	}
	defer cursor.Close()
	var seen, want [4]int
	last, ended := after, false
	for !ended || seen != want {
		select {
		case <-cursor.Ready():
		case want = <-final:
			ended = true
		}
		changes, err := cursor.Poll(nil)
		if !assert.NoError(c, err) {
			return
		}
		for _, change := range changes {
			i := int(change.Key.Name[0] - '0')
			if !assert.Equal(c, seen[i]+1, valueOf(change.Current), "no event is lost or doubled") ||
				!assert.Greater(c, change.Revision, last) {
				return
			}
			seen[i], last = seen[i]+1, change.Revision
		}
	}
}

// While members of the cluster are killed, restarted and paused, no acknowledged write is lost, none is done twice, and
// watches miss nothing.
func TestMembersFail(t *testing.T) {
	const progress = 25 // acknowledged writes between two faults
	cluster, err := etcdtest.Start(t.TempDir(), etcdtest.Options{Members: 3})
	require.NoError(t, err)
	t.Cleanup(func() { cluster.Stop() })
	c := &counters{T: t, progress: make(chan struct{})}
	var all, watches sync.WaitGroup
	finals := make([]chan [4]int, 3)
	for i := range finals {
		store := serving(t, etcd.Options{Config: clientv3.Config{Endpoints: cluster.Endpoints()}, Timeout: time.Second})
		c.replicas = append(c.replicas, store)
		finals[i] = make(chan [4]int, 1)
		after := store.Revision()
		watches.Go(func() { c.follow(store, after, finals[i]) })
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for i := range c.acknowledged {
		all.Go(func() { c.increment(ctx, i) })
	}
	await := func() {
		for range progress {
			<-c.progress
		}
	}
	await()
	for member := range cluster.Size() {
		require.NoError(t, cluster.Kill(member))
		await()
		require.NoError(t, cluster.Restart(member))
		await()
		require.NoError(t, cluster.Pause(member))
		await()
		require.NoError(t, cluster.Resume(member))
		await()
	}
	stop()
	all.Wait()
	var final [4]int
	for i := range final {
		var r *storage.Record
		storagetest.Insist(t, func() (err error) {
			r, err = c.replicas[0].Get(t.Context(), note(fmt.Sprint(i)), storage.MostRecent)
			return err
		})
		final[i] = valueOf(r)
		assert.GreaterOrEqual(t, int64(final[i]), c.acknowledged[i].Load(), "what was acknowledged is there")
		assert.LessOrEqual(t, int64(final[i]), c.acknowledged[i].Load()+c.unknown[i].Load(), "nothing was done twice")
		t.Logf("counter %d: %d, %d acknowledged, %d unknown", i, final[i], c.acknowledged[i].Load(), c.unknown[i].Load())
	}
	t.Logf("%d refused", c.refused.Load())
	for _, ch := range finals {
		ch <- final
	}
	watches.Wait()
}
