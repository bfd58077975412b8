package storage

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/watch"
)

// Key names one object: resource, namespace (empty when the resource is cluster-scoped) and name. Keys are compared part by part; no part is
// ever joined with another, so no name reaches beyond its namespace.
type Key = watch.Scope

// Errors of a store that are not Statuses of their own. Callers use errors.Is.
var (
	// ErrNotFound says that there is no object of this key. Whoever knows how the resource is called makes a 404 of it.
	ErrNotFound = errors.New("storage: no such object")
	// ErrClosed says that the store was closed. As a Status it is 503 ServiceUnavailable.
	ErrClosed = watch.ErrClosed
	// ErrResource says that a resource is not registered, or registered incompletely, or again with another scope.
	ErrResource = errors.New("storage: bad resource")
	// ErrKey says that a key or scope does not fit its resource: no name, or a namespace missing or too much.
	ErrKey = errors.New("storage: bad key")
	// ErrRevision says that the next revision would not be below 2^53, where every client can still tell numbers apart. A store that
	// starts at the clock is 200 years away from it.
	ErrRevision = errors.New("storage: no revision below 2^53 is left")
	// ErrJSON says that an update function returned a text in which the store cannot write a revision, or whose parts cannot be extracted.
	ErrJSON = errors.New("storage: bad object")
	// ErrContended says that the object changed during each of [MaxAttempts] attempts to update it: very many writers want it, or the update
	// function writes it itself. As a Status it is 409 Conflict.
	ErrContended = errors.New("storage: the object changed during every attempt to update it")
)

// Revisions for reads that name none. A store that is a replica answers the first by asking the others, and the second by itself.
const (
	// MostRecent asks for a state that shows every write acknowledged before the read, on any replica. It is the zero value, and the resourceVersion
	// "" of a get or list (API concepts, Resource versions). Whoever writes because an object is absent must have read so.
	MostRecent watch.Revision = 0
	// Any asks for a state of any age: every store has reached it. It is the resourceVersion "0".
	Any watch.Revision = 1
)

// Resource is what a store must know of a kind of object before it holds any.
type Resource struct {
	// Name is the plural and the group, such as "widgets.example.com".
	Name string
	// Namespaced says whether its keys have a namespace.
	Namespaced bool
	// Extract takes the parts out of an object's JSON.
	Extract Extractor
	// Indexed are the labels and fields by whose values records are found without looking at all others; Index.Field is a position in
	// Parts.Fields. Each costs every record that has a value about 40 bytes, and every write about what the tree costs it.
	Indexed []watch.Index
	// Fingerprint changes when Extract or the form of the JSON does.
	Fingerprint string
	// Upgrade brings the JSON of a record that was stored under another Fingerprint into the form that records have now. It
	// keeps metadata.resourceVersion and must not keep or change the bytes it is given. It runs outside every lock, in the
	// place where such a record enters: before Extract, and before anybody reads it. Nil: it stays as it is.
	Upgrade func(json []byte) ([]byte, error)
}

// Extractor takes out of an object's canonical JSON what selection needs. It runs outside every lock, possibly in several goroutines, when an
// object is written, loaded, or received from a replica, and must not keep the bytes: strings of the parts are copies.
type Extractor func(json []byte) (Parts, error)

// UpdateFunc decides what becomes of an object. Current is nil when there is none. It returns the next JSON; nil to delete the object, or to
// leave it absent; or an error, which Update returns unchanged and which changes nothing. JSON that differs from the current one in nothing but the
// resourceVersion is a no-op: no revision, no event.
//
// The JSON must be one object whose metadata has a resourceVersion of type string; the store writes the revision of the commit there, without a
// copy when the digits that are there are as many (those of [Store.Revision] usually are). The store owns the bytes afterwards.
//
// It runs outside every lock, so it may call the store; it may run again when the object changed meanwhile, [MaxAttempts] times in all.
type UpdateFunc func(current *Record) (next []byte, err error)

// UpdateAllFunc is [UpdateFunc] for several objects: current and next are in the order of the keys, and current is one consistent state.
type UpdateAllFunc func(current []*Record) (next [][]byte, err error)

