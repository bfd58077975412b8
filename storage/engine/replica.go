package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const (
	// checkEvery is how often an idle replica asks the authority for the latest revision, so that Ready notices a lost
	// connection, unless the authority is [Quiet].
	checkEvery = 5 * time.Second
	// advanceAfter is the time without changes after which a replica advances its revision to the authority's revision.
	// Watches then move their bookmarks, so that they can resume after the authority has dropped its history.
	advanceAfter = 30 * time.Second
	// The pause before a replica follows the authority again after an error doubles with each failure.
	firstRetry, longestRetry = 20 * time.Millisecond, 2 * time.Second
)

// replica is the committer of an engine that shares its objects over an [Authority]. It proposes writes to the
// authority, and shows what the authority reports.
type replica struct {
	*objects
	authority Authority
	ctx       context.Context // a context that ends when the engine closes
	stop      context.CancelFunc
	running   sync.WaitGroup // the goroutines
	calls     sync.WaitGroup // the commits and compactions in progress

	checks checks
	health health
	size   knownSize

	// The lock of the objects guards these.
	movedAt   time.Time     // when the revision last moved
	delay     time.Duration // the delay of the latest group, see [storage.ReplicaStats]
	unclaimed unclaimed
	refollow  context.CancelFunc // makes the replica follow the authority anew
}

// OpenReplica returns an engine that shares the objects of an authority with other engines. It returns when the replica
// has received all changes that were committed before the call. The caller must close the engine, which closes the
// authority. If OpenReplica returns an error, it has already closed the authority.
//
// An update compares the records that its function saw with the authority's records, and calls the function again if
// one has changed. A refusal or a no-op is returned only after the authority has confirmed that these records are the
// latest. A read with [storage.MostRecent] also asks the authority; reads that wait share a question. If the authority
// cannot be reached, these calls fail with [storage.ErrUnavailable].
//
// OpenReplica is for authors of stores. A host calls the Open of a package with a store, such as storage/etcd.
func OpenReplica(ctx context.Context, authority Authority, opts storage.Options) (*Engine, error) {
	opts = withDefaults(opts)
	start, err := authority.Begin(ctx, opts.Start, opts.Now().Add(-opts.MaxLogAge))
	if err != nil {
		return nil, errors.Join(err, authority.Close())
	}
	o := newObjects(opts, Start{Revision: start, Oldest: start})
	r := &replica{objects: o, authority: authority, movedAt: opts.Now(), unclaimed: unclaimed{floor: start}}
	r.ctx, r.stop = context.WithCancel(context.Background())
	engine := newEngine(o, r)
	r.running.Go(r.follow)
	if err := r.catchUp(ctx); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	r.running.Go(r.checkNowAndThen)
	return engine, nil
}

// catchUp waits until the replica shows the latest state, and advances its revision. Its revision is then above all
// revisions that other replicas have shown.
func (r *replica) catchUp(ctx context.Context) error {
	asked := r.opts.Now()
	last, known, err := r.authority.Latest(ctx)
	if err != nil {
		return err
	}
	if err := r.log.Wait(ctx, last); err != nil {
		return errors.Join(err, r.health.failure())
	}
	r.health.reached(asked)
	return r.advance(last, known)
}

// advance moves the revision to known, if the replica shows the last group before it.
func (r *replica) advance(last, known watch.Revision) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.revision < last || known <= r.revision {
		return nil
	}
	r.revision, r.movedAt = known, r.opts.Now()
	return r.log.Advance(known)
}

// follow applies the changes that the authority reports until the engine is closed.
func (r *replica) follow() {
	retry := firstRetry
	for r.ctx.Err() == nil {
		ctx, cancel := context.WithCancel(r.ctx)
		r.mu.Lock()
		r.refollow = cancel
		from := r.revision
		r.mu.Unlock()
		err := r.authority.Follow(ctx, from, func(a Arrival) error {
			if !a.NoWait {
				retry = firstRetry
			}
			return r.apply(ctx, a)
		})
		cancel()
		if status.IsExpired(err) {
			err = r.continueAfterLoss(r.ctx)
		}
		if err == nil || r.ctx.Err() != nil {
			continue
		}
		r.health.note(err)
		sleep(r.ctx, retry)
		retry = min(2*retry, longestRetry)
	}
}

