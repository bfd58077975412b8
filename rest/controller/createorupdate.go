package controller

import (
	"context"
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Outcome is what [CreateOrUpdate] has done with an object.
type Outcome string

// The outcomes.
const (
	Unchanged Outcome = "unchanged"
	Created   Outcome = "created"
	Updated   Outcome = "updated"
)

// attempts is how often CreateOrUpdate tries to create an object that others create and delete again.
const attempts = 16

// CreateOrUpdate brings an object into the state that mutate describes, whether it exists or not, and returns it as stored. mutate
// receives the stored object, or a new one that has only its name. It sets the fields that the caller cares about and leaves the
// others alone. The client writes the result as in [rest.Client.Modify] and [rest.Client.Create], so without the status. If mutate
// changes nothing, CreateOrUpdate writes nothing.
//
// If another writer is faster, mutate runs again, with another object. If it returns an error, CreateOrUpdate writes nothing and
// returns the error. An AlreadyExists error means that others create and delete the object again and again.
//
// [rest.Client.Apply] does the same for a caller who can write all of its fields down as a value. It also removes fields that the
// caller no longer sets.
func CreateOrUpdate[T any](ctx context.Context, client rest.Client[T], name string, mutate func(obj *T) error) (*T, Outcome, error) {
	m, err := metadataOf[T]()
	if err != nil {
		return nil, Unchanged, fmt.Errorf("controller: %w", err)
	}
	for range attempts {
		var before string
		var refused error
		var obj *T
		obj, err = client.Modify(ctx, name, func(obj *T) error {
			before = m.text(obj, m.version)
			refused = mutate(obj)
			return refused
		})
		switch {
		case err == nil && m.text(obj, m.version) == before:
			return obj, Unchanged, nil
		case err == nil:
			return obj, Updated, nil
		case refused != nil || !status.IsNotFound(err):
			return nil, Unchanged, err
		}
		if obj, err = m.create(ctx, client, name, mutate); err == nil {
			return obj, Created, nil
		} else if !status.IsAlreadyExists(err) {
			return nil, Unchanged, err
		}
	}
	return nil, Unchanged, err
}

// create creates the object that mutate describes.
func (m *metadata[T]) create(ctx context.Context, client rest.Client[T], name string, mutate func(obj *T) error) (*T, error) {
	obj := new(T)
	reflect.ValueOf(obj).Elem().FieldByIndex(m.name).SetString(name)
	if err := mutate(obj); err != nil {
		return nil, err
	}
	if changed := m.text(obj, m.name); changed != name {
		return nil, fmt.Errorf("controller: the name %q of a new object has become %q", name, changed)
	}
	return client.Create(ctx, obj)
}
