package engine

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Backend makes the writes of an [Engine] durable, for example in a file. It needs no indexes and no old states,
// because the engine answers every read from memory. The engine passes each write to the backend before it shows the
// write to readers.
//
// The engine calls Begin first and Close last. It calls Append from one goroutine at a time, and Load, History and
// Rewrite for one resource at a time. It holds no lock during these calls. A method must not call yield after it has
// returned.
type Backend interface {
	// Begin prepares the backend. The clock is in microseconds since 1970. The revision of the Start must be at least the
	// clock, and above every revision of an earlier Start or Append; it must be durable when Begin returns.
	Begin(ctx context.Context, clock watch.Revision) (Start, error)

	// Load yields the records of a resource, if possible in order of namespace and name. form is the resource's current
	// fingerprint. Load changes nothing. It returns an error of yield unchanged.
	Load(ctx context.Context, resource, form string, yield func(Stored) error) error

	// History yields the stored changes of a resource, the youngest first. It returns the revision from which the changes
	// are complete, and an error of yield unchanged.
	History(ctx context.Context, resource string, yield func(PriorState) error) (oldest watch.Revision, err error)

	// ResourcesIn returns the names of the resources that have records in a namespace, or any record if the namespace
	// is empty. It may leave out the resources for which known returns true.
	ResourcesIn(ctx context.Context, namespace string, known func(resource string) bool) ([]string, error)

	// Rewrite makes form the current form of the resource, and replaces records by records of this form with the same keys
	// and revisions. It skips a record if the backend already holds another revision of the object. After a crash, any
	// subset of the records may be replaced. The engine calls Rewrite without records before it appends the first change
	// of a form.
	Rewrite(ctx context.Context, resource, form string, records []*storage.Record) error

	// Append makes groups of changes durable, in order and each as a whole. It receives all groups that were assigned
	// since the previous call, so writers share its cost. After an error, the engine does not know which of the groups are
	// durable, and never calls Append, Rewrite or Compact again. Append must not change the records or keep references to
	// them.
	Append(ctx context.Context, groups []Group) error

	// Compact drops the history up to and including a revision.
	Compact(ctx context.Context, through watch.Revision) error

	// Close releases everything. The engine calls it once.
	Close() error
}

// BoundedBackend is a [Backend] that bounds its size.
type BoundedBackend interface {
	// Room returns an error if the backend has no room for objects to grow by this many bytes. The engine calls it under
	// its lock before it assigns a revision to a group that makes objects grow, so Room must return quickly. Clients see
	// the text of the error as the cause of an [storage.ErrReadOnly].
	Room(grown int64) error
}

// TextBackend is a [Backend] from which the engine reads texts one by one, so that it need not hold all of them in
// memory. If it limits the texts, the JSON that Load yields still belongs to the backend, which may change it after
// yield.
type TextBackend interface {
	// MaxTextBytes returns how many bytes of texts the engine holds in memory for readers, or 0 if it holds all texts.
	MaxTextBytes() int64
	// Text returns the stored record of an object, as Load yields it, or the zero value if the object does not exist or
	// has another revision. Several goroutines may call it at any time after Begin. During an Append that changes the
	// object, either result is right. After Close, Text returns [storage.ErrClosed].
	Text(ctx context.Context, key storage.Key, revision watch.Revision) (Stored, error)
	// TextNear is Text for a caller that reads texts in the order of their keys. It may continue at the place, which
	// belongs to one goroutine at a time. The next call with the place may overwrite the JSON.
	TextNear(ctx context.Context, place *storage.Place, key storage.Key, revision watch.Revision) (Stored, error)
}

// Start is the state from which an engine continues.
type Start struct {
	// Revision is the revision of the stored state.
	Revision watch.Revision
	// Oldest is the revision from which the backend holds the changes of all resources.
	Oldest watch.Revision
	// ReadOnly is the reason why the backend refuses writes. Nil means that it accepts them.
	ReadOnly error
}

// Stored is a record in the form of a backend.
type Stored struct {
	Key      storage.Key
	Revision watch.Revision
	Written  storage.Moment // see [storage.Record.Written]
	Creator  string         // see [storage.Record.Creator]
	// JSON belongs to the engine after yield.
	JSON []byte
	// Form is the fingerprint under which the record was stored.
	Form string
	// Newer reports whether Form was first used after the program's form, so a newer program stored the record. The engine
	// sets it for the records of an authority.
	Newer bool
	// Unreadable is the reason why an authority cannot return the JSON of the record. A backend returns an error instead.
	Unreadable error
}

// PriorState describes a change by the state before it. The state after it is the state before the next change of the
// same object or, if there was no later change, the stored record.
type PriorState struct {
	Key storage.Key
	// Revision is the revision of the change. GroupEnd is the last revision of its group.
	Revision, GroupEnd watch.Revision
	// At is when the engine assigned the revision.
	At time.Time
	// Form is the fingerprint of the resource at the time of the change. Before has this form too.
	Form string
	// Before is the JSON before the change. Nil means that the change created the object. Before belongs to the engine
	// after yield.
	Before []byte
	// Written is the [storage.Record.Written] of the record before the change.
	Written storage.Moment
}

// Group is a group of changes that become durable and visible together.
type Group struct {
	Entries []storage.Entry
	// At is when the engine assigned the revisions.
	At time.Time
	// Accounts names the limited accounts of a [storage.Ledger] that the group charges. At revision Seen they have room
	// for the group. An [Authority] must not commit the group if it has committed another group that names one of the
	// accounts after this revision.
	Accounts []string
	Seen     watch.Revision
}
