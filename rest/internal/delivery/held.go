package delivery

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/status"
)

const (
	// lookAfter is the time between two looks at a slow answer. A client that takes no narrow piece in between is stuck.
	// For a wide piece, it has as many times lookAfter as the piece is wide.
	lookAfter = 10 * time.Second
	// patience is how many looks may find the bytes expired, which then live only for this answer. Every bytesPerLook
	// bytes of the answer allow one more.
	patience     = 6
	bytesPerLook = 10 << 20
	// waitsAfter is how long a client may take for a piece before the answer waits for it.
	waitsAfter = 5 * time.Millisecond
	// wide is the width, in units of PieceSize, of a piece that follows one that the client took quickly. Fewer, larger
	// writes cost the system less. A piece counts as taken when the system has it, so a client that reads nothing gets
	// wide pieces too, until the buffers of the system are full.
	wide = 4
)

// Held is the memory that one answer keeps alive while it is written, if that is much. The zero value keeps nothing.
// The goroutine that writes the answer owns it.
type Held struct {
	// Now is the Holding that watches over the answer. It is nil while the answer keeps nothing.
	Now *Holding
}

// Bytes describes what an answer keeps alive: the records of a list, or a large object.
type Bytes struct {
	// Expired returns an error if nothing but this answer holds the bytes any more.
	Expired func() error
	// Final says that the answer cannot continue after these bytes once they have expired. The answer then ends after its
	// current object.
	Final bool
	// Cut ends the current write. It runs under the lock of the Holding, so it must not block.
	Cut func()
	// Waits, if not nil, is called when the answer begins to wait for its client. It may be called several times, under
	// the same conditions.
	Waits func()
	// Resumes, if not nil, is called before the answer is encoded further after Waits was called. The goroutine that
	// writes the answer calls it. It may block, and returns an error if the answer must end.
	Resumes func() error
}

// Copied is the Expired of bytes that were made for one client.
func Copied() error { return status.Expired("the client did not read the answer in time") }

// Holding watches over an answer that keeps many bytes alive while it is written. As long as the store or its history
// holds the bytes too, they cost nothing, and the client may take its time. After that, a client that is stuck, or slow
// for too long, loses the rest of the answer.
//
// The writing goroutine calls Begin, Took, Resume, Ended and Release. Timers call look and waits.
type Holding struct {
	Bytes
	by    *Held
	looks int       // how many more looks may find the bytes expired
	to    io.Writer // where pieces writes

	width atomic.Int32          // the width of the current piece, in units of PieceSize; 0 counts as 1
	taken atomic.Uint32         // the number of pieces that the client has taken
	err   atomic.Pointer[error] // why the answer must end; nil while it continues
	late  atomic.Bool           // the answer must end now, even within an object

	mu       sync.Mutex
	timer    *time.Timer // nil before the first write
	waiting  *time.Timer // runs during a write, if Waits is not nil
	writing  bool        // a write has begun, and the client has not taken it yet
	waited   bool        // Waits was called since the last call of Resumes
	resuming bool        // Resumes runs
	seen     uint32      // the value of taken at the last look
	silent   int32       // how many looks in a row have found seen unchanged
	released bool
}

// Hold starts to watch over an answer that keeps about size bytes alive. The timer runs from the first write until
// Release, which the caller must call.
func (held *Held) Hold(bytes Bytes, size int) *Holding {
	held.Now = &Holding{Bytes: bytes, by: held, looks: patience + size/bytesPerLook}
	return held.Now
}

// Writer returns a writer to w that counts what the client takes.
func (h *Holding) Writer(w io.Writer) io.Writer {
	h.to = w
	return pieces{h}
}

// Begin starts the timers. The writer calls it before each write.
func (h *Holding) Begin() {
	if h.Waits != nil {
		h.write(true)
		if h.waiting == nil {
			h.waiting = time.AfterFunc(waitsAfter, h.waits)
		} else {
			h.waiting.Reset(waitsAfter)
		}
	}
	if h.timer != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(lookAfter, h.look)
}

// Release ends the Holding. After it returns, nothing cuts the answer any more; the connection may then carry other
// answers.
func (h *Holding) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	h.by.Now = nil
	if h.timer != nil {
		h.timer.Stop()
	}
	if h.waiting != nil {
		h.waiting.Stop()
	}
}

// write notes whether a write is under way.
func (h *Holding) write(now bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writing = now
}

// waits reports that the client has not taken a piece yet. A timer that is late must not report a write that has ended,
// because the answer may be encoded further by now.
func (h *Holding) waits() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.writing && !h.released {
		h.waited = true
		h.Waits()
	}
}

// Resume must come before the answer is encoded further. If the answer has waited for its client, Resume waits until the
// answer may go on. It returns an error if the answer must end.
func (h *Holding) Resume() error {
	if h.Resumes == nil || !h.beginResuming() {
		return nil
	}
	defer h.endResuming()
	return h.Resumes()
}

// beginResuming reports whether the answer has waited for its client.
func (h *Holding) beginResuming() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.resuming, h.waited = h.waited, false
	return h.resuming
}

func (h *Holding) endResuming() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.resuming = false
}

// look ends the answer if nothing else holds its bytes and the client is too slow.
func (h *Holding) look() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return
	}
	width := h.width.Load() // loaded before taken, so that the width of a later piece does not count for an earlier one
	taken := h.taken.Load()
	if h.silent++; taken != h.seen || h.resuming { // while the answer resumes, it has nothing that the client could take
		h.seen, h.silent = taken, 0
	}
	stuck := h.silent >= max(1, width)
	// As long as the store or its history holds the bytes, a slow client costs nothing, and this look does not count.
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

// Took counts a write that the client has taken. The writer calls it after each write. It returns an error if the
// answer must end now.
func (h *Holding) Took() error {
	h.taken.Add(1)
	if h.waiting != nil {
		h.waiting.Stop()
		h.write(false)
	}
	if h.late.Load() {
		return h.Ended()
	}
	return nil
}

// Ended returns why the answer must end, or nil. The writer calls it between two objects.
func (h *Holding) Ended() error {
	if err := h.err.Load(); err != nil {
		return *err
	}
	return nil
}

// pieces writes to the client piece by piece, and counts what the client takes.
type pieces struct{ *Holding }

// Write writes p in pieces, and stops if the answer must end. The first piece of each call is small, and so is each one
// after a piece that the client did not take quickly, so that a slow client can take a piece between two looks.
func (h pieces) Write(p []byte) (n int, err error) {
	for width := 1; n < len(p) && err == nil; {
		piece := p[n:min(len(p), n+width*PieceSize)]
		h.width.Store(int32(width))
		began := time.Now()
		h.Begin()
		written, failed := h.to.Write(piece)
		n, err = n+written, failed
		switch {
		case err != nil:
		case written < len(piece):
			err = io.ErrShortWrite
		default:
			err = h.Took()
		}
		if width = 1; time.Since(began) < waitsAfter {
			width = wide
		}
	}
	return n, err
}
