package engine

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// list is [Engine.List] in the transaction. The transaction then commits only if the whole resource has not changed.
func (x *transaction) list(ctx context.Context, q storage.Query, into []*storage.Record) (storage.Listing, error) {
	if err := x.refuseEnded(); err != nil {
		return storage.Listing{}, err
	}
	e := x.engine
	if !e.committer.comparesTables() {
		return storage.Listing{}, inTransactionError(status.BadRequest(
			"a transaction cannot list: the store shares its objects with other processes, " +
				"so only reads of single objects are compared"))
	}
	t, err := e.tableIn(q.Within)
	if err != nil {
		return storage.Listing{}, err
	}
	q.Known = 0
	if seen, ok := x.sawTable(t); q.Exact {
		if !ok || q.Revision < seen {
			return e.list(ctx, q, into)
		}
		q.Exact = false // nothing has changed since, or the commit fails
	}
	form := e.formOf(t)
	committed := q
	own := x.changesIn(q.Within)
	if len(own) > 0 {
		committed.Limit = 0
	}
	found, err := e.list(ctx, committed, into)
	if err != nil {
		return storage.Listing{}, err
	}
	x.noteTable(write{table: t, form: form, lists: true, listed: found.Changed})
	found.Changed = 0 // the records are not those of a state that others can have
	if len(own) == 0 {
		return found, nil
	}
	return withOwn(&q, own, found, len(into)), nil
}

// sawTable returns the state of a table that the transaction has listed.
func (x *transaction) sawTable(t *table) (changed watch.Revision, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, ok := x.listed[t]
	return w.listed, ok
}

// noteTable makes the state of a table a condition of the commit. The first list decides.
func (x *transaction) noteTable(w write) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.listed[w.table]; !ok {
		x.listed[w.table] = w
	}
}

// changesIn returns what the transaction has made of the objects that it has changed in a scope. The record is nil if
// it has deleted one.
func (x *transaction) changesIn(within watch.Key) map[storage.Key]*storage.Record {
	x.mu.Lock()
	defer x.mu.Unlock()
	own := map[storage.Key]*storage.Record{}
	for _, o := range x.changed {
		if within.Contains(o.key) {
			own[o.key] = o.now
		}
	}
	return own
}

// with replaces records of a list without a limit by those of a transaction, and applies the limit. The records before
// start are not part of the list.
func withOwn(q *storage.Query, own map[storage.Key]*storage.Record, found storage.Listing, start int) storage.Listing {
	order := sortedList{query: q}
	all := slices.DeleteFunc(found.Records[start:], func(r *storage.Record) bool {
		_, replaced := own[r.Key]
		return replaced
	})
	for _, r := range own {
		if r != nil && takes(q, r) &&
			(q.After == storage.Key{} || order.compare(q.AfterValues, q.After, orderValues(q, r), r.Key) < 0) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *storage.Record) int {
		return order.compare(orderValues(q, a), a.Key, orderValues(q, b), b.Key)
	})
	found.Remaining = 0
	if found.More = q.Limit > 0 && len(all) > q.Limit; found.More {
		found.Remaining = int64(len(all) - q.Limit)
		all = all[:q.Limit]
	}
	if sorts(q) || q.Match != nil || q.Visible != nil || len(q.Terms) > 0 {
		found.Remaining = -1
	}
	found.Records = append(found.Records[:start], all...)
	return found
}

// valuesOf returns the values by which the list sorts a record.
func orderValues(q *storage.Query, r *storage.Record) []string {
	values := make([]string, len(q.Order))
	for i := range q.Order {
		values[i] = q.Order[i].Of(r)
	}
	return values
}
