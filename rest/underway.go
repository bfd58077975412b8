package rest

import (
	"time"

	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/inprocess"
)

// closeAfter is how long Close waits for requests and calls. It leaves the rest of Close's 5 seconds to the store.
const closeAfter = 4 * time.Second

// Name implements [delivery.Request].
func (q *request) Name() string { return q.r.Method + " " + q.r.URL.Path }

// Hurry implements [delivery.Request]. A network connection is closed by the host's server, but a response of RoundTripper has
// no server.
func (q *request) Hurry() { inprocess.Hurry(q.w, delivery.StuckAtEnd) }
