package engine

import "context"
import "github.com/decorum-go/decorum/storage"

// patientRounds is how often writes may make an upgrade start again before the upgrade pauses them.
const patientRounds = 8

// upgrade changes the form or the indexes of a table. It prepares the new table outside the lock, and repeats this for
// records that have changed in between. A backend records the new form before the first write in that form, and
// receives the upgraded records afterwards. A crash in between does no harm, because the backend stores the form of
// each record.
func (e *Engine) upgrade(ctx context.Context, t *table, form *storage.Resource) error {
	defer e.resume(t)
	from := e.committer.origin(form)
	upgraded, newer, err := e.reload(ctx, t, form, from, nil)
	if err != nil {
		return err
	}
	for round := 0; ; round++ {
		if round == patientRounds {
			e.pauseCommits(t)
		}
		if err := e.awaitPending(ctx, t); err != nil {
			return err
		}
		s, _, err := e.latest(t, nil)
		if err != nil {
			return err
		}
		if round > 0 { // newer programs may have written meanwhile
			if upgraded, newer, err = e.reload(ctx, t, form, from, upgraded); err != nil {
				return err
			}
		}
		next, grown, err := e.prepareTable(ctx, s, form, from, upgraded)
		if err != nil {
			return err
		}
		if next.tree != nil && round == 0 {
			if err := e.committer.announce(ctx, form); err != nil {
				return err
			}
		}
		next.newer = newer
		if e.replace(t, s, next, grown) {
			break
		}
	}
	var changed []*storage.Record
	for _, r := range upgraded {
		if _, ok := newer[r.Key]; !ok {
			changed = append(changed, r)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return e.committer.rewrite(context.WithoutCancel(ctx), form, changed)
}

// reload reads the stored records of a newer form again, because the table holds only the fields that the old form
// knows. The new form may be theirs. It adds to known, the records that were upgraded before.
func (e *Engine) reload(
	ctx context.Context, t *table, form *storage.Resource, from unloader, known map[*storage.Record]*storage.Record,
) (upgraded map[*storage.Record]*storage.Record, newer map[storage.Key]string, err error) {
	if upgraded = known; upgraded == nil {
		upgraded = map[*storage.Record]*storage.Record{}
	}
	e.mu.RLock()
	held := map[storage.Key]*storage.Record{}
	if t.form.Fingerprint != form.Fingerprint {
		for key := range t.newer {
			held[key] = e.find(t, key)
		}
	} else {
		newer = t.newer
	}
	at := e.revision
	e.mu.RUnlock()
	if len(held) == 0 {
		return upgraded, newer, nil
	}
	next := newTable(form)
	next.origin = from
	l := loading{objects: e.objects, table: next}
	err = e.committer.stored(ctx, form, at, func(s Stored) error {
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
		next.unload(r, false)
		upgraded[old] = r
		return nil
	})
	return upgraded, next.newer, err
}

// prepareTable returns a table with the records of a snapshot in a form, and how many bytes they have grown. The table
// has no tree if only the indexes differ. upgraded holds the records that earlier rounds have upgraded.
func (o *objects) prepareTable(
	ctx context.Context, s *snapshot, form *storage.Resource, from unloader, upgraded map[*storage.Record]*storage.Record,
) (next *table, grown int64, err error) {
	next = &table{form: form, origin: from, indexes: newIndexes(form.Indexed)}
	if o.formOf(s.table).Fingerprint != form.Fingerprint {
		next.tree = newRecords()
	}
	visited := 0
	s.tree.Scan(func(r *storage.Record) bool {
		if visited++; visited%scanStep == 0 {
			if err = ctx.Err(); err != nil {
				return false
			}
		}
		record := r
		if next.tree != nil {
			if record = upgraded[r]; record == nil {
				if record, err = inForm(ctx, r, form); err != nil {
					err = aboutKey(r.Key, err)
					return false
				}
				next.unload(record, false)
				upgraded[r] = record
			}
			next.tree.Load(record)
			grown += sizeOf(record) - sizeOf(r)
		}
		for _, i := range next.indexes {
			i.replace(nil, record)
		}
		return true
	})
	return next, grown, err
}

// replace installs a form, its indexes and, if next has a tree, the upgraded records. It returns false and does nothing
// if the snapshot is no longer the latest state or a commit is in progress. Upgraded records end the history, because
// the history holds records of one form only.
func (o *objects) replace(t *table, s *snapshot, next *table, grown int64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.latest != s || len(t.ahead) > 0 {
		return false
	}
	t.indexes, t.latest = next.indexes, nil
	if next.tree == nil {
		t.setForm(next.form)
		return true
	}
	if t.origin != nil {
		t.origin.follow(nil)
	}
	t.form, t.origin = next.form, next.origin
	o.replaceTree(t, func() { t.tree, t.newer, t.changed = next.tree, next.newer, o.revision })
	o.live.Add(grown)
	o.log.CompactResource(storage.Key{Resource: t.name}, o.revision)
	o.past.forget(t, o.revision)
	return true
}

// pauseCommits makes the writers of a table wait until resume.
func (o *objects) pauseCommits(t *table) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t.paused = make(chan struct{})
}

func (o *objects) resume(t *table) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.paused != nil {
		close(t.paused)
		t.paused = nil
	}
}
