package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"sync"

	bbolt "go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

const (
	// firstRead is how many pages are read at a time before the length of a node is known. Most nodes fit.
	firstRead = 2
	// maxDepth bounds the walk through a damaged tree.
	maxDepth = 64
	// keptBuffer is the largest buffer that is used again.
	keptBuffer = 64 << 10
)

var _ engine.TextBackend = (*file)(nil)

// MaxTextBytes implements [engine.TextBackend].
func (f *file) MaxTextBytes() int64 { return f.opts.TextBytes }

// Text implements [engine.TextBackend]. It reads the pages with system calls. A fault of the mapping would keep a
// processor of Go waiting for the disk.
func (f *file) Text(_ context.Context, key storage.Key, revision watch.Revision) (engine.Stored, error) {
	d := descents.Get().(*descent)
	defer d.putBack()
	d.copied = bytes.Clone
	return f.text(d, &wanted{key, bucketKey(key), revision})
}

// TextNear implements [engine.TextBackend].
func (f *file) TextNear(_ context.Context, place *storage.Place, key storage.Key,
	revision watch.Revision) (engine.Stored, error) {
	d, ok := place.Value.(*descent)
	if !ok {
		d = &descent{copied: f.lent}
		place.Value = d
	}
	w := wanted{key, bucketKey(key), revision}
	if s, ok := d.near(f, &w); ok {
		return s, nil
	}
	return f.text(d, &w)
}

// lent returns a text in its node, unless a transformer may change it.
func (f *file) lent(text []byte) []byte {
	if f.opts.Transformer != nil {
		return bytes.Clone(text)
	}
	return text
}

// wanted is a record whose text is to be read.
type wanted struct {
	key       storage.Key
	bucketKey []byte
	revision  watch.Revision
}

// text reads a record from the latest state of the file.
func (f *file) text(d *descent, w *wanted) (s engine.Stored, err error) {
	at := &place{resource: w.key.Resource, key: w.key.Namespace + "/" + w.key.Name}
	err = f.view(at, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(objectsBucket)).Bucket([]byte(w.key.Resource))
		if b == nil {
			return nil
		}
		value, err := d.find(f, b, w.bucketKey)
		if value != nil && err == nil {
			s, err = f.textIn(d, value, w)
		}
		if _, ok := errors.AsType[*os.PathError](err); ok || err == nil {
			return err
		}
		return damaged(f.path, at, "%w", err)
	})
	if errors.Is(err, bbolterrors.ErrDatabaseNotOpen) {
		return s, storage.ErrClosed
	}
	return s, err
}

// textIn verifies and opens a value, unless it has another revision.
func (f *file) textIn(d *descent, value []byte, w *wanted) (engine.Stored, error) {
	s, err := f.stored(w.key.Resource, w.bucketKey, value, f.current.Load().forms, d.copied)
	if err != nil || s.Revision != w.revision {
		return engine.Stored{}, err
	}
	return s, nil
}

// descent is the last way from the root of a bucket to a leaf.
type descent struct {
	copied         func([]byte) []byte // copies a text out of its node, if the node may change
	parent, leaf   node
	child          int // the element of parent that leads to leaf
	branches, last []byte
}

var descents = sync.Pool{New: func() any { return new(descent) }}

func (d *descent) putBack() {
	if cap(d.last) <= keptBuffer && cap(d.branches) <= keptBuffer {
		descents.Put(d)
	}
}

// find returns the value of a key, or nil. The next call of find or near may overwrite the value.
func (d *descent) find(f *file, b *bbolt.Bucket, key []byte) ([]byte, error) {
	d.parent, d.leaf = node{}, node{}
	id := uint64(b.Root())
	if id == 0 { // a small bucket is a part of another page
		return bytes.Clone(b.Get(key)), nil
	}
	size := int64(f.db.Info().PageSize)
	for range maxDepth {
		n, err := readNode(f.handle, id, size, &d.last)
		if err != nil {
			return nil, err
		}
		i, found, err := n.search(key)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", id, err)
		}
		if n.flags == leafPage {
			d.leaf = n
			if !found {
				return nil, nil
			}
			return n.value(i), nil
		}
		if !found && i > 0 {
			i--
		}
		id = n.child(i)
		d.parent, d.child = n, i
		d.branches, d.last = d.last, d.branches // the next node must not overwrite its parent
	}
	return nil, fmt.Errorf("the tree is deeper than %d pages", maxDepth)
}

