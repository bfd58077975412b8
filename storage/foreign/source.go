package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/decorum-go/decorum/apimeta"
)

// Source declares where the objects of a resource live. T is the Go type of the kind in its stored version. An object
// needs its name, and its namespace if the kind is namespaced; apiVersion and kind may be empty.
//
// The functions are called by several goroutines at once. They must return when their context ends. A panic is an
// error.
type Source[T any] struct {
	// Resource is the group and plural of the stored version.
	Resource apimeta.GroupResource
	// List returns all objects. Required.
	List func(ctx context.Context) ([]T, error)
	// Get returns one object, or an error for which status.IsNotFound holds. The store calls it for an object that Changed
	// names, and after each write to learn what the source has kept. Default: the store calls List, and after a write
	// serves what the function of the write has left in the object.
	Get func(ctx context.Context, namespace, name string) (T, error)
	// Version returns a text that differs from the previous one if any object may have changed. Then the store calls List
	// only after such a difference. Default: the store calls List in every interval.
	Version func(ctx context.Context) (string, error)
	// Changed receives the name of each object that has changed, or the zero Name if any may have. It lets the store look
	// at once, and not only after Every. The store stops receiving when it closes, so a sender should not block for ever.
	Changed <-chan Name

	// Create, Update and Delete change the source. Each may be nil. old is the object as clients see it before the write.
	// The function may change obj, for example to fill in a status: clients see it as the function leaves it. A Conflict
	// makes the store read the object again. An error means that nothing has changed.
	Create func(ctx context.Context, obj *T) error
	Update func(ctx context.Context, old, obj *T) error
	Delete func(ctx context.Context, obj *T) error

	// Every is the interval at which the store looks at the source. Default: 10 seconds.
	Every time.Duration
	// Timeout is the time limit of each call. Default: 10 seconds.
	Timeout time.Duration
	// MaxAge is how old the state may be that clients read while the source fails. It must be longer than Every and
	// Timeout together. Default: one minute, or three times Every and Timeout together if that is longer.
	MaxAge time.Duration
}

// Name names an object of a [Source]. The namespace is empty if the kind has no namespaces.
type Name struct{ Namespace, Name string }

// Definition is a [Source] of some Go type.
type Definition interface{ define() (*source, error) }

const (
	defaultEvery   = 10 * time.Second
	defaultTimeout = 10 * time.Second
	defaultMaxAge  = time.Minute
	ageFactor      = 3
)

// define implements [Definition].
func (d Source[T]) define() (*source, error) {
	s := &source{resource: d.Resource.String(), changed: d.Changed, every: d.Every, timeout: d.Timeout, maxAge: d.MaxAge}
	if s.every <= 0 {
		s.every = defaultEvery
	}
	if s.timeout <= 0 {
		s.timeout = defaultTimeout
	}
	if s.maxAge <= 0 {
		s.maxAge = max(defaultMaxAge, ageFactor*(s.every+s.timeout))
	}
	switch {
	case d.Resource.Resource == "":
		return nil, errors.New("Resource: must be set")
	case d.List == nil:
		return nil, fmt.Errorf("%s: List: must be set", s.resource)
	case s.maxAge <= s.every+s.timeout:
		return nil, fmt.Errorf("%s: MaxAge %v: must be longer than Every and Timeout together", s.resource, s.maxAge)
	}
	s.version = d.Version
	s.list = func(ctx context.Context) ([][]byte, error) {
		objects, err := d.List(ctx)
		texts := make([][]byte, len(objects))
		for i := range objects {
			if err == nil {
				texts[i], err = json.Marshal(&objects[i])
			}
		}
		return texts, err
	}
	if d.Get != nil {
		s.get = func(ctx context.Context, name Name) ([]byte, error) {
			obj, err := d.Get(ctx, name.Namespace, name.Name)
			if err != nil {
				return nil, err
			}
			return json.Marshal(&obj)
		}
	}
	d.defineWrites(s)
	return s, nil
}

// defineWrites sets the functions that write. They get and return JSON.
func (d Source[T]) defineWrites(s *source) {
	if d.Create != nil {
		s.create = func(ctx context.Context, _, next []byte) ([]byte, error) {
			return edited(next, func(obj *T) error { return d.Create(ctx, obj) })
		}
	}
	if d.Update != nil {
		s.update = func(ctx context.Context, old, next []byte) ([]byte, error) {
			var before T
			if err := json.Unmarshal(old, &before); err != nil {
				return nil, err
			}
			return edited(next, func(obj *T) error { return d.Update(ctx, &before, obj) })
		}
	}
	if d.Delete != nil {
		s.remove = func(ctx context.Context, old, _ []byte) ([]byte, error) {
			_, err := edited(old, func(obj *T) error { return d.Delete(ctx, obj) })
			return nil, err
		}
	}
}

// edited returns the JSON of an object after f.
func edited[T any](text []byte, f func(*T) error) ([]byte, error) {
	var obj T
	if err := json.Unmarshal(text, &obj); err != nil {
		return nil, err
	}
	if err := f(&obj); err != nil {
		return nil, err
	}
	return json.Marshal(&obj)
}

// call calls a function of the host with the time limit, and turns a panic into an error.
func call[R any](ctx context.Context, s *source, f func(context.Context) (R, error)) (result R, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(ctx)
}
