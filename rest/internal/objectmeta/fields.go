package objectmeta

import (
	"crypto/rand"
	"encoding/hex"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/decorum-go/decorum/internal/doc"
)

// The fields of metadata.
const (
	Name              = "name"
	GenerateName      = "generateName"
	Namespace         = "namespace"
	UID               = "uid"
	ResourceVersion   = "resourceVersion"
	Generation        = "generation"
	CreationTimestamp = "creationTimestamp"
	DeletionTimestamp = "deletionTimestamp"
	GracePeriod       = "deletionGracePeriodSeconds"
	Labels            = "labels"
	Annotations       = "annotations"
	Owners            = "ownerReferences"
	Finalizers        = "finalizers"
	ManagedFields     = "managedFields"
	SelfLink          = "selfLink"
)

// Of returns the metadata of an object.
func Of(obj doc.Value) doc.Value { return obj.Get("metadata") }

// NameOf returns the name of an object, or "".
func NameOf(obj doc.Value) string { return Of(obj).Get(Name).Text() }

// WithoutManagedFields returns the object without its managedFields.
func WithoutManagedFields(obj doc.Value) doc.Value {
	if m := Of(obj); m.Has(ManagedFields) {
		return obj.With("metadata", m.Without(ManagedFields))
	}
	return obj
}

// Deleting reports whether the deletion of an object has begun.
func Deleting(obj doc.Value) bool {
	return Of(obj).Get(DeletionTimestamp).Kind() == doc.String
}

// GraceOf returns the grace period, in seconds, of an object that is being deleted. It returns 0 if the object has
// none.
func GraceOf(obj doc.Value) int64 {
	n, _ := Of(obj).Get(GracePeriod).Int()
	return n
}

// DueAt returns the time when the grace period of an object that is being deleted ends.
func DueAt(obj doc.Value) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, Of(obj).Get(DeletionTimestamp).Text())
	return t, err == nil
}

// RequestedAt returns when a client first asked for the deletion of an object.
func RequestedAt(obj doc.Value) (time.Time, bool) {
	t, ok := DueAt(obj)
	return t.Add(-Seconds(GraceOf(obj))), ok
}

// Seconds converts a number of seconds to a duration. It returns the longest duration if the number is too large.
func Seconds(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Second))) * time.Second
}

// Timestamp returns a time as metadata holds it (RFC 3339, UTC, whole seconds).
func Timestamp(t time.Time) doc.Value { return doc.Of(t.UTC().Format(time.RFC3339)) }

// WithoutNulls replaces nulls within the metadata as Go's decoder does: by empty strings in labels, annotations and
// finalizers, and by empty objects in the other lists.
func WithoutNulls(m doc.Value) doc.Value {
	for _, field := range [...]string{Labels, Annotations, Finalizers, Owners, ManagedFields} {
		kind, rewrite := doc.Map, emptyText
		switch field {
		case Finalizers:
			kind = doc.List
		case Owners, ManagedFields:
			kind, rewrite = doc.List, emptyObject
		}
		values := m.Get(field)
		if values.Kind() != kind {
			continue
		}
		if after := values.Rewrite(rewrite); after != values {
			m = m.With(field, after)
		}
	}
	return m
}

// emptyText returns an empty string for a null.
func emptyText(_ int, _ string, v doc.Value) doc.Value {
	if v.IsNull() {
		return doc.Of("")
	}
	return v
}

// emptyObject returns an empty object for a null.
func emptyObject(_ int, _ string, v doc.Value) doc.Value {
	if v.IsNull() {
		return doc.MapOf()
	}
	return v
}

// The random suffix of a generated name has no vowels, so it spells no word, and no characters that are easily
// confused.
const (
	suffixAlphabet     = "bcdfghjklmnpqrstvwxz2456789"
	suffixLength       = 5
	generatedNameLimit = 63
)

// GeneratedName returns base with a random suffix. It shortens base so that the name is at most as long as a DNS label.
func GeneratedName(base string) string {
	if limit := generatedNameLimit - suffixLength; len(base) > limit {
		base = base[:limit]
	}
	suffix := make([]byte, suffixLength)
	for i := range suffix {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(suffixAlphabet))))
		if err != nil {
			panic("crypto/rand does not fail: " + err.Error())
		}
		suffix[i] = suffixAlphabet[n.Int64()]
	}
	return base + string(suffix)
}

// asPrefix replaces the dash at the end of a generateName, so that the rest can be validated as a name.
func asPrefix(base string) string {
	if len(base) > 1 && strings.HasSuffix(base, "-") {
		return base[:len(base)-2] + "a"
	}
	return base
}

// RandomUID returns a random UUID (RFC 9562, version 4).
func RandomUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never returns an error
	return UIDOf(b)
}

// UIDOf returns the UUID that is made from random bytes.
func UIDOf(b [16]byte) string {
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[:8], b[:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:], b[10:])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}
