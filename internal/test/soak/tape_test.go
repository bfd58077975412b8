package soak

import (
	"fmt"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
)

// tape holds what one watcher saw, in order, since the check of the last round.
type tape struct {
	name     string
	sel      selector
	metadata bool // the watcher sees only metadata
	// begun says that the watcher had shown the final state of the last round.
	begun bool

	mu      sync.Mutex
	notes   []note
	broken  error         // an error that must not happen
	arrived chan struct{} // holds an element if there are new notes
}

func newTape(name string, sel selector) *tape {
	return &tape{name: name, sel: sel, arrived: make(chan struct{}, 1)}
}

type noteKind int

const (
	// listed means that the watch continues from a list of these items, at this revision, which must be at least floor.
	listed noteKind = iota
	// fresh means that a watch begins with an ADDED for each object of a state. The watcher does not learn its revision,
	// which must be at least floor.
	fresh
	// relisted means that the watch has listed again by itself, at this revision, which must be at least floor. It
	// continues with the difference to what it has shown, in events that all have this revision. There may be none.
	relisted
	changed    // an event
	bookmarked // a bookmark
	// expired means that the watch ended with 410, because the log had dropped its position. It may not have shown all
	// initial objects.
	expired
)

type note struct {
	kind            noteKind
	revision, floor uint64
	event           apimeta.EventType
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

// forget drops the first n notes, which are checked.
func (t *tape) forget(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append([]note(nil), t.notes[n:]...)
}

// lastNotes formats the note at an index and those before it.
func lastNotes(notes []note, i int) string {
	var b strings.Builder
	for j := max(0, i-5); j <= min(i, len(notes)-1); j++ {
		fmt.Fprintf(&b, "    %s\n", notes[j])
	}
	return b.String()
}
