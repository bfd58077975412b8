package controller

import "slices"

// Handler is told of the objects of an [Informer]. Each function may be nil. They are called one at a time, by the
// goroutine of the informer or of AddHandler, and later calls wait for them: what takes long belongs on a [Queue].
// Objects are shared and must not be changed.
//
// For each object the calls are one OnAdd, any number of OnUpdate and at most one OnDelete, and then perhaps OnAdd again.
// Where the informer had to list again, steps in between are left out. An object that was deleted and made anew in the
// meantime has another uid, and is told as OnDelete and OnAdd.
type Handler[T any] struct {
	// OnAdd is told of an object that is new to the handler: created, there already, or come into the selection.
	OnAdd func(obj *T)
	// OnUpdate is told of a change; old is what the handler was told last.
	OnUpdate func(old, obj *T)
	// OnDelete is told of an object that has gone or has left the selection. last is its last known state, after a
	// list perhaps not the very last.
	OnDelete func(last *T)
	// OnSynced is called once, when OnAdd was called for every object of the first list.
	OnSynced func()
}

// AddHandler lets a handler know of what happens from now on, after OnAdd for every object that is present. It may be
// called at any time, also by a handler, and does not wait: the handler begins when the call that is under way has ended.
// The returned function takes the handler out again; a call under way may still reach it.
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

// settle brings the handlers that have joined up to date. Where somebody else is calling handlers it leaves that to them:
// whoever has held the lock of deliveries settles afterwards, so nobody waits for it and nobody is forgotten.
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

// admit tells the handlers that have joined what there is. The caller has taken the lock of deliveries.
func (i *Informer[T]) admit() {
	defer i.delivering.Unlock()
	for h := i.nextJoining(); h != nil; h = i.nextJoining() {
		if !i.HasSynced() {
			continue
		}
		for _, obj := range i.cache.list() {
			h.add(obj)
		}
		h.synced()
	}
}

// nextJoining makes the first handler that has joined one of those that are told, and returns it.
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

// tell calls the handlers for the step of one object from old to obj, of which nil is absence. The caller holds the lock
// of deliveries.
func (i *Informer[T]) tell(old, obj *T) {
	if old == obj {
		return
	}
	if old != nil && obj != nil && i.metadata.text(old, i.metadata.uid) != i.metadata.text(obj, i.metadata.uid) {
		i.tell(old, nil)
		i.tell(nil, obj)
		return
	}
	for _, h := range i.told() {
		switch {
		case old != nil && obj != nil:
			h.update(old, obj)
		case obj != nil:
			h.add(obj)
		default:
			h.delete(old)
		}
	}
}

func (h *Handler[T]) add(obj *T) {
	if h.OnAdd != nil {
		h.OnAdd(obj)
	}
}

func (h *Handler[T]) update(old, obj *T) {
	if h.OnUpdate != nil {
		h.OnUpdate(old, obj)
	}
}

func (h *Handler[T]) delete(last *T) {
	if h.OnDelete != nil {
		h.OnDelete(last)
	}
}

func (h *Handler[T]) synced() {
	if h.OnSynced != nil {
		h.OnSynced()
	}
}
