package resource

import (
	"context"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// A selection whose objects are converted outside of the process converts many of them together, before it needs them
// one at a time.

// ConvertAhead converts the objects of a query together, because Match, which needs them, would convert one at a time.
// It omits the objects that a restriction hides, so that a client causes no work for them.
func (s Selection) ConvertAhead(ctx context.Context, store storage.Store, q storage.Query) error {
	if !s.outside() || s.Match == nil && len(q.Order) == 0 {
		return nil
	}
	q.Match, q.Limit, q.Visible = s.mayMatch, 0, nil
	if s.mayMatch != nil {
		q.MaxVisits = 0 // the list itself counts what the client sees
	}
	if len(q.Order) > 0 { // the values by which the list is sorted need the objects too
		q.Order, q.After, q.AfterValues = nil, storage.Key{}, nil
	}
	all, err := store.List(ctx, q, nil)
	if err != nil {
		return nil // the query itself fails too, and its error is for the client
	}
	return s.Of.ShowAhead(ctx, all.Records)
}

// ShowAhead converts the selected objects together, and replaces the records, as [Resource.ShowAhead] does.
func (s Selection) ShowAhead(ctx context.Context, selected []*storage.Record) error {
	if !s.outside() {
		return nil
	}
	return s.Of.ShowAhead(ctx, selected)
}

// ChangesAhead returns the function that converts the objects of changes together, or nil if nothing is converted
// outside of the process.
func (s Selection) ChangesAhead() func([]*watch.Change[storage.Record]) {
	if !s.outside() {
		return nil
	}
	return s.changesAhead
}

// changesAhead converts the objects of changes together. If that fails, the watch gets the error when it converts the
// first of them.
func (s Selection) changesAhead(changes []*watch.Change[storage.Record]) {
	var records []*storage.Record
	for _, c := range changes {
		for _, r := range []*storage.Record{c.Previous, c.Current} {
			needed := r != nil && (r == c.Current || c.Current == nil || s.Match != nil)
			if needed && (s.mayMatch == nil || s.mayMatch(r)) {
				records = append(records, r)
			}
		}
	}
	_ = s.Of.ShowAhead(context.Background(), records)
}
