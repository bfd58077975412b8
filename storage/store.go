package storage

import (
	"context"

	"github.com/decorum-go/decorum/watch"
)

// Key names one object, or what a query covers: resource, namespace (empty if the resource is cluster-scoped) and name.
// The store compares keys part by part and never joins the parts, so a name cannot reach beyond its namespace.
type Key = watch.Key

// These revisions serve reads that do not name one. A replicated store asks the other replicas for MostRecent, and
// answers Any on its own.
const (
	// MostRecent asks for a state that shows every write acknowledged before the read, on any replica. It is the zero
	// value, and the resourceVersion "" of a get or list (API concepts, Resource versions). A caller that writes because
	// an object is absent must have read with MostRecent.
	MostRecent watch.Revision = 0
	// Any asks for a state of any age, so the store answers at once. It is the resourceVersion "0" of a get or list.
	Any watch.Revision = 1
)

// Resource describes a kind of object to the store. The store must know it before it holds any.
type Resource struct {
	// Name is the plural and the group, such as "widgets.example.com".
	Name string
	// Namespaced says whether the objects' keys have a namespace.
	Namespaced bool
	// Extract reads the parts from an object's JSON.
	Extract Extractor
	// Indexed are the labels and fields that the store indexes, so that it finds the records with a value without
	// visiting all others. Index.Field is an index into Extracted.Fields. Each index takes about 40 bytes for every
	// record that has a value, and adds about as much time to each write as the main tree takes.
	Indexed []watch.Index
	// Fingerprint must change when Extract or the form of the JSON changes.
	Fingerprint string
	// Upgrade converts the JSON of a record that was stored under another Fingerprint to the current form. It must leave
	// metadata.resourceVersion unchanged, and must neither keep nor change the bytes it receives. The store calls it
	// outside every lock, before Extract and before anyone reads the record. Nil means that the JSON stays unchanged.
	Upgrade func(json []byte) ([]byte, error)
	// Declaration identifies who writes the resource, by any comparable value. If Register receives another one than
	// before, writes under way call their functions again, even if the Fingerprint is the same.
	Declaration any
	// Auxiliary says that the API writes the records beside the objects of another resource. Neither [MaxTransaction] nor
	// a [Ledger] counts them.
	Auxiliary bool
	// Holder is who registers the resource. The store serves the resource until every holder has unregistered it or has
	// ended. All holders use the form that was registered last, so they must agree on it. Nil is a holder like others,
	// which never ends.
	Holder Holder
}

// Holder is who registers resources, such as one of several APIs over the same store. It must be comparable, and should
// be small, because the store keeps it.
type Holder interface {
	// Ended reports whether the holder has ended, so that its registrations no longer count. The store calls it while it
	// holds its lock.
	Ended() bool
}

// Extractor reads from an object's canonical JSON what selection needs. The store calls it outside every lock, possibly
// from several goroutines, when an object is written, loaded, or received from a replica. It must copy the strings of
// the parts, because it must not keep the bytes.
type Extractor func(json []byte) (Extracted, error)

// MaxAttempts is how many times an update calls its function before it fails with [ErrContended].
const MaxAttempts = 16

// UpdateFunc decides what an object becomes. If the object does not exist, current is nil. The function returns the
// next JSON; nil to delete the object or leave it absent; or an error, which changes nothing and which Update returns
// unchanged. JSON that differs from the current one only in the resourceVersion is a no-op: no revision, no event.
//
// The JSON must be one object whose metadata has a resourceVersion of type string, into which the store writes the
// revision of the commit. This needs no copy if the text has the right number of digits. The text of [Store.Revision]
// usually has it. The store owns the bytes afterwards.
//
// The function runs outside every lock, so it may call the store. It runs again if the object changed meanwhile, at
// most [MaxAttempts] times in all.
type UpdateFunc func(current *Record) (next []byte, err error)

// UpdateAllFunc is [UpdateFunc] for several objects: current and next are in the order of the keys, and current is one
// consistent state.
type UpdateAllFunc func(current []*Record) (next [][]byte, err error)

