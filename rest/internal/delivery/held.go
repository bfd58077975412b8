package delivery

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/status"
)

const (
	// lookAfter is how often a slow answer is looked at. A client that takes nothing between two looks is stuck.
	lookAfter = 10 * time.Second
	// patience is how many looks may find that an answer alone keeps its bytes alive. Each bytesPerLook allow one more.
	patience     = 6
	bytesPerLook = 10 << 20
)

// Held is what one answer keeps alive while it is written, if that is much. The zero value keeps nothing.
type Held struct {
	// Now watches over the answer; nil while it keeps nothing.
	Now *Holding
}

// Bytes are what an answer keeps alive: the records of a list, or a large object.
type Bytes struct {
	// Expired returns an error if nothing else holds the bytes.
	Expired func() error
	// Final says that the answer cannot continue after these bytes once they have expired. It then ends as soon as it can say so.
	Final bool
	// Cut ends the write under way.
	Cut func()
}

// Copied is Expired for bytes that were made for one client.
func Copied() error { return status.Expired("the client did not read the answer in time") }

// Holding watches over an answer that keeps many bytes alive while it is written. As long as the store or its history holds them
// too, they cost nothing, and the client may take its time. After that a client that is stuck, or slow for too long, loses the
// rest of the answer.
type Holding struct {
	Bytes
	by    *Held
	looks int       // how many more may find the bytes expired
	to    io.Writer // for pieces

	taken atomic.Uint32         // pieces that the client has taken
	err   atomic.Pointer[error] // why the answer ends; nil while it continues
	late  atomic.Bool           // it ends in the middle of an object

	mu       sync.Mutex
	timer    *time.Timer // nil before the first write
	seen     uint32      // taken at the last look
	released bool
}

// Hold watches over an answer that keeps about size bytes alive, from its first write until Release.
func (held *Held) Hold(bytes Bytes, size int) *Holding {
	held.Now = &Holding{Bytes: bytes, by: held, looks: patience + size/bytesPerLook}
	return held.Now
}

// Writer returns what writes to w, and notes what its client takes.
func (h *Holding) Writer(w io.Writer) io.Writer {
	h.to = w
	return pieces{h}
}

// Begin precedes each write.
func (h *Holding) Begin() {
	if h.timer != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(lookAfter, h.look)
}

// Release returns when nothing cuts the answer any more, because the connection may carry other answers then.
func (h *Holding) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	h.by.Now = nil
	if h.timer != nil {
		h.timer.Stop()
	}
}

// look ends the answer if its client is too slow.
func (h *Holding) look() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return
	}
	taken := h.taken.Load()
	stuck := taken == h.seen
	h.seen = taken
	if err := h.Expired(); err != nil {
		h.looks--
		late := stuck || h.looks < 0
		if late || h.Final {
			h.err.CompareAndSwap(nil, &err)
		}
		if late {
			h.late.Store(true)
			h.Cut()
		}
	}
	h.timer.Reset(lookAfter)
}

// Took follows each write. It returns an error if the answer must end at once.
func (h *Holding) Took() error {
	h.taken.Add(1)
	if h.late.Load() {
		return h.Ended()
	}
	return nil
}

// Ended returns why the answer must end, or nil.
func (h *Holding) Ended() error {
	if err := h.err.Load(); err != nil {
		return *err
	}
	return nil
}

// pieces writes to the client and notes what it takes.
type pieces struct{ *Holding }

func (h pieces) Write(p []byte) (n int, err error) {
	for piece := range slices.Chunk(p, PieceSize) {
		h.Begin()
		written, err := h.to.Write(piece)
		if n += written; err == nil {
			err = h.Took()
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
