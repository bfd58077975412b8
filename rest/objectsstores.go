package rest

import (
	"context"
	"slices"
	"sync"

	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// storePart is what Follow follows in one store.
type storePart struct {
	follow.Following
	store storage.Store
	index int // in API.stores
}

// parts returns what Follow follows in each store.
func (o objects) parts(resources []string) (parts []storePart) {
	for i, store := range o.api.stores {
		part := storePart{store: store, index: i}
		if len(resources) == 0 { // the whole log, even if the API has one resource: Through then reaches every revision
			part.Served = func() ([]*resource.Resource, <-chan struct{}) { return o.served(store) }
		} else {
			part.Names = slices.DeleteFunc(slices.Clone(resources),
				func(name string) bool { return o.api.storeOf(name) != store })
		}
		switch len(part.Names) {
		case 0:
			if part.Served == nil {
				continue
			}
		case 1:
			part.Scope.Resource = part.Names[0]
		}
		parts = append(parts, part)
	}
	return parts
}

// followEach follows all parts. It calls tell for one of them at a time.
func followEach(ctx context.Context, parts []storePart, tell func(storePart, follow.News) error) error {
	if len(parts) == 1 {
		return follow.All(ctx, parts[0].store, parts[0].Following,
			func(news follow.News) error { return tell(parts[0], news) })
	}
	ctx, cancel := context.WithCancel(ctx)
	m := merging{parts: parts, tell: tell, heard: make(chan heard), through: make([]watch.Revision, len(parts))}
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	for i := range parts {
		following.Go(func() { m.follow(ctx, i) })
	}
	for {
		if err := m.next(ctx); err != nil {
			return err
		}
	}
}

// merging merges what several parts report. Each part has a goroutine, which waits until its news has been told.
type merging struct {
	parts   []storePart
	tell    func(storePart, follow.News) error
	heard   chan heard
	through []watch.Revision // of each part
	begun   bool             // the existing objects of all parts have been told
}

// heard is the news of a part, or why it has ended.
type heard struct {
	part int
	news follow.News
	err  error
}

// follow passes on what a part reports, and at last its error.
func (m *merging) follow(ctx context.Context, part int) {
	pass := func(h heard) error {
		select {
		case m.heard <- h:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	of := m.parts[part]
	err := follow.All(ctx, of.store, of.Following,
		func(news follow.News) error { return pass(heard{part: part, news: news}) })
	_ = pass(heard{part: part, err: err}) // this fails only if nobody listens any more
}

// next tells the next news.
func (m *merging) next(ctx context.Context) error {
	var h heard
	select {
	case h = <-m.heard:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if h.err != nil {
		return h.err
	}
	m.through[h.part] = max(m.through[h.part], h.news.Through)
	if m.begun {
		return m.tell(m.parts[h.part], h.news)
	}
	h.news.Through = 0
	if err := m.tell(m.parts[h.part], h.news); err != nil || slices.Contains(m.through, 0) {
		return err
	}
	m.begun = true
	for i, part := range m.parts {
		if err := m.tell(part, follow.News{Through: m.through[i]}); err != nil {
			return err
		}
	}
	return nil
}
