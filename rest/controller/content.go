package controller

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"time"
)

// content holds the objects of an informer, and keeps them up to date.
type content[T any] interface {
	get(key Key) (*T, bool)
	list() []*T
	// byIndex returns false if the informer has no index of that name.
	byIndex(name, value string) ([]*T, bool)
	// uid returns the uid of an object, or "" if the informer does not hold the object.
	uid(key Key) string
	// greet calls a handler for every object.
	greet(h *Handler[T])
	// advance watches from a resourceVersion, or lists first if it is empty. It updates the resourceVersion with each
	// event, and returns when an error occurs. seen reports whether it received an event.
	advance(ctx context.Context, version *string) (seen bool, err error)
}

// form fetches objects of type T for an informer, and opens the entries of type E in which the informer keeps them.
type form[T, E any] interface {
	key(entry E) Key
	uid(entry E) string
	// unchanged reports whether both entries hold the same state of the same object. If so, the informer keeps the
	// returned entry.
	unchanged(old, now E) (E, bool)
	// open returns the object of an entry, or nil if it cannot be decoded. It keeps the decoded object for the next call
	// if the object fits into keep, and subtracts its size from keep. A nil keep sets no limit.
	open(entry E, keep *room) *T
	// release drops the object that open keeps for an entry.
	release(entry E)
	list(ctx context.Context) (entries []E, version string, err error)
	watch(ctx context.Context, version string, see func(change[T, E])) error
}

// room is the number of bytes of decoded objects that a caller may still keep.
type room int64

// change is an event of a watch.
type change[T, E any] struct {
	entry   E
	last    func() *T // returns the last state of a deleted object, at the version of its deletion, or nil
	version string
	written time.Time // zero if unknown
}

// objects is the content of an informer whose entries have the form E.
type objects[T, E any] struct {
	informer *Informer[T]
	form     form[T, E]
	cache    *cache[E]
	greeting room // the decoded objects that one list may keep
}

func newObjects[T, E any](i *Informer[T], form form[T, E], probe func(Key) E, greeting room) *objects[T, E] {
	o := &objects[T, E]{informer: i, form: form, greeting: greeting}
	names := slices.Sorted(maps.Keys(i.options.Indexes))
	o.cache = &cache[E]{key: form.key, probe: probe, seed: maphash.MakeSeed(), names: names, place: func(entry E, put func(int, string)) {
		obj := form.open(entry, new(room))
		if obj == nil {
			return
		}
		for number, name := range names {
			for _, value := range i.options.Indexes[name](obj) {
				put(number, value)
			}
		}
	}}
	o.cache.state = o.cache.empty()
	return o
}

func (o *objects[T, E]) get(key Key) (*T, bool) {
	entry, ok := o.cache.get(key)
	if !ok {
		return nil, false
	}
	obj := o.form.open(entry, nil)
	return obj, obj != nil
}

func (o *objects[T, E]) list() []*T { return o.openAll(o.cache.list()) }

func (o *objects[T, E]) byIndex(name, value string) ([]*T, bool) {
	entries, ok := o.cache.byIndex(name, value)
	return slices.DeleteFunc(o.openAll(entries), func(obj *T) bool {
		return !slices.Contains(o.informer.options.Indexes[name](obj), value) // another value has the same hash
	}), ok
}

func (o *objects[T, E]) openAll(entries []E) []*T {
	out, keep := make([]*T, 0, len(entries)), o.greeting
	for _, entry := range entries {
		if obj := o.form.open(entry, &keep); obj != nil {
			out = append(out, obj)
		}
	}
	return out
}

func (o *objects[T, E]) uid(key Key) string {
	if entry, ok := o.cache.get(key); ok {
		return o.form.uid(entry)
	}
	return ""
}

func (o *objects[T, E]) greet(h *Handler[T]) {
	keep := o.greeting
	for _, entry := range o.cache.list() {
		h.change(o.form.key(entry), nil, func() *T { return o.form.open(entry, &keep) })
	}
}

func (o *objects[T, E]) advance(ctx context.Context, version *string) (seen bool, err error) {
	if *version == "" {
		entries, listed, err := o.form.list(ctx)
		if err != nil {
			return false, fmt.Errorf("informer: list: %w", err)
		}
		o.replace(entries, listed)
		*version = listed
		o.informer.settle()
	}
	err = o.form.watch(ctx, *version, func(c change[T, E]) {
		o.apply(c)
		seen = true
		*version = c.version
		o.informer.settle()
		o.informer.noteHandled(c.written)
	})
	if err != nil {
		return seen, fmt.Errorf("informer: watch: %w", err)
	}
	return seen, ctx.Err()
}

// replace replaces the content of the cache with a list that is sorted by key, and reports the differences to the
// handlers.
func (o *objects[T, E]) replace(entries []E, version string) {
	o.informer.delivering.Lock()
	defer o.informer.delivering.Unlock()
	keep := o.greeting
	for n, now := range entries {
		if old, ok := o.cache.get(o.form.key(now)); ok {
			entries[n], _ = o.form.unchanged(old, now)
		}
	}
	before, after := o.cache.replace(entries), entries
	o.informer.unseen.seeList(version, func(key Key) bool { return o.uid(key) != "" })
	open := func(entry E) func() *T { return func() *T { return o.form.open(entry, &keep) } }
	for len(before) > 0 || len(after) > 0 {
		order := 0
		switch {
		case len(after) == 0:
			order = -1
		case len(before) == 0:
			order = 1
		default:
			order = o.form.key(before[0]).compare(o.form.key(after[0]))
		}
		switch {
		case order < 0:
			o.informer.tell(o.form.key(before[0]), open(before[0]), nil)
			o.form.release(before[0])
		case order > 0:
			o.informer.tell(o.form.key(after[0]), nil, open(after[0]))
		default:
			if _, same := o.form.unchanged(before[0], after[0]); !same {
				o.update(before[0], after[0], open)
			}
		}
		if order <= 0 {
			before = before[1:]
		}
		if order >= 0 {
			after = after[1:]
		}
	}
	o.informer.sync()
}

// apply applies an event to the content, and reports it to the handlers.
func (o *objects[T, E]) apply(c change[T, E]) {
	o.informer.delivering.Lock()
	defer o.informer.delivering.Unlock()
	key := o.form.key(c.entry)
	open := func(entry E) func() *T { return func() *T { return o.form.open(entry, nil) } }
	if c.last != nil {
		old, had := o.cache.remove(key)
		o.informer.unseen.see(key, c.version, true)
		o.informer.tell(key, c.last, nil)
		if had {
			o.form.release(old)
		}
		return
	}
	old, had := o.cache.set(c.entry)
	o.informer.unseen.see(key, c.version, false)
	if had {
		o.update(old, c.entry, open)
	} else {
		o.informer.tell(key, nil, open(c.entry))
	}
}

// update reports that an entry has replaced another one.
func (o *objects[T, E]) update(old, now E, open func(E) func() *T) {
	key := o.form.key(now)
	last := func() *T { return o.form.open(old, new(room)) } // no later reader needs the old state
	if o.form.uid(old) == o.form.uid(now) {
		o.informer.tell(key, last, open(now))
	} else {
		o.informer.tell(key, last, nil)
		o.informer.tell(key, nil, open(now))
	}
	o.form.release(old)
}
