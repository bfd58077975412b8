package media

import (
	"sync"

	"github.com/decorum-go/decorum/status"
)

const (
	// maxCopies limits the memory for all answers of an API that are copies, because their form is not the one of the
	// store, in bytes.
	maxCopies = 256 << 20
	// maxListCopies limits it for the lists among them, which need no copy.
	maxListCopies = 32 << 20
)

// Copies counts the memory for the answers of an API that are copies. The zero value is ready to use, by any goroutine.
type Copies struct {
	mu   sync.Mutex
	used int
}

// Take counts a copy of n bytes. It returns an error for clients (429) if there are too many, but takes a single copy
// of any size.
func (c *Copies) Take(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && c.used > 0 && c.used+n > maxCopies {
		return status.TooManyRequests("Too many large answers are being encoded, please try again later.", 1)
	}
	c.used += n
	return nil
}

// takeForList counts a copy of n bytes and returns true, unless that exceeds the limit of lists.
func (c *Copies) takeForList(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used+n > maxListCopies {
		return false
	}
	c.used += n
	return true
}

// Release gives n bytes back.
func (c *Copies) Release(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used -= n
}

// Room returns how much memory the encoding of a JSON text of n bytes takes, with all that is made on the way. It is 0
// for an answer that is no copy, or is small.
func (rep *Representation) Room(n int) int {
	switch {
	case n <= ChunkSize || rep.IsPlain():
		return 0
	case rep.Media == YAML:
		return 10 * n
	case rep.Media == CBOR:
		return 6 * n
	}
	return 4 * n
}
