package engine

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/watch"
)

// Authority is the truth that several engines share, such as an etcd cluster. It orders the writes of all replicas and
// assigns their revisions. An engine over an authority is a replica: it answers reads and watches from memory, follows
// the changes that the authority reports, and shows a write only after the authority has reported it. See
// [OpenReplica].
//
// The revisions of a group ascend in the order of its entries, with no revision of another group between them. All
// methods must be safe for concurrent use. The engine holds no lock during a call. Close comes last, after every other
// call has returned. An error that clients may see should wrap a Status; [storage.Unavailable], [storage.ReadOnly] and
// [storage.Unknown] make such errors.
type Authority interface {
	// Begin returns the revision from which the replica can follow the changes. It should lie before the changes since the
	// given time, so that the replica serves their history, but need not. If the authority holds no objects and knows no
	// revision yet, its revisions start above the clock, which is in microseconds since 1970.
	Begin(ctx context.Context, clock watch.Revision, since time.Time) (watch.Revision, error)

	// Announce numbers a form of a resource, unless it has a number. The engine announces a form before it writes in it.
	Announce(ctx context.Context, resource, form string) error

	// Newer reports whether a form of a resource was announced after another one. It answers from memory, for forms of
	// records that the authority has returned.
	Newer(resource, form, than string) bool

	// Load yields the records of a resource as they were at a revision, if possible in order of namespace and name. It
	// returns 410 Expired if it no longer knows that state, and an error of yield unchanged.
	Load(ctx context.Context, resource string, at watch.Revision, yield func(Stored) error) error

	// ResourcesIn returns the names of the resources that have records in a namespace, or any record if the namespace is
	// empty, when it is called or later. It may leave out the resources for which known returns true.
	ResourcesIn(ctx context.Context, namespace string, known func(resource string) bool) ([]string, error)

	// Follow yields every group of changes after a revision, in order and each exactly once, until the context ends. It
	// returns 410 Expired if it may no longer have all of them, an error of yield unchanged, and any other error if it
	// must be called again. Commit may yield its own group meanwhile, if all groups before it were yielded; after an error
	// of yield, Follow yields the group again. There is one call of yield at a time, and none after Follow has returned.
	Follow(ctx context.Context, after watch.Revision, yield func(Arrival) error) error

	// Latest returns the last revision of the latest group that was committed when Latest was called, or of a later one.
	// No group has revisions from there up to and including known.
	Latest(ctx context.Context) (last, known watch.Revision, err error)

	// Commit makes a group of changes durable, unless one of the objects no longer has the record of
	// [storage.Entry.Previous]. An entry whose Current is its Previous changes nothing: it is a precondition only. The
	// revisions of the entries and in the JSON are preliminary. Commit returns [storage.ErrUnknown] if the group may or
	// may not be committed. After any other error it is not.
	Commit(ctx context.Context, group Group) (Verdict, error)

	// Compact drops the history up to and including a revision: a replica that opens later does not serve it.
	Compact(ctx context.Context, through watch.Revision) error

	// Close releases everything.
	Close() error
}

// Quiet is an [Authority] that serves idle replicas with few requests, because Follow reports a lost connection by
// itself.
type Quiet interface {
	// CheckEvery is how often an idle engine should ask for the latest revision.
	CheckEvery() time.Duration
}

// Sized is an [Authority] that knows how much disk its data takes. An engine asks it in the background when somebody
// reads [Engine.StoreStats], at most once a minute.
type Sized interface {
	Size(ctx context.Context) (Size, error)
}

// Size is how much disk stored data takes. See [storage.StoreStats].
type Size struct {
	ID                   string
	FileBytes, FreeBytes int64
}

// Arrival is a group of changes that an authority reports to a replica. The entries have the state after the change; a
// deletion has neither JSON nor Unreadable.
type Arrival struct {
	Entries []Stored
	// End is the last revision of the group.
	End watch.Revision
	// At is when the replica that wrote the group proposed it.
	At time.Time
	// NoWait makes yield return an error where it would wait, because an upgrade pauses the changes of a resource. A
	// Commit that yields its own group sets it, because its caller waits no longer than its context allows.
	NoWait bool
}

// Verdict is the answer of an authority to a group.
type Verdict struct {
	// Done reports whether the group was committed. Otherwise one of the objects had changed.
	Done bool
	// Revision is the first revision of the group if it was committed. Otherwise it is a revision at which the replica
	// sees what has changed.
	Revision watch.Revision
	// Kept are the objects of a committed group for which the authority has kept another text than
	// [storage.Entry.Current], at their revisions. If the authority has left an object as it was, the revision is the
	// previous one. An update returns these records.
	Kept []Stored
}
