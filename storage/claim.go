package storage

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// loadAttempts bounds how often a replica begins to load a resource. It begins again if the authority compacts the state that is being read.
const loadAttempts = 4

// load yields the records of a resource at a revision, and notes which of them a newer program has stored.
func (r *replica) load(ctx context.Context, form *Resource, at watch.Revision, yield func(Stored) error) error {
	return r.authority.Load(ctx, form.Name, at, func(s Stored) error {
		s.Newer = r.newer(&s, form)
		return yield(s)
	})
}

// loadReplica adds the table of a resource. It loads an old state, and replays the changes since. Watches may then resume from that state.
func (m *Engine) loadReplica(ctx context.Context, form *Resource) error {
	if err := m.replica.authority.Announce(ctx, form.Name, form.Fingerprint); err != nil {
		return err
	}
	at, err := m.hold(form.Name)
	if err != nil {
		return err
	}
	defer m.release()
	for attempt := 1; ; attempt++ {
		l := &loading{engine: m, table: newTable(form), floor: at}
		l.table.changed = at
		err := m.replica.load(ctx, form, at, func(s Stored) error { return l.take(ctx, s) })
		if err == nil {
			if err = l.claim(ctx); !status.IsExpired(err) {
				return err
			}
		}
		if !status.IsExpired(err) || attempt == loadAttempts {
			return err
		}
		if at, err = m.recentState(ctx); err != nil {
			return err
		}
	}
}

// hold makes the replica keep all changes that no resource claims, and returns the revision after which it has those of a resource.
func (m *Engine) hold(resource string) (watch.Revision, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, ErrClosed
	}
	u := &m.replica.unclaimed
	u.holders++
	return u.floorOf(resource), nil
}

func (m *Engine) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.replica.unclaimed.holders--
}

// recentState returns a revision that the replica has reached and that the authority can load.
func (m *Engine) recentState(ctx context.Context) (watch.Revision, error) {
	c, err := m.check(ctx)
	if err != nil {
		return 0, err
	}
	if err := m.advance(c.last, c.known); err != nil {
		return 0, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return min(c.known, m.revision), nil
}

// claim replays the changes since the loaded state, and installs the table once none is left. It returns 410 Expired if the replica has lost
// some of them.
func (l *loading) claim(ctx context.Context) error {
	after := l.floor
	for {
		all, done, err := l.install(after)
		if done || err != nil {
			return err
		}
		for i := range all {
			if err := l.look(ctx); err != nil {
				return err
			}
			if err := l.replay(&all[i]); err != nil {
				return aboutKey(all[i].Key, err)
			}
		}
		after = all[len(all)-1].Revision
	}
}

// install adds the table to the engine, unless there are changes after a revision, which install then returns.
func (l *loading) install(after watch.Revision) (left []arrived, done bool, err error) {
	m, t := l.engine, l.table
	m.mu.Lock()
	defer m.mu.Unlock()
	u := &m.replica.unclaimed
	switch {
	case m.closed:
		return nil, false, ErrClosed
	case after < u.floorOf(t.name):
		return nil, false, tooOld()
	}
	if left = u.of(t.name, after); len(left) > 0 {
		return left, false, nil
	}
	l.past = slices.DeleteFunc(l.past, func(p watch.Past[Record]) bool { return p.Revision <= l.floor })
	if err := m.log.Restore(t.name, l.floor, l.past); err != nil {
		return nil, false, err
	}
	u.claim(t.name)
	m.tables[t.name] = t
	m.bookTable(t)
	m.live.Add(l.live)
	return nil, true, nil
}

// replay applies one change to the table. The history ends at a change of another form.
func (l *loading) replay(e *arrived) error {
	m, t := l.engine, l.table
	s := staged{write: write{table: t, key: e.Key, base: m.find(t, e.Key)}, entry: &e.Stored, form: t.form}
	s.receive(m)
	if s.bad != nil {
		return s.bad
	}
	t.changed = max(t.changed, e.end)
	if e.JSON != nil && e.Form != t.form.Fingerprint {
		l.floor = max(l.floor, e.end)
	}
	if s.changes {
		key := l.key(e.Key)
		if s.next != nil {
			t.tree.Set(s.next)
		} else {
			t.tree.Delete(s.base)
		}
		for _, i := range t.indexes {
			i.replace(s.base, s.next)
		}
		l.live += s.grown
		c := watch.Change[Record]{Scope: key, Revision: e.Revision, Previous: s.base, Current: s.next}
		l.past = append(l.past, watch.Past[Record]{Change: c, GroupEnd: e.end, At: e.at})
	}
	s.mark(m.opts.Logger)
	return nil
}
