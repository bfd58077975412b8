package delivery

import (
	"time"

	"github.com/decorum-go/decorum/rest/internal/media"
)

const (
	// StuckAfter is how long one write may take before the server gives the client up.
	StuckAfter = time.Minute
	// StuckAtEnd is how long one write may take while the server shuts down.
	StuckAtEnd = time.Second
	// PieceSize is how much a watch writes at a time, and how much another answer writes first in each call. A look can
	// then see whether the client takes anything.
	PieceSize = media.ChunkSize + media.ChunkSlack
)

// Output sends the events of a watch to its client. Package stream implements it for bodies and for WebSockets.
type Output interface {
	// Send writes encoded events. object, which may be nil, and tail complete the last event. Send fails if the client has
	// left or does not read.
	Send(events, object, tail []byte) error
	// EventByEvent reports whether each call of Send must carry exactly one event.
	EventByEvent() bool
	// Hurry limits the current write, because the server shuts down. Cut ends it at once. Both may be called from other
	// goroutines, and must not block.
	Hurry()
	Cut()
	// Close ends the stream after its last event.
	Close()
}
