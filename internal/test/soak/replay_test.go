package soak

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
)

// errMissing says that a tape ends too early: the missing events may still arrive, or are lost.
var errMissing = errors.New("no event may be lost: the watch has not shown every change")

// replay compares a tape with a history. It keeps a position in both, and the objects that the watcher should see
// there.
type replay struct {
	history  *history
	sel      selector
	metadata bool

	at      uint64
	view    state
	begun   bool // false: the watcher has not received a state yet
	leaping bool // the watcher has listed again; the difference must lead from seen to view
	seen    state
}

// newReplay starts at the beginning of the history.
func newReplay(h *history, t *tape) *replay {
	r := &replay{history: h, sel: t.sel, metadata: t.metadata, at: h.base, view: state{}, begun: t.begun}
	for k, v := range h.start {
		if t.sel.matches(k, v) {
			r.view[k] = r.shown(v)
		}
	}
	return r
}

func (r replay) clone() replay {
	r.view, r.seen = maps.Clone(r.view), maps.Clone(r.seen)
	return r
}

func (r *replay) shown(v value) value {
	if r.metadata {
		return v.metadata()
	}
	return v
}

// change returns the event that a commit causes for the selector, or "" if the selector does not see the commit.
func (r *replay) change(e entry) (apimeta.EventType, value) {
	was, had := r.view[e.key]
	has := !e.gone && r.sel.matches(e.key, e.value)
	switch {
	case had && has:
		return apimeta.EventModified, r.shown(e.value)
	case has:
		return apimeta.EventAdded, r.shown(e.value)
	case had:
		return apimeta.EventDeleted, was.at(e.revision)
	}
	return "", value{}
}

// step moves the position past the next commit.
func (r *replay) step() {
	r.at++
	e := r.history.at(r.at)
	if r.sel.matches(e.key, e.value) && !e.gone {
		r.view[e.key] = r.shown(e.value)
	} else {
		delete(r.view, e.key)
	}
}

// skip moves the position to a revision. It stops before the first commit that the selector makes visible, and returns
// that commit.
func (r *replay) skip(to uint64) (event apimeta.EventType, e entry) {
	for r.at < to {
		e := r.history.at(r.at + 1)
		if event, _ := r.change(e); event != "" {
			return event, e
		}
		r.at++
	}
	return "", entry{}
}

// run replays notes that must lead to the end of the history. It returns errMissing, or the violation and the index of
// its note.
func (r *replay) run(notes []note) (int, error) { return r.replay(notes, true) }

// replay replays notes. If last is set, they must lead to the end of the history.
func (r *replay) replay(notes []note, last bool) (int, error) {
	for i := 0; i < len(notes); i++ {
		n := notes[i]
		if n.revision > r.history.end() {
			return i, fmt.Errorf("a revision must come from the store: %d is after the last one, %d", n.revision,
				r.history.end())
		}
		var err error
		switch n.kind {
		case listed:
			r.leaping = false // the watcher broke off the difference
			err = r.list(n)
		case fresh:
			r.leaping = false
			until := beginning(notes, i+1)
			seen, err := r.fresh(notes[i+1:until], n.floor, last && until == len(notes))
			if err != nil {
				return i + 1 + seen, err
			}
			i = until - 1
		case relisted:
			err = r.relist(n)
		case expired:
			r.begun = false
		case bookmarked:
			if err = r.endLeap(n.revision); err == nil {
				err = r.bookmark(n)
			}
		default:
			if err = r.endLeap(n.revision); err == nil {
				err = r.event(n)
			}
		}
		if err != nil {
			return i, err
		}
	}
	if last {
		return len(notes), r.finish()
	}
	return len(notes), nil
}

// beginning returns the index of the next note with which a watcher starts over.
func beginning(notes []note, from int) int {
	for i, n := range notes[from:] {
		if n.kind == listed || n.kind == fresh {
			return from + i
		}
	}
	return len(notes)
}

// endLeap checks a difference once a note with another revision follows.
func (r *replay) endLeap(next uint64) error {
	if !r.leaping || next == r.at {
		return nil
	}
	r.leaping = false
	if !maps.Equal(r.seen, r.view) {
		return fmt.Errorf("a difference must lead to the state at its revision: %d: %s", r.at, differences(r.seen, r.view))
	}
	return nil
}

// finish moves the position to the end of the history, or returns errMissing if events are missing.
func (r *replay) finish() error {
	if !r.begun || r.leaping && !maps.Equal(r.seen, r.view) {
		return errMissing
	}
	if event, e := r.skip(r.history.end()); event != "" {
		return fmt.Errorf("%w: %s at %d", errMissing, event, e.revision)
	}
	return nil
}

func (r *replay) list(n note) error {
	if n.revision < n.floor {
		return fmt.Errorf("a read must show every acknowledged write: a list at %d after %d was acknowledged", n.revision,
			n.floor)
	}
	if n.revision < r.at {
		return fmt.Errorf("a list must not go back: one at %d after an event at %d", n.revision, r.at)
	}
	if r.history.inside(n.revision) {
		return fmt.Errorf("no client may see a part of a group: a list at %d", n.revision)
	}
	for r.at < n.revision {
		r.step()
	}
	r.begun = true
	got := state{}
	for _, it := range n.items {
		got[it.key] = it.value
	}
	if len(got) != len(n.items) || !maps.Equal(got, r.view) {
		return fmt.Errorf("a list must be one snapshot: at %d: %s", n.revision, differences(got, r.view))
	}
	return nil
}

