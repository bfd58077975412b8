package rest

import (
	"context"
	"math"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
)

// graceOf is how many seconds an object that is being deleted was given to end; 0 where it was given none.
func graceOf(obj doc.Value) int64 {
	n, _ := metadataOf(obj).Get(fieldGracePeriod).Int()
	return n
}

// dueAt is when an object that is being deleted is to be gone.
func dueAt(obj doc.Value) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, metadataOf(obj).Get(fieldDeletionTimestamp).Text())
	return t, err == nil
}

// requestedAt is when the deletion of an object was first asked for.
func requestedAt(obj doc.Value) (time.Time, bool) {
	t, ok := dueAt(obj)
	return t.Add(-seconds(graceOf(obj))), ok
}

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
	return n != nil && *n < graceOf(obj)
}

// graceFor is how many seconds an object, given as it is stored, has to end after this request to delete it.
func (res *resource) graceFor(ctx context.Context, old doc.Value, options apimeta.DeleteOptions) (int64, error) {
	switch {
	case graceOf(old) > 0:
		return *asked(options), nil // which shortens it
	case isDeleting(old) || !res.stored.goType.hooks().gracePeriod:
		return 0, nil
	}
	obj, err := res.stored.goType.fromDocument(old)
	if err != nil {
		return 0, err
	}
	n, err := res.stored.goType.gracePeriod(ctx, obj, asked(options))
	return max(n, 0), err
}

// seconds is a number of them as a duration, as far as that goes.
func seconds(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Second))) * time.Second
}

func timestamp(t time.Time) doc.Value { return doc.Of(t.UTC().Format(time.RFC3339)) }