// Store holds the objects of the registered resources. One ascending sequence of revisions numbers their commits, in
// commit order; a store may leave revisions out. All methods are safe for concurrent use and return [ErrClosed] after
// Close.
//
// When a store starts, its revisions continue from the clock in microseconds, and are above all revisions that the
// store has ever assigned. They stay below 2^53.
//
// A durable store keeps [Record.Written] with each object, so that a restart does not change it. A replicated store
// returns the time of the replica that committed the record.
//
// If a read or a watch asks for a revision that the store has not reached, it waits for a bounded time (3 seconds
// unless the store documents another) and then fails with 504 Timeout, "Too large resource version". A client may have
// such a revision from an earlier store.
type Store interface {
	// Register adds a resource, and loads its records if the store is durable. The store serves only registered
	// resources. If the context ends before the records are loaded, Register returns the error of the context and
	// changes nothing.
	//
	// If the resource is already registered with another Fingerprint, Register upgrades its records without changing
	// their revisions, and ends its history: reads and watches of the resource from earlier revisions fail with 410
	// Expired. Other resources keep their history. The caller should first close cursors that expect the old form. A
	// cursor that has read every change continues with records of the new form.
	//
	// If only the indexes differ, Register changes no records and keeps the history.
	//
	// If the Fingerprint or the Declaration differs, every write that began before has committed when Register returns, or
	// calls its function again.
	//
	// If Upgrade or Extract fails, Register returns the error with the key of the record, and changes nothing. It
	// returns [ErrResource] if the resource is incomplete or registered with another scope.
	Register(ctx context.Context, resource Resource) error

	// Unregister takes back the registration of a resource by a holder. While others hold the resource, this changes
	// nothing for them. Otherwise the store stops serving the resource, and ends its history. Unregister waits for commits
	// in progress, and ends the resource's cursors with [ErrResource]. The store keeps the records, and serves them again
	// once the resource is registered again. A resource without records may then have another scope. If the holder has not
	// registered the resource, Unregister does nothing.
	Unregister(ctx context.Context, resource string, holder Holder) error

	// Revision returns the revision of the latest visible commit. It is never 0, which means "any" on the wire.
	Revision() watch.Revision

	// Get returns the object's latest record, from a state at least as recent as the given revision, which may be
	// [MostRecent] or [Any]. It returns [ErrNotFound] if the object does not exist.
	Get(ctx context.Context, key Key, atLeast watch.Revision) (*Record, error)

	// List appends the records of a scope to into, in order of namespace and name, from one consistent state.
	List(ctx context.Context, opts Query, into []*Record) (Listing, error)

	// ResourcesIn returns the names, in order, of the resources that have records in a namespace, or any record if the
	// namespace is empty. It counts the records of resources that are not registered, and those that the store cannot
	// read. It shows every write that was acknowledged before the call, on any replica. A caller that releases a namespace
	// must have found nothing in it.
	ResourcesIn(ctx context.Context, namespace string) ([]string, error)

	// Update performs a write (API conventions, Concurrency Control and Consistency): it calls fn with the object's
	// current record and commits the result if the object has not changed meanwhile; otherwise it calls fn again. The
	// current record may belong to a commit in progress, which readers do not see yet. Update returns only after that
	// commit, even if fn returns an error or changes nothing.
	//
	// Update returns the object's new record; after a no-op, the current record; after a delete, the last state at the
	// revision of the deletion. It returns [ErrNotFound] if there was nothing to delete, and [ErrContended] if the
	// object changed during each of [MaxAttempts] calls. It returns [ErrReadOnly] if the store refuses the write, and
	// [ErrUnknown] if the context ends or an error occurs during the commit.
	Update(ctx context.Context, key Key, fn UpdateFunc) (*Record, error)

	// UpdateAll writes several objects, of any resources, as a unit: all or none, and visible together. The revisions
	// ascend in the order of the keys, and no other write has a revision between them. The keys must differ. If fn
	// leaves an object unchanged, the commit still requires that no other write has changed it, so the object serves as
	// a precondition for the others. UpdateAll returns the records in the order of the keys, each as Update would
	// return it, and nil for an object that neither existed nor was created.
	UpdateAll(ctx context.Context, keys []Key, fn UpdateAllFunc) ([]*Record, error)

	// Watch returns a cursor on the changes of a scope that are younger than a revision. It fails with 410 Expired if the
	// store no longer holds all of them. The context bounds the call, not the cursor. If terms are given, the cursor may
	// leave out the changes of objects that have these values neither before nor after the change; it does so for one of
	// the indexed terms.
	//
	// The zero scope covers the changes of all resources in revision order, including resources that are registered
	// later, and what happened to a resource before it was unregistered. It takes no terms, and fails with 410 Expired
	// if the changes of any resource are no longer held. If Register ends the history of a resource, open cursors go
	// on, and return a change that is Lost (see [watch.Change]) for each one of the resource that they have not read,
	// except removals, which they return whole. Their reader has to list the resource again.
	Watch(ctx context.Context, within watch.Key, after watch.Revision, terms ...watch.Term) (watch.Cursor[Record], error)

	// Compact drops the history up to and including a revision. Reads and watches from earlier revisions then give 410
	// Expired.
	Compact(ctx context.Context, through watch.Revision) error

	// Close waits for commits in progress, and ends every watch and every waiting read with [ErrClosed]. All goroutines of
	// the store end before Close returns. Further calls do nothing.
	Close() error
}

