package engine

import (
	"bytes"
	"container/list"
	"sync"

	"github.com/decorum-go/decorum/watch"
)

// maxUses bounds the count of reads of a text, so that a text that was once popular leaves after as many rounds.
const maxUses = 3

// textEntry is a text in memory.
type textEntry struct {
	revision watch.Revision
	from     *origin
	text     []byte
	kept     keptFor
	uses     uint8 // reads since the text has entered its queue, at most maxUses
}

// keptFor says why a text is in memory.
type keptFor uint8

const (
	forReaders keptFor = iota // it is in a queue, under the budget
	forCommit                 // the backend does not have it yet
	forTheLog                 // the backend no longer has it
)

func (e *textEntry) size() int64 { return int64(len(e.text)) + textOverhead }

// textShard holds the texts of some revisions. A text enters the queue of probation. When it leaves this queue, it
// enters the main queue if it was read meanwhile, and is dropped otherwise. A text that was dropped not long ago enters
// the main queue at once. The main queue drops a text that was not read since its last round.
type textShard struct {
	mu              sync.Mutex
	limit           int64
	entries         map[watch.Revision]*list.Element
	probation, main textQueue
	dropped         droppedTexts
}

func newTextShard(limit int64) *textShard {
	return &textShard{limit: limit, entries: map[watch.Revision]*list.Element{},
		dropped: droppedTexts{known: map[watch.Revision]bool{}}}
}

func (s *textShard) used() int64 { return s.probation.bytes + s.main.bytes }

// find returns the entry of a revision, or nil. The caller holds the lock.
func (s *textShard) find(revision watch.Revision) *textEntry {
	if e := s.entries[revision]; e != nil {
		return e.Value.(*textEntry)
	}
	return nil
}

// get returns a text, or nil.
func (s *textShard) get(revision watch.Revision, from *origin) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.find(revision)
	if e == nil || e.from != from {
		return nil
	}
	e.uses = min(e.uses+1, maxUses)
	return e.text
}

// keep puts a text that was read from the backend under the budget.
func (s *textShard) keep(revision watch.Revision, from *origin, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.find(revision)
	if old != nil && (old.kept != forReaders || old.from == from) {
		return
	}
	s.remove(revision)
	s.add(&textEntry{revision: revision, from: from, text: text})
}

// fill puts a copy of a text under the budget, unless the budget is used up.
func (s *textShard) fill(revision watch.Revision, from *origin, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used()+int64(len(text))+textOverhead <= s.limit && s.find(revision) == nil {
		s.add(&textEntry{revision: revision, from: from, text: bytes.Clone(text)})
	}
}

// add puts a text into a queue. The caller holds the lock.
func (s *textShard) add(e *textEntry) {
	if e.size() > s.limit {
		return
	}
	queue := &s.probation
	if s.dropped.take(e.revision) {
		queue = &s.main
	}
	s.entries[e.revision] = queue.push(e)
	for s.used() > s.limit {
		s.shrink()
	}
}

// remove forgets a text. The caller holds the lock.
func (s *textShard) remove(revision watch.Revision) {
	if e := s.entries[revision]; e != nil {
		delete(s.entries, revision)
		s.probation.remove(e)
		s.main.remove(e)
	}
}

// shrink moves or drops the oldest text of a queue. The caller holds the lock.
func (s *textShard) shrink() {
	if s.probation.bytes > s.limit/probationShare || s.main.bytes == 0 {
		e := s.probation.pop()
		if e.uses > 0 {
			e.uses = 0
			s.entries[e.revision] = s.main.push(e)
			return
		}
		delete(s.entries, e.revision)
		s.dropped.add(e.revision, len(s.entries))
		return
	}
	e := s.main.pop()
	if e.uses > 0 {
		e.uses--
		s.entries[e.revision] = s.main.push(e)
		return
	}
	delete(s.entries, e.revision)
}

// hold keeps a text apart from the budget.
func (s *textShard) hold(e *textEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(e.revision)
	s.entries[e.revision] = &list.Element{Value: e}
}

// settle puts a text under the budget that was kept for a commit.
func (s *textShard) settle(revision watch.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.find(revision); e != nil && e.kept == forCommit {
		delete(s.entries, revision)
		e.kept = forReaders
		s.add(e)
	}
}

// drop forgets a text that was kept for the log.
func (s *textShard) drop(revision watch.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entries, revision)
}

// textQueue is a queue of texts under the budget.
type textQueue struct {
	all   list.List
	bytes int64
}

func (q *textQueue) push(e *textEntry) *list.Element {
	q.bytes += e.size()
	return q.all.PushBack(e)
}

func (q *textQueue) pop() *textEntry {
	first := q.all.Front()
	q.remove(first)
	return first.Value.(*textEntry)
}

// remove does nothing if the queue does not contain the element.
func (q *textQueue) remove(e *list.Element) {
	before := q.all.Len()
	q.all.Remove(e)
	if q.all.Len() < before {
		q.bytes -= e.Value.(*textEntry).size()
	}
}

// droppedTexts remembers the revisions of texts that were dropped from probation not long ago.
type droppedTexts struct {
	known map[watch.Revision]bool
	order []watch.Revision
}

// add remembers a revision, and forgets the oldest ones beyond a number.
func (d *droppedTexts) add(revision watch.Revision, most int) {
	d.known[revision] = true
	d.order = append(d.order, revision)
	for len(d.order) > most {
		delete(d.known, d.order[0])
		d.order = d.order[1:]
	}
}

// take forgets a revision, and reports whether it was known.
func (d *droppedTexts) take(revision watch.Revision) bool {
	known := d.known[revision]
	delete(d.known, revision)
	return known
}
