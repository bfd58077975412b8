// Command bare is the least that answers the load: net/http with answers that are ready. It decodes nothing and stores
// nothing. A PATCH reaches all streams.
package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/internal/test/peers/serving"
)

func main() { serving.Main(run) }

func run(context.Context) error {
	object := flag.String("object", "", "file of the answer to a GET or a write")
	list := flag.String("list", "", "file of the answer to a LIST")
	flag.Parse()
	h := &handler{streams: map[chan struct{}]struct{}{}}
	var err error
	if h.object, err = os.ReadFile(*object); err != nil {
		return err
	}
	if h.list, err = os.ReadFile(*list); err != nil {
		return err
	}
	h.event = append(append([]byte(`{"type":"MODIFIED","object":`), bytes.TrimSpace(h.object)...), "}\n"...)
	return serving.Run(h)
}

type handler struct {
	object, list, event []byte

	mu      sync.Mutex
	streams map[chan struct{}]struct{}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method != http.MethodGet {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	switch {
	case r.Method == http.MethodPost:
		answer(w, http.StatusCreated, h.object)
	case r.Method != http.MethodGet:
		answer(w, http.StatusOK, h.object)
		if r.Method == http.MethodPatch {
			h.notify()
		}
	case r.URL.RawQuery != "":
		h.stream(w, r)
	case strings.HasSuffix(r.URL.Path, "/things"):
		answer(w, http.StatusOK, h.list)
	default:
		answer(w, http.StatusOK, h.object)
	}
}

func answer(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body) // the client may have gone
}

// notify sends the event to all streams.
func (h *handler) notify() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for stream := range h.streams {
		stream <- struct{}{}
	}
}

// stream sends an event for each change until the client has gone.
func (h *handler) stream(w http.ResponseWriter, r *http.Request) {
	changes := make(chan struct{}, 100)
	h.mu.Lock()
	h.streams[changes] = struct{}{}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.streams, changes)
	}()
	control := http.NewResponseController(w)
	err := control.Flush()
	for err == nil {
		select {
		case <-changes:
			if _, err = w.Write(h.event); err == nil {
				err = control.Flush()
			}
		case <-r.Context().Done():
			return
		}
	}
}