// Prober is a [Store] that reports whether it can serve. The API uses it for /readyz.
type Prober interface {
	// Ready returns nil if the store accepts reads and writes, and otherwise the reason. It does not block.
	Ready() error
}

// Query selects the records of a list, and the revision at which the store lists them.
type Query struct {
	// Within is a whole resource, one of its namespaces, or one object.
	Within watch.Key
	// After is the key after which the list starts: the last key of the previous page. Its Resource is ignored. Zero means
	// the beginning.
	After Key
	// Limit is the maximum number of records. Zero means no limit.
	Limit int
	// Revision and Exact select the state. Without Exact it is the latest state, at least as recent as Revision, which may
	// be [MostRecent] or [Any]. With Exact it is the state at Revision; if that lies inside a group, the state at the end
	// of the group. A compacted revision gives 410 Expired. If too many reads already wait for old states of the resource,
	// List fails with 429 TooManyRequests.
	Revision watch.Revision
	Exact    bool
	// Terms leave out the records that lack one of the values. If a term is indexed, the list visits only the records with
	// its value. A field that an object does not have counts as "".
	Terms []watch.Term
	// Among leaves out the records whose value in one of these indexes lies in none of its ranges, and the records without
	// a value. If the index is declared and promises fewer records than other ways, the list visits only the records in
	// the ranges.
	Among []Among
	// Match leaves out the records for which it returns false. Nil matches every record. Limit counts the records that
	// match.
	Match func(*Record) bool
	// Order sorts the records by these values, and records with equal values by namespace and name. If the first value
	// belongs to an index and Limit is set, the list may visit the records in the order of the index, and stop at the
	// limit. Otherwise, it visits all records that may match, and holds no more of them than Limit. Empty sorts by
	// namespace and name alone.
	Order []Order
	// AfterValues are the values of the object After in Order, which need one each unless After is zero.
	AfterValues []string
	// MaxVisits is how many records the list may compare with Terms, Among and Match. If it would need more, it fails with
	// BadRequest. Zero means no limit.
	MaxVisits int
	// Visible hides the records for which it returns false. The result does not depend on them: MaxVisits counts only
	// visible records that have the values of Terms and Among, and More says that further visible records match. Nil means
	// that all records are visible.
	Visible func(*Record) bool
	// Known is the [Listing.Changed] of an earlier list that the caller still has, or 0. If no object of the resource has
	// changed since, the list contains no records, and the same Changed again. Known has no effect with Exact.
	Known watch.Revision
}

// Among are values of an index, in ascending ranges that do not overlap.
type Among struct {
	Index  watch.Index
	Ranges []Range
}

// Range are the values of an index from one bound to another, in the order of [watch.Index.Compare].
type Range struct {
	// From is the first value, and To the last one. Empty means that the range has no bound there.
	From, To string
	// AfterFrom leaves out the value From, and BeforeTo the value To.
	AfterFrom, BeforeTo bool
}

// Order is a value by which a list is sorted. Objects without the value come last.
type Order struct {
	// Index has the value, and says how values are compared.
	Index watch.Index
	// Value, if it is set, returns the value of a record, or "" if it has none. The Index then only says whether values
	// are numbers.
	Value func(*Record) string
	// Descending begins with the greatest value.
	Descending bool
}

// Of returns the value of a record, or "" if it has none.
func (o *Order) Of(r *Record) string {
	if o.Value != nil {
		return o.Value(r)
	}
	value, _ := r.Value(o.Index)
	return value
}

// Listing is the result of a list: the whole list, or one page of it.
type Listing struct {
	// Records is the slice into with the records of the page appended.
	Records []*Record
	// Revision is the revision of the state. A watch continues from it, and the next page asks for exactly this revision.
	Revision watch.Revision
	// More says that the page is full and that the scope has records after it, whether or not they match Terms and Match.
	// Searching for the next match could cost as much as the whole list. With Among, Order or Visible, More says that
	// further records match.
	More bool
	// Remaining is how many records follow the page, or -1 for unknown if Terms, Among, Match, Visible or Order are set.
	Remaining int64
	// Changed identifies the state of the resource in a list of the latest state: two lists from the same store with the
	// same Changed show the same records. It is 0 if the store does not know it, and with [Query.Exact].
	Changed watch.Revision
}
