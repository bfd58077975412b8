package foreign

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// source is a [Source] without its Go type, and what the store knows of it.
type source struct {
	resource               string
	list                   func(context.Context) ([][]byte, error)
	get                    func(context.Context, Name) ([]byte, error) // nil if the host has none
	version                func(context.Context) (string, error)       // nil if the host has none
	changed                <-chan Name
	create, update, remove func(ctx context.Context, old, next []byte) ([]byte, error)
	every, timeout, maxAge time.Duration

	namespaced bool
	log        *slog.Logger
	turn       chan struct{} // holds a value while somebody reads the source
	again      chan struct{} // asks the reader to look at once
	tried      chan struct{} // closed after the first look, whether or not it has succeeded

	// The lock of the authority guards these.
	started   bool
	objects   map[storage.Key]*object
	changedAt watch.Revision
	asOf      time.Time // everything from before this time has been seen; zero if nothing has been
	trouble   error     // why the latest look failed
	seen      string    // the version of the latest list
	listed    bool
	touched   map[storage.Key]bool          // the objects that were written during the look that is under way
	writing   map[storage.Key]chan struct{} // closed when the write ends
}

// prepare makes a source ready for use.
func (s *source) prepare(log *slog.Logger) {
	s.log, s.turn, s.again, s.tried = log, make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})
	s.objects, s.writing = map[storage.Key]*object{}, map[storage.Key]chan struct{}{}
}

// lookAgain asks the reader to look at once.
func (s *source) lookAgain() {
	select {
	case s.again <- struct{}{}:
	default:
	}
}

// firstRetry is the pause after the first failure. It doubles until it reaches the interval.
const firstRetry = 100 * time.Millisecond

// read looks at a source until the store closes.
func (a *authority) read(s *source) {
	err := a.lookAtAll(a.ctx, s, true)
	a.note(s, err)
	close(s.tried)
	pause := s.pause(err, 0)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	changed := s.changed
	for {
		var name Name
		anyway := false
		select {
		case <-a.ctx.Done():
			return
		case <-timer.C:
		case <-s.again:
			anyway = true
		case next, open := <-changed:
			if !open {
				changed = nil
				continue
			}
			name, anyway = next, true
		}
		if key := s.key(name); s.get != nil && s.check(key) == nil {
			if err = a.lookAtOne(a.ctx, s, key); err == nil {
				continue // the timer still runs
			}
		} else {
			err = a.lookAtAll(a.ctx, s, anyway)
		}
		a.note(s, err)
		pause = s.pause(err, pause)
		timer.Reset(pause)
	}
}

// pause returns the time until the next look. before is the previous one.
func (s *source) pause(err error, before time.Duration) time.Duration {
	if err == nil {
		return s.every
	}
	if before >= s.every {
		before = 0 // the first failure
	}
	return min(max(firstRetry, 2*before), s.every)
}

// key returns the key of a name.
func (s *source) key(name Name) storage.Key {
	return storage.Key{Resource: s.resource, Namespace: name.Namespace, Name: name.Name}
}

// note remembers how a look has ended. It logs only the first of several failures, and that the source works again.
func (a *authority) note(s *source, err error) {
	if a.ctx.Err() != nil {
		return
	}
	a.mu.Lock()
	before := s.trouble
	s.trouble = err
	a.mu.Unlock()
	switch {
	case err != nil && before == nil:
		s.log.Error("the source of a kind fails", "resource", s.resource, "error", err)
	case err == nil && before != nil:
		s.log.Info("the source of a kind answers again", "resource", s.resource)
	}
}

// beginLook waits until no other goroutine reads the source. The caller calls the returned function at the end.
func (a *authority) beginLook(ctx context.Context, s *source) (end func(), err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.touched = map[storage.Key]bool{}
	for key := range s.writing {
		s.touched[key] = true
	}
	return func() {
		a.mu.Lock()
		s.touched = nil
		a.mu.Unlock()
		<-s.turn
	}, nil
}

