package controller

import (
	"slices"
	"sync"
)

// Handler reacts to changes of the objects of an [Informer]. Each function may be nil. The goroutine of the informer or
// of AddHandler calls them one at a time, and later calls wait for them: pass slow work to a [Queue]. All readers share
// the objects; a handler must not change them.
//
// For each object the calls are one OnAdd, any number of OnUpdate and at most one OnDelete, and then perhaps OnAdd
// again. If the informer had to list again, it skips the steps in between. An object that was deleted and created again
// in the meantime has another uid, and the handler gets OnDelete and OnAdd.
type Handler[T any] struct {
	// OnAdd receives an object that is new to the handler: a created object, an existing one, or one that begins to match
	// the selectors.
	OnAdd func(obj *T)
	// OnUpdate receives a change. old is the state that the handler received last.
	OnUpdate func(old, obj *T)
	// OnDelete receives an object that was deleted or no longer matches the selectors. last is its last known state. After
	// a list, that may not be the very last state.
	OnDelete func(last *T)
	// OnSynced is called once, after OnAdd was called for every object of the first list.
	OnSynced func()

	// onKey replaces OnAdd, OnUpdate and OnDelete, and needs no decoded object.
	onKey func(Key)
}

// AddHandler adds a handler. The handler first gets OnAdd for every present object, then every change. AddHandler may
// be called at any time, also by a handler, and does not wait: if another handler call is running, the new handler
// starts after it. remove removes the handler; a call that is already running may still reach it.
func (i *Informer[T]) AddHandler(h Handler[T]) (remove func()) {
	added := &h
	i.mu.Lock()
	i.joining = append(i.joining, added)
	i.mu.Unlock()
	i.settle()
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.joining = without(i.joining, added)
		i.handlers = without(i.handlers, added)
	}
}

func without[T any](handlers []*Handler[T], h *Handler[T]) []*Handler[T] {
	return slices.DeleteFunc(slices.Clone(handlers), func(other *Handler[T]) bool { return other == h })
}

// settle brings new handlers up to date. If another goroutine is calling handlers, settle leaves that to it: every
// holder of the delivering lock calls settle afterwards, so no caller waits and no handler is forgotten.
func (i *Informer[T]) settle() {
	for i.waiting() && i.delivering.TryLock() {
		i.admit()
	}
}

func (i *Informer[T]) waiting() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.joining) > 0
}

// admit calls OnAdd of the new handlers for the present objects. The caller has locked delivering, and admit unlocks
// it.
func (i *Informer[T]) admit() {
	defer i.delivering.Unlock()
	for h := i.nextJoining(); h != nil; h = i.nextJoining() {
		if !i.HasSynced() {
			continue
		}
		i.content.greet(h)
		h.synced()
	}
}

// nextJoining moves the first new handler to the active ones, and returns it.
func (i *Informer[T]) nextJoining() *Handler[T] {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.joining) == 0 {
		return nil
	}
	h := i.joining[0]
	i.joining = i.joining[1:]
	i.handlers = append(slices.Clip(i.handlers), h)
	return h
}

func (i *Informer[T]) told() []*Handler[T] {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.handlers
}

// tell calls the handlers for a change of one object from old to now. nil means that the object is absent. The caller
// holds the delivering lock.
func (i *Informer[T]) tell(key Key, old, now func() *T) {
	handlers := i.told()
	if len(handlers) > 1 { // so that they share the decoded objects
		old, now = once(old), once(now)
	}
	for _, h := range handlers {
		h.change(key, old, now)
	}
}

// once returns a function that calls f at most once. It returns nil for nil.
func once[T any](f func() *T) func() *T {
	if f == nil {
		return nil
	}
	return sync.OnceValue(f)
}

// change calls the function for a change of one object from old to now. nil means that the object is absent. change
// decodes an object only if the function needs it. An object that cannot be decoded counts as absent.
func (h *Handler[T]) change(key Key, old, now func() *T) {
	switch {
	case h.onKey != nil:
		h.onKey(key)
	case now == nil:
		if h.OnDelete == nil {
			return
		}
		if last := old(); last != nil {
			h.OnDelete(last)
		}
	case old != nil && h.OnUpdate != nil:
		if was, is := old(), now(); was != nil && is != nil {
			h.OnUpdate(was, is)
		}
	case old == nil && h.OnAdd != nil:
		if is := now(); is != nil {
			h.OnAdd(is)
		}
	}
}

func (h *Handler[T]) synced() {
	if h.OnSynced != nil {
		h.OnSynced()
	}
}
