package engine

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tidwall/btree"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// sorts reports whether the query needs what this file does. All other lists visit the records in the order in which
// they show them.
func sorts(o *storage.Query) bool { return len(o.Order) > 0 || len(o.Among) > 0 }

// errVisits is the cause of the error of a query that costs too much.
var errVisits = errors.New("storage: the query visits too many records")

// tooManyVisits returns the Status of a query that costs too much.
func tooManyVisits(limit int) error {
	return status.BadRequest(fmt.Sprintf("the query would have to look at more than %d objects, which is the limit of this server: "+
		"select fewer objects, by a field or label that is indexed", limit)).WithCause(errVisits)
}

// route says which records a sorted list visits, and in which order.
type route struct {
	// index is that of the tree to visit. Nil means the main tree.
	index *watch.Index
	// ranges are the values to visit. Nil means all values.
	ranges []storage.Range
	// walks says that the records are visited in the order of the list: by Query.Order[0], or by key if that is empty.
	// Only then may the list stop at its limit.
	walks bool
}

// by returns a term of the index that the route uses, for the functions that find a snapshot.
func (w route) by() *watch.Term {
	if w.index == nil {
		return nil
	}
	return &watch.Term{Index: *w.index}
}

// route chooses the cheapest way to answer a sorted list, and returns also the walk in the order of the list if that
// may stop at the limit. by is the narrowest of its terms, or nil.
//
// A way that visits n of the N records finds a record that matches in each N/n of another one, if the values of
// different fields have nothing to do with each other. So a walk in the order of the list costs about limit*N/n visits,
// and the way itself costs n.
func (o *objects) route(t *table, opts *storage.Query, by *watch.Term) (best, walk route) {
	if opts.Within.Name != "" {
		return best, walk
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	s := snapshot{tree: t.tree.BTreeG}
	scope := t.tree.Len()
	if opts.Within.Namespace != "" {
		scope = s.rankAfter(opts.Within) - s.rank(storage.Key{Namespace: opts.Within.Namespace})
	}
	best.walks = len(opts.Order) == 0
	least := scope
	consider := func(i *index, ranges []storage.Range, count int) {
		if count < least {
			best, least = route{index: &i.Index, ranges: ranges}, count
		}
	}
	if by != nil {
		if i := t.index(by.Index); i != nil {
			consider(i, []storage.Range{{From: by.Value, To: by.Value}}, i.count(opts.Within, by.Value))
		}
	}
	for _, among := range opts.Among {
		if i := t.index(among.Index); i != nil {
			consider(i, among.Ranges, i.countIn(among.Ranges))
		}
	}
	if opts.Limit == 0 {
		return best, walk
	}
	length := scope
	if len(opts.Order) > 0 {
		first := opts.Order[0]
		i := t.index(first.Index)
		if i == nil || first.Value != nil {
			return best, walk
		}
		walk.index, length = &i.Index, i.tree.Len()
		for _, among := range opts.Among {
			if among.Index == first.Index && len(among.Ranges) > 0 {
				from, to := among.Ranges[0], among.Ranges[len(among.Ranges)-1]
				walk.ranges = []storage.Range{{From: from.From, AfterFrom: from.AfterFrom, To: to.To, BeforeTo: to.BeforeTo}}
				length = i.countIn(walk.ranges)
			}
		}
	}
	walk.walks = true
	if !best.walks && (opts.Limit+1)*length/max(1, min(least, length)) < least {
		return walk, walk
	}
	return best, walk
}

// has reports whether the value of a record lies in one of the ranges.
func liesAmong(a *storage.Among, r *storage.Record) bool {
	value, ok := r.Value(a.Index)
	return ok && slices.ContainsFunc(a.Ranges, func(in storage.Range) bool { return inRange(&in, a.Index, value) })
}

func inRange(r *storage.Range, of watch.Index, value string) bool {
	return !isBefore(r, of, value) && !isAfter(r, of, value)
}

// isBefore reports whether a value lies before the range.
func isBefore(r *storage.Range, of watch.Index, value string) bool {
	order := of.Compare(value, r.From)
	return r.From != "" && (order < 0 || order == 0 && r.AfterFrom)
}

// isAfter reports whether a value lies after the range.
func isAfter(r *storage.Range, of watch.Index, value string) bool {
	order := of.Compare(value, r.To)
	return r.To != "" && (order > 0 || order == 0 && r.BeforeTo)
}

// countIn returns how many records, in all namespaces, have a value in the ranges.
func (i index) countIn(ranges []storage.Range) (count int) {
	for _, r := range ranges {
		first, end := 0, i.tree.Len()
		if r.From != "" {
			first = i.rank(r.From, edge(r.AfterFrom))
		}
		if r.To != "" {
			end = i.rank(r.To, edge(!r.BeforeTo))
		}
		count += max(0, end-first)
	}
	return count
}

// edge returns a key before or after all keys with the same value.
func edge(after bool) storage.Key {
	if after {
		return afterAll
	}
	return storage.Key{}
}

// sorted is page for a query with Order or Among.
func (s *snapshot) sorted(
	ctx context.Context, opts *storage.Query, way route, into []*storage.Record,
) (storage.Listing, error) {
	l := &sortedList{ctx: ctx, query: opts, values: make([]string, len(opts.Order))}
	if opts.Limit > 0 {
		l.keep = opts.Limit + 1 // one more says whether there are further ones
	}
	if l.from = (opts.After != storage.Key{}); l.from && len(opts.AfterValues) != len(opts.Order) {
		return storage.Listing{}, fmt.Errorf("%w: a page needs a value for each order", storage.ErrKey)
	}
	tree := s.slot(way.by()).tree()
	switch {
	case tree == nil: // the snapshot may lack the index
		l.visitScope(s.tree, way.index == nil && way.walks)
	case way.walks:
		l.walk(s, tree, way)
	default:
		for _, r := range way.ranges {
			l.visitRange(tree, *way.index, r)
		}
	}
	if l.err != nil {
		return storage.Listing{}, l.err
	}
	page := storage.Listing{Records: into, Remaining: -1}
	slices.SortFunc(l.found, func(a, b sortedRecord) int {
		return l.compare(a.values, a.record.Key, b.values, b.record.Key)
	})
	if page.More = opts.Limit > 0 && len(l.found) > opts.Limit; page.More {
		l.found = l.found[:opts.Limit]
	}
	for _, f := range l.found {
		page.Records = append(page.Records, f.record)
	}
	return page, nil
}

// tree returns the tree in the slot, or nil.
func (o *slot) tree() *btree.BTreeG[indexed] {
	if o == nil {
		return nil
	}
	return o.Load()
}

// sortedList collects the first records of a list in its order. It is a heap whose top is the last of them.
type sortedList struct {
	ctx     context.Context
	query   *storage.Query
	keep    int      // how many records to keep; 0 means all
	from    bool     // the page begins after query.After
	values  []string // the values of the record that is being visited
	steps   int      // how many records the list has passed
	visited int      // how many of them MaxVisits counts
	found   []sortedRecord
	err     error
}

type sortedRecord struct {
	record *storage.Record
	values []string
}

// visit adds a record to the list if it matches. It returns false once the list has failed.
func (l *sortedList) visit(r *storage.Record) bool {
	q := l.query
	if l.steps++; l.steps%scanStep == 0 {
		if l.err = l.ctx.Err(); l.err != nil {
			return false
		}
	}
	if q.Visible == nil && !l.count() {
		return false
	}
	if !q.Within.Contains(r.Key) || !finds(q, r) {
		return true
	}
	if q.Visible != nil && !l.count() {
		return false
	}
	if q.Match != nil && !q.Match(r) {
		return true
	}
	for i := range q.Order {
		l.values[i] = q.Order[i].Of(r)
	}
	switch {
	case l.from && l.compare(l.values, r.Key, q.AfterValues, q.After) <= 0:
	case !l.full():
		l.found = append(l.found, sortedRecord{r, slices.Clone(l.values)})
		if l.full() {
			heap.Init(l)
		}
	case l.compare(l.values, r.Key, l.found[0].values, l.found[0].record.Key) < 0:
		copy(l.found[0].values, l.values)
		l.found[0].record = r
		heap.Fix(l, 0)
	}
	return true
}

// count counts a visit, and returns false if it is one too many.
func (l *sortedList) count() bool {
	if l.visited++; l.query.MaxVisits > 0 && l.visited > l.query.MaxVisits {
		l.err = tooManyVisits(l.query.MaxVisits)
	}
	return l.err == nil
}

// full reports whether a further record takes the place of another.
func (l *sortedList) full() bool { return l.keep > 0 && len(l.found) == l.keep }

// compare compares two records in the order of the list.
func (l *sortedList) compare(a []string, keyA storage.Key, b []string, keyB storage.Key) int {
	for i := range l.query.Order {
		if order := compareIn(&l.query.Order[i], a[i], b[i]); order != 0 {
			return order
		}
	}
	switch {
	case keyBefore(keyA, keyB):
		return -1
	case keyBefore(keyB, keyA):
		return 1
	}
	return 0
}

func compareIn(o *storage.Order, a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	case o.Descending:
		return o.Index.Compare(b, a)
	}
	return o.Index.Compare(a, b)
}

