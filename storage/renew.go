package storage

import (
	"context"
	"maps"
	"slices"

	"github.com/decorum-go/decorum/watch"
)

// reloadAll replaces all tables by their latest states, because the authority has dropped changes that the replica has not received. It ends
// the history, so watches get 410 Expired.
func (m *Engine) reloadAll(ctx context.Context) error {
	for {
		last, known, err := m.replica.authority.Latest(ctx)
		if err != nil {
			return err
		}
		m.mu.RLock()
		forms := map[*table]*Resource{}
		for _, t := range m.tables {
			forms[t] = t.form
		}
		m.mu.RUnlock()
		all := make([]*loading, 0, len(forms))
		for t, form := range forms {
			l := &loading{engine: m, table: newTable(form)}
			l.table.names, l.table.changed = t.names, known
			if err := m.replica.load(ctx, form, known, func(s Stored) error { return l.takeOrMark(ctx, s) }); err != nil {
				return err
			}
			all = append(all, l)
		}
		if done, err := m.renew(forms, all, max(last, known)); done || err != nil {
			return err
		}
	}
}

// takeOrMark is take for a replica that serves already: a record that it cannot read must not stop it.
func (l *loading) takeOrMark(ctx context.Context, s Stored) error {
	err := l.take(ctx, s)
	if err == nil || ctx.Err() != nil {
		return err
	}
	bad := staged{write: write{table: l.table, key: s.Key}, entry: &s, bad: err}
	bad.mark(l.engine.opts.Logger)
	return nil
}

// renew installs reloaded tables at a revision. It returns false if a resource was registered or upgraded meanwhile.
func (m *Engine) renew(forms map[*table]*Resource, all []*loading, at watch.Revision) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false, ErrClosed
	}
	now := map[*table]*Resource{}
	for _, t := range m.tables {
		now[t] = t.form
	}
	if !maps.Equal(forms, now) || slices.ContainsFunc(slices.Collect(maps.Keys(now)), func(t *table) bool { return t.paused != nil }) {
		return false, nil
	}
	m.live.Store(0)
	for _, l := range all {
		t := m.tables[l.table.name]
		m.replaceTree(t, func() { t.tree = l.table.tree })
		t.indexes, t.newer, t.bad, t.changed, t.latest = l.table.indexes, l.table.newer, l.table.bad, at, nil
		m.live.Add(l.live)
	}
	m.replica.unclaimed = unclaimed{floor: at, holders: m.replica.unclaimed.holders}
	m.revision, m.replica.at = at, m.opts.Now()
	m.past.forget(nil, at+1)
	return true, m.log.Reset(at)
}
