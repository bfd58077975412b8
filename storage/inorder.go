package storage

import "context"

// InOrder returns a context for a caller that reads the texts of many records, one after the other and in the order of
// a list. A store that reads them from durable storage then continues where it has read before. Only one goroutine at a
// time may use the context for [Record.JSON].
func InOrder(ctx context.Context) context.Context {
	return context.WithValue(ctx, placeKey{}, new(Place))
}

type placeKey struct{}

// Place is where a store has read last for a caller with a context of [InOrder]. Only the store that has set Value
// knows its type.
type Place struct{ Value any }

// PlaceIn returns the place of a context, or nil if the context has none.
func PlaceIn(ctx context.Context) *Place {
	p, _ := ctx.Value(placeKey{}).(*Place)
	return p
}
