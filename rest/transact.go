package rest

import (
	"context"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/storage"
)

// Transact commits everything that fn does through clients of the API, with the context that it receives, as a unit.
//
// fn may run several times, so it must have no other effects: it should not send messages, and should set variables
// only anew in each run. [API.AfterCommit] is for effects.
//
//	err := api.Transact(ctx, func(ctx context.Context) error {
//		if _, err := accounts.Modify(ctx, "alice", withdraw(10)); err != nil {
//			return err
//		}
//		_, err := accounts.Modify(ctx, "bob", deposit(10))
//		return err
//	})
//
// All writes take all their steps when fn makes them. Gets and lists with the context see what fn has written;
// everybody else sees it only when fn has returned nil and the store has committed all of it. All changes then become
// visible together: their resourceVersions ascend in the order in which fn first wrote the objects, and no other write
// comes between them. If fn returns an error, nothing is written, and Transact returns the error. If fn panics, nothing
// is written, and the panic continues.
//
// Transactions are serializable. If another client changes what fn has read or written, an object that fn has not
// found, or a resource that fn has listed, Transact calls fn again, at most 16 times in all, and then returns 409
// Conflict. An error of fn that rests on outdated objects also makes it run again.
//
// These rules hold inside:
//
//   - Objects that fn has written have an empty resourceVersion until the commit, and need none to be written again.
//   - Namespaces, definitions, uids and resourceVersions are checked against what fn sees, and again by the commit. A namespace that fn has
//     created holds objects at once. Quotas count everything that fn has written so far.
//   - A hook that calls the API with the context of its write joins the transaction.
//   - A deletion that finalizers or a grace period hold marks the object. If the kind has grace periods, an object that nothing holds is
//     removed after the commit, in a second one, as without a transaction.
//   - An object that fn has deleted cannot be created anew: 409 Conflict. Watchers would take it for the old one.
//   - A transaction changes at most 100 objects: 413 RequestEntityTooLarge. It cannot watch. A store that several processes share, such as
//     storage/etcd and storage/postgres, refuses lists: 400 BadRequest. On etcd, a transaction may read and write 127 objects in all, and
//     a write of an object whose kind has a History needs two or three.
//   - A dry run inside is not seen by later calls. [API.Rehearse] is the dry run of a transaction.
//   - Observers learn of each step at once, and of each change after the commit.
//   - Transact with the context of another transaction of the same store joins that one. If the inner function fails, the outer one cannot
//     commit either.
//   - Goroutines of fn may share its context. After fn has returned, calls with this context fail with 400 BadRequest.
//   - Calls of another API or of another process do not belong to the transaction, nor do actions, virtual kinds, and reads of kinds with a
//     store of their own (see [Options].Stores). Writes of such kinds fail with 400 BadRequest.
//
// If ctx ends before the commit begins, nothing is written. A store without transactions (see [storage.Transactor])
// gives 400 BadRequest.
func (a *API) Transact(ctx context.Context, fn func(ctx context.Context) error) error {
	return a.transact(ctx, false, fn)
}

// Rehearse is a dry run of [API.Transact]: it calls fn in the same way, but commits nothing. Every write of fn is a dry
// run, and hooks see it as one. Later calls of fn see it as if it were written.
func (a *API) Rehearse(ctx context.Context, fn func(ctx context.Context) error) error {
	return a.transact(ctx, true, fn)
}

func (a *API) transact(ctx context.Context, rehearses bool, fn func(ctx context.Context) error) error {
	if err := a.flights.EnterCall(nil); err != nil {
		return err
	}
	defer a.flights.LeaveCall(nil)
	return a.writes.Transact(ctx, rehearses, fn)
}

// AfterCommit calls f after the transaction of the context has committed, before [API.Transact] returns. If the
// transaction fails, or runs again, f is dropped. AfterCommit returns false, and does nothing, if the context belongs
// to no transaction of the API.
func (a *API) AfterCommit(ctx context.Context, f func(Committed)) bool {
	t := write.TransactionOf(ctx, a.store)
	if t == nil {
		return false
	}
	t.AfterCommit(func(c write.Committed) { f(Committed{c}) })
	return true
}

// Committed says what a transaction has changed. A function of [API.AfterCommit] receives it.
type Committed struct{ changes write.Committed }

// ResourceVersion returns the resourceVersion that the transaction has given to an object, or to its deletion. It is
// empty if the transaction has not changed the object.
func (c Committed) ResourceVersion(resource apimeta.GroupResource, namespace, name string) string {
	change, ok := c.changes[storage.Key{Resource: resource.String(), Namespace: namespace, Name: name}]
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(change.Revision), 10)
}
