package storage

import "context"

// patientRounds is how often writes may make an upgrade start again before the upgrade pauses them.
const patientRounds = 8

// upgrade changes the form or the indexes of a table. It prepares the new table outside the lock, and repeats this for records that have
// changed in between. The backend records the new form before the first write in that form, and receives the upgraded records afterwards. A
// crash in between does no harm, because the backend stores the form of each record.
func (m *Engine) upgrade(ctx context.Context, t *table, form *Resource) error {
	defer m.resume(t)
	upgraded, newer, err := m.reload(ctx, t, form, nil)
	if err != nil {
		return err
	}
	for round := 0; ; round++ {
		if round == patientRounds {
			m.pauseCommits(t)
		}
		if err := m.awaitPending(ctx, t); err != nil {
			return err
		}
		s, _, err := m.latest(t, nil)
		if err != nil {
			return err
		}
		if m.replica != nil && round > 0 { // newer programs may have written meanwhile
			if upgraded, newer, err = m.reload(ctx, t, form, upgraded); err != nil {
				return err
			}
		}
		next, grown, err := m.prepareTable(ctx, s, form, upgraded)
		if err != nil {
			return err
		}
		if next.tree != nil && round == 0 {
			if err := m.rewrite(ctx, form, nil); err != nil {
				return err
			}
		}
		next.newer = newer
		if m.replace(t, s, next, grown) {
			break
		}
	}
	var changed []*Record
	for _, r := range upgraded {
		if _, ok := newer[r.Key]; !ok {
			changed = append(changed, r)
		}
	}
	if len(changed) == 0 || m.replica != nil { // a replica with the older form may still run
		return nil
	}
	return m.rewrite(context.WithoutCancel(ctx), form, changed)
}

// reload reads records of a newer form from the backend again, because the table holds only the fields that the old form knows. The new
// form may be theirs. It adds to known, the records that were upgraded before.
func (m *Engine) reload(ctx context.Context, t *table, form *Resource, known map[*Record]*Record) (upgraded map[*Record]*Record, newer map[Key]string, err error) {
	if upgraded = known; upgraded == nil {
		upgraded = map[*Record]*Record{}
	}
	m.mu.RLock()
	held := map[Key]*Record{}
	if t.form.Fingerprint != form.Fingerprint {
		for key := range t.newer {
			held[key] = m.find(t, key)
		}
	} else {
		newer = t.newer
	}
	at := m.revision
	m.mu.RUnlock()
	if len(held) == 0 {
		return upgraded, newer, nil
	}
	next := newTable(form)
	l := loading{engine: m, table: next}
	load := func(yield func(Stored) error) error { return m.backend.Load(ctx, t.name, form.Fingerprint, yield) }
	if m.replica != nil {
		load = func(yield func(Stored) error) error { return m.replica.load(ctx, form, at, yield) }
	}
	err = load(func(s Stored) error {
		if err := l.look(ctx); err != nil {
			return err
		}
		old := held[s.Key]
		if old == nil || old.Revision != s.Revision {
			return nil
		}
		r, err := l.record(&s)
		if err != nil {
			return aboutKey(s.Key, err)
		}
		upgraded[old] = r
		return nil
	})
	return upgraded, next.newer, err
}

// prepareTable returns a table with the records of a snapshot in a form, and how many bytes they have grown. The table has no tree if only
// the indexes differ. upgraded holds the records that earlier rounds have upgraded.
func (m *Engine) prepareTable(ctx context.Context, s *snapshot, form *Resource, upgraded map[*Record]*Record) (next *table, grown int64, err error) {
	next = &table{form: form, indexes: newIndexes(form.Indexed)}
	if m.formOf(s.table).Fingerprint != form.Fingerprint {
		next.tree = newTree()
	}
	visited := 0
	s.tree.Scan(func(r *Record) bool {
		if visited++; visited%scanStep == 0 {
			if err = ctx.Err(); err != nil {
				return false
			}
		}
		record := r
		if next.tree != nil {
			if record = upgraded[r]; record == nil {
				if record, err = r.in(form); err != nil {
					err = aboutKey(r.Key, err)
					return false
				}
				upgraded[r] = record
			}
			next.tree.Load(record)
			grown += record.size() - r.size()
		}
		for _, i := range next.indexes {
			i.replace(nil, record)
		}
		return true
	})
	return next, grown, err
}

// replace installs a form, its indexes and, if next has a tree, the upgraded records. It returns false and does nothing if the snapshot is
// no longer the latest state or a commit is in progress. Upgraded records end the history, because the history holds records of one form
// only.
func (m *Engine) replace(t *table, s *snapshot, next *table, grown int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.latest != s || len(t.ahead) > 0 {
		return false
	}
	t.form, t.indexes, t.latest = next.form, next.indexes, nil
	if next.tree == nil {
		return true
	}
	m.replaceTree(t, func() { t.tree, t.newer, t.changed = next.tree, next.newer, m.revision })
	m.live.Add(grown)
	m.log.CompactResource(t.name, m.revision)
	m.past.forget(t, m.revision)
	return true
}

// rewrite passes upgraded records to the backend. If the backend returns an error, the store becomes read-only.
func (m *Engine) rewrite(ctx context.Context, form *Resource, records []*Record) error {
	if m.replica != nil {
		return m.replica.authority.Announce(ctx, form.Name, form.Fingerprint)
	}
	if m.backend == nil || m.Ready() != nil {
		return nil
	}
	err := m.backend.Rewrite(ctx, form.Name, form.Fingerprint, records)
	if err != nil && ctx.Err() == nil {
		m.mu.Lock()
		m.refuseWrites(err)
		m.mu.Unlock()
	}
	return err
}

// pauseCommits makes the writers of a table wait until resume.
func (m *Engine) pauseCommits(t *table) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.paused = make(chan struct{})
}

func (m *Engine) resume(t *table) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.paused != nil {
		close(t.paused)
		t.paused = nil
	}
}

// awaitPending waits for the commits to a table that are in progress.
func (m *Engine) awaitPending(ctx context.Context, t *table) error {
	m.mu.RLock()
	var last *pending
	if len(t.ahead) > 0 {
		last = m.last
	}
	m.mu.RUnlock()
	if last == nil {
		return nil
	}
	return last.wait(ctx)
}
