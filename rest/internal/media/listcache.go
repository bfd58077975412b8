package media

import (
	"bytes"
	"container/list"
	"context"
	"crypto/sha256"
	"io"
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// ListCache keeps whole answers to lists, so that the API joins a list once for all clients that ask for it while
// nothing changes. All lists of an API share its budget. It keeps the answer to the second request for the same list:
// most lists are never asked for again. Any goroutine may use it.
type ListCache struct {
	budget   *storage.Budget
	maxBytes int64

	mu      sync.Mutex
	entries map[ListKey]*list.Element // the values are *cachedList
	recent  list.List                 // the entry that was used last is at the front
}

// ListKey says what decides about the objects in a list and about their form. The state of the resource decides about
// the rest.
type ListKey struct {
	// Of is the resource in the version of the list. It is comparable, and should not keep the resource alive.
	Of                        any
	Namespace, Labels, Fields string
	// Only is the digest of the restriction of the user.
	Only    [sha256.Size]byte
	Gzipped bool
	form    listForms
}

// listForms is the part of a representation that decides about the bytes of a list.
type listForms struct {
	media, metaVersion string
	form               Form
}

// CacheKey completes the key of a list. It returns false if the API does not cache lists in this form: the cells of a
// Table depend on the time, and people read what is indented.
func (rep *Representation) CacheKey(k *ListKey) bool {
	k.form = listForms{rep.Media, rep.MetaVersion, rep.Form}
	return rep.Form != AsTable && rep.format().cached && (rep.IsPlain() || rep.Media != JSON)
}

// ListAnswer is the answer to a list. Nobody may change it.
type ListAnswer struct {
	// Changed is the state of the resource, and Revision the one in the metadata of the list.
	Changed, Revision watch.Revision
	Body              []byte
	// Gzipped says that the body is compressed.
	Gzipped bool
	head    int // the length of the part that contains the revision, or 0 if the whole body depends on it
}

// Fits reports whether the answer, or what At makes of it, is right for a list at a revision, if the resource has not
// changed.
func (a *ListAnswer) Fits(at watch.Revision) bool { return a.head > 0 || a.Revision == at }

// At returns the two parts of the body for a list at a revision that fits.
func (a *ListAnswer) At(k *Kind, rep *Representation, at watch.Revision) (head, rest []byte) {
	if a.Revision == at {
		return nil, a.Body
	}
	return k.appendListHead(nil, rep, List{Revision: at}), a.Body[a.head:]
}

// state is what must not change while the answer is kept.
func (k ListKey) state(changed, revision watch.Revision) watch.Revision {
	if k.form.media == JSON && !k.Gzipped {
		return changed
	}
	return revision
}

type cachedList struct {
	key      ListKey
	state    watch.Revision // when the list was last asked for, see [ListKey.state]
	answer   *ListAnswer    // nil if the list was asked for once
	building bool           // a request makes the answer
	taken    int64          // the bytes that the budget counts for the entry
}

// cachedListOverhead is about the memory that an entry needs besides its answer and its key.
const cachedListOverhead = 512

func (c *cachedList) size() int64 {
	n := cachedListOverhead + len(c.key.Namespace) + len(c.key.Labels) + len(c.key.Fields)
	if c.answer != nil {
		n += len(c.answer.Body)
	}
	return int64(n)
}

// NewListCache returns a cache that keeps at most maxBytes, which it takes from the budget.
func NewListCache(budget *storage.Budget, maxBytes int64) *ListCache {
	c := &ListCache{budget: budget.Part(maxBytes), maxBytes: maxBytes, entries: map[ListKey]*list.Element{}}
	budget.OnRefusal(c.shrink)
	return c
}

// shrink drops half of what the cache holds, and at least one entry.
func (c *ListCache) shrink() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for most := c.budget.Used() / 2; c.recent.Len() > 0; {
		c.dropOldest()
		if c.budget.Used() <= most {
			return
		}
	}
}

// dropOldest drops the entry that was not used for longest, and returns it. The caller holds the lock.
func (c *ListCache) dropOldest() *cachedList {
	oldest := c.recent.Remove(c.recent.Back()).(*cachedList)
	delete(c.entries, oldest.key)
	c.budget.Release(oldest.taken)
	return oldest
}

// Get returns the answer to a list as it was last made, or nil.
func (c *ListCache) Get(k ListKey) *ListAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cachedList).answer
}

// Claim notes that a client asks for a list. It returns true if another request has asked for the same before, while
// the resource had the same state, and the answer fits into the cache: the caller then makes the answer, of about size
// bytes, and gives it to Put. Meanwhile no other request does so.
func (c *ListCache) Claim(k ListKey, changed, revision watch.Revision, size int) bool {
	state := k.state(changed, revision)
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	if e == nil {
		l := &cachedList{key: k, state: state}
		c.entries[k] = c.recent.PushFront(l)
		c.count(l)
		return false
	}
	c.recent.MoveToFront(e)
	l := e.Value.(*cachedList)
	if l.building {
		return false
	}
	if l.state != state {
		c.set(l, state, nil)
		return false
	}
	l.building = int64(size+cachedListOverhead) <= c.maxBytes
	return l.building
}

// Put ends a claim. answer is nil if the caller could not make it.
func (c *ListCache) Put(k ListKey, answer *ListAnswer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	if e == nil {
		return // dropped meanwhile
	}
	l := e.Value.(*cachedList)
	l.building = false
	if answer == nil || int64(cachedListOverhead+len(answer.Body)) > c.maxBytes {
		return
	}
	c.recent.MoveToFront(e)
	c.set(l, k.state(answer.Changed, answer.Revision), answer)
}

// set replaces the answer of an entry. The caller holds the lock.
func (c *ListCache) set(l *cachedList, state watch.Revision, answer *ListAnswer) {
	l.state, l.answer = state, answer
	c.count(l)
}

// Holds reports whether the cache still holds an answer.
func (c *ListCache) Holds(k ListKey, answer *ListAnswer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	return e != nil && e.Value.(*cachedList).answer == answer
}

// Answer returns the whole list as an answer, compressed if gzipped is true.
func (w *ListWriter) Answer(ctx context.Context, l List, gzipped bool) (*ListAnswer, error) {
	a := &ListAnswer{Revision: l.Revision, Gzipped: gzipped}
	if w.rep.Media == JSON && !gzipped {
		a.head = len(w.kind.appendListHead(w.buf[:0], w.rep, l))
	}
	var body bytes.Buffer
	write := func(to io.Writer) error { return w.Write(ctx, to, l) }
	if gzipped {
		err := Compressed(&body, write)
		a.Body = bytes.Clone(body.Bytes())
		return a, err
	}
	length, known, err := w.Length(ctx, l)
	if err != nil {
		return nil, err
	}
	if !known {
		length = int64(l.Size() + ChunkSize)
	}
	body.Grow(int(length))
	err = write(&body)
	a.Body = body.Bytes()
	return a, err
}

// count takes the size of an entry from the budget, in place of its former size. If the budget refuses it, count drops
// the entries that were not used for longest, the entry itself at last. The caller holds the lock.
func (c *ListCache) count(l *cachedList) {
	c.budget.Release(l.taken)
	for l.taken = 0; !c.budget.Take(l.size()); {
		if c.dropOldest() == l {
			return
		}
	}
	l.taken = l.size()
}
