package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// reloadAll replaces all tables by their latest states, because the authority has dropped changes that the replica has
// not received. It ends the history, so watches get 410 Expired.
func (r *replica) reloadAll(ctx context.Context) error {
	for {
		last, known, err := r.authority.Latest(ctx)
		if err != nil {
			return err
		}
		r.mu.RLock()
		forms := map[*table]*storage.Resource{}
		for _, t := range r.tables {
			forms[t] = t.form
		}
		r.mu.RUnlock()
		all := make([]*loading, 0, len(forms))
		for t, form := range forms {
			l := &loading{objects: r.objects, table: newTable(form)}
			l.table.names, l.table.changed = t.names, known
			if err := r.stored(ctx, form, known, func(s Stored) error { return l.takeOrMark(ctx, s) }); err != nil {
				return err
			}
			all = append(all, l)
		}
		if done, err := r.renew(forms, all, max(last, known)); done || err != nil {
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
	bad.mark(l.objects.opts.Logger)
	return nil
}

// renew installs reloaded tables at a revision. It returns false if a resource was registered or upgraded meanwhile.
func (r *replica) renew(forms map[*table]*storage.Resource, all []*loading, at watch.Revision) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false, storage.ErrClosed
	}
	now := map[*table]*storage.Resource{}
	for _, t := range r.tables {
		now[t] = t.form
	}
	if !maps.Equal(forms, now) ||
		slices.ContainsFunc(slices.Collect(maps.Keys(now)), func(t *table) bool { return t.paused != nil }) {
		return false, nil
	}
	r.live.Store(0)
	for _, l := range all {
		t := r.tables[l.table.name]
		r.replaceTree(t, func() { t.tree = l.table.tree })
		t.indexes, t.newer, t.bad, t.changed, t.latest = l.table.indexes, l.table.newer, l.table.bad, at, nil
		r.live.Add(l.live)
	}
	r.unclaimed = unclaimed{floor: at, holders: r.unclaimed.holders}
	r.revision, r.movedAt = at, r.opts.Now()
	r.past.forget(nil, at+1)
	return true, r.log.Reset(at)
}
