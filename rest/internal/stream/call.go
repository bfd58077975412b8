package stream

import (
	"net/http"
	"time"

	"github.com/decorum-go/decorum/status"
)

// Call is one request for a stream, with what the stream needs of the API that serves it.
type Call struct {
	Request *http.Request
	Writer  http.ResponseWriter
	// Secret are the names of headers that the host's Serve does not receive.
	Secret []string
	Limits Limits

	// AtEnd has hurry called when the API shuts down, or at once if it already has. hurry must not block. After stop has
	// returned, hurry neither runs nor is called.
	AtEnd func(hurry func()) (stop func())
	// Ending is the error that the cause of a context wraps if the shutdown of the API cancelled it.
	Ending error
	// Failure returns what the client may learn of an error, and logs the rest.
	Failure func(err error) *status.Error

	// Begun is set when the answer begins. From then on an error cannot be answered with a Status.
	Begun bool
}

// Limits bound how long a stream waits.
type Limits struct {
	// Idle ends a stream on which nothing has moved for this long.
	Idle time.Duration
	// End bounds how long a client that does not read delays the end of its stream, and so the shutdown of the API.
	End time.Duration
}
