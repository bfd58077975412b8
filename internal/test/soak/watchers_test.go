package soak

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// frame is one event of a watch.
type frame struct {
	event    apimeta.EventType
	item     item
	revision uint64
	initial  bool // the bookmark that ends the initial events
}

// source is a client that lists and watches one selection.
type source interface {
	list() (items []item, revision uint64, err error)
	// watch continues after a revision. For 0 it begins with the existing objects; if all is set, it requests them with a
	// WatchList. The stream may end without an error.
	watch(ctx context.Context, after uint64, all bool) iter.Seq2[frame, error]
	// lists reports whether the source supports WatchList.
	lists() bool
}

// typed is a source that can also follow its selection.
type typed interface {
	source
	follow(ctx context.Context) iter.Seq2[frame, error]
}

// typedSource is the typed client for one of the versions.
type typedSource[T any] struct {
	client rest.Client[T]
	sel    selector
	gadget func(*T) *Gadget
}

func (s *soak) typed(sel selector) typed {
	return typedSource[Gadget]{s.gadgets.Namespace(sel.namespace), sel, func(g *Gadget) *Gadget { return g }}
}

func (s *soak) olderTyped(sel selector) typed {
	sel.fields = olderWords.Replace(sel.fields)
	return typedSource[GadgetBeta]{s.betas.Namespace(sel.namespace), sel, asGadget}
}

func (c typedSource[T]) list() ([]item, uint64, error) {
	page, err := c.client.List(context.Background(),
		rest.ListOptions{LabelSelector: c.sel.labels, FieldSelector: c.sel.fields})
	if err != nil {
		return nil, 0, err
	}
	var items []item
	for _, g := range page.Items {
		items = append(items, itemOf(c.gadget(g)))
	}
	return items, revisionOf(page.ResourceVersion), nil
}

func (c typedSource[T]) lists() bool { return false }

func (c typedSource[T]) options(after uint64) rest.WatchOptions {
	o := rest.WatchOptions{LabelSelector: c.sel.labels, FieldSelector: c.sel.fields}
	if after > 0 {
		o.ResourceVersion = strconv.FormatUint(after, 10)
	}
	return o
}

func (c typedSource[T]) watch(ctx context.Context, after uint64, _ bool) iter.Seq2[frame, error] {
	return c.frames(c.client.Watch(ctx, c.options(after)))
}

func (c typedSource[T]) follow(ctx context.Context) iter.Seq2[frame, error] {
	return c.frames(c.client.Follow(ctx, c.options(0)))
}

func (c typedSource[T]) frames(events iter.Seq2[rest.Event[T], error]) iter.Seq2[frame, error] {
	return func(yield func(frame, error) bool) {
		for e, err := range events {
			if err != nil {
				yield(frame{}, err)
				return
			}
			if !yield(frame{event: e.Type, item: itemOf(c.gadget(e.Object)), revision: revisionOf(e.ResourceVersion)}, nil) {
				return
			}
		}
	}
}

// watcher watches one selection until the context ends. It disconnects at random and resumes at its position. It starts
// over after 410, and sometimes without a reason. It also pauses, so that the log drops its position.
func (s *soak) watcher(ctx context.Context, t *tape, from source, random *rand.Rand) {
	at := uint64(0) // where to resume; 0 means nowhere
	for ctx.Err() == nil {
		all := false
		if at == 0 || random.IntN(12) == 0 {
			var err error
			if at, all, err = s.begin(t, from, random); err != nil {
				t.fail(err)
				return
			}
		}
		var err error
		if at, err = s.connect(ctx, t, from, at, all, random); err != nil && ctx.Err() == nil {
			if !status.IsExpired(err) {
				t.fail(fmt.Errorf("a watch may end only with 410: %w", err))
				return
			}
			s.totals.expiredWatches.Add(1)
			t.add(note{kind: expired})
			at = 0
		}
	}
}

// begin chooses how the watcher gets the initial state: by a list, by a WatchList, or by a watch without a revision.
func (s *soak) begin(t *tape, from source, random *rand.Rand) (at uint64, all bool, err error) {
	floor := s.before()
	switch n := random.IntN(3); {
	case n == 0:
		items, revision, err := from.list()
		if err == nil {
			t.add(note{kind: listed, revision: revision, floor: floor, items: items})
		}
		return revision, false, err
	case n == 1 && from.lists():
		return 0, true, nil
	}
	t.add(note{kind: fresh, floor: floor})
	return 0, false, nil
}

// connect notes a stream until it breaks off, and returns where to resume. If a stream ends before it has a position to
// resume from, it must return an error.
func (s *soak) connect(ctx context.Context, t *tape, from source, at uint64, all bool,
	random *rand.Rand) (uint64, error) {
	floor := s.before()
	left := 1 + random.IntN(400) // number of events until it disconnects, once it has a position to resume from
	var initial []item
	s.totals.streams.Add(1)
	for f, err := range from.watch(ctx, at, all) {
		if err != nil {
			return at, err
		}
		s.totals.events.Add(1)
		switch {
		case all && f.event == apimeta.EventAdded:
			initial = append(initial, f.item)
			continue
		case all && f.initial:
			t.add(note{kind: listed, revision: f.revision, floor: floor, items: initial})
			at, all = f.revision, false
			continue
		case all || f.initial:
			return 0, fmt.Errorf("initial events must be ADDED and end with their bookmark: %+v", f)
		case f.event == apimeta.EventBookmark:
			t.add(note{kind: bookmarked, revision: f.revision})
			s.totals.bookmarks.Add(1)
			at = f.revision
			continue
		}
		t.add(note{kind: changed, event: f.event, revision: f.revision, item: f.item})
		if at > 0 || f.event != apimeta.EventAdded { // the ADDED of a watch without a revision may be an initial event
			at = f.revision
		}
		if random.IntN(600) == 0 {
			s.journal.pause(ctx, 600)
		}
		if at > 0 {
			if left--; left <= 0 {
				return at, nil
			}
		}
	}
	if at == 0 && ctx.Err() == nil {
		return 0, errors.New("the stream ends without an error and without a position to resume from")
	}
	return at, nil
}

// follower follows one selection, and starts over after a while. Every list after the first is a recovery of Follow
// after 410.
func (s *soak) follower(ctx context.Context, t *tape, c typed, random *rand.Rand) {
	for ctx.Err() == nil {
		t.add(note{kind: fresh, floor: s.before()})
		begun := false
		listing := context.WithValue(ctx, listings{}, func(revision, floor uint64) {
			if begun {
				t.add(note{kind: relisted, revision: revision, floor: floor})
				s.totals.relists.Add(1)
			}
			begun = true
		})
		left := 1000 + random.IntN(4000)
		s.totals.streams.Add(1)
		for f, err := range c.follow(listing) {
			if err != nil {
				if ctx.Err() == nil {
					t.fail(fmt.Errorf("a Follow must recover by itself: %w", err))
				}
				return
			}
			s.totals.events.Add(1)
			t.add(note{kind: changed, event: f.event, revision: f.revision, item: f.item})
			if random.IntN(400) == 0 {
				s.journal.pause(ctx, 800)
			}
			if left--; left <= 0 && f.event != apimeta.EventAdded {
				break
			}
		}
	}
}
