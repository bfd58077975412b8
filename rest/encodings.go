package rest

import (
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const (
	// encodingsKept is how many of the last changes a resource keeps in the forms in which they were sent.
	encodingsKept = 64
	// maxEncoding is how large one may be to be kept.
	maxEncoding = 64 << 10
)

// encodings are the last objects that watches have sent in a binary form. All watchers of a change want it at about the
// same time, and its JSON need not be translated for each of them.
type encodings struct {
	mu   sync.Mutex
	last [encodingsKept]encoding
	next int // the place of the oldest
}

// encodingKey names an object as it looks at a revision, in one form.
type encodingKey struct {
	of          *storage.Record
	at          watch.Revision
	media       string
	as          transform
	metaVersion string
}

type encoding struct {
	encodingKey
	object []byte
}

// get returns what is kept, which nobody may change, or nil.
func (e *encodings) get(k encodingKey) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.last { // the youngest first
		if c := &e.last[(e.next+encodingsKept-1-i)%encodingsKept]; c.encodingKey == k {
			return c.object
		}
	}
	return nil
}

func (e *encodings) add(k encodingKey, object []byte) {
	if len(object) > maxEncoding || len(k.of.JSON) > maxEncoding {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last[e.next] = encoding{k, object}
	e.next = (e.next + 1) % encodingsKept
}
