package rest

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
)

// Modify reads an object, lets f change it, and stores the result. If another write comes first, it starts again with the new
// state (API conventions, Concurrency Control and Consistency). f may therefore run several times, each time with a fresh object;
// if f returns an error, Modify stops and returns it. Changes of the status are ignored.
func (c Client[T]) Modify(ctx context.Context, name string, f func(obj *T) error) (*T, error) {
	return c.modify(ctx, name, "", f)
}

// ModifyStatus is Modify for the status; changes of anything else are ignored. If f changes nothing, nothing is stored and nobody
// sees an event, so a controller may call ModifyStatus each time it reconciles an object.
func (c Client[T]) ModifyStatus(ctx context.Context, name string, f func(obj *T) error) (*T, error) {
	return c.modify(ctx, name, theStatus, f)
}

func (c Client[T]) modify(ctx context.Context, name string, subresource string, f func(obj *T) error) (*T, error) {
	ctx, done, err := c.begin(ctx, Update)
	if err != nil {
		return nil, err
	}
	defer done()
	w, err := c.newWrite(ctx, name, subresource)
	if err != nil {
		return nil, err
	}
	defer c.tell(ctx, w)
	// The store runs the change again when it loses a race, so there is no loop here. The changed object carries the
	// resourceVersion that f saw.
	w.Compute(func(old doc.Value) (doc.Value, error) {
		typed, err := c.res.GoType.FromDocument(old)
		if err != nil {
			return doc.Value{}, err
		}
		if err := f(typed.(*T)); err != nil {
			return doc.Value{}, err
		}
		v, err := c.res.GoType.ToDocument(typed)
		if err != nil {
			return doc.Value{}, err
		}
		v = c.res.WithKind(c.res.SentByType(v, old))
		return v, c.res.CheckIdentity(v, c.namespace, name)
	})
	out, err := w.Update(ctx)
	if err != nil {
		return nil, err
	}
	return decodeAs[T](c.res, out.JSON)
}
