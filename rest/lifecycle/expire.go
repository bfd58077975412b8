package lifecycle

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/storage"
)

// Expire deletes each object when its time to live has passed since its last write (see [rest.Resource], TimeToLive).
// The deletion is conditional on the resourceVersion, so a concurrent write wins and starts a new time to live. Grace
// periods, finalizers, hooks and admission apply as if a client had deleted the object. Expire skips objects that are
// already being deleted.
//
// Expire compares the stored time of each write with the API's clock, so a restart does not extend the life of an
// object. Every replica of an API may run Expire. It notices within 10 seconds that the clock has jumped. If the clock
// was set back, Expire treats an object whose last write appears to be in the future as written now. It deletes at most
// 1,000 objects of a resource per second.
//
// Expire works until ctx ends and then returns nil. It returns an error if the API closes first. As long as no resource
// has a time to live, it waits. It keeps about 20 bytes in memory for each object of these resources, and ignores the
// changes of all other resources.
func Expire(ctx context.Context, api *rest.API, options Options) error {
	objects := api.Objects().FieldManager("ttl-controller")
	return whileServed(as(ctx, "ttl-controller"), objects, func(r raw.Resource) bool { return r.TimeToLive > 0 },
		func(ctx context.Context, r raw.Resource) error {
			e := &expirer{objects: objects, timeToLive: r.TimeToLive, wake: make(chan struct{}, 1)}
			f := follower{name: "expiry of " + r.Name, objects: objects, options: options.withDefaults(),
				resources: []string{r.Name}, reset: e.reset, apply: e.apply, work: e.remove, alongside: e.keepTime}
			return f.run(ctx)
		})
}

const (
	// expireAtOnce and expirePause limit how many objects Expire deletes per second.
	expireAtOnce = 100
	expirePause  = 100 * time.Millisecond
	// glance bounds how long the timer runs, because a timer does not notice that the clock has jumped or that the machine
	// was asleep.
	glance = 10 * time.Second
	// never is later than every time.
	never = 1<<63 - 1
)

// expirer deletes the objects of one resource when they are due.
type expirer struct {
	objects    raw.Objects
	timeToLive time.Duration
	wake       chan struct{} // tells keepTime that an object is due earlier than expected

	mu       sync.Mutex
	ages     *ages
	due      map[storage.Key]*storage.Record // passed to the workers, and unchanged since then
	expected storage.Moment                  // the last write of the object that keepTime waits for, or never
}

func (e *expirer) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ages, e.due, e.expected = newAges(), map[storage.Key]*storage.Record{}, never
}

// apply records when objects were written. It enqueues no object, because only the passing of time makes an object due.
func (e *expirer) apply(_ context.Context, changes raw.Changes) []storage.Key {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range changes.List {
		delete(e.due, c.Key)
		if c.Previous != nil {
			e.ages.drop(c.Previous)
		}
		if c.Current != nil && !c.Current.Deleting {
			e.ages.put(c.Current)
		}
	}
	if oldest, ok := e.ages.oldest(); ok && oldest.since < e.expected {
		select {
		case e.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

// keepTime enqueues objects when they are due.
func (e *expirer) keepTime(ctx context.Context, look func(storage.Key)) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var wake chan struct{}
	for {
		select {
		case <-timer.C:
		case <-wake:
		case <-ctx.Done():
			return
		}
		due, wait := e.ripe()
		for _, r := range due {
			look(r.Key)
		}
		timer.Reset(wait)
		if wake = e.wake; len(due) == expireAtOnce {
			wake = nil // wait for the whole pause
		}
	}
}

// ripe returns at most expireAtOnce objects that are due, and when to call it again.
func (e *expirer) ripe() (due []*storage.Record, wait time.Duration) {
	now := storage.MomentOf(e.objects.Now())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ages.bound(now)
	e.expected = never
	for len(due) < expireAtOnce {
		oldest, ok := e.ages.oldest()
		if !ok {
			return due, never
		}
		if left := oldest.since.Time().Add(e.timeToLive).Sub(now.Time()); left > 0 {
			e.expected = oldest.since
			return due, min(glance, left)
		}
		e.ages.drop(oldest.record)
		e.due[oldest.record.Key] = oldest.record
		due = append(due, oldest.record)
	}
	return due, expirePause
}

// remove deletes an object if it has not changed since it was due. After a conflict, the follower calls remove again.
// By then, apply has seen the other write and has removed the object from due.
func (e *expirer) remove(ctx context.Context, key storage.Key, _ func(storage.Key)) error {
	e.mu.Lock()
	r := e.due[key]
	e.mu.Unlock()
	if r == nil {
		return nil
	}
	version := fmt.Sprint(r.Revision)
	_, err := e.objects.Delete(ctx, key,
		apimeta.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &r.UID, ResourceVersion: &version}})
	return ignoreNotFound(err)
}
