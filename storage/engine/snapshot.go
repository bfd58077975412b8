package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// These bounds apply to old snapshots. Their records are those of the latest state and of the log, which counts their
// bytes.
const (
	pastSnapshots = 8
	pastShare     = 4 // snapshots may hold a quarter of what the log may hold
)

// The trees of a snapshot need this many bytes for each record, measured. Most snapshots share nodes with younger ones
// and need less.
const (
	treeBytes  = 20
	indexBytes = 52
)

// snapshot is the state of one resource between two revisions, inclusive. Its trees never change, but copying one marks
// its nodes, so only the holder of the table's turn copies it.
type snapshot struct {
	table    *table
	tree     *btree.BTreeG[*storage.Record]
	indexed  []watch.Index
	indexes  []slot
	from, to watch.Revision // to is not set while the snapshot is the latest
	paged    atomic.Bool    // a list ended with more to come, so its client will probably ask for the next page
}

// slot holds the tree of an index. It is empty until a request first needs the index.
type slot struct {
	atomic.Pointer[btree.BTreeG[indexed]]
}

func newSnapshot(
	t *table, tree *btree.BTreeG[*storage.Record], indexed []watch.Index, from, to watch.Revision,
) *snapshot {
	return &snapshot{table: t, tree: tree, indexed: indexed, indexes: make([]slot, len(indexed)), from: from, to: to}
}

// slot returns the slot of the index that a term uses, or nil if the snapshot does not support it.
func (s *snapshot) slot(by *watch.Term) *slot {
	if by != nil {
		if i := slices.Index(s.indexed, by.Index); i >= 0 {
			return &s.indexes[i]
		}
	}
	return nil
}

// lacks reports whether the slot of the index that a term uses is still empty.
func (s *snapshot) lacks(by *watch.Term) bool {
	o := s.slot(by)
	return o != nil && o.Load() == nil
}

// size returns how many bytes the snapshot's trees hold at most.
func (s *snapshot) size() int64 {
	size := int64(s.tree.Len()) * treeBytes
	for i := range s.indexes {
		if tree := s.indexes[i].Load(); tree != nil {
			size += int64(tree.Len()) * indexBytes
		}
	}
	return size
}

// past keeps a few snapshots that are no longer the latest, most recently used first.
type past struct {
	maxBytes func() int64

	mu        sync.Mutex
	snapshots []*snapshot
}

func (p *past) find(t *table, revision watch.Revision) *snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range p.snapshots {
		if s.table == t && s.from <= revision && revision <= s.to {
			copy(p.snapshots[1:i+1], p.snapshots[:i])
			p.snapshots[0] = s
			return s
		}
	}
	return nil
}

// nextAfter returns the snapshot that is closest to a revision among those younger than it.
func (p *past) nextAfter(t *table, revision watch.Revision, latest *snapshot) *snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	closest := latest
	for _, s := range p.snapshots {
		if s.table == t && revision < s.from && s.from < closest.from {
			closest = s
		}
	}
	return closest
}

// retire keeps a snapshot that is no longer the latest if a client will probably ask for another page of it.
func (p *past) retire(s *snapshot, to watch.Revision) {
	s.to = to
	if s.paged.Load() {
		p.keep(s)
	}
}

// keep moves a snapshot to the front and drops those at the end that exceed the bounds. It keeps the first one
// regardless of its size. Otherwise each page of a large list would build it again.
func (p *past) keep(s *snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.snapshots, s); i >= 0 {
		p.snapshots = slices.Delete(p.snapshots, i, i+1)
	}
	p.snapshots = slices.Insert(p.snapshots, 0, s)
	kept, size, limit := 1, s.size(), p.maxBytes()
	for ; kept < min(len(p.snapshots), pastSnapshots); kept++ {
		if size += p.snapshots[kept].size(); size > limit {
			break
		}
	}
	p.snapshots = slices.Delete(p.snapshots, kept, len(p.snapshots))
}

// forget drops the snapshots of a table, or of all tables if t is nil, that lie below the floor, because they would
// keep records alive that the log has dropped.
func (p *past) forget(t *table, floor watch.Revision) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.snapshots = slices.DeleteFunc(p.snapshots,
		func(s *snapshot) bool { return s.to < floor && (t == nil || s.table == t) })
}
