package soak

import (
	"fmt"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/watch"
)

// tape is what one watcher saw, in its order, since the last round was checked.
type tape struct {
	name     string
	sel      selector
	metadata bool // of the objects only
	// begun: the watcher has shown the state in which the last round ended.
	begun bool

	mu      sync.Mutex
	notes   []note
	broken  error         // the watcher has met what must not happen
	arrived chan struct{} // holds an element when there is something new
}

func newTape(name string, sel selector) *tape {
	return &tape{name: name, sel: sel, arrived: make(chan struct{}, 1)}
}

type noteKind int

const (
	// listed: the watch goes on from a list of these items at this revision, not older than floor.
	listed noteKind = iota
	// fresh: a watch begins with an ADDED for each object of a state whose revision the watcher is not told, not
	// older than floor.
	fresh
	// relisted: the watch has listed again by itself, at this revision, not older than floor. It goes on with the
	// difference to what it has shown, in events that all have this revision, and which may be none.
	relisted
	changed    // an event
	bookmarked // a bookmark
	// expired: the watch ended with 410, because history had passed it. It may not have shown all of its beginning.
	expired
)

type note struct {
	kind            noteKind
	revision, floor uint64
	event           watch.EventType
	item            item
	items           []item
}

func (n note) String() string {
	switch n.kind {
	case listed:
		return fmt.Sprintf("list of %d objects at %d, not before %d", len(n.items), n.revision, n.floor)
	case fresh:
		return fmt.Sprintf("fresh watch, not before %d", n.floor)
	case relisted:
		return fmt.Sprintf("list again at %d, not before %d", n.revision, n.floor)
	case bookmarked:
		return fmt.Sprintf("bookmark at %d", n.revision)
	case expired:
		return "410 Expired"
	}
	return fmt.Sprintf("%s at %d of %s/%s %+v", n.event, n.revision, n.item.key.Namespace, n.item.key.Name, n.item.value)
}

func (t *tape) add(n note) {
	t.mu.Lock()
	t.notes = append(t.notes, n)
	t.mu.Unlock()
	t.wake()
}

func (t *tape) fail(err error) {
	t.mu.Lock()
	if t.broken == nil {
		t.broken = err
	}
	t.mu.Unlock()
	t.wake()
}

func (t *tape) wake() {
	select {
	case t.arrived <- struct{}{}:
	default:
	}
}

func (t *tape) read() ([]note, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.notes, t.broken
}

// forget drops the notes that are checked.
func (t *tape) forget(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append([]note(nil), t.notes[n:]...)
}

// lastNotes shows the notes before and at an index.
func lastNotes(notes []note, i int) string {
	var b strings.Builder
	for j := max(0, i-5); j <= min(i, len(notes)-1); j++ {
		fmt.Fprintf(&b, "    %s\n", notes[j])
	}
	return b.String()
}
