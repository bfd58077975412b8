package rights

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync/atomic"

	"github.com/decorum-go/decorum/rest/internal/notes"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Restricted remembers in the store which users were ever restricted to some of the objects, for all replicas and
// across restarts. It keeps a mark for a hash of the name, so the marks are few, and a user may share the mark of
// another one. A mark is never removed.
type Restricted struct {
	marks *notes.Notes
	// unsure means that a mark could not be written. The API then treats every user as one who was restricted.
	unsure atomic.Bool
}

// markDigits is the length of the name of a mark in hexadecimal digits, so there are at most 4,096 marks.
const markDigits = 3

// NewRestricted makes the store hold the marks.
func NewRestricted(ctx context.Context, store storage.Store, life notes.Life) (*Restricted, error) {
	marks, err := notes.Open(ctx, store, life, "restrictedusers")
	return &Restricted{marks: marks}, err
}

// Has reports whether a user was restricted, in a state of the store at least as recent as a revision. If the store
// cannot tell, Has also returns the error.
func (r *Restricted) Has(ctx context.Context, user string, atLeast watch.Revision) (bool, error) {
	if r.unsure.Load() {
		return true, nil
	}
	_, err := r.marks.Get(ctx, markOf(user), atLeast)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return true, err
}

// Add remembers that a user is restricted. A store that refuses writes, such as a full one, still serves reads, so Add
// reports no error.
func (r *Restricted) Add(ctx context.Context, user string) {
	mark := markOf(user)
	if _, err := r.marks.Get(ctx, mark, storage.Any); err == nil {
		return
	}
	if err := r.marks.Put(ctx, mark, nil, nil); err != nil {
		r.unsure.Store(true)
	}
}

func markOf(user string) string {
	sum := sha256.Sum256([]byte(user))
	return hex.EncodeToString(sum[:])[:markDigits]
}