// near looks for a record in the last leaf, and in another leaf of its parent. It needs no transaction. These pages may
// be out of date or may contain something else by now, but the checksum covers the key and the revision, and the text of
// a revision never changes.
func (d *descent) near(f *file, w *wanted) (engine.Stored, bool) {
	if s, ok := d.inLeaf(f, w); ok {
		return s, true
	}
	i, found, err := d.parent.search(w.bucketKey)
	if !found {
		i--
	}
	if err != nil || i < 0 || i == d.child {
		return engine.Stored{}, false
	}
	d.child = i
	d.leaf, err = readNode(f.handle, d.parent.child(i), int64(f.db.Info().PageSize), &d.last)
	if err != nil || d.leaf.flags != leafPage {
		d.leaf = node{}
	}
	return d.inLeaf(f, w)
}

func (d *descent) inLeaf(f *file, w *wanted) (engine.Stored, bool) {
	i, found, err := d.leaf.search(w.bucketKey)
	if err != nil || !found {
		return engine.Stored{}, false
	}
	s, err := f.textIn(d, d.leaf.value(i), w)
	return s, err == nil && s.JSON != nil
}

// readNode reads the node that begins with a page. The node belongs to the buffer, which readNode makes larger if
// necessary.
func readNode(file *os.File, id uint64, pageSize int64, buffer *[]byte) (node, error) {
	for size := firstRead * pageSize; ; {
		if int64(cap(*buffer)) < size {
			*buffer = make([]byte, size)
		}
		b := (*buffer)[:size]
		read, err := file.ReadAt(b, int64(id)*pageSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return node{}, err
		}
		if read < pageHeader {
			return node{}, fmt.Errorf("page %d is cut off", id)
		}
		order := binary.NativeEndian
		n := node{bytes: b[:read], flags: order.Uint16(b[8:]), count: int(order.Uint16(b[10:]))}
		whole := (1 + int64(order.Uint32(b[12:]))) * pageSize
		switch own := order.Uint64(b); {
		case own != id:
			return node{}, fmt.Errorf("page %d claims to be page %d", id, own)
		case n.flags != branchPage && n.flags != leafPage:
			return node{}, fmt.Errorf("page %d is neither a branch nor a leaf: its flags are %x", id, n.flags)
		case whole <= int64(read):
			n.bytes = b[:whole]
			return n, nil
		case size >= whole || err != nil:
			return node{}, fmt.Errorf("page %d is cut off", id)
		}
		// A damaged length must not take memory.
		if info, err := file.Stat(); err != nil || whole > info.Size()-int64(id)*pageSize {
			return node{}, cmp.Or(err, fmt.Errorf("page %d reaches beyond the end of the file", id))
		}
		size = whole
	}
}

// node is a node of a tree: a page with its overflow.
type node struct {
	bytes []byte
	flags uint16
	count int
}

// part returns the number of the element that stands at an offset of its header.
func (n *node) part(i, offset int) int64 {
	return int64(binary.NativeEndian.Uint32(n.bytes[pageHeader+i*element+offset:]))
}

// at returns the position and the length of the key of an element, and the length of its value.
func (n *node) at(i int) (key, keyLength, valueLength int64) {
	start := int64(pageHeader + i*element)
	if n.flags == branchPage {
		return start + n.part(i, 0), n.part(i, 4), 0
	}
	return start + n.part(i, 4), n.part(i, 8), n.part(i, 12)
}

// search returns the first element whose key is not before the given one, and whether it is that key. It checks every
// element that it looks at.
func (n *node) search(key []byte) (i int, found bool, err error) {
	if n.count == 0 || pageHeader+n.count*element > len(n.bytes) {
		return 0, false, fmt.Errorf("it has %d bytes and %d elements", len(n.bytes), n.count)
	}
	i = sort.Search(n.count, func(i int) bool {
		start, length, value := n.at(i)
		if start+length+value > int64(len(n.bytes)) {
			err = fmt.Errorf("element %d lies beyond the end", i)
			return true
		}
		order := bytes.Compare(n.bytes[start:start+length], key)
		found = found || order == 0
		return order >= 0
	})
	return i, found, err
}

// value returns the value of an element that search has checked.
func (n *node) value(i int) []byte {
	start, length, value := n.at(i)
	return n.bytes[start+length : start+length+value]
}

// child returns the page below an element.
func (n *node) child(i int) uint64 {
	return binary.NativeEndian.Uint64(n.bytes[pageHeader+i*element+8:])
}
