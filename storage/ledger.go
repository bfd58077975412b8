package storage

import (
	"context"

	"github.com/decorum-go/decorum/watch"
)

// Ledger keeps accounts of the objects in a store, and refuses writes that exceed a quota. Package rest/quota has
// one.
//
// A ledger counts the records of registered resources, but for those that are [Resource.Auxiliary]. The store calls
// Book and [Claim.Check] under its lock, so a check sees every write that comes before its own, and no other. Both must
// return quickly, and must not call the store.
type Ledger interface {
	// Creator returns the name of the user who creates objects in calls with this context. The store stores the name
	// as [Record.Creator].
	Creator(ctx context.Context) string
	// Claim returns what a group of changes takes from limited accounts, or nil if it takes nothing. The entries have
	// neither a revision nor a form. The store calls Claim outside every lock, once for each attempt to commit the
	// group.
	Claim(ctx context.Context, group []Entry) Claim
	// Book replaces a record by another one in the accounts. Either may be nil. The store calls Book once for each change
	// that it commits, and for each record when its resource is registered, upgraded or unregistered.
	Book(previous, current *Record)
}

// Claim is what a group of changes takes from the accounts of a [Ledger].
type Claim interface {
	// Check returns an [Exceeded] if an account has no room for the group. The store then does not commit the group,
	// and the update returns this error.
	Check() error
	// Accounts names the accounts that Check reads, in ascending order.
	Accounts() []string
}

// Entry is one change of a group: the creation, update or deletion of an object.
type Entry struct {
	Key      Key
	Revision watch.Revision
	// Previous is the record before the change, or nil if the change creates the object. Current is the record after the
	// change, or nil if the change deletes the object.
	Previous, Current *Record
	// Form is the fingerprint of the resource.
	Form string
}

// Exceeded is the error of a write that exceeds a quota. Servers send it as 403 Forbidden.
type Exceeded struct {
	// Quota is the name of the quota.
	Quota string
	// Figures says what was requested, used and allowed. It is empty if the writer may not learn the figures.
	Figures string
}

// Error returns the message in the words of Kubernetes.
func (e *Exceeded) Error() string {
	if e.Figures == "" {
		return "exceeded quota: " + e.Quota
	}
	return "exceeded quota: " + e.Quota + ", " + e.Figures
}