// Store holds the objects of registered resources under one sequence of revisions. Commit order is revision order. All methods may be called
// from any number of goroutines; after Close they return [ErrClosed].
//
// Revisions begin at the clock in microseconds, above all that the store ever gave out, and stay below 2^53.
//
// A revision that a read or a watch asks for and the store has not reached is awaited for a bounded time (3 seconds unless the store says otherwise);
// then the call fails with 504 Timeout, "Too large resource version". A client may have such a revision from a store that was there before.
type Store interface {
	// Register makes a resource known; nothing of it is served before. Registering it again under another Fingerprint upgrades the records
	// that there are, at their revisions, and ends the resource's history: reads and watches of it from before give 410 Expired, those of other
	// resources do not. Cursors of the old form should be closed by then: those that have read all go on, with records of the new one. With
	// other indexes alone no record changes, and no history ends.
	// An error of Upgrade or Extract is returned, with the key of the record, and then nothing has changed.
	Register(resource Resource) error

	// Revision is that of the latest visible commit. It is never 0, which on the wire means "any".
	Revision() watch.Revision

	// Get returns the object's latest record from a state not older than the given revision, [MostRecent] or [Any] among them, or [ErrNotFound].
	Get(ctx context.Context, key Key, atLeast watch.Revision) (*Record, error)

	// List appends to into the records of a scope in order of namespace and name, out of one consistent state.
	List(ctx context.Context, opts ListOptions, into []*Record) (Page, error)

	// Update is the one write (API conventions, Concurrency Control and Consistency): it calls fn with the object's current record and commits the
	// result if the object is still the same, or calls fn again. It returns the object's new record; the current one after a no-op; after a delete
	// the last state under the revision of the deletion; [ErrNotFound] when there was nothing to delete; [ErrContended] when the object has changed
	// during each of [MaxAttempts] calls.
	Update(ctx context.Context, key Key, fn UpdateFunc) (*Record, error)

	// UpdateAll writes several objects of any resources as one: all or nothing, with consecutive revisions in the order of the keys, and visible
	// together. Keys must differ. One that stays as it is, is compared all the same, and so is a precondition for the others. The records are in the order of the keys, as Update would return them; nil where nothing was and nothing is.
	UpdateAll(ctx context.Context, keys []Key, fn UpdateAllFunc) ([]*Record, error)

	// Watch returns a cursor on the changes of a scope younger than a revision. It fails with 410 Expired when they are no longer held. The context
	// bounds the call, not the cursor. With terms the cursor may leave out changes of objects that have these values neither before nor after; it
	// does so for one of them that is indexed.
	// The zero scope is the changes of all resources in the one order of their revisions, those of resources that are registered later too. It
	// takes no terms, and fails with 410 Expired when the changes of any resource are no longer held.
	Watch(ctx context.Context, scope watch.Scope, after watch.Revision, terms ...watch.Term) (*watch.Cursor[Record], error)

	// Compact drops the history up to a revision: reads and watches from before it give 410 Expired.
	Compact(ctx context.Context, through watch.Revision) error

	// Close ends every watch and every waiting read, and leaves no goroutine behind. It may be called more than once.
	Close() error
}

// ListOptions says what to list.
type ListOptions struct {
	// Scope is a whole resource, one of its namespaces, or one object.
	Scope watch.Scope
	// After is the key after which to start, exclusively: the last of the page before. Its Resource is not looked at; zero is the beginning.
	After Key
	// Limit is how many records to return at most; zero: all.
	Limit int
	// Revision and Exact choose the state: the latest, but not older than Revision, [MostRecent] or [Any] among them, or with Exact the one at Revision. An Exact revision inside a
	// group is answered with the state at the group's end, and a compacted one with 410 Expired. If too many reads wait for old states of the
	// resource, one more fails with 429 TooManyRequests.
	Revision watch.Revision
	Exact    bool
	// Terms leave out the records that lack one of the values. Where one of them is indexed, the list costs what the records with this value cost,
	// and no more. A field that an object does not have is "".
	Terms []watch.Term
	// Match leaves out the records for which it does not hold; nil: none. Limit counts what is left.
	Match func(*Record) bool
}

// Page is a part of a list.
type Page struct {
	// Records is into with the page appended.
	Records []*Record
	// Revision is that of the state: what a watch goes on from, and what the next page asks for exactly.
	Revision watch.Revision
	// More says that the page is full and the scope has records after it, whether or not Terms and Match take them: looking for the next one that they
	// take could cost as much as the whole list.
	More bool
	// Remaining is how many records come after the page; -1, for unknown, when Terms or Match are set.
	Remaining int64
}
