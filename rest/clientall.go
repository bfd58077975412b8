package rest

import (
	"context"
	"iter"

	"github.com/decorum-go/decorum/status"
)

// pageSize is how many objects All reads at a time, like clients of Kubernetes do.
const pageSize = 500

// All yields every object that the options select, page by page and all of one snapshot. Where a snapshot is compacted
// before its last page was read, what is left is read from the present state. An error is yielded last. Limit is the
// size of a page; Continue is where to begin.
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
			options.ResourceVersion, options.ResourceVersionMatch = "", "" // the token says which state
		}
	}
}
