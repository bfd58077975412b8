package quota

import (
	"cmp"
	"context"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/storage"
)

// ledger implements [storage.Ledger]. The lock of the engine guards used.
type ledger struct {
	limits func(Account) []Limit
	used   map[counter]usage
}

// counter selects the objects of an account that are counted together. They are the objects of a resource or, if
// resource is empty, all objects.
type counter struct {
	Account
	resource string
}

// usage is a number of objects and of their bytes.
type usage struct{ objects, bytes int64 }

func (u usage) plus(v usage) usage { return usage{u.objects + v.objects, u.bytes + v.bytes} }

// added returns what a change of an object adds to its accounts.
func added(previous, current *storage.Record) (u usage) {
	if current != nil {
		u = usage{1, int64(current.Len())}
	}
	if previous != nil {
		u = u.plus(usage{-1, -int64(previous.Len())})
	}
	return u
}

// accounts returns the accounts in which a record counts.
func accounts(r *storage.Record) (all [2]Account, n int) {
	if r.Key.Namespace != "" {
		all[n] = Account{Namespace: r.Key.Namespace}
		n++
	}
	if r.Creator != "" {
		all[n] = Account{User: r.Creator}
		n++
	}
	return all, n
}

// Creator implements [storage.Ledger].
func (l *ledger) Creator(ctx context.Context) string { return access.UserFrom(ctx).Name }

// Book implements [storage.Ledger].
func (l *ledger) Book(previous, current *storage.Record) {
	record, more := cmp.Or(current, previous), added(previous, current)
	all, n := accounts(record)
	for _, account := range all[:n] {
		l.add(counter{account, record.Key.Resource}, more)
		l.add(counter{account, ""}, more)
	}
}

// add changes a counter. A counter at zero goes, so that the names of former namespaces and users use no memory.
func (l *ledger) add(to counter, more usage) {
	if used := l.used[to].plus(more); used == (usage{}) {
		delete(l.used, to)
	} else {
		l.used[to] = used
	}
}
