package rest

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/status"
)

const (
	// lookAfter is how often a slow answer is looked at. A client that takes nothing between two looks is stuck.
	lookAfter = 10 * time.Second
	// patience is how many looks may find that an answer alone keeps its bytes alive. Each bytesPerLook allow one more.
	patience     = 6
	bytesPerLook = 10 << 20
	// pieceSize is how much is written at a time, so that a look can see whether the client takes it.
	pieceSize = media.ChunkSize + media.ChunkSlack
)

// holding watches over an answer that keeps many bytes alive while it is written: the records of a list, or a large object. As long
// as the store or its history holds them too, they cost nothing, and the client may take its time. After that a client that is stuck, or
// slow for too long, loses the rest of the answer.
type holding struct {
	q *request
	// expired returns an error if nothing else holds the bytes.
	expired func() error
	// final says that the answer cannot continue after these bytes once they have expired. It then ends as soon as it can say so.
	final bool
	cut   func() // ends the write under way
	looks int    // how many more may find it expired

	taken atomic.Uint32         // pieces that the client has taken
	err   atomic.Pointer[error] // why the answer ends; nil while it continues
	late  atomic.Bool           // it ends in the middle of an object

	mu       sync.Mutex
	timer    *time.Timer // nil before the first write
	seen     uint32      // taken at the last look
	released bool
}

// hold watches over the request's answer of about size bytes, from its first write until release.
func (q *request) hold(h *holding, size int) *holding {
	h.q, h.looks = q, patience+size/bytesPerLook
	q.holding = h
	return h
}

// begin precedes each write.
func (h *holding) begin() {
	if h.timer != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(lookAfter, h.look)
}

// release returns when nothing cuts the answer any more, because the connection may carry other answers then.
func (h *holding) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	h.q.holding = nil
	if h.timer != nil {
		h.timer.Stop()
	}
}

// look ends the answer if its client is too slow.
func (h *holding) look() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return
	}
	taken := h.taken.Load()
	stuck := taken == h.seen
	h.seen = taken
	if err := h.expired(); err != nil {
		h.looks--
		late := stuck || h.looks < 0
		if late || h.final {
			h.err.CompareAndSwap(nil, &err)
		}
		if late {
			h.late.Store(true)
			h.cut()
		}
	}
	h.timer.Reset(lookAfter)
}

// took follows each write. It returns an error if the answer must end at once.
func (h *holding) took() error {
	h.taken.Add(1)
	if h.late.Load() {
		return h.ended()
	}
	return nil
}

// ended returns why the answer must end, or nil.
func (h *holding) ended() error {
	if err := h.err.Load(); err != nil {
		return *err
	}
	return nil
}

// ownCopy is expired for bytes that were made for one client.
func ownCopy() error { return status.Expired("the client did not read the answer in time") }

// pieces writes to the client and notes what it takes.
type pieces struct{ *holding }

func (h pieces) Write(p []byte) (n int, err error) {
	for piece := range slices.Chunk(p, pieceSize) {
		h.begin()
		written, err := h.q.w.Write(piece)
		if n += written; err == nil {
			err = h.took()
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