// visitScope visits all records of the scope, in the order of their keys. If inOrder is set, that is the order of the
// list.
func (l *sortedList) visitScope(tree *btree.BTreeG[*storage.Record], inOrder bool) {
	within := l.query.Within
	start := storage.Key{Namespace: within.Namespace, Name: within.Name}
	if inOrder && l.from && keyBefore(start, l.query.After) {
		start = l.query.After
	}
	tree.Ascend(&storage.Record{Key: start}, func(r *storage.Record) bool {
		return within.Contains(r.Key) && l.visit(r) && !(inOrder && l.full())
	})
}

// visitRange visits the records with a value in a range.
func (l *sortedList) visitRange(tree *btree.BTreeG[indexed], of watch.Index, r storage.Range) {
	visit := func(e indexed) bool { return !isAfter(&r, of, e.value) && l.visit(e.record) }
	if r.From == "" { // "" is not the least value of a numeric index
		tree.Scan(visit)
	} else {
		tree.Ascend(indexed{r.From, &storage.Record{Key: edge(r.AfterFrom)}}, visit)
	}
}

// walk visits the records in the order of the list, in groups with the same first value, and ends when a group has
// filled the list.
func (l *sortedList) walk(s *snapshot, tree *btree.BTreeG[indexed], way route) {
	first := &l.query.Order[0]
	var bounds storage.Range
	if len(way.ranges) > 0 {
		bounds = way.ranges[0]
	}
	var value string
	found := true
	switch {
	case l.from && l.query.AfterValues[0] == "":
		found = false
	case l.from:
		value, found = atOrNext(tree, first.Descending, l.query.AfterValues[0])
	case first.Descending && bounds.To != "":
		value, found = next(tree, true, indexed{bounds.To, &storage.Record{Key: edge(!bounds.BeforeTo)}})
	case first.Descending:
		e, ok := tree.Max()
		value, found = e.value, ok
	case bounds.From != "":
		value, found = next(tree, false, indexed{bounds.From, &storage.Record{Key: edge(bounds.AfterFrom)}})
	default:
		e, ok := tree.Min()
		value, found = e.value, ok
	}
	beyond := &storage.Record{Key: edge(!first.Descending)}
	for ; found; value, found = next(tree, first.Descending, indexed{value, beyond}) {
		if value == "" { // a label without a text counts as absent
			continue
		}
		if !inRange(&bounds, first.Index, value) {
			break
		}
		tree.Ascend(indexed{value, &storage.Record{Key: l.startIn(value)}}, func(e indexed) bool {
			return e.value == value && l.visit(e.record) && !l.complete()
		})
		if l.err != nil || l.full() {
			return
		}
	}
	if len(way.ranges) == 0 {
		l.visitScopeWithout(s.tree, first)
	}
}

