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

// maxHeldBack is how long after a write the keys that depend on it are held back.
const maxHeldBack = 10 * time.Second

// gate holds back the keys of a controller whose reconciler would read an older state than one that the program has
// written.
type gate struct {
	queue  *Queue[Key]
	unseen atomic.Int64 // how many keys wait for writes, with repetitions

	mu   sync.Mutex
	open map[Key]int // how many writes a key waits for
	held map[Key]bool
}

// gateKey is the key of the gate in the context of a source.
type gateKey struct{}

func newGate(queue *Queue[Key]) *gate {
	return &gate{queue: queue, open: map[Key]int{}, held: map[Key]bool{}}
}

// holds reports whether a key is held back. If so, the gate adds it again as soon as it is not.
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

// dependent is a controller that reads from an informer. keys are those that depend on an object, which is nil if it is
// gone and the informer does not know it.
type dependent[T any] struct {
	gate *gate
	keys func(key Key, obj *T) []Key
}

// holdBack makes the controller whose source has this context hold back the keys that depend on what was written
// through the client of the informer, until the informer has seen it.
func (i *Informer[T]) holdBack(ctx context.Context, keys func(key Key, obj *T) []Key) (remove func()) {
	g, ok := ctx.Value(gateKey{}).(*gate)
	if !ok { // the source runs without a controller
		return func() {}
	}
	return i.unseen.register(&dependent[T]{g, keys})
}

// Client returns a client of the informer's objects whose writes the informer awaits. A controller reconciles the keys
// that depend on a written object only after the informer has seen the write, so the reconciler never reads an older
// state than the one it has written. The keys are those that the sources of the controller name for the object: with
// [For] its own key, with [Owned] that of its owner.
//
// The wait ends at the latest ten seconds after the write. It blocks no worker. The client awaits writes of single
// objects and of their status. If the informer has selectors, it awaits only those of objects that it holds. The changed
// copies of the client, such as that of Namespace, do the same.
func (i *Informer[T]) Client() rest.Client[T] { return i.client }

// unseen are the writes of an informer's client that the informer has not seen yet.
type unseen[T any] struct {
	reached atomic.Uint64 // the revision of the informer
	open    atomic.Int64  // how many writes there are

	mu         sync.Mutex
	dependents []*dependent[T] // the slice is replaced, never changed
	byObject   map[Key][]*written
	inOrder    fifo[*written]
	timer      bool // runs
}

// written is a write that the informer has not seen yet.
type written struct {
	object   Key
	revision uint64 // 0 if the write removed the object and its answer does not say at which revision
	until    time.Time
	waiting  []waiting
	seen     bool
}

// waiting are keys that wait at a gate.
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
			return // a transaction has not committed it yet, or the server does not count its versions
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
	if w.revision == 0 && len(earlier) > 0 { // the informer may never have seen an object that is gone
		w.waiting = append(w.waiting, earlier[len(earlier)-1].waiting...)
	}
	// The informer first moves on and then reads open, so one of the two finds the other.
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

// arm starts the timer of the oldest write.
func (u *unseen[T]) arm() {
	for u.inOrder.len() > 0 && u.inOrder.first().seen {
		u.inOrder.pop()
	}
	if !u.timer && u.inOrder.len() > 0 {
		u.timer = true
		time.AfterFunc(time.Until(u.inOrder.first().until), u.expire)
	}
}

// expire ends the waits that have lasted too long.
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

// settle ends the waits for writes of an object.
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

// see ends the waits for what an event shows. The informer has applied the event.
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

// seeList ends the waits for what a list shows. The informer has applied the list.
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
