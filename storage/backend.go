package storage

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/watch"
)

// Backend keeps what an [Engine] must not lose, in a file for example. It needs neither indexes nor old states: the engine answers every
// read from memory, and tells the backend each write before anybody sees it.
//
// The engine calls Begin first and Close last, Append from one goroutine at a time, and Load, History and Rewrite for one resource at a
// time. It holds no lock meanwhile. The functions that it passes must not be called after the method has returned.
type Backend interface {
	// Begin prepares the backend. The clock is in microseconds since 1970. The revision of the Start must be at least the clock, and above
	// every revision of an earlier Start or Append; it must be durable when Begin returns.
	Begin(ctx context.Context, clock watch.Revision) (Start, error)

	// Load yields the records of a resource, in order of namespace and name if possible. The form is the fingerprint of the program. Load
	// changes nothing. It returns the errors of yield as they are.
	Load(ctx context.Context, resource, form string, yield func(Stored) error) error

	// History yields the changes of a resource that the backend still holds, the youngest first, and returns the revision from which they
	// are complete. It returns the errors of yield as they are.
	History(ctx context.Context, resource string, yield func(Undo) error) (oldest watch.Revision, err error)

	// Rewrite notes that the resource is used in a form from now on, and replaces records by others of this form with the same keys and
	// revisions. It leaves out a record that the backend holds at another revision by now. A crash may leave any part of the records
	// replaced. The engine calls Rewrite without records before it appends the first change of a form.
	Rewrite(ctx context.Context, resource, form string, records []*Record) error

	// Append makes groups of changes durable: in order, and each as a whole. It gets all that was assigned since it was called before, so
	// writers share its cost. After an error nobody knows which of the groups are durable; the engine then never calls Append, Rewrite or
	// Compact again. Append must not change or keep the records.
	Append(groups []Group) error

	// Compact drops the history up to and including a revision.
	Compact(ctx context.Context, through watch.Revision) error

	// Close releases everything. The engine calls it once.
	Close() error
}

// Limiter is a [Backend] with a bound on its size.
type Limiter interface {
	// Room returns why there is no room for objects to grow by a number of bytes, or nil. The engine asks before it assigns a revision to a
	// group that makes objects grow, under its lock, so the answer must be quick. Clients see the text as the cause of an [ErrReadOnly].
	Room(grown int64) error
}

// Start is where an engine continues.
type Start struct {
	// Revision is that of the state that the engine begins with.
	Revision watch.Revision
	// Oldest is the revision from which the backend holds the changes of all resources.
	Oldest watch.Revision
	// ReadOnly says why the backend takes no writes. Nil means that it does.
	ReadOnly error
}

// Stored is a record as a backend holds it.
type Stored struct {
	Key      Key
	Revision watch.Revision
	Written  int64 // as [Record.Written]
	// JSON belongs to the engine afterwards.
	JSON []byte
	// Form is the fingerprint under which the record was stored.
	Form string
	// Newer says that Form was used later than the form of the program for the first time.
	Newer bool
}

// Undo leads from the state after a change back to the state before it. The state after it is that before the next change of the same
// object, or the record that the backend holds.
type Undo struct {
	Key Key
	// Revision is that of the change, GroupEnd the last one of the group that it belongs to.
	Revision, GroupEnd watch.Revision
	// At is when the change was made.
	At time.Time
	// Form is the fingerprint of the program that made the change. Before is in this form too.
	Form string
	// Before is the JSON before the change. Nil means that the change created the object. It belongs to the engine afterwards.
	Before []byte
	// Written is the [Record.Written] of the record before the change.
	Written int64
}

// Group is a group of changes that become durable and visible together.
type Group struct {
	Entries []Entry
	// At is when the group was assigned its revisions.
	At time.Time
}

// Entry is one change of a group.
type Entry struct {
	Key      Key
	Revision watch.Revision
	// Previous is the record before the change, nil if the change creates the object. Current is nil if the change deletes it.
	Previous, Current *Record
	// Form is the fingerprint of the resource.
	Form string
}
