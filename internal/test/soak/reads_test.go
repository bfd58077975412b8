package soak

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/decorum-go/decorum/storage"
)

// reads holds what readers have received in a round.
type reads struct {
	mu      sync.Mutex
	lists   []listRead
	objects []objectRead
	answers []answer
}

// listRead is one page of a list.
type listRead struct {
	who            string
	sel            selector
	revision       uint64
	floor, ceiling uint64 // the read happened between these revisions
	exact          bool   // the read asked for exactly the revision floor
	after          storage.Key
	more           bool
	remaining      *int64
	items          []item
	metadata       bool
	limit          int // the requested page size; 0 means all
}

// objectRead is the result of a GET.
type objectRead struct {
	who            string
	item           item
	found          bool
	floor, ceiling uint64
}

// answer is what a writer received for its write.
type answer struct {
	who  string
	item item
}

func (r *reads) addList(l listRead) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists = append(r.lists, l)
}

func (r *reads) addObject(o objectRead) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.objects = append(r.objects, o)
}

func (r *reads) addAnswer(who string, g *Gadget) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, answer{who, itemOf(g)})
}

// check compares the reads with a history, returns the violations, and forgets the reads.
func (r *reads) check(h *history) (problems []error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.lists, func(a, b listRead) int { return cmp.Compare(a.revision, b.revision) })
	objects, at := maps.Clone(h.start), h.base
	for _, l := range r.lists {
		if l.revision < h.base || l.revision > h.end() {
			problems = append(problems,
				fmt.Errorf("%s: a list %s at %d lies outside the round from %d to %d", l.who, l.sel, l.revision, h.base, h.end()))
			continue
		}
		if l.exact { // inside a group, the answer is the state at the end of the group
			l.floor = h.groupEnd(l.floor)
			l.ceiling = l.floor
		}
		if h.inside(l.revision) {
			problems = append(problems,
				fmt.Errorf("%s: no client may see a part of a group: list %s at %d\n%s", l.who, l.sel, l.revision,
					h.around(l.revision)))
		}
		for ; at < l.revision; at++ {
			objects.apply(h.at(at + 1))
		}
		if err := l.check(objects); err != nil {
			problems = append(problems, fmt.Errorf("%s: list %s: %w\n%s", l.who, l.sel, err, h.around(l.revision)))
		}
	}
	byKey := map[storage.Key][]entry{}
	for _, e := range h.entries {
		byKey[e.key] = append(byKey[e.key], e)
	}
	for _, o := range r.objects {
		if !o.possible(h, byKey[o.item.key]) {
			problems = append(problems,
				fmt.Errorf("%s: a read must show every acknowledged write: GET of %s/%s between %d and %d found %t %+v\n%s", o.who,
					o.item.key.Namespace, o.item.key.Name, o.floor, o.ceiling, o.found, o.item.value, h.around(o.floor)))
		}
	}
	for _, a := range r.answers {
		v := a.item.value
		if v.revision > h.base && v.revision <= h.end() {
			if e := h.at(v.revision); e.item == a.item { // this holds for a deletion, too
				continue
			}
		}
		if v.revision <= h.base { // a write without changes returns the present object
			if h.start[a.item.key] == v {
				continue
			}
		}
		problems = append(problems, fmt.Errorf("%s: an acknowledged write must be stored as answered: %+v\n%s", a.who, a.item,
			h.around(v.revision)))
	}
	r.lists, r.objects, r.answers = nil, nil, nil
	return problems
}

// check compares a page with the state at its revision.
func (l listRead) check(objects state) error {
	if l.revision < l.floor {
		return fmt.Errorf("a read must show every acknowledged write: it is at %d, and %d was acknowledged before",
			l.revision, l.floor)
	}
	if l.revision > l.ceiling {
		return fmt.Errorf("a page must stay at its revision: it is at %d and must not be after %d", l.revision, l.ceiling)
	}
	want := objects.sorted(l.sel)
	want = slices.DeleteFunc(want, func(it item) bool { return l.after.Name != "" && compareKeys(it.key, l.after) <= 0 })
	rest := 0
	if l.more && len(l.items) <= len(want) {
		rest = len(want) - len(l.items)
		want = want[:len(l.items)]
		if rest == 0 && !objects.follow(l) {
			return fmt.Errorf("More is set although no object follows, at %d", l.revision)
		}
	}
	if l.metadata {
		for i := range want {
			want[i].value = want[i].value.metadata()
		}
	}
	if !slices.Equal(l.items, want) {
		return fmt.Errorf("a list must be one snapshot: at %d after %q it has %d objects, want %d: %s", l.revision,
			l.after.Name, len(l.items), len(want), differences(asState(l.items), asState(want)))
	}
	if l.limit > 0 && l.more && len(l.items) != l.limit {
		return fmt.Errorf("every page but the last must be full: %d objects, limit %d", len(l.items), l.limit)
	}
	if l.remaining != nil && *l.remaining != int64(rest) {
		return fmt.Errorf("remainingItemCount is %d, want %d", *l.remaining, rest)
	}
	return nil
}

// follow reports whether objects follow the page, selected or not.
func (s state) follow(l listRead) bool {
	all := selector{namespace: l.sel.namespace}
	last := l.after
	if len(l.items) > 0 {
		last = l.items[len(l.items)-1].key
	}
	return slices.ContainsFunc(s.sorted(all), func(it item) bool { return compareKeys(it.key, last) > 0 })
}

func asState(items []item) state {
	s := state{}
	for _, it := range items {
		s[it.key] = it.value
	}
	return s
}

// possible reports whether the object had the read state at some moment of the read. commits are the commits of this
// object.
func (o objectRead) possible(h *history, commits []entry) bool {
	now, there := h.start[o.item.key]
	if o.floor <= h.base && there == o.found && (!there || now == o.item.value) {
		return true
	}
	for i, e := range commits {
		if e.revision > o.ceiling {
			break
		}
		until := h.end() + 1
		if i+1 < len(commits) {
			until = commits[i+1].revision
		}
		if until > o.floor && o.found == !e.gone && (e.gone || e.value == o.item.value) {
			return true
		}
	}
	// Before its first commit of the round, the object has its initial state.
	untouched := len(commits) == 0 || commits[0].revision > o.floor
	return untouched && there == o.found && (!there || now == o.item.value)
}
