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
func (c Client[T]) All(ctx context.Context, options ListOptions) iter.Seq2[*T, error] {
	if options.Limit == 0 {
		options.Limit = pageSize
	}
	return func(yield func(*T, error) bool) {
		for {
			page, err := c.List(ctx, options)
			if token := status.ContinueOf(err); token != "" {
				options.Continue = token
				continue
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, obj := range page.Items {
				if !yield(obj, nil) {
					return
				}
			}
			if page.Continue == "" {
				return
			}
			options.Continue = page.Continue
			options.ResourceVersion, options.ResourceVersionMatch = "", "" // the token names the state, and the API refuses both at once
		}
	}
}
