package resource

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
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// reaper removes the objects of resources that have it so when their grace period has passed. It knows them from the store
// when the API starts, and from each deletion after. One timer waits for the earliest; there is no goroutine until it fires.
type reaper struct {
	host Host

	mu      sync.Mutex
	waiting dueHeap
	byUID   map[string]*due
	timer   *time.Timer // nil while nothing has waited
	stopped bool
}

// due is an object to remove, and when.
type due struct {
	at              time.Time
	res             *Resource
	namespace, name string
	uid             string
	index           int // in the heap
}

// dueHeap is a heap of what waits, the earliest first.
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

// reapAgain is how long a removal that failed waits for the next attempt.
const reapAgain = 10 * time.Second

func newReaper(h Host) *reaper { return &reaper{host: h, byUID: map[string]*due{}} }

// load finds what waited when the API last ended.
func (r *reaper) load(res *Resource) error {
	if !res.Traits.RemoveWhenDue {
		return nil
	}
	page, err := res.Store.List(context.Background(), storage.Query{Scope: watch.Scope{Resource: res.GR.String()},
		Match: func(record *storage.Record) bool { return record.Deleting }}, nil)
	if err != nil {
		return err
	}
	for _, record := range page.Records {
		if d := dueOf(res, record); d != nil {
			r.push(d)
		}
	}
	return nil
}

// dueOf says when an object is to be removed; nil if its time is over. One that cannot be decoded is for who looks at it to report.
func dueOf(res *Resource, record *storage.Record) *due {
	obj, _, err := codec.DecodeJSON(record.JSON)
	if err != nil {
		return nil
	}
	at, ok := objectmeta.DueAt(obj)
	if objectmeta.GraceOf(obj) == 0 || !ok {
		return nil
	}
	return &due{at: at, res: res, namespace: record.Key.Namespace, name: record.Key.Name, uid: record.UID}
}

// await lets an object be removed when it is due. A deletion has left it as this record.
func (r *reaper) await(ctx context.Context, res *Resource, record *storage.Record) {
	if !res.Traits.RemoveWhenDue {
		return
	}
	d := dueOf(res, record)
	if d == nil {
		r.forget(record.UID)
		return
	}
	r.push(d)
	// A later deletion may have forgotten the object before it was pushed.
	now, err := res.Store.Get(context.WithoutCancel(ctx), record.Key, storage.MostRecent)
	if errors.Is(err, storage.ErrNotFound) || err == nil && (now.UID != record.UID || dueOf(res, now) == nil) {
		r.forget(record.UID)
	}
}

// forget lets an object wait no longer: it is gone, or only finalizers hold it.
func (r *reaper) forget(uid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.byUID[uid]; d != nil {
		heap.Remove(&r.waiting, d.index)
		delete(r.byUID, uid)
	}
}

// push lets an object wait until its time, or until the one for which it waits already if that is earlier.
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

// arm sets the timer to the earliest; the lock is held.
func (r *reaper) arm() {
	if r.stopped || len(r.waiting) == 0 {
		return
	}
	wait := r.waiting[0].at.Sub(r.host.Now())
	if r.timer == nil {
		r.timer = time.AfterFunc(wait, r.reap)
		return
	}
	r.timer.Reset(wait)
}

// stop ends the waiting for good. What waits is found in the store by the next API.
func (r *reaper) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	if r.timer != nil {
		r.timer.Stop()
	}
}

// reap removes what is due.
func (r *reaper) reap() {
	ctx, done, err := r.host.Begin()
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

// next takes the earliest if it is due, and else waits for it.
func (r *reaper) next() (*due, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || len(r.waiting) == 0 || r.waiting[0].at.After(r.host.Now()) {
		r.arm()
		return nil, false
	}
	d := heap.Pop(&r.waiting).(*due)
	delete(r.byUID, d.uid)
	return d, true
}

// remove ends the grace period of an object. Where finalizers hold it, it goes with the last of them.
func (r *reaper) remove(ctx context.Context, d *due) {
	none := int64(0)
	options := apimeta.DeleteOptions{GracePeriodSeconds: &none, Preconditions: &apimeta.Preconditions{UID: &d.uid}}
	_, err := d.res.NewWrite(Target{Namespace: d.namespace, Name: d.name}, Asked{Trusted: true}).Delete(ctx, options)
	if err == nil || status.IsNotFound(err) || status.IsConflict(err) { // gone, or another one of its name
		return
	}
	r.host.Logger.Error("an object whose grace period has passed cannot be removed",
		slog.String("resource", d.res.GR.String()), slog.String("namespace", d.namespace), slog.String("name", d.name), slog.Any("error", err))
	d.at = r.host.Now().Add(reapAgain)
	r.push(d)
}
