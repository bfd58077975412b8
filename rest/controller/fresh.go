package controller

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/service"
)

// maxHeldBack limits how long the keys that depend on a write wait for it.
const maxHeldBack = 10 * time.Second

// gate holds back keys of a controller while an informer lags behind the writes of the program. Otherwise, the
// reconciler could read an older state than the one that it wrote.
type gate struct {
	queue  *Queue[Key]
	unseen atomic.Int64 // the sum of the numbers in open

	mu   sync.Mutex
	open map[Key]int // the number of writes that each key waits for
	held map[Key]bool
}

// gateKey is the key of the gate in the context of a source.
type gateKey struct{}

func newGate(queue *Queue[Key]) *gate {
	return &gate{queue: queue, open: map[Key]int{}, held: map[Key]bool{}}
}

// holds reports whether the gate holds back a key. If so, the gate adds the key to the queue when its last wait ends.
func (g *gate) holds(key Key) bool {
	if g.unseen.Load() == 0 {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[key] == 0 {
		return false
	}
	g.held[key] = true
	return true
}

// wait makes keys wait for a write.
func (g *gate) wait(keys []Key) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range keys {
		g.open[key]++
	}
	g.unseen.Add(int64(len(keys)))
}

// pass ends the wait of keys for a write.
func (g *gate) pass(keys []Key) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unseen.Add(-int64(len(keys)))
	for _, key := range keys {
		if g.open[key]--; g.open[key] > 0 {
			continue
		}
		delete(g.open, key)
		if g.held[key] {
			delete(g.held, key)
			g.queue.Add(key)
		}
	}
}

// dependent is a controller that reads from an informer. keys returns the keys that depend on an object. obj is nil if
// the object is gone and the informer does not hold it.
type dependent[T any] struct {
	gate *gate
	keys func(key Key, obj *T) []Key
}

// holdBack makes the controller whose source runs with ctx hold back keys. After a write through the client of the
// informer, the keys that depend on the written object wait until the informer has seen the write.
func (i *Informer[T]) holdBack(ctx context.Context, keys func(key Key, obj *T) []Key) (remove func()) {
	g, ok := ctx.Value(gateKey{}).(*gate)
	if !ok { // the source runs without a controller
		return func() {}
	}
	return i.unseen.register(&dependent[T]{g, keys})
}

// Client returns a client of the informer's objects whose writes the informer awaits. A controller reconciles the keys
// that depend on a written object only after the informer has seen the write, so the reconciler never reads an older
// state than the one it has written. The sources of the controller determine these keys. [For] names the object's own
// key, and [Owned] names the key of its owner.
//
// The wait lasts at most ten seconds, and blocks no worker. The informer awaits writes of single objects and of their
// status. If it has selectors, it awaits only writes of objects that it holds. It also awaits the writes of clients
// that methods such as Namespace derive from this client.
func (i *Informer[T]) Client() rest.Client[T] { return i.client }

// unseen holds the writes of an informer's client that the informer has not seen yet.
type unseen[T any] struct {
	reached atomic.Uint64 // the revision of the informer
	open    atomic.Int64  // the number of unseen writes

	mu         sync.Mutex
	dependents []*dependent[T] // the slice is replaced, never changed
	byObject   map[Key][]*written
	inOrder    fifo[*written]
	timer      bool // whether the timer runs
}

// written is a write that the informer has not seen yet.
type written struct {
	object   Key
	revision uint64 // 0 if the write removed the object and the answer lacks the revision
	until    time.Time
	waiting  []waiting
	seen     bool
}

// waiting holds keys that wait at a gate.
type waiting struct {
	gate *gate
	keys []Key
}

func (u *unseen[T]) register(d *dependent[T]) (remove func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.dependents = append(slices.Clip(u.dependents), d)
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.dependents = slices.DeleteFunc(slices.Clone(u.dependents), func(other *dependent[T]) bool { return other == d })
	}
}

func (u *unseen[T]) registered() []*dependent[T] {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.dependents
}

