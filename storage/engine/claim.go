package engine

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// loadAttempts bounds how often a replica begins to load a resource. It begins again if the authority compacts the
// state that is being read.
const loadAttempts = 4

func (r *replica) stored(
	ctx context.Context, form *storage.Resource, at watch.Revision, yield func(Stored) error,
) error {
	return r.authority.Load(ctx, form.Name, at, func(s Stored) error {
		s.Newer = r.newer(&s, form)
		return yield(s)
	})
}

// load implements [committer]. It loads an old state, and replays the changes since. Watches may then resume from that
// state.
func (r *replica) load(ctx context.Context, form *storage.Resource) error {
	if err := r.announce(ctx, form); err != nil {
		return err
	}
	at, err := r.hold(form.Name)
	if err != nil {
		return err
	}
	defer r.release()
	for attempt := 1; ; attempt++ {
		l := &loading{objects: r.objects, table: newTable(form), floor: at}
		l.table.changed = at
		err := r.stored(ctx, form, at, func(s Stored) error { return l.take(ctx, s) })
		if err == nil {
			if err = r.claimTable(ctx, l); !status.IsExpired(err) {
				return err
			}
		}
		if !status.IsExpired(err) || attempt == loadAttempts {
			return err
		}
		if at, err = r.recentState(ctx); err != nil {
			return err
		}
	}
}

// hold makes the replica keep all changes that no resource claims, and returns the revision after which it has the
// changes of a resource.
func (r *replica) hold(resource string) (watch.Revision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, storage.ErrClosed
	}
	u := &r.unclaimed
	u.holders++
	return u.floorOf(resource), nil
}

func (r *replica) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unclaimed.holders--
}

// recentState returns a revision that the replica has reached and that the authority can load.
func (r *replica) recentState(ctx context.Context) (watch.Revision, error) {
	c, err := r.check(ctx)
	if err != nil {
		return 0, err
	}
	if err := r.advance(c.last, c.known); err != nil {
		return 0, err
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return min(c.known, r.revision), nil
}

// claimTable replays the changes since the loaded state, and installs the table once none is left. It returns 410
// Expired if the replica has lost some of them.
func (r *replica) claimTable(ctx context.Context, l *loading) error {
	after := l.floor
	for {
		all, done, err := r.installTable(l, after)
		if done || err != nil {
			return err
		}
		for i := range all {
			if err := l.look(ctx); err != nil {
				return err
			}
			if err := r.replay(l, &all[i]); err != nil {
				return aboutKey(all[i].Key, err)
			}
		}
		after = all[len(all)-1].Revision
	}
}

// installTable adds the table, unless there are changes after a revision, which installTable then returns.
func (r *replica) installTable(l *loading, after watch.Revision) (left []arrived, done bool, err error) {
	t := l.table
	r.mu.Lock()
	defer r.mu.Unlock()
	u := &r.unclaimed
	switch {
	case r.closed:
		return nil, false, storage.ErrClosed
	case after < u.floorOf(t.name):
		return nil, false, tooOld()
	}
	if left = u.of(t.name, after); len(left) > 0 {
		return left, false, nil
	}
	l.past = slices.DeleteFunc(l.past, func(p watch.Past[storage.Record]) bool { return p.Revision <= l.floor })
	if err := r.log.Restore(storage.Key{Resource: t.name}, l.floor, l.past); err != nil {
		return nil, false, err
	}
	u.claim(t.name)
	r.add(t, l.live)
	return nil, true, nil
}

// replay applies one change to the table. The history ends at a change of another form.
func (r *replica) replay(l *loading, e *arrived) error {
	t := l.table
	s := staged{write: write{table: t, key: e.Key, base: r.find(t, e.Key)}, entry: &e.Stored, form: t.form}
	r.receive(&s)
	if s.bad != nil {
		return s.bad
	}
	t.changed = max(t.changed, e.end)
	if e.JSON != nil && e.Form != t.form.Fingerprint {
		l.floor = max(l.floor, e.end)
	}
	if s.changes {
		key := l.table.ownKey(e.Key)
		if s.next != nil {
			t.tree.Set(s.next)
		} else {
			t.tree.Delete(s.base)
		}
		for _, i := range t.indexes {
			i.replace(s.base, s.next)
		}
		l.live += s.grown
		c := watch.Change[storage.Record]{Key: key, Revision: e.Revision, Previous: s.base, Current: s.next}
		l.past = append(l.past, watch.Past[storage.Record]{Change: c, GroupEnd: e.end, At: e.at})
	}
	s.mark(r.opts.Logger)
	return nil
}
