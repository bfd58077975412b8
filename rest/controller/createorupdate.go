package controller

import (
	"context"
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Outcome tells what [CreateOrUpdate] did with an object.
type Outcome string

// The outcomes of [CreateOrUpdate].
const (
	Unchanged Outcome = "unchanged"
	Created   Outcome = "created"
	Updated   Outcome = "updated"
)

// attempts limits how often CreateOrUpdate tries again while other clients keep creating and deleting the object.
const attempts = 16

// CreateOrUpdate creates or updates an object as mutate describes, and returns it as stored. mutate receives the stored
// object or, if none exists, a new object with only its name. It should set the fields that the caller manages and
// leave all others alone. CreateOrUpdate writes the result with [rest.Client.Modify] or [rest.Client.Create], which
// ignore the status. If mutate changes nothing, CreateOrUpdate writes nothing.
//
// If another client writes the object first, CreateOrUpdate calls mutate again with the new state. If mutate returns an
// error, CreateOrUpdate writes nothing and returns the error. It returns AlreadyExists after 16 attempts during which
// other clients kept creating and deleting the object.
//
// Use [rest.Client.Apply] instead if you can state all managed fields as one value. It also removes fields that the
// caller no longer sets.
func CreateOrUpdate[T any](ctx context.Context, client rest.Client[T], name string,
	mutate func(obj *T) error) (*T, Outcome, error) {
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
func (m *metadata[T]) create(ctx context.Context, client rest.Client[T], name string,
	mutate func(obj *T) error) (*T, error) {
	obj := new(T)
	reflect.ValueOf(obj).Elem().FieldByIndex(m.name).SetString(name)
	if err := mutate(obj); err != nil {
		return nil, err
	}
	if changed := m.text(obj, m.name); changed != name {
		return nil, fmt.Errorf("controller: mutate changed the name of the new object from %q to %q", name, changed)
	}
	return client.Create(ctx, obj)
}