// complete reports whether the list is full and visits its records exactly in their order, so that no further one can
// belong to it.
func (l *sortedList) complete() bool { return len(l.query.Order) == 1 && l.full() }

// startIn returns the key at which the page begins among the records with a value in Order[0].
func (l *sortedList) startIn(value string) storage.Key {
	if l.from && len(l.query.Order) == 1 && l.query.AfterValues[0] == value {
		return l.query.After
	}
	return storage.Key{}
}

// next returns the value of the first entry beyond a place between two entries.
func next(tree *btree.BTreeG[indexed], descending bool, place indexed) (value string, found bool) {
	visit := func(e indexed) bool {
		value, found = e.value, true
		return false
	}
	if descending {
		tree.Descend(place, visit)
	} else {
		tree.Ascend(place, visit)
	}
	return value, found
}

// atOrNext returns a value, or the next one if no entry has it any more.
func atOrNext(tree *btree.BTreeG[indexed], descending bool, value string) (string, bool) {
	return next(tree, descending, indexed{value, &storage.Record{Key: edge(descending)}})
}

// visitScopeWithout visits the records of the scope that lack the first value of the order, which come last.
func (l *sortedList) visitScopeWithout(tree *btree.BTreeG[*storage.Record], first *storage.Order) {
	within := l.query.Within
	start := storage.Key{Namespace: within.Namespace}
	if after := l.startIn(""); keyBefore(start, after) {
		start = after
	}
	steps := 0
	tree.Ascend(&storage.Record{Key: start}, func(r *storage.Record) bool {
		if steps++; steps%scanStep == 0 {
			if l.err = l.ctx.Err(); l.err != nil {
				return false
			}
		}
		return within.Contains(r.Key) &&
			(first.Of(r) != "" || l.visit(r) && !l.complete())
	})
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (l *sortedList) Len() int { return len(l.found) }

// Less puts the last record at the top.
func (l *sortedList) Less(i, j int) bool {
	a, b := &l.found[i], &l.found[j]
	return l.compare(a.values, a.record.Key, b.values, b.record.Key) > 0
}

func (l *sortedList) Swap(i, j int) { l.found[i], l.found[j] = l.found[j], l.found[i] }

// Push is not used: the list is filled before it becomes a heap.
func (l *sortedList) Push(any) {}

// Pop is not used: the top is replaced.
func (l *sortedList) Pop() any { return nil }
