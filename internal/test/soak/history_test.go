package soak

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/storage"
)

// state is the set of existing objects at a revision.
type state map[storage.Key]value

func (s state) apply(e entry) {
	if e.gone {
		delete(s, e.key)
	} else {
		s[e.key] = e.value
	}
}

// sorted returns the objects that a selector matches, in list order.
func (s state) sorted(sel selector) []item {
	var out []item
	for k, v := range s {
		if sel.matches(k, v) {
			out = append(out, item{k, v})
		}
	}
	slices.SortFunc(out, func(a, b item) int { return compareKeys(a.key, b.key) })
	return out
}

func compareKeys(a, b storage.Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// history is what happened in a round: the state before it, and every commit, one for each revision after base.
type history struct {
	base    uint64
	start   state
	entries []entry
}

func newHistory(start state, base uint64, entries []entry) (*history, error) {
	h := &history{base: base, start: start, entries: entries}
	objects := maps.Clone(start)
	for i, e := range entries {
		if want := base + uint64(i) + 1; e.revision != want {
			return nil, fmt.Errorf("revisions must be consecutive: got %d, want %d\n%s", e.revision, want, h.near(i))
		}
		if err := cmp.Or(h.joins(i), e.follows(objects), objects.allows(e)); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, h.near(i))
		}
		objects.apply(e)
	}
	return h, nil
}

// joins checks that a commit fits in its group.
func (h *history) joins(i int) error {
	e := h.entries[i]
	if e.last < e.revision || e.last > h.end() || e.revision < e.last && h.at(e.revision+1).last != e.last {
		return fmt.Errorf("the commits of a group must be consecutive: %d belongs to the group that ends at %d", e.revision,
			e.last)
	}
	return nil
}

// allows checks a commit against the rules about namespaces and owners. s is the state before it.
func (s state) allows(e entry) error {
	was, had := s[e.key]
	namespace, exists := s[namespaceKey(e.key.Namespace)]
	switch {
	case e.key.Namespace != "" && !had && (!exists || namespace.deleting):
		return fmt.Errorf("no object may be created in a missing namespace or one that is being deleted: %d", e.revision)
	case e.gone && e.key == namespaceKey(e.key.Name):
		for k := range s {
			if k.Namespace == e.key.Name {
				return fmt.Errorf("a namespace may be removed only when it is empty: %d, but %s/%s exists", e.revision, k.Namespace,
					k.Name)
			}
		}
	case e.key.Resource == parts && had && !was.deleting && (e.gone || e.value.deleting) && !s.mayGo(e.key, was):
		return fmt.Errorf("an object may be collected only after its owners: %d", e.revision)
	}
	return nil
}

// follows checks a commit against the previous state of its object.
func (e entry) follows(objects state) error {
	was, had := objects[e.key]
	now := e.value
	switch {
	case now.revision != e.revision:
		return fmt.Errorf("an object must have the revision of its commit: %d has %d", e.revision, now.revision)
	case e.gone && (!had || now != was.at(e.revision)):
		return fmt.Errorf("a deletion must return the last state: %d", e.revision)
	case e.gone:
		return nil
	case !had:
		return nil
	case now.uid != was.uid:
		return fmt.Errorf("an object must keep its uid: %d", e.revision)
	case now.count < was.count || now.marks < was.marks || now.seen < was.seen:
		return fmt.Errorf("no update may be lost: %d counts backward", e.revision)
	case now.generation < was.generation ||
		(now.color != was.color || now.count != was.count || now.marks != was.marks) != (now.generation > was.generation) &&
			now.deleting == was.deleting:
		return fmt.Errorf("the generation must count the changes of the spec: %d", e.revision)
	}
	return nil
}

// end returns the last revision of the round.
func (h *history) end() uint64 { return h.base + uint64(len(h.entries)) }

// at returns the commit of a revision after base.
func (h *history) at(revision uint64) entry { return h.entries[revision-h.base-1] }

// between returns the commits after one revision and up to and including another.
func (h *history) between(after, through uint64) []entry {
	return h.entries[after-h.base : through-h.base]
}

// groupEnd returns the last revision of the group that contains a revision.
func (h *history) groupEnd(revision uint64) uint64 {
	if revision <= h.base {
		return revision
	}
	return h.at(revision).last
}

// inside reports whether the state at a revision contains only a part of a group.
func (h *history) inside(revision uint64) bool { return h.groupEnd(revision) != revision }

// state returns the state at a revision.
func (h *history) state(revision uint64) state {
	s := maps.Clone(h.start)
	for _, e := range h.between(h.base, revision) {
		s.apply(e)
	}
	return s
}

// final returns the state at the end of the round.
func (h *history) final() state { return h.state(h.end()) }

// near formats the commits around an index.
func (h *history) near(i int) string {
	const around = 6
	var b strings.Builder
	for j := max(0, i-around); j < min(len(h.entries), i+around); j++ {
		mark := "   "
		if j == i {
			mark = "-> "
		}
		fmt.Fprintf(&b, "    %s%s\n", mark, h.entries[j])
	}
	return b.String()
}

// around is near for a revision.
func (h *history) around(revision uint64) string {
	if revision <= h.base {
		return h.near(0)
	}
	return h.near(int(min(revision, h.end()) - h.base - 1))
}
