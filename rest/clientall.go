package rest

import (
	"context"
	"iter"

	"github.com/decorum-go/decorum/status"
)

// pageSize is how many objects All reads at a time. Clients of Kubernetes use the same number.
const pageSize = 500

// All yields every object that the options select. It reads them page by page, from one state of the store. If the
// store drops that state before the last page is read, All reads the remaining objects from the present state. An error
// is yielded last.
//
// Limit sets the size of the pages, by default 500, and Continue the page to begin with.
func (c calls[P]) All(ctx context.Context, options ListOptions) iter.Seq2[P, error] {
	return objectsOf[P](c.all(ctx, options))
}

// objectsOf yields objects as pointers P.
func objectsOf[P any](all iter.Seq2[any, error]) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		all(func(obj any, err error) bool { return yield(as[P](obj, err)) })
	}
}

func (c *client) all(ctx context.Context, options ListOptions) iter.Seq2[any, error] {
	if options.Limit == 0 {
		options.Limit = pageSize
	}
	return func(yield func(any, error) bool) {
		for {
			var items []any
			page, err := c.list(ctx, &options, func(obj any) { items = append(items, obj) })
			if token := status.ContinueOf(err); token != "" {
				options.Continue = token
				continue
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, obj := range items {
				if !yield(obj, nil) {
					return
				}
			}
			if page.Token == "" {
				return
			}
			options.Continue = page.Token
			options.ResourceVersion, options.ResourceVersionMatch = "", "" // the token names the state, and the API refuses both at once
		}
	}
}
