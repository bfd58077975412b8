package rest

import (
	"context"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// GetSubresource reads a subresource of an object: one that the host declares, or scale. S is the Go type of the subresource.
func GetSubresource[S, T any](ctx context.Context, c Client[T], name, subresource string) (*S, error) {
	return callSub[S](ctx, c, subresource, Get, func(ctx context.Context, sub *subresourceOf) (doc.Value, error) {
		about(ctx, name, subresource)
		record, err := c.res.Get(ctx, c.namespace, name, 0)
		if err != nil {
			return doc.Value{}, err
		}
		return sub.Show(c.api.env.In(ctx), record.JSON, sub.Get)
	})
}

// UpdateSubresource changes an object through a subresource, and returns the subresource as it then is. If sub carries a
// resourceVersion other than the object's, the error is Conflict.
func UpdateSubresource[S, T any](ctx context.Context, c Client[T], name, subresource string, sub *S) (*S, error) {
	return callSub[S](ctx, c, subresource, Update, func(ctx context.Context, s *subresourceOf) (doc.Value, error) {
		v, err := s.document(sub)
		if err != nil {
			return doc.Value{}, err
		}
		w, err := c.newWrite(ctx, name, subresource)
		if err != nil {
			return doc.Value{}, err
		}
		defer c.tell(ctx, w)
		w.Replace(v)
		out, err := w.Update(ctx)
		if err != nil {
			return doc.Value{}, err
		}
		v, _, err = codec.DecodeJSON(out.JSON)
		return v, err
	})
}

// CreateSubresource runs an action on an object and returns its answer, or nil if the action succeeds without one.
func CreateSubresource[S, T any](ctx context.Context, c Client[T], name, subresource string, sub *S) (*S, error) {
	return callSub[S](ctx, c, subresource, Create, func(ctx context.Context, s *subresourceOf) (doc.Value, error) {
		v, err := s.document(sub)
		if err != nil {
			return doc.Value{}, err
		}
		w, err := c.newWrite(ctx, name, subresource)
		if err != nil {
			return doc.Value{}, err
		}
		defer c.tell(ctx, w)
		return w.Call(ctx, v)
	})
}

// subresourceOf is a subresource that a call of a client addresses.
type subresourceOf struct{ *resource.Subresource }

// document encodes the caller's value, and sets its apiVersion and kind, which the caller need not fill in.
func (s *subresourceOf) document(sub any) (doc.Value, error) {
	v, err := codec.FromGo(sub)
	if err != nil {
		return doc.Value{}, status.BadRequest(err.Error())
	}
	return v.With("apiVersion", doc.Of(s.Kind.GroupVersion().String())).With("kind", doc.Of(s.Kind.Kind)), nil
}

// callSub finds a subresource, checks that it has the verb, and decodes the document that f returns. The result is nil if f
// returns none. Parts of the object, such as its status, have methods of the client instead.
func callSub[S, T any](ctx context.Context, c Client[T], name string, verb Verb, f func(context.Context, *subresourceOf) (doc.Value, error)) (*S, error) {
	ctx, done, err := c.begin(ctx, Get) // the call needs the object, whatever the verb on its subresource
	if err != nil {
		return nil, err
	}
	defer done()
	sub := c.res.FindSubresource(name)
	switch {
	case sub == nil || sub.OfItself:
		return nil, status.ResourceNotFound()
	case !sub.Has(string(verb)):
		return nil, status.MethodNotSupported(c.res.GR, string(verb))
	}
	ctx.(*call).asked.Verb = string(verb)
	v, err := f(ctx, &subresourceOf{sub})
	if err != nil || v.IsAbsent() {
		return nil, err
	}
	out := new(S)
	return out, codec.ToGo(v, out)
}
