package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// errPaused answers a group that must not wait for the end of a pause.
var errPaused = errors.New("storage: an upgrade pauses the changes of the resource")

// apply makes a group that the authority reports visible. It reads the records outside the lock, and again if a
// resource was registered meanwhile.
func (r *replica) apply(ctx context.Context, a Arrival) error {
	for {
		staged, done, err := r.stage(&a)
		if done || err != nil {
			return err
		}
		for i := range staged {
			r.receive(&staged[i])
		}
		wait, ok, err := r.install(&a, staged)
		if ok || err != nil {
			return err
		}
		if wait != nil {
			if a.NoWait {
				return errPaused
			}
			if err := await(ctx, wait); err != nil {
				return err
			}
		}
	}
}

// staged is one change on its way into the table.
type staged struct {
	write
	entry *Stored
	form  *storage.Resource
	newer bool
	bad   error // why the record cannot be served
}

// stage finds the tables of a group. It returns done if the replica has already applied the group.
func (r *replica) stage(a *Arrival) (all []staged, done bool, err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return nil, false, storage.ErrClosed
	}
	if a.End <= r.revision {
		return nil, true, nil
	}
	all = make([]staged, len(a.Entries))
	for i := range a.Entries {
		s := &all[i]
		s.entry, s.key = &a.Entries[i], a.Entries[i].Key
		if s.table = r.tables[s.key.Resource]; s.table != nil {
			s.form, s.base = s.table.form, r.find(s.table, s.key)
		}
	}
	return all, false, nil
}

// receive reads the record. A record that this program cannot read must not stop the feed, so the replica does not
// serve it.
func (r *replica) receive(s *staged) {
	s.next, s.bad, s.newer = nil, nil, false
	if s.table == nil {
		return
	}
	if s.entry.JSON != nil || s.entry.Unreadable != nil {
		s.next, s.bad = s.table.received(s.entry, s.form, s.base)
		s.newer = s.bad == nil && r.newer(s.entry, s.form)
	}
	s.changes = s.base != nil || s.next != nil
	s.grown = sizeOf(s.next) - sizeOf(s.base)
}

// received returns the record of an entry in a form.
func (t *table) received(s *Stored, form *storage.Resource, base *storage.Record) (*storage.Record, error) {
	if s.Key.Name == "" || (s.Key.Namespace != "") != t.namespaced {
		return nil, fmt.Errorf("%w: the record does not fit the scope of the resource", storage.ErrKey)
	}
	if s.Unreadable != nil {
		return nil, s.Unreadable
	}
	r := (&storage.Record{Revision: s.Revision, Written: s.Written, Creator: s.Creator}).With(s.JSON, storage.Extracted{})
	if base != nil {
		r.Key = base.Key
	} else {
		r.Key = t.ownKey(s.Key)
	}
	var err error
	if s.Form == form.Fingerprint {
		err = setText(r, s.JSON, form)
	} else {
		r, err = inForm(context.Background(), r, form) // the record holds its text
	}
	if err != nil {
		return nil, err
	}
	if base != nil {
		shareParts(&r.Extracted, &base.Extracted)
	}
	return r, nil
}

// newer reports whether a newer program stored a record.
func (r *replica) newer(s *Stored, form *storage.Resource) bool {
	return s.Form != form.Fingerprint && r.authority.Newer(s.Key.Resource, s.Form, form.Fingerprint)
}

// install publishes a group. It returns false if a table has changed since stage, and a channel if an upgrade pauses
// changes.
func (r *replica) install(a *Arrival, all []staged) (wait <-chan struct{}, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false, storage.ErrClosed
	}
	for i := range all {
		s := &all[i]
		if t := r.tables[s.key.Resource]; t != s.table {
			return nil, false, nil
		} else if t != nil && (t.form != s.form || t.paused != nil || r.find(t, s.key) != s.base) {
			return t.paused, false, nil
		}
	}
	group, writes := make([]watch.Change[storage.Record], 0, len(all)), make([]write, 0, len(all))
	for i := range all {
		s := &all[i]
		switch {
		case s.table == nil:
			r.unclaimed.add(arrived{*s.entry, a.End, a.At})
			continue
		case s.changes && !s.table.dormant:
			key := s.key
			if s.next != nil {
				key = s.next.Key
			}
			group = append(group,
				watch.Change[storage.Record]{Key: key, Revision: s.entry.Revision, Previous: s.base, Current: s.next})
		}
		writes = append(writes, s.write)
	}
	if err := r.publish(group, writes, a.End); err != nil {
		return nil, false, err
	}
	r.book(writes)
	for i := range all {
		all[i].mark(r.opts.Logger)
	}
	r.movedAt = r.opts.Now()
	r.delay = max(0, r.movedAt.Sub(a.At))
	r.unclaimed.trim(r.movedAt.Add(-r.opts.MaxLogAge), r.logLimit()/pastShare)
	return nil, true, nil
}

// mark notes whether the replica may write the object. The caller holds the lock of the objects.
func (s *staged) mark(logger *slog.Logger) {
	t := s.table
	if t == nil {
		return
	}
	delete(t.newer, s.key)
	delete(t.bad, s.key)
	switch {
	case s.bad != nil:
		if t.bad == nil {
			t.bad = map[storage.Key]error{}
		}
		t.bad[s.entry.Key] = s.bad
		logger.Error("the replica does not serve an object, because it cannot read what another one has stored",
			"resource", s.key.Resource, "namespace", s.key.Namespace, "name", s.key.Name,
			"revision", uint64(s.entry.Revision), "error", s.bad)
	case s.newer:
		if t.newer == nil {
			t.newer = map[storage.Key]string{}
		}
		t.newer[s.next.Key] = s.entry.Form
	}
}
