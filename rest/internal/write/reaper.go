package write

import (
	"container/heap"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// reaper removes objects when their grace period has passed, if their resource has the trait RemoveWhenDue. It reads
// the waiting objects from the store when the API starts, and learns of each later deletion. One timer waits for the
// earliest object; no goroutine runs until it fires. The store is the truth: the heap only says when to look.
type reaper struct {
	writes *Writes

	mu      sync.Mutex
	waiting dueHeap
	byUID   map[string]*due
	timer   *time.Timer // nil while nothing has waited
	stopped bool
}

// due is an object to remove, and the time. It names its resource, because the API may replace the resource meanwhile.
type due struct {
	at    time.Time
	key   storage.Key
	uid   string
	index int // its place in the heap
}

// dueHeap is a heap of objects, the earliest first.
type dueHeap []*due

func (h dueHeap) Len() int { return len(h) }

func (h dueHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *dueHeap) Push(x any) {
	d := x.(*due)
	d.index = len(*h)
	*h = append(*h, d)
}

func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	d := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return d
}

// reapAgain is the pause after a removal that failed.
const reapAgain = 10 * time.Second

func newReaper(all *Writes) *reaper { return &reaper{writes: all, byUID: map[string]*due{}} }

// load finds the objects whose deletion began before the API served the resource.
func (r *reaper) load(res *resource.Resource) {
	if !res.Traits.RemoveWhenDue || res.Kind.Virtual {
		return
	}
	ctx := context.Background()
	page, err := res.Store.List(ctx, storage.Query{Within: watch.Key{Resource: res.StoredName()},
		Match: func(record *storage.Record) bool { return record.Deleting }}, nil)
	if err != nil {
		r.writes.env.Logger.Error("objects whose grace period is running cannot be listed, so nobody removes them",
			slog.String("resource", res.GR.String()), slog.Any("error", err))
	}
	for _, record := range page.Records {
		if d := dueOf(ctx, record); d != nil {
			r.push(d)
		}
	}
}

// dueOf says when to remove an object. It returns nil if no grace period is running, or if the object cannot be
// decoded; a reader of the object reports that.
func dueOf(ctx context.Context, record *storage.Record) *due {
	text, err := record.JSON(ctx)
	if err != nil {
		return nil
	}
	obj, _, err := codec.DecodeJSON(text)
	if err != nil {
		return nil
	}
	at, ok := objectmeta.DueAt(obj)
	if objectmeta.GraceOf(obj) == 0 || !ok {
		return nil
	}
	return &due{at: at, key: record.Key, uid: record.UID}
}

// await plans the removal of an object. record is the object after a deletion.
func (r *reaper) await(ctx context.Context, res *resource.Resource, record *storage.Record) {
	if !res.Traits.RemoveWhenDue {
		return
	}
	d := dueOf(ctx, record)
	if d == nil {
		r.forget(record.UID)
		return
	}
	r.push(d)
	// Another deletion may have removed the object, and called forget, before push.
	now, err := res.Store.Get(context.WithoutCancel(ctx), record.Key, storage.MostRecent)
	if errors.Is(err, storage.ErrNotFound) || err == nil && (now.UID != record.UID || dueOf(ctx, now) == nil) {
		r.forget(record.UID)
	}
}

// forget drops an object that is gone, or that only finalizers hold.
func (r *reaper) forget(uid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.byUID[uid]; d != nil {
		heap.Remove(&r.waiting, d.index)
		delete(r.byUID, uid)
	}
}

// forgetAll drops the objects of a resource that the API has given up.
func (r *reaper) forgetAll(resource string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for uid, d := range r.byUID {
		if d.key.Resource == resource {
			heap.Remove(&r.waiting, d.index)
			delete(r.byUID, uid)
		}
	}
}

