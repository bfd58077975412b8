package resource

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// asked is the grace period that a client asks for; a negative one is the shortest there is.
func asked(options apimeta.DeleteOptions) *int64 {
	if n := options.GracePeriodSeconds; n == nil || *n >= 0 {
		return n
	}
	shortest := int64(1)
	return &shortest
}

// shortens reports whether a client leaves an object that is being deleted less time than it has. More it cannot give.
func shortens(obj doc.Value, options apimeta.DeleteOptions) bool {
	n := asked(options)
	return n != nil && *n < objectmeta.GraceOf(obj)
}

// graceFor is how many seconds an object, given as it is stored, has to end after this request to delete it.
func (res *Resource) graceFor(ctx context.Context, old doc.Value, options apimeta.DeleteOptions) (int64, error) {
	switch {
	case objectmeta.GraceOf(old) > 0:
		return *asked(options), nil // which shortens it
	case objectmeta.Deleting(old) || !res.Stored.GoType.Hooks().GracePeriod:
		return 0, nil
	}
	obj, err := res.Stored.GoType.FromDocument(old)
	if err != nil {
		return 0, err
	}
	n, err := res.Stored.GoType.RunGracePeriod(ctx, obj, asked(options))
	return max(n, 0), err
}
