package storage

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

const (
	// checkEvery is how often an idle replica asks the authority for the latest revision, so that Ready notices a lost connection.
	checkEvery = 5 * time.Second
	// advanceAfter is how long a replica is without changes until it advances its revision to that of the authority. Watches then move their
	// bookmarks, so that they can resume after the authority has dropped its history.
	advanceAfter = 30 * time.Second
	// The pause before a replica follows the authority again after an error doubles with each failure.
	firstRetry, longestRetry = 20 * time.Millisecond, 2 * time.Second
)

// replica is the part of an engine that follows an [Authority].
type replica struct {
	authority Authority
	ctx       context.Context // ends when the engine is closed
	stop      context.CancelFunc
	running   sync.WaitGroup // the goroutines
	commits   sync.WaitGroup // the commits in progress

	checks checks
	turns  turns

	// The engine's lock guards these.
	at        time.Time // when the revision last moved
	unclaimed unclaimed
	refollow  context.CancelFunc // makes the replica follow the authority anew

	mu      sync.Mutex
	trouble error // why the last attempt to reach the authority failed
}

// OpenReplica returns an engine that shares the objects of an authority with other engines. It returns when the replica has received all
// changes that were committed before the call. The caller must close the engine, which closes the authority. If OpenReplica returns an error,
// it has already closed the authority.
//
// An update compares the records that its function saw with those of the authority, and calls the function again if one has changed. A
// refusal or a no-op is returned only after the authority has confirmed that these records are the latest. A read with [MostRecent] also asks
// the authority; reads that wait share a question. If the authority cannot be reached, these calls fail with [ErrUnavailable].
func OpenReplica(ctx context.Context, authority Authority, opts Options) (*Engine, error) {
	opts = opts.withDefaults()
	start, err := authority.Begin(ctx, opts.Start, opts.Now().Add(-opts.MaxLogAge))
	if err != nil {
		return nil, errors.Join(err, authority.Close())
	}
	m := newEngine(nil, opts, Start{Revision: start, Oldest: start})
	r := &replica{authority: authority, at: opts.Now(), unclaimed: unclaimed{floor: start}}
	r.ctx, r.stop = context.WithCancel(context.Background())
	m.replica = r
	r.running.Go(m.follow)
	if err := m.catchUp(ctx); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	r.running.Go(m.checkNowAndThen)
	return m, nil
}

// catchUp waits until the replica shows the latest state, and advances its revision. Its revision is then above all revisions that other
// replicas have shown.
func (m *Engine) catchUp(ctx context.Context) error {
	last, known, err := m.replica.authority.Latest(ctx)
	if err != nil {
		return err
	}
	if err := m.log.Wait(ctx, last); err != nil {
		return errors.Join(err, m.replica.failure())
	}
	return m.advance(last, known)
}

// advance moves the revision to known, if the replica shows the last group before it.
func (m *Engine) advance(last, known watch.Revision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revision < last || known <= m.revision {
		return nil
	}
	m.revision, m.replica.at = known, m.opts.Now()
	return m.log.Advance(known)
}

// follow applies the changes that the authority reports until the engine is closed.
func (m *Engine) follow() {
	r := m.replica
	retry := firstRetry
	for r.ctx.Err() == nil {
		ctx, cancel := context.WithCancel(r.ctx)
		m.mu.Lock()
		r.refollow = cancel
		from := m.revision
		m.mu.Unlock()
		err := r.authority.Follow(ctx, from, func(a Arrival) error {
			retry = firstRetry
			return m.apply(ctx, a)
		})
		cancel()
		if status.IsExpired(err) {
			err = m.continueAfterLoss(r.ctx)
		}
		if err == nil || r.ctx.Err() != nil {
			continue
		}
		r.note(err)
		sleep(r.ctx, retry)
		retry = min(2*retry, longestRetry)
	}
}

// continueAfterLoss continues after the authority has dropped changes that the replica has not received. If these were changes of others, the replica
// has lost nothing.
func (m *Engine) continueAfterLoss(ctx context.Context) error {
	last, known, err := m.replica.authority.Latest(ctx)
	if err != nil {
		return err
	}
	if last <= m.Revision() {
		return m.advance(last, known)
	}
	return m.reloadAll(ctx)
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

// checkNowAndThen asks for the latest revision at intervals, so that a replica without readers notices a lost connection.
func (m *Engine) checkNowAndThen() {
	r := m.replica
	for sleep(r.ctx, checkEvery); r.ctx.Err() == nil; sleep(r.ctx, checkEvery) {
		c, err := m.check(r.ctx)
		if err != nil {
			continue
		}
		m.mu.RLock()
		quiet := m.opts.Now().Sub(r.at) > advanceAfter
		m.mu.RUnlock()
		if quiet {
			_ = m.advance(c.last, c.known)
		}
	}
}

// note remembers why the authority cannot be reached; nil says that it was reached.
func (r *replica) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble = err
}

// failure returns why the authority cannot be reached, or nil.
func (r *replica) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trouble
}

// close ends the goroutines, after the commits in progress.
func (r *replica) close() error {
	r.commits.Wait()
	r.checks.close()
	r.stop()
	r.running.Wait()
	return r.authority.Close()
}
