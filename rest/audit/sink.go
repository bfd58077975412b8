package audit

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// Sink receives events. It must be safe for concurrent use. [NewWriter], [OpenFile] and [NewWebhook] return sinks, and
// [SinkFunc] makes a sink of a function.
type Sink interface {
	// Write writes events, or returns an error. If it has written some of them, it may still return an error; all of them
	// then count as lost. It must not change the events. ctx ends when a shutdown does not wait any longer.
	Write(ctx context.Context, events []*Event) error
}

// SinkFunc is a function that is a [Sink].
type SinkFunc func(ctx context.Context, events []*Event) error

// Write implements [Sink].
func (f SinkFunc) Write(ctx context.Context, events []*Event) error { return f(ctx, events) }

// writeTo calls a sink. A panic is an error, so that it cannot end the process.
func writeTo(ctx context.Context, sink Sink, events []*Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the sink panicked: %v", p)
		}
	}()
	return sink.Write(ctx, events)
}

// NewWriter returns a sink that writes each event as one line of JSON. It calls w.Write once for each batch, and never
// concurrently.
func NewWriter(w io.Writer) Sink { return &writer{to: w} }

type writer struct {
	mu    sync.Mutex
	to    io.Writer
	lines line
}

func (w *writer) Write(_ context.Context, events []*Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.lines.encodeLines(events); err != nil {
		return err
	}
	_, err := w.to.Write(w.lines)
	return err
}
