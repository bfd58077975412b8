package objectmeta

import (
	"math"
	"time"

	"github.com/decorum-go/decorum/internal/doc"
)

// Deleting reports whether the deletion of an object has begun.
func Deleting(obj doc.Value) bool {
	return Of(obj).Get(DeletionTimestamp).Kind() == doc.String
}

// GraceOf returns the seconds that an object which is being deleted has to end; 0 without a grace period.
func GraceOf(obj doc.Value) int64 {
	n, _ := Of(obj).Get(GracePeriod).Int()
	return n
}

// DueAt returns when an object that is being deleted is due to be removed.
func DueAt(obj doc.Value) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, Of(obj).Get(DeletionTimestamp).Text())
	return t, err == nil
}

// RequestedAt returns when a client first asked for the deletion of an object.
func RequestedAt(obj doc.Value) (time.Time, bool) {
	t, ok := DueAt(obj)
	return t.Add(-Seconds(GraceOf(obj))), ok
}

// Seconds converts a number of seconds to a duration; it returns the longest duration for a number beyond it.
func Seconds(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Second))) * time.Second
}

// Timestamp returns a time as metadata holds it (RFC 3339, UTC, whole seconds).
func Timestamp(t time.Time) doc.Value { return doc.Of(t.UTC().Format(time.RFC3339)) }
