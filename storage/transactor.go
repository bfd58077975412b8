package storage

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/watch"
)

// MaxTransaction is the largest number of objects that a transaction may change, apart from objects of auxiliary
// resources.
const MaxTransaction = 100

// ErrTransaction says that a transaction does not permit a call. As a Status it is 400 BadRequest, 413
// RequestEntityTooLarge or 409 Conflict.
var ErrTransaction = errors.New("storage: the transaction does not permit this call")

// Transactor is a [Store] that commits everything that a function does as a unit. The API uses it for transactions. The
// stores of this module are Transactors.
type Transactor interface {
	// Transact calls fn with a context. Calls of Get, List, Update and UpdateAll with this context belong to the
	// transaction, from any goroutine, until fn returns. Only these calls see the changes of the transaction before it
	// commits. If fn returns nil, Transact commits the changes in the order in which fn first wrote the objects, and
	// returns them. All become visible together, and no other write has a revision between them.
	//
	// Transactions are serializable. Transact commits only if every object that fn has read, even in vain, and every
	// resource that it has listed, is still as fn saw it. Otherwise it calls fn again, at most [MaxAttempts] times in all,
	// and then returns [ErrContended]. It also calls fn again instead of returning the error of fn if what fn saw is
	// outdated, so an error never rests on a mixture of states. Therefore fn must have no other effects. If fn panics,
	// nothing is written, and the panic continues.
	//
	// An object that is not committed has revision 0, and an empty resourceVersion in its JSON. An update function in a
	// transaction runs again only if another goroutine of the transaction writes the object meanwhile. A Get does not wait
	// for other replicas, because the commit checks what it returned. A list with [Query.Exact] at a revision before the
	// state that the transaction sees shows committed objects only.
	//
	// A transaction refuses with [ErrTransaction]: more than [MaxTransaction] changes, the deletion and new creation of
	// one object, a watch, and calls after the end of fn. A replica also refuses lists, because its authority compares
	// objects but not resources. If the context of Transact belongs to a transaction already, fn joins that one; it then
	// cannot commit if fn fails, and Transact returns no changes.
	Transact(ctx context.Context, fn func(ctx context.Context) error) ([]watch.Change[Record], error)
}
