package foreign

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// beginWrite waits until no other write of the object is running. The returned function ends the write, and may be
// called twice.
func (a *authority) beginWrite(ctx context.Context, s *source, key storage.Key) (end func(), err error) {
	for {
		a.mu.Lock()
		other := s.writing[key]
		if other == nil {
			break
		}
		a.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer a.mu.Unlock()
	mine := make(chan struct{})
	s.writing[key] = mine
	if s.touched != nil {
		s.touched[key] = true
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if s.writing[key] == mine {
			delete(s.writing, key)
			close(mine)
		}
	}, nil
}

// textOf returns the JSON of a record, or nil if r is nil.
func textOf(ctx context.Context, r *storage.Record) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	return r.JSON(ctx)
}

// write calls the function of the host, and returns the object afterwards, or nil if it is gone.
func (s *source) write(ctx context.Context, entry *storage.Entry) (*object, error) {
	f, verb := s.update, "update"
	switch {
	case entry.Previous == nil:
		f, verb = s.create, "create"
	case entry.Current == nil:
		f, verb = s.remove, "delete"
	}
	if f == nil {
		return nil, status.MethodNotSupported(apimeta.ParseGroupResource(s.resource), verb)
	}
	before, err := textOf(ctx, entry.Previous)
	if err != nil {
		return nil, err
	}
	next, err := textOf(ctx, entry.Current)
	if err != nil {
		return nil, err
	}
	if entry.Previous == nil {
		if next, err = withUID(next, uidOf(entry.Key)); err != nil {
			return nil, err
		}
	}
	text, err := call(ctx, s, func(ctx context.Context) ([]byte, error) { return f(ctx, before, next) })
	if err != nil || entry.Current == nil {
		return nil, err
	}
	if s.get != nil {
		if now, err := s.getOne(ctx, entry.Key); err == nil {
			return now, nil
		}
		s.lookAgain() // the write has succeeded, so the object is as the function has left it until the source shows it
	}
	key, o, err := s.read(text)
	if err == nil && key != entry.Key {
		err = fmt.Errorf("the function has changed the name to %q in namespace %q", key.Name, key.Namespace)
	}
	return o, err
}