// continueAfterLoss continues after the authority has dropped changes that the replica has not received. If these were
// changes of others, the replica has lost nothing.
func (r *replica) continueAfterLoss(ctx context.Context) error {
	last, known, err := r.authority.Latest(ctx)
	if err != nil {
		return err
	}
	if last <= r.log.Revision() {
		return r.advance(last, known)
	}
	return r.reloadAll(ctx)
}

// sleep waits for a while, or until the context ends.
func sleep(ctx context.Context, while time.Duration) {
	timer := time.NewTimer(while)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// checkNowAndThen asks for the latest revision at intervals, so that a replica without readers notices a lost
// connection. It also drops the changes of resources that the replica does not serve when they are too old, because no
// client may write for a long time.
func (r *replica) checkNowAndThen() {
	every := checkEvery
	if quiet, ok := r.authority.(Quiet); ok {
		every = quiet.CheckEvery()
	}
	for sleep(r.ctx, every); r.ctx.Err() == nil; sleep(r.ctx, every) {
		r.trimUnclaimed()
		c, err := r.check(r.ctx)
		if err != nil {
			continue
		}
		r.mu.RLock()
		quiet := r.opts.Now().Sub(r.movedAt) > advanceAfter
		r.mu.RUnlock()
		if quiet {
			_ = r.advance(c.last, c.known)
		}
	}
}

func (r *replica) trimUnclaimed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unclaimed.trim(r.opts.Now().Add(-r.opts.MaxLogAge), r.logLimit()/pastShare)
}

func (r *replica) confirm(ctx context.Context) error {
	_, err := r.check(ctx)
	return err
}

// reach advances the revision if no change lies between. It makes one attempt.
func (r *replica) reach(ctx context.Context, revision watch.Revision) {
	if c, err := r.check(ctx); err == nil && c.known >= revision {
		_ = r.advance(c.last, c.known)
	}
}

func (r *replica) resourcesIn(ctx context.Context, namespace string,
	inMemory func(resource string) bool) ([]string, error) {
	return r.authority.ResourcesIn(ctx, namespace, inMemory)
}

func (r *replica) announce(ctx context.Context, form *storage.Resource) error {
	return r.authority.Announce(ctx, form.Name, form.Fingerprint)
}

// rewrite stores nothing, because a replica with the older form may still run.
func (r *replica) rewrite(context.Context, *storage.Resource, []*storage.Record) error { return nil }

func (r *replica) origin(*storage.Resource) unloader { return nil }

// shed keeps the form of a table with records, for the records that other replicas write.
func (r *replica) shed(t *table) {
	if r.removeEmpty(t) {
		r.unclaimed.abandon(t.name, r.revision)
	}
}

// wake ends the history, because the log does not have what other replicas have written while the table was dormant.
func (r *replica) wake(t *table) { r.log.CompactResource(storage.Key{Resource: t.name}, r.revision) }

func (r *replica) compact(ctx context.Context, through watch.Revision) error {
	if err := r.beginCall(); err != nil {
		return err
	}
	defer r.calls.Done()
	return r.authority.Compact(ctx, through)
}

// beginCall makes close wait for a call of the authority. The caller must end the call.
func (r *replica) beginCall() error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return storage.ErrClosed
	}
	r.calls.Add(1)
	return nil
}

func (r *replica) ready() error {
	if err := r.health.failure(); err != nil {
		return storage.Unavailable(err)
	}
	return nil
}

// close waits for a registration that is still reading, and ends the goroutines, before it closes the authority.
func (r *replica) close() error {
	r.registering <- struct{}{}
	defer r.endRegistering()
	defer r.log.Close()
	r.calls.Wait()
	r.checks.close()
	r.stop()
	r.running.Wait()
	return r.authority.Close()
}

// health remembers whether the authority can be reached.
type health struct {
	mu       sync.Mutex
	trouble  error
	upToDate time.Time // see [storage.ReplicaStats]
}

// note remembers why the authority cannot be reached; nil says that it was reached.
func (h *health) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble = err
}

// reached remembers that the replica shows everything that was committed at a time.
func (h *health) reached(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble, h.upToDate = nil, at
}

// state returns what is remembered.
func (h *health) state() (upToDate time.Time, trouble error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.upToDate, h.trouble
}

// failure returns why the authority cannot be reached, or nil.
func (h *health) failure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.trouble
}
