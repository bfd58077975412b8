package torture

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/decorum-go/decorum/watch"
)

// model holds the knowledge about a file from the reports of the processes and from earlier checks.
type model struct {
	known map[watch.Revision]event // everything that was ever reported or found
	last  watch.Revision           // the largest revision that is known
	base  watch.Revision           // the revision of the last check
	state map[string]event         // the state at base
	log   []event                  // complete after floor
	floor watch.Revision
	runs  []*run // since the last check

	survived int // writes that were committed, but not acknowledged
}

func newModel() *model { return &model{known: map[watch.Revision]event{}, state: map[string]event{}} }

// note adds an event. It fails if the revision already belongs to another event.
func (m *model) note(e event) error {
	if other, ok := m.known[e.revision]; ok && other != e {
		return fmt.Errorf("revision %d was used twice: %+v, %+v", e.revision, other, e)
	}
	m.known[e.revision] = e
	m.last = max(m.last, e.revision)
	return nil
}

// add adds the reports of a process.
func (m *model) add(r *run) error {
	m.runs = append(m.runs, r)
	var errs []error
	if r.opened != 0 {
		if r.opened <= m.last {
			errs = append(errs, fmt.Errorf("the process began at revision %d, but %d was used", r.opened, m.last))
		}
		errs = append(errs, m.note(event{r.opened, "opened", ""}))
	}
	for _, w := range r.writes {
		for i, revision := range w.revisions {
			if revision != 0 {
				errs = append(errs, m.note(w.event(i)))
			}
		}
	}
	for _, all := range r.watchers {
		for _, w := range all {
			for _, e := range w.seen {
				errs = append(errs, m.note(e))
			}
		}
	}
	return errors.Join(errs...)
}

// event returns the change that an acknowledged write made to one of its keys.
func (w *write) event(i int) event {
	e := event{revision: w.revisions[i], key: w.keys[i]}
	if w.puts[e.key] {
		e.write = w.id
	}
	return e
}

// found is the content of a file.
type found struct {
	revision watch.Revision
	objects  map[string]event
	history  []event // the events after the base of the model
	cut      bool    // the history does not reach back to it
}

// check compares a file with the model, and then adds the content of the file to the model.
func (m *model) check(f *found) error {
	errs := []error{m.checkObjects(f)}
	if f.revision < m.last {
		errs = append(errs, fmt.Errorf("the revision is %d, but %d was used", f.revision, m.last))
	}
	for _, e := range f.history {
		errs = append(errs, m.note(e))
	}
	if f.cut {
		m.log, m.floor = nil, f.revision
	} else {
		errs = append(errs, m.checkHistory(f), m.checkWrites(f), m.checkClients(f))
		m.log = append(m.log, f.history...)
		errs = append(errs, m.checkWatchers())
	}
	for _, e := range f.objects {
		errs = append(errs, m.note(e))
	}
	m.base, m.state, m.runs = f.revision, f.objects, nil
	m.last = max(m.last, f.revision)
	return errors.Join(errs...)
}

// checkObjects compares the objects with the last known event of each key. Only a pending write may have changed an
// object after that.
func (m *model) checkObjects(f *found) error {
	latest := maps.Clone(m.state)
	for _, e := range m.known {
		if e.revision > m.base && e.key != "opened" && e.revision > latest[e.key].revision {
			latest[e.key] = e
		}
	}
	var errs []error
	for _, k := range keys() {
		key := keyText(k)
		want, got := latest[key], f.objects[key]
		if got == want || got.write == "" && want.write == "" {
			continue
		}
		if !m.mayFollow(key, got) || got.revision != 0 && got.revision <= want.revision {
			errs = append(errs, fmt.Errorf("%s is %+v, but the last known change is %+v", key, got, want))
		}
	}
	return errors.Join(errs...)
}

// mayFollow reports whether a pending write may have produced this state of an object.
func (m *model) mayFollow(key string, e event) bool {
	for _, r := range m.runs {
		for _, w := range r.writes {
			if puts, ok := w.puts[key]; ok && w.pending() && (puts && w.id == e.write || !puts && e.write == "") {
				return true
			}
		}
	}
	return false
}

// checkHistory checks that the history leads from the state at base to the objects.
func (m *model) checkHistory(f *found) error {
	state, before := maps.Clone(m.state), m.base
	for _, e := range f.history {
		if e.revision <= before || e.revision > f.revision {
			return fmt.Errorf("%+v follows revision %d in the history, which ends at %d", e, before, f.revision)
		}
		before = e.revision
		apply(state, e)
	}
	if !maps.Equal(state, f.objects) {
		return fmt.Errorf("the history leads to %+v, but the objects are %+v", state, f.objects)
	}
	return nil
}

func apply(state map[string]event, e event) {
	if e.write == "" {
		delete(state, e.key)
		return
	}
	state[e.key] = e
}

