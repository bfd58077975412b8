package quota

import "github.com/decorum-go/decorum/storage"

// Account is what a [Limit] applies to: a namespace, or the objects that a user has created in all namespaces and
// outside of them. One of the fields is set.
type Account struct{ Namespace, User string }

// name identifies the account in all replicas.
func (a Account) name() string {
	if a.User != "" {
		return "user/" + a.User
	}
	return "namespace/" + a.Namespace
}

// Limit is a limit on an account. Objects and Bytes are maxima. Zero means no maximum; a negative number allows
// nothing.
type Limit struct {
	// Name identifies the limit in messages to clients.
	Name string
	// Resource is the plural and the group, such as widgets.example.com, or the plural for the core group. Empty counts
	// the objects of all resources.
	Resource string
	// Objects is the number of objects.
	Objects int64
	// Bytes is the size of their JSON.
	Bytes int64

	shown string // the name of the limit in a quota object; empty for count/RESOURCE or bytes/RESOURCE
}

// New returns the option storage.Options.Ledger with limits. For each write, the store calls the function with the
// accounts that the write adds to, and checks the limits in their order. The function may be called from several
// goroutines, and holds no lock. A change of its result counts for the writes that begin afterwards.
func New(limits func(Account) []Limit) func() storage.Ledger {
	return func() storage.Ledger { return &ledger{limits: limits, used: map[counter]usage{}} }
}

// Fixed returns limits that do not change, for [New]. Accounts that the map does not contain have no limits.
func Fixed(limits map[Account][]Limit) func(Account) []Limit {
	return func(a Account) []Limit { return limits[a] }
}
