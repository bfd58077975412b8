package soak

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// entry is one commit: the new state of an object, or the last state of a deleted one.
type entry struct {
	item
	revision uint64
	gone     bool
	last     uint64 // last revision of the commit's group
}

// step returns the commit as a follower of all objects sees it.
func (e entry) step() step { return step{e.key, e.revision, e.gone} }

func (e entry) String() string {
	verb := "is"
	if e.gone {
		verb = "gone, was"
	}
	return fmt.Sprintf("%d: %s %s/%s %s %+v", e.revision, e.key.Resource, e.key.Namespace, e.key.Name, verb, e.value)
}

// journal is a store that records each commit as it returned it to the writer.
type journal struct {
	storage.Store
	acknowledged atomic.Uint64 // the highest revision that a writer has received

	mu      sync.Mutex
	commits []commit
}

type commit struct {
	record *storage.Record
	gone   bool
	last   watch.Revision
}

func (j *journal) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	var was *storage.Record
	var gone bool
	record, err := j.Store.Update(ctx, key, func(current *storage.Record) ([]byte, error) {
		next, err := fn(current)
		was, gone = current, next == nil
		return next, err
	})
	if err != nil || was != nil && was.Revision == record.Revision {
		return record, err
	}
	j.note(commit{record, gone, record.Revision})
	return record, nil
}

func (j *journal) UpdateAll(ctx context.Context, keys []storage.Key,
	fn storage.UpdateAllFunc) ([]*storage.Record, error) {
	var was []*storage.Record
	var next [][]byte
	records, err := j.Store.UpdateAll(ctx, keys, func(current []*storage.Record) (_ [][]byte, err error) {
		was = current
		next, err = fn(current)
		return next, err
	})
	if err != nil {
		return records, err
	}
	var group []commit
	var last watch.Revision
	for i, r := range records {
		if r == nil || was[i] != nil && was[i].Revision == r.Revision {
			continue
		}
		group = append(group, commit{record: r, gone: next[i] == nil})
		last = max(last, r.Revision)
	}
	for i := range group {
		group[i].last = last
	}
	j.note(group...)
	return records, nil
}

// note records writes that were committed together.
func (j *journal) note(group ...commit) {
	if len(group) == 0 {
		return
	}
	j.mu.Lock()
	j.commits = append(j.commits, group...)
	j.mu.Unlock()
	raise(&j.acknowledged, uint64(group[0].last))
}

// raise raises a number to at least the given value.
func raise(number *atomic.Uint64, to uint64) {
	for {
		now := number.Load()
		if now >= to || number.CompareAndSwap(now, to) {
			return
		}
	}
}

// listings is the context key for the caller that wants to know about the lists that a call makes.
type listings struct{}

// List reports to the caller in the context the list's revision and the highest revision that was acknowledged before.
func (j *journal) List(ctx context.Context, opts storage.Query, into []*storage.Record) (storage.Listing, error) {
	floor := j.acknowledged.Load()
	page, err := j.Store.List(ctx, opts, into)
	if tell, ok := ctx.Value(listings{}).(func(revision, floor uint64)); ok && err == nil {
		tell(uint64(page.Revision), floor)
	}
	return page, err
}

// take moves the recorded commits into the history of a round that began with this state.
func (j *journal) take(start state, base uint64) (*history, error) {
	j.mu.Lock()
	commits := j.commits
	j.commits = nil
	j.mu.Unlock()
	entries := make([]entry, 0, len(commits))
	for _, c := range commits {
		g, err := decode(c.record)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{item{c.record.Key, valueOf(g)}, uint64(c.record.Revision), c.gone, uint64(c.last)})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.revision, b.revision) })
	return newHistory(start, base, entries)
}

// decode reads a stored object as a Gadget. For other kinds, only the metadata is meaningful.
func decode(r *storage.Record) (*Gadget, error) {
	g := new(Gadget)
	if err := json.Unmarshal(storagetest.Text(r), g); err != nil {
		return nil, fmt.Errorf("%s at %d: %w", r.Key.Name, r.Revision, err)
	}
	return g, nil
}

// pause waits until a number of commits have happened, but no longer than the store lets a read wait.
func (j *journal) pause(ctx context.Context, commits uint64) {
	_, _ = j.Store.List(ctx, storage.Query{Within: watch.Key{Resource: gadgets},
		Revision: j.Revision() + watch.Revision(commits), Limit: 1}, nil)
}
