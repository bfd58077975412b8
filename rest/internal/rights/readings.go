package rights

import (
	"context"
	"crypto/sha256"
	"math"
	"sync"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Readings remembers under which restriction each client has read objects. A watch that continues from a list is right
// only if both were restricted alike: otherwise the client would keep objects that it may no longer see, and never
// learn of others.
//
// Readings knows what clients have read from this API since it began, and [Restricted] knows in the store whose rights
// were ever restricted. So a client that reads from another replica, or after a restart, lists once more if its user
// was ever restricted, and a user who was never restricted notices nothing.
type Readings struct {
	// Restricted remembers users. Nil means that no user can be restricted.
	Restricted *Restricted

	mu   sync.Mutex
	last map[Key]reading
}

// Key identifies what a client reads: a hash of the user, the resource and the selectors.
type Key [sha256.Size]byte

// reading says since which revision a client reads under a restriction.
type reading struct {
	restriction string // its fingerprint
	since       watch.Revision
}

// Resume returns an error unless a client may watch the changes after a revision without listing first. Nil means that
// it may.
type Resume func(ctx context.Context, after watch.Revision) error

// maxReadings bounds the memory of Readings to about a MiB. Beyond it, Readings forgets the reading of some client,
// which lists once more.
const maxReadings = 10_000

// Reads remembers that a user reads under a restriction, which is empty for none, and returns whether a watch that
// reads the same may continue from a list. now is the latest revision of the store of the resource. apart says that
// this is not the store of the API, which has the marks, so their revisions cannot be compared.
//
// If two clients of one user list at the same revision, one before a change of rights and the other after it, Resume
// does not tell them apart until something is written.
func (r *Readings) Reads(ctx context.Context, user, restriction string, asked func() Key, now watch.Revision,
	apart bool) Resume {
	if r.Restricted == nil {
		return nil
	}
	if restriction != "" {
		r.Restricted.Add(ctx, user)
	} else if was, err := r.Restricted.Has(ctx, user, marksAt(now, apart)); !was && err == nil {
		return func(ctx context.Context, after watch.Revision) error {
			if after <= now {
				return nil
			}
			return r.resumeUnknown(ctx, user, marksAt(after, apart))
		}
	}
	since := r.since(restriction, asked(), now)
	return func(_ context.Context, after watch.Revision) error {
		if after < since {
			return errChanged()
		}
		return nil
	}
}

// marksAt returns a revision of the marks that is as recent as a revision of a resource.
func marksAt(revision watch.Revision, apart bool) watch.Revision {
	if apart {
		return storage.MostRecent
	}
	return revision
}

// resumeUnknown is a [Resume] for a user who was not restricted when the client listed. atLeast is a later revision of
// the marks.
func (r *Readings) resumeUnknown(ctx context.Context, user string, atLeast watch.Revision) error {
	was, err := r.Restricted.Has(ctx, user, atLeast) // another replica, which is ahead, may have restricted the user
	if was && err == nil {
		err = errChanged()
	}
	return err
}

// never is above every revision.
const never watch.Revision = math.MaxUint64

// since returns the oldest revision from which the client may watch, and remembers the restriction.
func (r *Readings) since(restriction string, key Key, now watch.Revision) watch.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, known := r.last[key]
	switch {
	case known && last.restriction == restriction:
		return last.since
	case r.last == nil:
		r.last = map[Key]reading{}
	case !known && len(r.last) >= maxReadings:
		for some := range r.last {
			delete(r.last, some)
			break
		}
	}
	r.last[key] = reading{restriction, now}
	return never
}

func errChanged() error {
	return status.Expired("the rights of the user have changed since this resourceVersion; list again to see what the user may see now")
}
