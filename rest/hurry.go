package rest

import "sync"

// hurries are those who must hurry when the API ends, so that a client that does not read does not hold up the shutdown. A
// context would tell them as well, and take several times the memory of each watch.
type hurries struct {
	mu    sync.Mutex
	begun bool
	first *hurried
}

// hurried is one of them.
type hurried struct {
	all            *hurries
	hurry          func()
	before, behind *hurried
}

// add has hurry, which must not block, called when the API ends, or has ended. Call stop when nothing is left to hurry.
func (all *hurries) add(h *hurried, hurry func()) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.begun {
		hurry()
	}
	*h = hurried{all: all, hurry: hurry, behind: all.first}
	if h.behind != nil {
		h.behind.before = h
	}
	all.first = h
}

// stop returns when nothing is hurried any more: the connection may be used for other requests, whose deadline is not to be
// touched.
func (h *hurried) stop() {
	h.all.mu.Lock()
	defer h.all.mu.Unlock()
	if h.before == nil {
		h.all.first = h.behind
	} else {
		h.before.behind = h.behind
	}
	if h.behind != nil {
		h.behind.before = h.before
	}
}

// begin hurries all.
func (all *hurries) begin() {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.begun {
		return
	}
	all.begun = true
	for h := all.first; h != nil; h = h.behind {
		h.hurry()
	}
}
