package apitest

import (
	"net/http"
	"sync"
)

// BareStreams is a handler of streams, the limit of watches. On a signal, each stream sends the same bytes in one Write.
type BareStreams struct {
	Payload []byte

	mu   sync.Mutex
	sent int             // how often all streams were told to send
	wake []chan struct{} // wake[i] is closed when all send for the time i
}

// turn returns the channel that is closed when all streams send for the time i.
func (s *BareStreams) turn(i int) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.wake) <= i {
		s.wake = append(s.wake, make(chan struct{}))
	}
	return s.wake[i]
}

func (s *BareStreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", TypeJSON)
	w.WriteHeader(http.StatusOK)
	_ = control.Flush()
	for i := 0; ; i++ {
		select {
		case <-s.turn(i):
		case <-r.Context().Done():
			return
		}
		_, _ = w.Write(s.Payload)
		_ = control.Flush()
	}
}

// Send makes all streams send the Payload once. Only one goroutine may call it.
func (s *BareStreams) Send() {
	close(s.turn(s.sent))
	s.sent++
}
