package stream

import (
	"encoding/json"
	"io"
	"sync"
)

// maxResize bounds a message that holds a size.
const maxResize = 1 << 10

// resizes is the Input for the sizes of a terminal, which arrive as messages of JSON.
type resizes[Size any] struct {
	mu     sync.Mutex
	latest chan Size // holds the last size until somebody receives it
	closed bool
}

func newResizes[Size any]() *resizes[Size] { return &resizes[Size]{latest: make(chan Size, 1)} }

// Message implements channels.Input. It ignores a message that is not a size.
func (r *resizes[Size]) Message(message io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(message, maxResize))
	var size Size
	if err != nil || json.Unmarshal(text, &size) != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	select {
	case <-r.latest:
	default:
	}
	r.latest <- size
	return nil
}

// Close implements channels.Input.
func (r *resizes[Size]) Close(error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.latest)
	}
}
