package delivery

import (
	"time"

	"github.com/decorum-go/decorum/rest/internal/media"
)

const (
	// StuckAfter is how long one write may take before the client counts as gone.
	StuckAfter = time.Minute
	// StuckAtEnd is how long it may take when the server is shutting down.
	StuckAtEnd = time.Second
	// PieceSize is how much is written at a time, so that it can be seen whether the client takes it.
	PieceSize = media.ChunkSize + media.ChunkSlack
)

// Output is how the events of a watch reach its client.
type Output interface {
	// Send writes encoded events; object, which may be nil, and tail are the rest of the last one. It fails when the client has left or
	// does not read.
	Send(events, object, tail []byte) error
	// EventByEvent says that Send takes one event at a time.
	EventByEvent() bool
	// Hurry cuts the write under way short, because the server is shutting down, and Cut does so at once.
	Hurry()
	Cut()
	// Close ends the stream in an orderly way.
	Close()
}
