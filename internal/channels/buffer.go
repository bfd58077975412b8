package channels

import (
	"io"
	"sync"
)

// bufferSize is how far a client may be ahead of the host that reads what it sends.
const bufferSize = 32 << 10

// Buffer is the Input of a stream: the host reads from it what the client sends. When it is full the client waits, and
// with it all its channels. It takes no memory before the first byte.
type Buffer struct {
	mu      sync.Mutex
	changed sync.Cond // on mu
	ring    []byte
	start   int
	length  int
	end     error // what comes after the bytes; nil as long as more can come
}

// NewBuffer returns an empty Buffer.
func NewBuffer() *Buffer {
	b := &Buffer{}
	b.changed.L = &b.mu
	return b
}

// Message adds the bytes of a message. Those that come after the Buffer was closed are dropped.
func (b *Buffer) Message(r io.Reader) error {
	for {
		space := b.space()
		if space == nil {
			return nil
		}
		n, err := r.Read(space)
		b.mu.Lock()
		b.length += n
		b.changed.Broadcast()
		b.mu.Unlock()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// space waits until there is space behind the bytes and returns it, or nil if the Buffer is closed. Read does not touch
// it, so it is filled without the lock.
func (b *Buffer) space() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ring == nil {
		b.ring = make([]byte, bufferSize)
	}
	for b.length == len(b.ring) && b.end == nil {
		b.changed.Wait()
	}
	if b.end != nil {
		return nil
	}
	from := (b.start + b.length) % len(b.ring)
	if from < b.start {
		return b.ring[from:b.start]
	}
	return b.ring[from:]
}

// Read implements [io.Reader]: it waits for bytes, and returns what the Buffer was closed with when none are left.
func (b *Buffer) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.length == 0 {
		if b.end != nil {
			return 0, b.end
		}
		b.changed.Wait()
	}
	n := copy(p, b.ring[b.start:min(len(b.ring), b.start+b.length)])
	b.start = (b.start + n) % len(b.ring)
	b.length -= n
	b.changed.Broadcast()
	return n, nil
}

// Close implements [Input]. What was received before can still be read. The first error counts.
func (b *Buffer) Close(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end == nil {
		b.end = err
		b.changed.Broadcast()
	}
}
