package etcd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// epochGap is the distance from the last resourceVersion that a replica has seen to the first one of the epoch that it
// begins. Other replicas may have seen later ones: 256 for each revision of etcd.
const epochGap = 1 << 30

// sighting is a commit that this replica has received.
type sighting struct {
	revision int64
	id       string
}

// in reports whether a store contains the sighted commit. m is the last commit of the store up to its revision.
func (s sighting) in(m *mark) bool { return s.revision == m.revision && s.id == m.id }

// goneBack reports whether the last commit of etcd, or its revision, contradicts what this replica saw before it asked.
// Then somebody has restored an earlier state of etcd.
func goneBack(last *mark, known, seen int64, sighted sighting) bool {
	return known < seen || last.revision < sighted.revision || last.revision == sighted.revision && !sighted.in(last)
}

// recognize returns 410 Expired, and begins a new epoch, if etcd no longer has the commits that this replica has
// received. Other replicas may have reached the same revisions with other commits, so it compares the ids.
func (a *authority) recognize(ctx context.Context, after watch.Revision) error {
	base, lacking, err := a.refreshBase(ctx)
	switch {
	case err != nil:
		return err
	case lacking:
		return cmp.Or(a.beginEpoch(ctx, base), expired())
	case after < base:
		return expired()
	}
	position, sightings := a.feed.received()
	if len(sightings) == 0 {
		return a.sight(ctx, position)
	}
	for _, s := range sightings {
		m, known, err := a.mark(ctx, s.revision)
		if status.IsExpired(err) { // compacted, so only the last commit tells something
			m, known, err = a.mark(ctx, 0)
			if err == nil && !goneBack(&m, known, position, s) {
				continue
			}
		}
		switch {
		case errors.Is(err, errAhead):
		case err != nil:
			return err
		case s.in(&m) && known >= position:
			continue
		}
		return cmp.Or(a.beginEpoch(ctx, base), expired())
	}
	return nil
}

// sight remembers the last commit up to a revision of etcd, after an epoch has begun.
func (a *authority) sight(ctx context.Context, position int64) error {
	m, _, err := a.mark(ctx, position)
	switch {
	case errors.Is(err, errAhead):
		return cmp.Or(a.beginEpoch(ctx, a.base()), expired())
	case status.IsExpired(err): // the watch will report the error
		return nil
	case err != nil:
		return err
	}
	a.feed.sight(sighting{m.revision, m.id})
	return nil
}

// beginEpoch makes all resourceVersions continue above those that this replica has shown, because etcd has gone back to
// an earlier state. The replicas then load the objects again, and older watches and lists get 410. It does nothing if
// the epoch with this base has ended already.
func (a *authority) beginEpoch(ctx context.Context, base watch.Revision) error {
	a.renewing.Lock()
	defer a.renewing.Unlock()
	if a.base() != base {
		return nil
	}
	shown := a.end(a.seen.Load())
	logger := cmp.Or(a.opts.Engine.Logger, slog.Default())
	logger.Error("etcd has gone back to an earlier state, and lacks commits that this replica has shown",
		"prefix", a.opts.Prefix, "shown", uint64(shown))
	for {
		response, m, err := a.readMeta(ctx)
		if err != nil {
			return err
		}
		if m.Base > shown { // another replica has noticed it, too
			a.feed.forget()
			a.adopt(m.Base)
			return nil
		}
		m.Base = shown + epochGap
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
		_, err = a.client.Txn(bounded).
			If(clientv3.Compare(clientv3.ModRevision(a.keys.meta), "=", response.Kvs[0].ModRevision)).
			Then(clientv3.OpPut(a.keys.meta, string(text))).Commit()
		cancel()
		if err != nil {
			return unavailable(ctx, err)
		}
	}
}

// refreshBase adopts the base of the current epoch, which another replica may have begun, and returns it. lacking says
// that etcd lacks the epoch of this replica: it has gone back to a state before that.
func (a *authority) refreshBase(ctx context.Context) (base watch.Revision, lacking bool, err error) {
	a.renewing.Lock()
	defer a.renewing.Unlock()
	_, m, err := a.readMeta(ctx)
	if err == nil && m.Base > a.base() {
		a.adopt(m.Base)
	}
	return a.base(), err == nil && m.Base < a.base(), err
}

// adopt makes the resourceVersions begin at a base. It ends the watch, because the engine must load everything again.
func (a *authority) adopt(base watch.Revision) {
	a.seen.Store(0)
	a.begins.Store(uint64(base))
	a.feed.interrupt()
}

// base returns the resourceVersion at which the current epoch begins.
func (a *authority) base() watch.Revision { return watch.Revision(a.begins.Load()) }

// see remembers a revision of etcd that clients may have seen.
func (a *authority) see(revision int64) {
	for seen := a.seen.Load(); seen < revision && !a.seen.CompareAndSwap(seen, revision); seen = a.seen.Load() {
	}
}
