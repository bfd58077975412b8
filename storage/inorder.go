package storage

import "context"

// InOrder returns a context for a caller that reads the texts of many records, one after the other and in the order of
// a list, and that needs a text only until it reads the next one. With this context, [Record.JSON] may return a text
// that the next call overwrites. A store that reads texts from durable storage continues where it has read before. Only
// one goroutine at a time may use the context for [Record.JSON].
func InOrder(ctx context.Context) context.Context {
	return context.WithValue(ctx, placeKey{}, new(Place))
}

type placeKey struct{}

// Place is where a store has read last for a caller with a context of [InOrder]. The other fields belong to the store.
type Place struct {
	// Texts is how many texts the store has read from durable storage.
	Texts int
	// Value is what the store knows about the place.
	Value any
}

// PlaceIn returns the place of a context, or nil if the context has none.
func PlaceIn(ctx context.Context) *Place {
	p, _ := ctx.Value(placeKey{}).(*Place)
	return p
}
