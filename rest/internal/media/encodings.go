package media

import (
	"sync"
	"weak"

	"github.com/decorum-go/decorum/watch"
)

// encodingsKept is how many encoded objects a kind remembers.
const encodingsKept = 64

// encodings remembers the last objects that watches have sent in another form than the stored one. All watches of a
// change need it at about the same time. So it is encoded once, and all of them send the same bytes. Any goroutine may
// use encodings.
type encodings struct {
	mu   sync.Mutex
	last *[encodingsKept]encoding // nil until the first entry, because most kinds have no watches
	next int                      // the index of the oldest entry
}

// encodingKey identifies an object, as it looks at a revision, in one form. Each commit has its own revision, so the
// revision identifies the record.
type encodingKey struct {
	of, at      watch.Revision
	media       string
	form        Form
	metaVersion string
	drops       bool
}

// keyOf returns the key of a representation, without the revisions.
func keyOf(rep *Representation) encodingKey {
	return encodingKey{media: rep.Media, form: rep.Form, metaVersion: rep.MetaVersion, drops: rep.Drops}
}

type encoding struct {
	encodingKey
	kept *encoded              // nil for a large object,
	used weak.Pointer[encoded] // the value lives only as long as a watch sends it
}

// encoded is one object in one form. The first caller of object encodes it. All callers share the bytes and must not
// change them.
type encoded struct {
	object func() ([]byte, error)
}

// get returns the entry with this key, or nil.
func (e *encodings) get(k encodingKey) *encoded {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.find(k)
}

// find returns an entry or nil. The caller holds the lock.
func (e *encodings) find(k encodingKey) *encoded {
	if e.last == nil {
		return nil
	}
	for i := range e.last { // the newest first
		c := &e.last[(e.next+encodingsKept-1-i)%encodingsKept]
		if c.encodingKey != k {
			continue
		}
		if c.kept != nil {
			return c.kept
		}
		if made := c.used.Value(); made != nil {
			return made
		}
	}
	return nil
}

// add returns the entry with this key. If no other goroutine has added it meanwhile, add creates it; encode runs when
// the bytes are first needed.
func (e *encodings) add(k encodingKey, large bool, encode func() ([]byte, error)) *encoded {
	e.mu.Lock()
	defer e.mu.Unlock()
	if made := e.find(k); made != nil {
		return made
	}
	if e.last == nil {
		e.last = new([encodingsKept]encoding)
	}
	made := &encoded{object: sync.OnceValues(encode)}
	if large {
		e.last[e.next] = encoding{encodingKey: k, used: weak.Make(made)}
	} else {
		e.last[e.next] = encoding{encodingKey: k, kept: made}
	}
	e.next = (e.next + 1) % encodingsKept
	return made
}
