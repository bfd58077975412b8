package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
)

// Expire deletes each object whose time to live has passed since its last write (see [rest.Resource]). A write that comes first wins:
// the deletion is conditional on the state that is due, and the object then lives as long again. Grace periods, finalizers, hooks and
// admission apply as to the deletion by a client. An object that is being deleted already stays as it is.
//
// Expire decides by the stored times and the API's clock, so it continues after a restart, and every replica of an API may run it. It
// notices within 10 seconds that the clock has jumped. If the clock has been set back, an object whose last write seems to lie in the
// future counts as written now. Expire deletes at most 1,000 objects of a resource a second.
//
// Expire works until ctx ends and then returns nil. It returns an error if the API closes first, or if no resource has a time to live.
// It keeps about 20 bytes for each object of such resources in memory, and does nothing for changes of other resources.
func Expire(ctx context.Context, api *rest.API, options Options) error {
	objects := rest.ObjectsOf(api).As("ttl-controller")
	var all []func(context.Context) error
	for _, r := range objects.Resources() {
		if r.TimeToLive == 0 {
			continue
		}
		e := &expirer{objects: objects, life: r.TimeToLive, wake: make(chan struct{}, 1)}
		f := follower{name: "expiry of " + r.Name, objects: objects, options: options.withDefaults(), resources: []string{r.Name},
			reset: e.reset, apply: e.apply, work: e.remove, alongside: e.keepTime}
		all = append(all, f.run)
	}
	if len(all) == 0 {
		return errors.New("expiry: no resource of the API has a time to live")
	}
	return together(as(ctx, "ttl-controller"), all)
}

const (
	// expireAtOnce and expirePause bound how many objects expire in a second.
	expireAtOnce = 100
	expirePause  = 100 * time.Millisecond
	// glance is how long a timer may run. A timer does not notice that the clock has jumped or that the machine was asleep.
	glance = 10 * time.Second
	// never is later than every time.
	never = 1<<63 - 1
)

// expirer deletes the objects of one resource when they are due.
type expirer struct {
	objects rest.Objects
	life    time.Duration
	wake    chan struct{} // receives a value when an object has become the oldest before keepTime expects one

	mu       sync.Mutex
	ages     *ages
	due      map[storage.Key]*storage.Record // handed to the workers, and not changed since
	expected int64                           // the oldest object's last write when keepTime looked, or never
}

func (e *expirer) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ages, e.due, e.expected = newAges(), map[storage.Key]*storage.Record{}, never
}

// apply tracks when the objects were last written. It returns nothing, because only the clock makes an object due.
func (e *expirer) apply(changes rest.Changes) []storage.Key {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range changes.List {
		delete(e.due, c.Scope)
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

// keepTime hands objects to the workers when they are due. It has the only timer.
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
			wake = nil // nothing shortens the pause
		}
	}
}

// ripe returns at most expireAtOnce objects that are due, and when to call it again.
func (e *expirer) ripe() (due []*storage.Record, wait time.Duration) {
	now := e.objects.Now().UnixMicro()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ages.bound(now)
	e.expected = never
	for len(due) < expireAtOnce {
		oldest, ok := e.ages.oldest()
		if !ok {
			return due, never
		}
		if left := oldest.since + e.life.Microseconds() - now; left > 0 {
			e.expected = oldest.since
			return due, min(glance, time.Duration(left)*time.Microsecond)
		}
		e.ages.drop(oldest.record)
		e.due[oldest.record.Key] = oldest.record
		due = append(due, oldest.record)
	}
	return due, expirePause
}

// remove deletes an object in the state in which it was due. After a conflict, the follower calls it again, and until then, apply has seen
// the other write.
func (e *expirer) remove(ctx context.Context, key storage.Key, _ func(storage.Key)) error {
	e.mu.Lock()
	r := e.due[key]
	e.mu.Unlock()
	if r == nil {
		return nil
	}
	version := fmt.Sprint(r.Revision)
	_, err := e.objects.Delete(ctx, key, apimeta.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &r.UID, ResourceVersion: &version}})
	return ignoreNotFound(err)
}
