package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync"

	bbolt "go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
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
func (f *file) Text(_ context.Context, key storage.Key) (s engine.Stored, err error) {
	at := &place{resource: key.Resource, key: key.Namespace + "/" + key.Name}
	err = f.view(at, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(objectsBucket)).Bucket([]byte(key.Resource))
		if b == nil {
			return nil
		}
		k := bucketKey(key)
		buffer := nodeBuffers.Get().(*nodeBuffer)
		defer buffer.putBack()
		value, err := f.find(buffer, b, k)
		if value == nil || err != nil {
			return err
		}
		if s, err = f.stored(key.Resource, k, value, f.current.Load().forms); err != nil {
			return damaged(f.path, at, "%w", err)
		}
		return nil
	})
	if errors.Is(err, bbolterrors.ErrDatabaseNotOpen) {
		return s, storage.ErrClosed
	}
	return s, withPath(f.path, err)
}

// find returns the value of a key, or nil. The value belongs to the buffer.
func (f *file) find(buffer *nodeBuffer, b *bbolt.Bucket, key []byte) ([]byte, error) {
	id := uint64(b.Root())
	if id == 0 { // a small bucket is a part of another page
		return b.Get(key), nil
	}
	size := int64(f.db.Info().PageSize)
	for range maxDepth {
		n, err := buffer.read(f.handle, id, size)
		if err != nil {
			return nil, err
		}
		i, found, err := n.search(key)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: page %d: %w", ErrDamaged, id, err)
		case n.flags == leafPage && !found:
			return nil, nil
		case n.flags == leafPage:
			return n.value(i), nil
		case !found && i > 0:
			i--
		}
		id = n.child(i)
	}
	return nil, fmt.Errorf("%w: the tree is deeper than %d pages", ErrDamaged, maxDepth)
}

// nodeBuffer is the memory for one node of a tree.
type nodeBuffer struct{ bytes []byte }

var nodeBuffers = sync.Pool{New: func() any { return new(nodeBuffer) }}

func (b *nodeBuffer) putBack() {
	if cap(b.bytes) <= keptBuffer {
		nodeBuffers.Put(b)
	}
}

// read reads the node that begins with a page.
func (b *nodeBuffer) read(file io.ReaderAt, id uint64, pageSize int64) (node, error) {
	for size := firstRead * pageSize; ; {
		if int64(cap(b.bytes)) < size {
			b.bytes = make([]byte, size)
		}
		read, err := file.ReadAt(b.bytes[:size], int64(id)*pageSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return node{}, err
		}
		if read < pageHeader {
			return node{}, fmt.Errorf("%w: page %d is cut off", ErrDamaged, id)
		}
		order := binary.NativeEndian
		n := node{bytes: b.bytes[:read], flags: order.Uint16(b.bytes[8:]), count: int(order.Uint16(b.bytes[10:]))}
		whole := (1 + int64(order.Uint32(b.bytes[12:]))) * pageSize
		switch own := order.Uint64(b.bytes); {
		case own != id:
			return node{}, fmt.Errorf("%w: page %d claims to be page %d", ErrDamaged, id, own)
		case n.flags != branchPage && n.flags != leafPage:
			return node{}, fmt.Errorf("%w: page %d has the flags %x, which are not those of a branch or a leaf",
				ErrDamaged, id, n.flags)
		case whole <= int64(read):
			n.bytes = n.bytes[:whole]
			return n, nil
		case size >= whole || errors.Is(err, io.EOF):
			return node{}, fmt.Errorf("%w: page %d is cut off", ErrDamaged, id)
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
