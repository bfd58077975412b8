package follow

import (
	"cmp"
	"context"
	"slices"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Merged reports what several selections of one store match, as one sequence in the order of revisions. One goroutine
// at a time may use it.
//
// Each selection has a Follower of its own, so a change wakes the reader only if one of them may select it. A change is
// reported once all followers have passed its revision. A follower that is ahead of the others waits, so no more than
// one poll of each is held back.
type Merged struct {
	followers []Follower
	held      []MergedEvent // events that some follower has not passed, ascending
	existing  bool          // the existing objects have yet to be reported
	position  watch.Revision
	complete  watch.Revision // the revision of the last of the initial lists
}

// MergedEvent is an event of the selection with a number.
type MergedEvent struct {
	Of int
	Event
}

// Begin begins to follow. All beginnings must agree on Existing, After and Alarm. The reader must call Close, also
// after an error, which is one of [Follower.Begin].
func (m *Merged) Begin(ctx context.Context, store storage.Store, all []Beginning) error {
	m.followers = make([]Follower, len(all))
	for i := range all {
		f := &m.followers[i]
		at, err := f.Begin(ctx, store, all[i])
		if err != nil {
			return f.Reason(all[i].Of.StoreError(err, ""))
		}
		m.existing = m.existing || all[i].Existing
		m.complete = max(m.complete, at)
	}
	if !m.existing {
		m.position = m.complete
	}
	return nil
}

// Untold returns the existing objects that Poll has yet to report.
func (m *Merged) Untold() (records []*storage.Record) {
	for i := range m.followers {
		records = append(records, m.followers[i].Untold()...)
	}
	return records
}

// Poll passes events to see and never waits. The first call reports the existing objects of each selection in turn.
// Later calls report changes. If more is true, further events may be waiting. Poll stops at the first error.
func (m *Merged) Poll(see func(MergedEvent) error) (more bool, err error) {
	if m.existing {
		m.existing = false
		for i := range m.followers {
			f := &m.followers[i]
			if _, err := f.Poll(func(e Event) error { return see(MergedEvent{i, e}) }); err != nil {
				return false, f.Reason(err)
			}
		}
		return true, nil
	}
	through := ^watch.Revision(0)
	for i := range m.followers {
		f := &m.followers[i]
		if f.Cursor == nil || f.Position() <= max(m.position, 1) || len(m.held) == 0 {
			found, err := f.Poll(func(e Event) error {
				m.held = append(m.held, MergedEvent{i, e})
				return nil
			})
			if err != nil {
				return false, f.Reason(err)
			}
			more = more || found
		}
		through = min(through, f.Position())
	}
	m.position = max(m.position, through)
	slices.SortStableFunc(m.held, func(a, b MergedEvent) int { return cmp.Compare(a.Revision, b.Revision) })
	passed := 0
	for passed < len(m.held) && m.held[passed].Revision <= through {
		passed++
	}
	now := m.held[:passed]
	m.held = slices.Clone(m.held[passed:])
	for _, e := range now {
		if err := see(e); err != nil {
			return false, err
		}
	}
	return more || len(m.held) > 0, nil
}

// Position returns the revision up to which every change has been reported, or 0 if not all existing objects and the
// changes during the initial lists have been.
func (m *Merged) Position() watch.Revision {
	if m.existing || m.position < m.complete {
		return 0
	}
	return m.position
}

// Ready asks for a value on the alarm when Poll has something to report.
func (m *Merged) Ready() {
	for i := range m.followers {
		m.followers[i].Ready()
	}
}

// Retired reports whether the API has given up or replaced one of the resources, see [Follower.Retired].
func (m *Merged) Retired() bool {
	return slices.ContainsFunc(m.followers, func(f Follower) bool { return f.Retired() })
}

// Err returns the error that Poll would return now instead of changes.
func (m *Merged) Err() error {
	for i := range m.followers {
		if err := m.followers[i].Err(); err != nil {
			return err
		}
	}
	return nil
}

// Close gives up all positions.
func (m *Merged) Close() {
	for i := range m.followers {
		m.followers[i].Close()
	}
}
