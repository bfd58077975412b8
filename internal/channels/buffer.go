package channels

import (
	"io"
	"sync"
)

// bufferSize is how many bytes a client may send before the host reads them.
const bufferSize = 32 << 10

// Buffer is the Input of a stream: the host reads from it what the client sends. While it is full, the client waits,
// with all its channels. It needs no memory before the first byte.
type Buffer struct {
	mu      sync.Mutex
	changed sync.Cond // uses mu
	ring    []byte
	start   int
	length  int
	end     error // what Read returns once the bytes are read; nil while more may come
}

// NewBuffer returns an empty Buffer.
func NewBuffer() *Buffer {
	b := &Buffer{}
	b.changed.L = &b.mu
	return b
}

// Message adds the bytes of a message, and waits while the Buffer is full. It drops the bytes once the Buffer is
// closed.
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

// space waits for free space behind the bytes and returns it, or nil if the Buffer is closed. Read does not touch that
// space, so Message fills it without the lock.
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

// Read implements [io.Reader]. It waits for bytes. Once the Buffer is closed and empty, it returns the error of Close.
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

// Close implements [Input]. Read still returns the bytes received before. The error of the first Close counts.
func (b *Buffer) Close(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end == nil {
		b.end = err
		b.changed.Broadcast()
	}
}
