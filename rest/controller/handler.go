package controller

import "slices"

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
		for _, obj := range i.cache.list() {
			h.add(obj)
		}
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

// tell calls the handlers for a change of one object from old to obj; nil means absence. The caller holds the
// delivering lock.
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
