package media

import (
	"sync"
	"weak"

	"github.com/decorum-go/decorum/watch"
)

// encodingsKept is how many of the last objects a kind keeps in the forms in which they were sent.
const encodingsKept = 64

// encodings are the last objects that watches have sent in another form than the stored one. All watchers of a change want it at
// about the same time, and it need not be made, nor kept while it is sent, for each of them.
type encodings struct {
	mu   sync.Mutex
	last [encodingsKept]encoding
	next int // the place of the oldest
}

// encodingKey names an object as it looks at a revision, in one form. A commit has a revision of its own, and so has its record.
type encodingKey struct {
	of, at      watch.Revision
	media       string
	form        Form
	metaVersion string
}

// keyOf names objects in a representation, at no revision.
func keyOf(rep *Representation) encodingKey {
	return encodingKey{media: rep.Media, form: rep.Form, metaVersion: rep.MetaVersion}
}

type encoding struct {
	encodingKey
	kept *encoded              // nil for a large one,
	used weak.Pointer[encoded] // which is there as long as somebody sends it
}

// encoded is one object, made by whoever asks for it first. Nobody may change it.
type encoded struct {
	object func() ([]byte, error)
}

// get returns what there is, or nil.
func (e *encodings) get(k encodingKey) *encoded {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.find(k)
}

func (e *encodings) find(k encodingKey) *encoded {
	for i := range e.last { // the youngest first
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

// add returns what somebody else has added meanwhile, or what encode makes when it is asked for.
func (e *encodings) add(k encodingKey, large bool, encode func() ([]byte, error)) *encoded {
	e.mu.Lock()
	defer e.mu.Unlock()
	if made := e.find(k); made != nil {
		return made
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
