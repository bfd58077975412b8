package engine

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// scanStep is how many records a list visits between two checks of its context.
const scanStep = 1024

// countAfter is how many records a list takes before it may count the rest, so that a full buffer grows once. Counting
// the records of a short list takes longer than listing them.
const countAfter = 256

// List implements [storage.Store].
func (e *Engine) List(ctx context.Context, opts storage.Query, into []*storage.Record) (storage.Listing, error) {
	if x := e.transactionIn(ctx); x != nil {
		return x.list(ctx, opts, into)
	}
	return e.list(ctx, opts, into)
}

// list lists committed records.
func (e *Engine) list(ctx context.Context, opts storage.Query, into []*storage.Record) (storage.Listing, error) {
	t, err := e.tableIn(opts.Within)
	if err != nil {
		return storage.Listing{}, err
	}
	if err := e.await(ctx, opts.Revision); err != nil {
		return storage.Listing{}, err
	}
	by := e.narrowest(t, opts.Within, opts.Terms)
	if !sorts(&opts) {
		return e.listBy(ctx, t, opts, route{}, by, into)
	}
	way, walk := e.route(t, &opts, by)
	page, err := e.listBy(ctx, t, opts, way, way.by(), into)
	if errors.Is(err, errVisits) && opts.Visible != nil && !way.walks && walk.walks {
		// A walk visits at most as many visible records as another way. The choice also depended on hidden records.
		page, err = e.listBy(ctx, t, opts, walk, walk.by(), into)
	}
	return page, err
}

// listBy lists committed records of a table. by is the term whose index the list uses, or nil.
func (e *Engine) listBy(ctx context.Context, t *table, opts storage.Query, way route, by *watch.Term,
	into []*storage.Record) (storage.Listing, error) {
	var s *snapshot
	var revision watch.Revision
	var err error
	if opts.Exact {
		revision = e.log.GroupEnd(opts.Revision)
		s, err = e.at(ctx, t, revision, by)
	} else {
		s, revision, err = e.latest(t, by)
	}
	if err != nil {
		return storage.Listing{}, err
	}
	if !opts.Exact && opts.Known != 0 && opts.Known == s.from {
		return storage.Listing{Records: into, Revision: revision, Changed: s.from}, nil
	}
	var page storage.Listing
	if sorts(&opts) {
		page, err = s.sorted(ctx, &opts, way, into)
	} else {
		page, err = s.page(ctx, opts, by, into)
	}
	if err != nil {
		return storage.Listing{}, err
	}
	page.Revision = revision
	if !opts.Exact {
		page.Changed = s.from
	}
	if page.More {
		s.paged.Store(true)
	}
	return page, nil
}

// page collects the records of a scope. It uses the index of a term if the snapshot has it.
func (s *snapshot) page(
	ctx context.Context, opts storage.Query, by *watch.Term, into []*storage.Record,
) (storage.Listing, error) {
	page := storage.Listing{Records: into}
	everything := opts.Match == nil && opts.Visible == nil && len(opts.Terms) == 0
	start := storage.Key{Namespace: opts.Within.Namespace, Name: opts.Within.Name}
	after := opts.After != storage.Key{} && !keyBefore(opts.After, start)
	if after {
		start.Namespace, start.Name = opts.After.Namespace, opts.After.Name
	}
	o := s.slot(by)
	byIndex := o != nil && o.Load() != nil
	counted := !everything && !byIndex && opts.Within.Name == ""
	left := 0 // how many records of the scope follow, if they are counted
	if counted {
		left = s.rankAfter(opts.Within) - s.rank(start)
	}
	limit := opts.Limit
	if opts.Visible != nil && limit > 0 {
		limit++ // one more says whether further visible records match
	}
	var err error
	var steps, visited, taken int
	visit := func(r *storage.Record) bool {
		// A search through many records is mostly a wait for memory, so it does not look at their keys.
		if counted {
			if left--; left < 0 {
				return false
			}
		} else if !opts.Within.Contains(r.Key) {
			return false
		}
		if steps++; steps%scanStep == 0 {
			if err = ctx.Err(); err != nil {
				return false
			}
		}
		if opts.Visible == nil && opts.MaxVisits > 0 && steps > opts.MaxVisits {
			err = tooManyVisits(opts.MaxVisits)
			return false
		}
		if after {
			after = false // only the first record can be the last one of the page before
			if r.Key.Namespace == start.Namespace && r.Key.Name == start.Name {
				return true
			}
		}
		if !everything {
			if !finds(&opts, r) {
				return true
			}
			if visited++; opts.Visible != nil && opts.MaxVisits > 0 && visited > opts.MaxVisits {
				err = tooManyVisits(opts.MaxVisits)
				return false
			}
			if opts.Match != nil && !opts.Match(r) {
				return true
			}
		}
		if everything && taken >= countAfter && len(page.Records) == cap(page.Records) {
			left := s.rankAfter(opts.Within) - s.rank(r.Key)
			if limit > 0 {
				left = min(left, limit-taken)
			}
			page.Records = slices.Grow(page.Records, left)
		}
		taken++
		page.Records = append(page.Records, r)
		return taken != limit
	}
	if byIndex {
		o.Load().Ascend(indexed{by.Value, &storage.Record{Key: start}}, func(e indexed) bool {
			return e.value == by.Value && visit(e.record)
		})
	} else {
		s.tree.Ascend(&storage.Record{Key: start}, visit)
	}
	switch {
	case limit > opts.Limit:
		if page.More = taken == limit; page.More {
			page.Records = page.Records[:len(page.Records)-1]
		}
	case limit > 0 && taken == limit:
		page.More = s.anyAfter(page.Records[len(page.Records)-1].Key, opts.Within)
	}
	switch {
	case !everything:
		page.Remaining = -1
	case page.More:
		page.Remaining = int64(s.rankAfter(opts.Within) - s.rank(page.Records[len(page.Records)-1].Key) - 1)
	}
	return page, err
}

// anyAfter reports whether a scope has records after a key.
func (s *snapshot) anyAfter(key storage.Key, within watch.Key) (found bool) {
	s.tree.Ascend(&storage.Record{Key: key}, func(r *storage.Record) bool {
		if !keyBefore(key, r.Key) {
			return true
		}
		found = within.Contains(r.Key)
		return false
	})
	return found
}

// takes reports whether a record belongs to the list.
func takes(o *storage.Query, r *storage.Record) bool {
	return finds(o, r) && (o.Match == nil || o.Match(r))
}

// finds reports whether a record is visible, and has the values of all terms and ranges.
func finds(o *storage.Query, r *storage.Record) bool {
	for _, t := range o.Terms {
		if !hasTerm(r, t) {
			return false
		}
	}
	for i := range o.Among {
		if !liesAmong(&o.Among[i], r) {
			return false
		}
	}
	return o.Visible == nil || o.Visible(r)
}

// rank returns how many records precede a key. The tree counts its branches, so this visits only O(log² n) records.
func (s *snapshot) rank(key storage.Key) int {
	return sort.Search(s.tree.Len(), func(i int) bool {
		r, _ := s.tree.GetAt(i)
		return !keyBefore(r.Key, key)
	})
}

// rankAfter returns how many records precede the end of a scope.
func (s *snapshot) rankAfter(within watch.Key) int {
	if within.Namespace == "" {
		return s.tree.Len()
	}
	return sort.Search(s.tree.Len(), func(i int) bool {
		r, _ := s.tree.GetAt(i)
		return r.Key.Namespace > within.Namespace
	})
}
