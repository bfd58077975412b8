package resource

import (
	"context"

	"github.com/decorum-go/decorum/storage"
)

// A selection whose objects are converted outside of the process converts many of them together, before it needs them one at a time.

// convertAhead converts the objects of a query together, because Match, which needs them, would convert one at a time.
func (s Selection) convertAhead(ctx context.Context, store storage.Store, q storage.Query) error {
	if s.Match == nil {
		return nil
	}
	q.Match, q.Limit = nil, 0
	all, err := store.List(ctx, q, nil)
	if err != nil {
		return nil // the query itself fails too, and its error is for the client
	}
	return s.outside.ShowAhead(ctx, all.Records)
}

// changesAhead converts the objects of changes together. If that fails, the watch gets the error when it converts the first of them.
func (s Selection) changesAhead(changes []*LogChange) {
	var records []*storage.Record
	for _, c := range changes {
		for _, r := range []*storage.Record{c.Previous, c.Current} {
			if r != nil && (r == c.Current || c.Current == nil || s.Match != nil) {
				records = append(records, r)
			}
		}
	}
	_ = s.outside.ShowAhead(context.Background(), records)
}