// lookAtAll reads all objects, unless the version says that nothing has changed. Anyway reads them also then.
func (a *authority) lookAtAll(ctx context.Context, s *source, anyway bool) error {
	end, err := a.beginLook(ctx, s)
	if err != nil {
		return err
	}
	defer end()
	began := time.Now()
	version := ""
	if s.version != nil {
		if version, err = call(ctx, s, s.version); err != nil {
			return fmt.Errorf("Version: %w", err)
		}
		a.mu.Lock()
		same := s.listed && version == s.seen && !anyway
		if same {
			s.asOf = began
		}
		a.mu.Unlock()
		if same {
			return nil
		}
	}
	texts, err := call(ctx, s, s.list)
	if err != nil {
		return fmt.Errorf("List: %w", err)
	}
	all := make(map[storage.Key]*object, len(texts))
	for _, text := range texts {
		key, o, err := s.read(text)
		if err == nil && all[key] != nil {
			err = fmt.Errorf("object %q in namespace %q: the source has returned it twice", key.Name, key.Namespace)
		}
		if err != nil {
			return fmt.Errorf("List: %w", err)
		}
		all[key] = o
	}
	a.absorbAll(s, all, began)
	a.mu.Lock()
	defer a.mu.Unlock()
	s.seen, s.listed = version, len(s.touched) == 0
	return nil
}

// absorbAll makes the difference between what was known and what a look has found visible. It leaves out the objects
// that were written during the look, because it may have found them in either state.
func (a *authority) absorbAll(s *source, all map[storage.Key]*object, began time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var changes []change
	for key, o := range all {
		if old := s.objects[key]; !s.touched[key] && (old == nil || !o.equals(old)) {
			changes = append(changes, change{key: key, now: o})
		}
	}
	for key := range s.objects {
		if all[key] == nil && !s.touched[key] {
			changes = append(changes, change{key: key})
		}
	}
	slices.SortFunc(changes, func(x, y change) int { return compareKeys(x.key, y.key) })
	if len(changes) > 0 {
		a.append(s, changes)
	}
	s.asOf = began
}

func (o *object) equals(old *object) bool { return o.uid == old.uid && bytes.Equal(o.raw, old.raw) }

// lookAtOne reads one object.
func (a *authority) lookAtOne(ctx context.Context, s *source, key storage.Key) error {
	end, err := a.beginLook(ctx, s)
	if err != nil {
		return err
	}
	defer end()
	o, err := s.getOne(ctx, key)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	old := s.objects[key]
	if s.touched[key] || o == nil && old == nil || o != nil && old != nil && o.equals(old) {
		return nil
	}
	a.append(s, []change{{key: key, now: o}})
	return nil
}

// getOne returns an object from the function Get, or nil if it does not exist.
func (s *source) getOne(ctx context.Context, key storage.Key) (*object, error) {
	text, err := call(ctx, s, func(ctx context.Context) ([]byte,
		error) {
		return s.get(ctx, Name{key.Namespace, key.Name})
	})
	if status.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("Get: %w", err)
	}
	found, o, err := s.read(text)
	if err == nil && found != key {
		err = fmt.Errorf("object %q in namespace %q: the source has returned %q in namespace %q", key.Name, key.Namespace,
			found.Name, found.Namespace)
	}
	if err != nil {
		return nil, fmt.Errorf("Get: %w", err)
	}
	return o, nil
}

// readAgain reads one object for a write that has failed.
func (a *authority) readAgain(ctx context.Context, s *source, key storage.Key) error {
	if s.get != nil {
		return a.lookAtOne(ctx, s, key)
	}
	return a.lookAtAll(ctx, s, true)
}

// start begins to read a source.
func (a *authority) start(s *source) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.started || a.ctx.Err() != nil {
		return
	}
	s.started = true
	a.readers.Go(func() { a.read(s) })
}

// stale returns an error if the state of a source is too old for clients.
func (a *authority) stale(s *source) (age time.Duration, trouble error, stale bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.asOf.IsZero() {
		return 0, s.trouble, true
	}
	age = time.Since(s.asOf)
	return age, s.trouble, age > s.maxAge
}

// resources returns the names of the resources, in order.
func (a *authority) resources() []string { return slices.Sorted(maps.Keys(a.sources)) }