// push plans the removal of an object. If the object is already waiting, the earlier time counts.
func (r *reaper) push(d *due) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.byUID[d.uid]; known == nil {
		heap.Push(&r.waiting, d)
		r.byUID[d.uid] = d
	} else if d.at.Before(known.at) {
		known.at = d.at
		heap.Fix(&r.waiting, known.index)
	} else {
		return
	}
	if r.waiting[0].uid == d.uid {
		r.arm()
	}
}

// arm sets the timer for the earliest object. The caller holds the lock.
func (r *reaper) arm() {
	if r.stopped || len(r.waiting) == 0 {
		return
	}
	wait := r.waiting[0].at.Sub(r.writes.env.Now())
	if r.timer == nil {
		r.timer = time.AfterFunc(wait, r.reap)
		return
	}
	r.timer.Reset(wait)
}

// stop ends the reaper for good. The next API finds the waiting objects in the store.
func (r *reaper) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	if r.timer != nil {
		r.timer.Stop()
	}
}

// reap removes every object that is due. The timer calls it, in a goroutine of its own.
func (r *reaper) reap() {
	ctx, done, err := r.writes.env.Begin()
	if err != nil {
		return
	}
	defer done()
	for {
		d, ok := r.next()
		if !ok {
			return
		}
		r.remove(ctx, d)
	}
}

// next takes the earliest object if it is due; otherwise it sets the timer.
func (r *reaper) next() (*due, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || len(r.waiting) == 0 || r.waiting[0].at.After(r.writes.env.Now()) {
		r.arm()
		return nil, false
	}
	d := heap.Pop(&r.waiting).(*due)
	delete(r.byUID, d.uid)
	return d, true
}

// remove ends the grace period of an object. If that fails, remove plans another attempt.
func (r *reaper) remove(ctx context.Context, d *due) {
	res := r.writes.env.Served().Stored(d.key.Resource)
	if res == nil { // given up; the API finds the object again when it takes the resource
		return
	}
	_, err := r.writes.endGrace(ctx, res, d.key, d.uid)
	if err == nil {
		return
	}
	r.writes.env.Logger.Error("an object whose grace period has passed cannot be removed",
		slog.String("resource", d.key.Resource), slog.String("namespace", d.key.Namespace),
		slog.String("name", d.key.Name), slog.Any("error", err))
	d.at = r.writes.env.Now().Add(reapAgain)
	r.push(d)
}

// endGrace ends the grace period with a trusted deletion. If finalizers still hold the object, the write that removes
// the last of them removes the object. Several replicas may do this at once. The condition on the uid suffices, because
// a grace period only gets shorter: an object that has changed since is still due at this time. If the object is gone
// already, the result is empty.
func (all *Writes) endGrace(ctx context.Context, res *resource.Resource, key storage.Key, uid string) (Result, error) {
	none := int64(0)
	options := apimeta.DeleteOptions{GracePeriodSeconds: &none, Preconditions: &apimeta.Preconditions{UID: &uid}}
	out, err := all.New(res, resource.Target{Namespace: key.Namespace, Name: key.Name}, Asked{Trusted: true}).Delete(ctx,
		options)
	if status.IsConflict(err) { // another object has the name, or too many other writes came first
		now, failure := res.Store.Get(ctx, key, storage.MostRecent)
		if errors.Is(failure, storage.ErrNotFound) || failure == nil && now.UID != uid {
			return Result{}, nil
		}
	}
	if status.IsNotFound(err) {
		return Result{}, nil
	}
	return out, err
}

// EndGrace removes an object if its grace period has been over for the time late. Otherwise it returns how long to
// wait, or 0 if no grace period holds the object.
func (all *Writes) EndGrace(
	ctx context.Context, res *resource.Resource, key storage.Key, late time.Duration,
) (left time.Duration, err error) {
	record, err := res.Store.Get(ctx, key, storage.MostRecent)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, res.StoreError(err, key.Name)
	}
	d := dueOf(ctx, record)
	if d == nil {
		return 0, nil
	}
	if left := d.at.Add(late).Sub(res.Now()); left > 0 {
		return left, nil
	}
	_, err = all.endGrace(ctx, res, d.key, d.uid)
	return 0, err
}
