package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// loading reads the table of one resource from what is stored. upgraded holds the records that were stored in an older
// form.
type loading struct {
	objects  *objects
	table    *table
	upgraded []*storage.Record
	live     int64
	visited  int

	floor watch.Revision               // the history is complete from here
	past  []watch.Past[storage.Record] // oldest first once it is complete; a backend yields the youngest first
}

// look checks the context once every few records, and returns its error.
func (l *loading) look(ctx context.Context) error {
	if l.visited++; l.visited%scanStep == 0 {
		return ctx.Err()
	}
	return nil
}

// take adds one record to the table.
func (l *loading) take(ctx context.Context, s Stored) error {
	if err := l.look(ctx); err != nil {
		return err
	}
	r, err := l.record(&s)
	if err != nil {
		return aboutKey(s.Key, err)
	}
	l.table.unload(r, true)
	l.table.tree.Load(r)
	for _, i := range l.table.indexes {
		i.replace(nil, r)
	}
	l.table.changed = max(l.table.changed, r.Revision)
	l.live += sizeOf(r)
	return nil
}

func (l *loading) record(s *Stored) (*storage.Record, error) {
	t := l.table
	if s.Unreadable != nil {
		return nil, s.Unreadable
	}
	r := (&storage.Record{Key: l.table.ownKey(s.Key), Revision: s.Revision, Written: s.Written, Creator: s.Creator}).
		With(s.JSON, storage.Extracted{})
	if s.Key.Resource != t.name || s.Key.Name == "" || (s.Key.Namespace != "") != t.namespaced {
		return nil, fmt.Errorf("%w: the record does not fit the scope of the resource", storage.ErrKey)
	}
	if s.Form == t.form.Fingerprint {
		return r, setText(r, s.JSON, t.form)
	}
	r, err := inForm(context.Background(), r, t.form) // the record holds its text
	if err != nil {
		return nil, err
	}
	if !s.Newer {
		l.upgraded = append(l.upgraded, r)
		return r, nil
	}
	if t.newer == nil {
		t.newer = map[storage.Key]string{}
	}
	t.newer[r.Key] = s.Form
	return r, nil
}

var errFormChanged = errors.New("storage: the older history has another form")

// undo returns a function that adds a change to the history, from which watches may resume. It stops at a change of
// another form.
func (l *loading) undo(ctx context.Context) func(PriorState) error {
	t := l.table
	// The records before the last change that was read, if they differ from the table.
	states := map[storage.Key]*storage.Record{}
	return func(u PriorState) error {
		if err := l.look(ctx); err != nil {
			return err
		}
		t.changed = max(t.changed, u.Revision)
		if u.Form != t.form.Fingerprint {
			l.floor = max(l.floor, u.Revision)
			return errFormChanged
		}
		if u.Revision <= l.floor {
			return nil
		}
		current, known := states[u.Key]
		if !known {
			current = l.objects.find(t, u.Key)
		}
		c := watch.Change[storage.Record]{Key: l.table.ownKey(u.Key), Revision: u.Revision, Current: current}
		if current != nil && current.Revision != u.Revision {
			if current.Revision > u.Revision {
				return aboutKey(u.Key,
					fmt.Errorf("%w: the history has no change to revision %d", storage.ErrJSON, current.Revision))
			}
			err := fmt.Errorf("%w: the record has revision %d, but the history has %d",
				storage.ErrJSON, current.Revision, u.Revision)
			return aboutKey(u.Key, err)
		}
		if u.Before != nil {
			r, err := l.before(&u)
			if err != nil {
				return aboutKey(u.Key, err)
			}
			if current != nil {
				shareParts(&r.Extracted, &current.Extracted)
			}
			c.Previous = r
		}
		states[c.Key] = c.Previous
		l.past = append(l.past, watch.Past[storage.Record]{Change: c, GroupEnd: u.GroupEnd, At: u.At})
		return nil
	}
}

// before returns the record before a change. It reads the revision of the record from the JSON.
func (l *loading) before(u *PriorState) (*storage.Record, error) {
	parts, err := l.table.form.Extract(u.Before)
	if err != nil {
		return nil, err
	}
	if err := checkParts(&parts, u.Before); err != nil {
		return nil, err
	}
	version := u.Before[parts.Version.Start:parts.Version.End]
	revision, err := parseRevision(version)
	if err != nil || revision >= u.Revision {
		return nil, fmt.Errorf("%w: a change at revision %d of a record at revision %q", storage.ErrJSON, u.Revision, version)
	}
	return (&storage.Record{Key: l.table.ownKey(u.Key), Revision: revision, Written: u.Written}).With(u.Before, parts), nil
}
