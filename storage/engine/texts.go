package engine

import (
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const (
	textShards = 16
	// textOverhead is about how many bytes a text in memory needs beside itself: its entry, and its place in the map.
	textOverhead = 180
	// probationShare is the part of a shard for texts that were read once. A client that lists all objects pushes out
	// only texts of this part.
	probationShare = 8
	// lately is how many bytes of superseded texts stay in memory after the log has dropped them, for requests that have
	// just found a record and are about to read its text.
	lately = 4 << 20
)

// texts are the texts that an engine holds in memory, if its backend limits them: texts of the latest records, under a
// budget; texts that are not durable yet; and texts that a change has superseded, as long as the log holds the change.
// The engine reads all others from its backend. A revision belongs to one record, so it identifies a text.
type texts struct {
	backend TextBackend
	latest  func(*storage.Record) bool // reports whether readers see the record, if it can tell
	limit   int64
	reads   atomic.Uint64
	shards  [textShards]*textShard

	mu         sync.Mutex // guards the fields below
	superseded []superseded
	bytes      int64 // of superseded
}

// superseded is the text of a record that stays until the log drops a change.
type superseded struct {
	record, change watch.Revision
	size           int64
}

func newTexts(backend TextBackend, latest func(*storage.Record) bool) *texts {
	t := &texts{backend: backend, latest: latest, limit: backend.MaxTextBytes()}
	for i := range t.shards {
		t.shards[i] = newTextShard(t.limit / textShards)
	}
	return t
}

func (t *texts) of(revision watch.Revision) *textShard { return t.shards[revision%textShards] }

// assign keeps the texts of an assigned group: its own texts until the group is durable, and the texts that it
// supersedes until the log drops the changes. Then the records no longer hold their texts.
func (t *texts) assign(writes []write, group []watch.Change[storage.Record]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range writes {
		w := &writes[i]
		if !w.changes {
			continue
		}
		change := group[0].Revision
		group = group[1:]
		from := w.table.origin.(*origin)
		if w.base != nil {
			t.of(w.base.Revision).hold(&textEntry{revision: w.base.Revision, from: from, text: w.was, kept: forTheLog})
			t.superseded = append(t.superseded, superseded{w.base.Revision, change, int64(len(w.was))})
			t.bytes += int64(len(w.was))
		}
		if w.next != nil {
			t.of(change).hold(&textEntry{revision: change, from: from, text: w.next.InMemory(), kept: forCommit})
			*w.next = *w.next.Unloaded(from)
		}
	}
}

// settle puts the texts of a durable group under the budget, unless a later group has superseded them.
func (t *texts) settle(group []watch.Change[storage.Record]) {
	for i := range group {
		t.of(group[i].Revision).settle(group[i].Revision)
	}
}

// release drops superseded texts whose changes the log has dropped, except the latest ones.
func (t *texts) release(dropped watch.Revision) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.superseded) > 0 && t.superseded[0].change <= dropped && t.bytes > lately {
		first := t.superseded[0]
		t.superseded = t.superseded[1:]
		t.of(first.record).drop(first.record)
		t.bytes -= first.size
	}
}

// stats returns the figures for [storage.StoreStats].
func (t *texts) stats() *storage.TextStats {
	stats := &storage.TextStats{MaxBytes: t.limit, Reads: t.reads.Load()}
	for _, s := range t.shards {
		s.mu.Lock()
		stats.Bytes += s.used()
		s.mu.Unlock()
	}
	return stats
}