func (r *replay) bookmark(n note) error {
	if n.revision < r.at {
		return fmt.Errorf("a bookmark must not go back: %d after %d", n.revision, r.at)
	}
	if r.history.inside(n.revision) {
		return fmt.Errorf("no client may see a part of a group: a bookmark at %d", n.revision)
	}
	if event, e := r.skip(n.revision); event != "" {
		return fmt.Errorf("a bookmark must follow everything it covers: that of %d precedes the %s of %s", n.revision, event,
			e)
	}
	return nil
}

func (r *replay) event(n note) error {
	if r.leaping && n.revision == r.at {
		return r.leap(n)
	}
	if !r.begun {
		return errors.New("a watch must begin with a list")
	}
	if n.revision <= r.at {
		return fmt.Errorf("the revisions of a watch must ascend: %d after %d", n.revision, r.at)
	}
	if event, e := r.skip(n.revision - 1); event != "" {
		return fmt.Errorf("no event may be lost: the watch goes from %d to %d without the %s of %s", r.at, n.revision, event,
			e)
	}
	event, v := r.change(r.history.at(n.revision))
	if event != n.event || n.item.key != r.history.at(n.revision).key || v != n.item.value {
		return fmt.Errorf("an event must match its commit: at %d it should be %q with %+v", n.revision, event, v)
	}
	r.step()
	return nil
}

// relist moves the position to the state to which a difference must lead. The difference may be empty, because an
// object that was created and deleted in between does not appear in it.
func (r *replay) relist(n note) error {
	if err := r.endLeap(0); err != nil {
		return err
	}
	if n.revision < n.floor {
		return fmt.Errorf("a read must show every acknowledged write: a list at %d after %d was acknowledged", n.revision,
			n.floor)
	}
	if !r.begun || n.revision < r.at {
		return fmt.Errorf("a list must replace the missed events: one at %d after an event at %d", n.revision, r.at)
	}
	if r.history.inside(n.revision) {
		return fmt.Errorf("no client may see a part of a group: a list again at %d", n.revision)
	}
	r.leaping, r.seen = true, maps.Clone(r.view)
	for r.at < n.revision {
		r.step()
	}
	return nil
}

// leap replays one event of a difference.
func (r *replay) leap(n note) error {
	was, had := r.seen[n.item.key]
	now := n.item.value
	if had == (n.event == apimeta.EventAdded) {
		return fmt.Errorf("a difference must refer to objects that were seen: %s", n)
	}
	if n.event == apimeta.EventDeleted {
		if now != was.at(n.revision) {
			return fmt.Errorf("a difference must delete the last state that was seen: %s, not %+v", n, was)
		}
		delete(r.seen, n.item.key)
		return nil
	}
	if had && (now.uid != was.uid || now == was) {
		return fmt.Errorf("a difference must modify an object that has changed and kept its uid: %s", n)
	}
	r.seen[n.item.key] = now
	return nil
}

// fresh replays a watch without a revision. It begins with the existing objects, at a revision that the watcher does
// not learn. Each revision with exactly these objects is a candidate, and the notes that follow must fit one of them.
// Of consecutive revisions between which the watcher sees no change, fresh tries only the first. If the watch expired
// before it had shown all objects, the notes need to match only the first objects.
func (r *replay) fresh(notes []note, floor uint64, last bool) (int, error) {
	initial := 0
	for initial < len(notes) && notes[initial].kind == changed && notes[initial].event == apimeta.EventAdded {
		initial++
	}
	ceiling, passed := r.history.end(), false
	if initial < len(notes) {
		if passed = notes[initial].kind == expired; !passed {
			ceiling = min(ceiling, notes[initial].revision)
		}
	}
	for r.at < min(floor, ceiling) {
		r.step()
	}
	worst, worstErr := 0, errMissing
	if initial < len(notes) || !last { // no later event could complete the initial objects
		worstErr = fmt.Errorf("a watch without a revision must begin with the existing objects: no revision from %d to %d has these", r.at, ceiling)
	}
	for {
		r.skip(min(ceiling, r.history.groupEnd(r.at))) // no reader may see a part of a group
		told := min(initial, len(r.view))
		if !r.history.inside(r.at) && (passed || told == len(r.view)) && r.begins(notes[:told]) {
			candidate := r.clone()
			candidate.begun = true
			n, err := candidate.replay(notes[told:], last)
			if err == nil {
				*r = candidate
				return len(notes), nil
			}
			if n += told; n >= worst {
				worst, worstErr = n, err
			}
		}
		if r.skip(ceiling); r.at >= ceiling {
			return worst, worstErr
		}
		r.step()
	}
}

// begins reports whether the notes are the first objects of the view, in the order of their keys.
func (r *replay) begins(notes []note) bool {
	for i, n := range notes {
		v, ok := r.view[n.item.key]
		if !ok || v != n.item.value || i > 0 && compareKeys(notes[i-1].item.key, n.item.key) >= 0 {
			return false
		}
	}
	through := 0 // number of objects up to the last one in the notes
	for k := range r.view {
		if len(notes) > 0 && compareKeys(k, notes[len(notes)-1].item.key) <= 0 {
			through++
		}
	}
	return through == len(notes) // the notes skip no object
}

// differences formats a few keys in which two states differ.
func differences(got, want state) string {
	keys := map[storage.Key]bool{}
	for k := range got {
		keys[k] = true
	}
	for k := range want {
		keys[k] = true
	}
	var out []string
	for _, k := range slices.SortedFunc(maps.Keys(keys), compareKeys) {
		g, inGot := got[k]
		w, inWant := want[k]
		if g != w || inGot != inWant {
			out = append(out, fmt.Sprintf("%s/%s is %+v (%t), want %+v (%t)", k.Namespace, k.Name, g, inGot, w, inWant))
		}
	}
	if len(out) == 0 {
		return "an object is listed twice"
	}
	return fmt.Sprint(len(out), " objects differ: ", out[:min(len(out), 4)])
}