// checkWrites checks that the history contains every acknowledged write, that each other change belongs to a pending
// write, and that the changes of each write are complete and consecutive.
func (m *model) checkWrites(f *found) error {
	var errs []error
	explained := map[watch.Revision]bool{}
	at := map[watch.Revision]int{}
	for i, e := range f.history {
		at[e.revision] = i
	}
	for _, r := range m.runs {
		for _, w := range r.writes {
			for i, revision := range w.revisions {
				if revision == 0 {
					continue
				}
				if n, ok := at[revision]; !ok || f.history[n] != w.event(i) {
					errs = append(errs, fmt.Errorf("the acknowledged %+v is not in the history", w.event(i)))
				} else if i > 0 && w.revisions[i-1] != 0 && at[w.revisions[i-1]] != n-1 {
					errs = append(errs, fmt.Errorf("others lie inside of the group %+v", *w))
				}
				explained[revision] = true
			}
		}
	}
	for _, names := range []bool{true, false} { // deletions name no write, so they go last
		for _, r := range m.runs {
			for _, w := range r.writes {
				if w.pending() && w.puts[w.keys[0]] == names {
					errs = append(errs, m.explain(f, w, explained))
				}
			}
		}
	}
	for _, e := range f.history {
		if !explained[e.revision] {
			errs = append(errs, fmt.Errorf("nobody has made the change %+v", e))
		}
	}
	return errors.Join(errs...)
}

// explain finds a pending write in the history. The write must be complete or absent.
func (m *model) explain(f *found, w *write, explained map[watch.Revision]bool) error {
	state := maps.Clone(m.state)
	for start := range f.history {
		if start > 0 {
			apply(state, f.history[start-1])
		}
		var whole []event // the changes of the write in this state
		for _, key := range w.keys {
			switch _, exists := state[key]; {
			case w.puts[key]:
				whole = append(whole, event{0, key, w.id})
			case exists:
				whole = append(whole, event{0, key, ""})
			}
		}
		matches := len(whole) > 0 && start+len(whole) <= len(f.history)
		for i := 0; matches && i < len(whole); i++ {
			e := f.history[start+i]
			matches = !explained[e.revision] && e.key == whole[i].key && e.write == whole[i].write
		}
		if matches {
			for i := range whole {
				explained[f.history[start+i].revision] = true
			}
			m.survived++
			return nil
		}
	}
	if i := slices.IndexFunc(f.history, func(e event) bool { return e.write == w.id }); i >= 0 {
		return fmt.Errorf("the write %+v is not whole, but there is %+v", *w, f.history[i])
	}
	return nil
}

// checkClients compares the lists, and the objects that refused writes saw, with the history.
func (m *model) checkClients(f *found) error {
	for _, r := range m.runs {
		for _, e := range r.shown {
			if k, ok := m.known[e.revision]; !ok || k.key != e.key || k.write == "" {
				return fmt.Errorf("a write was shown %s at revision %d, which is not in the history", e.key, e.revision)
			}
		}
		slices.SortFunc(r.lists, func(a, b listing) int { return int(a.revision) - int(b.revision) })
		state, n := maps.Clone(m.state), 0
		for _, l := range r.lists {
			for ; n < len(f.history) && f.history[n].revision <= l.revision; n++ {
				apply(state, f.history[n])
			}
			want := map[string]watch.Revision{}
			for key, e := range state {
				if len(key) > len(l.resource) && key[:len(l.resource)+1] == l.resource+"/" {
					want[key] = e.revision
				}
			}
			if w := r.around(l.revision); w != nil {
				return fmt.Errorf("a list has revision %d, which lies inside of the group %+v", l.revision, *w)
			}
			if !maps.Equal(want, l.objects) {
				return fmt.Errorf("a list at %d showed %v instead of %v", l.revision, l.objects, want)
			}
		}
	}
	return nil
}

// around returns the group that contains a revision, or nil.
func (r *run) around(revision watch.Revision) *write {
	for _, w := range r.writes {
		if n := len(w.revisions); n > 1 && w.revisions[0] != 0 && w.revisions[0] <= revision &&
			revision < slices.Max(w.revisions) {
			return w
		}
	}
	return nil
}

// checkWatchers checks that watchers saw each change, in order.
func (m *model) checkWatchers() error {
	for _, r := range m.runs {
		for name, all := range r.watchers {
			for _, w := range all {
				if w.after < m.floor {
					continue
				}
				from, _ := slices.BinarySearchFunc(m.log, w.after+1,
					func(e event, r watch.Revision) int { return int(e.revision) - int(r) })
				if to := from + len(w.seen); to > len(m.log) || !slices.Equal(m.log[from:to], w.seen) {
					return fmt.Errorf("watcher %s saw after %d: %+v\ninstead of %+v", name, w.after, w.seen,
						m.log[from:min(to, len(m.log))])
				}
			}
		}
	}
	return nil
}
