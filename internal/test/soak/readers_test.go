package soak

import (
	"context"
	"math/rand/v2"
	"strconv"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// before returns the least revision that a read that begins now must show.
func (s *soak) before() uint64 { return s.journal.acknowledged.Load() }

// after returns the highest revision that a read that has ended can show.
func (s *soak) after() uint64 { return uint64(s.journal.Revision()) }

// get reads an object that may or may not exist.
func (s *soak) get(who string, random *rand.Rand) error {
	namespace, name := place(random), poolName(random.IntN(poolSize))
	if random.IntN(2) == 0 {
		name = counterName(random.IntN(counters))
	}
	read := objectRead{who: who, floor: s.before()}
	var g *Gadget
	var err error
	if random.IntN(2) == 0 {
		g, err = s.gadgets.Namespace(namespace).Get(context.Background(), name)
	} else {
		g, err = s.caller(random).get(namespace, name)
	}
	read.ceiling = s.after()
	switch {
	case err == nil:
		read.found, read.item = true, itemOf(g)
	case status.IsNotFound(err):
		read.item.key = keyOf(namespace, name)
	default:
		return err
	}
	s.reads.addObject(read)
	return nil
}

// lister reads a page, over HTTP or with the typed client.
type lister func(limit int, token string) (*listing, error)

// page reads a list in pages of a random size, over HTTP in one of its forms or with the typed client.
func (s *soak) page(who string, random *rand.Rand) error {
	sel := s.selectors[random.IntN(len(s.selectors))]
	limit := random.IntN(8)
	if random.IntN(8) == 0 {
		limit = 1 + random.IntN(60)
	}
	if random.IntN(3) == 0 {
		return s.pages(random, listRead{who: who, sel: sel, limit: limit}, s.typedLister(sel))
	}
	c, accept := s.caller(random), pick(random, mediaJSON, mediaTable, mediaMetas)
	read := listRead{who: who, sel: sel, limit: limit, metadata: isMetadata(accept)}
	return s.pages(random, read, func(limit int, token string) (*listing, error) {
		query := sel.query()
		query.Set("limit", strconv.Itoa(limit))
		query.Set("continue", token)
		return c.list(sel, query, accept)
	})
}

func (s *soak) typedLister(sel selector) lister {
	client := s.gadgets.Namespace(sel.namespace)
	return func(limit int, token string) (*listing, error) {
		page, err := client.List(context.Background(),
			rest.ListOptions{LabelSelector: sel.labels, FieldSelector: sel.fields, Limit: int64(limit), Continue: token})
		if err != nil {
			return nil, err
		}
		out := new(listing)
		out.Metadata.ResourceVersion, out.Metadata.Continue = page.ResourceVersion, page.Continue
		for _, g := range page.Items {
			out.Items = append(out.Items, *g)
		}
		return out, nil
	}
}

// pages reads all pages. They must have the revision of the first page or, after 410, of the first page after it.
func (s *soak) pages(random *rand.Rand, read listRead, list lister) error {
	token, pinned := "", false
	for {
		if !pinned {
			read.floor = s.before()
		}
		l, err := list(read.limit, token)
		if next := status.ContinueOf(err); next != "" && token != "" {
			s.totals.expiredPages.Add(1)
			token, pinned = next, false
			continue
		}
		if err != nil {
			return err
		}
		if !pinned {
			read.ceiling = s.after()
		}
		read.revision, read.items = revisionOf(l.Metadata.ResourceVersion), l.items()
		read.more, read.remaining = l.Metadata.Continue != "", l.Metadata.RemainingItemCount
		s.reads.addList(read)
		s.totals.pages.Add(1)
		if !read.more {
			return nil
		}
		if !pinned {
			read.floor, read.ceiling, pinned = read.revision, read.revision, true
		}
		read.after, token = read.items[len(read.items)-1].key, l.Metadata.Continue
		if random.IntN(4) == 0 {
			s.journal.pause(context.Background(), 1+random.Uint64N(60))
		}
	}
}

// exact lists a past state, or a state at least as recent as an acknowledged one.
func (s *soak) exact(who string, random *rand.Rand) error {
	sel, c := s.selectors[random.IntN(len(s.selectors))], s.caller(random)
	query := sel.query()
	read := listRead{who: who, sel: sel, floor: s.before()}
	if random.IntN(3) == 0 {
		query.Set("resourceVersion", strconv.FormatUint(read.floor, 10))
		query.Set("resourceVersionMatch", "NotOlderThan")
	} else {
		revision := max(read.floor-min(read.floor, random.Uint64N(80)), s.base.Load())
		query.Set("resourceVersion", strconv.FormatUint(revision, 10))
		query.Set("resourceVersionMatch", "Exact")
		read.floor, read.exact = revision, true
	}
	l, err := c.list(sel, query, mediaJSON)
	if status.IsExpired(err) && read.exact {
		s.totals.expiredPages.Add(1)
		return nil
	}
	if err != nil {
		return err
	}
	read.ceiling = s.after()
	read.revision, read.items = revisionOf(l.Metadata.ResourceVersion), l.items()
	s.reads.addList(read)
	s.totals.pages.Add(1)
	return nil
}

// compact drops a part of the history, or all of it.
func (s *soak) compact(_ string, random *rand.Rand) error {
	s.journal.pause(context.Background(), 50+random.Uint64N(400))
	s.totals.compactions.Add(1)
	return s.journal.Compact(context.Background(), watch.Revision(s.after()-random.Uint64N(min(s.after(), 100))))
}