// await makes the dependents wait for a write of the client.
func (i *Informer[T]) await(done service.Written) {
	dependents := i.unseen.registered()
	if len(dependents) == 0 || done.JSON == nil && !done.Gone || done.Namespace != i.namespace && i.namespace != "" {
		return
	}
	w := &written{object: Key{done.Namespace, done.Name}, until: time.Now().Add(maxHeldBack)}
	var obj *T
	if done.JSON == nil {
		obj, _ = i.content.get(w.object)
	} else {
		decoded, err := done.Decode()
		if err != nil {
			return
		}
		obj = decoded.(*T)
		w.object = i.metadata.key(obj)
		if w.revision, err = strconv.ParseUint(i.metadata.text(obj, i.metadata.version), 10, 64); err != nil {
			return // the transaction is still open, or the server's versions are not numbers
		}
	}
	holds := func() bool { return i.content.uid(w.object) != "" }
	if i.options.LabelSelector+i.options.FieldSelector+i.options.ShardSelector != "" && !holds() {
		return
	}
	for _, d := range dependents {
		if keys := d.keys(w.object, obj); len(keys) > 0 {
			w.waiting = append(w.waiting, waiting{d.gate, keys})
		}
	}
	i.unseen.await(w, holds)
}

func (u *unseen[T]) await(w *written, holds func() bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	earlier := u.byObject[w.object]
	if w.revision == 0 && len(earlier) > 0 { // the informer may never have seen the removed object
		w.waiting = append(w.waiting, earlier[len(earlier)-1].waiting...)
	}
	// The informer stores its revision before it reads open. This function does the reverse, so one of the two sees the
	// other.
	u.open.Add(1)
	if w.revision != 0 && w.revision <= u.reached.Load() || w.revision == 0 && len(earlier) == 0 && !holds() {
		u.open.Add(-1)
		return
	}
	for _, waits := range w.waiting {
		waits.gate.wait(waits.keys)
	}
	if u.byObject == nil {
		u.byObject = map[Key][]*written{}
	}
	u.byObject[w.object] = append(earlier, w)
	u.inOrder.push(w)
	u.arm()
}

// arm starts the timer for the oldest unseen write, unless the timer runs.
func (u *unseen[T]) arm() {
	for u.inOrder.len() > 0 && u.inOrder.first().seen {
		u.inOrder.pop()
	}
	if !u.timer && u.inOrder.len() > 0 {
		u.timer = true
		time.AfterFunc(time.Until(u.inOrder.first().until), u.expire)
	}
}

// expire ends the waits that have reached their limit.
func (u *unseen[T]) expire() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.timer = false
	now := time.Now()
	for u.inOrder.len() > 0 && (u.inOrder.first().seen || !u.inOrder.first().until.After(now)) {
		w := u.inOrder.pop()
		u.settle(w.object, func(other *written) bool { return other == w })
	}
	u.arm()
}

// settle ends the waits for those writes of an object for which seen returns true.
func (u *unseen[T]) settle(object Key, seen func(*written) bool) {
	var left []*written
	for _, w := range u.byObject[object] {
		if !seen(w) {
			left = append(left, w)
			continue
		}
		w.seen = true
		u.open.Add(-1)
		for _, waits := range w.waiting {
			waits.gate.pass(waits.keys)
		}
	}
	if len(left) > 0 {
		u.byObject[object] = left
	} else {
		delete(u.byObject, object)
	}
}

// see ends the waits for the writes that an event shows. The informer must have applied the event.
func (u *unseen[T]) see(object Key, version string, gone bool) {
	revision := u.reach(version)
	if u.open.Load() == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.settle(object, func(w *written) bool {
		return w.revision != 0 && w.revision <= revision || w.revision == 0 && gone
	})
	u.arm()
}

// seeList ends the waits for the writes that a list shows. The informer must have applied the list.
func (u *unseen[T]) seeList(version string, holds func(Key) bool) {
	revision := u.reach(version)
	if u.open.Load() == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for object := range u.byObject {
		u.settle(object, func(w *written) bool {
			return w.revision != 0 && w.revision <= revision || w.revision == 0 && !holds(object)
		})
	}
	u.arm()
}

func (u *unseen[T]) reach(version string) uint64 {
	revision, _ := strconv.ParseUint(version, 10, 64)
	u.reached.Store(revision)
	return revision
}
