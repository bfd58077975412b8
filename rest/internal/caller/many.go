package caller

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// LocalWatch is one of the watches of [WatchMany].
type LocalWatch struct {
	Caller *Local
	Following
}

// WatchMany calls see with the events of several watches of one store in the order of revisions, until see returns an
// error, the context ends or a watch fails, and returns the reason. Without a resourceVersion it begins with the
// existing objects of each watch, and a bookmark. It calls see in the goroutine of its caller.
func WatchMany(ctx context.Context, watches []LocalWatch, resourceVersion string, see func(ManyEvent) error) error {
	m := &localMany{see: see, alarm: make(chan struct{}, 1)}
	defer m.end()
	watching := ctx
	for _, w := range watches {
		var err error
		if watching, err = m.add(watching, w, resourceVersion); err != nil {
			return err
		}
	}
	return m.reason(ctx, m.run(watching))
}

// localMany is a watch of several resources in progress.
type localMany struct {
	parts      []*Local
	beginnings []follow.Beginning
	merged     follow.Merged
	see        func(ManyEvent) error
	alarm      chan struct{}
	release    []func()
}

func (m *localMany) end() {
	m.merged.Close()
	for i := len(m.release) - 1; i >= 0; i-- {
		m.release[i]()
	}
}

// add begins one of the watches. The context that it returns ends with the right to watch, and with the resource.
func (m *localMany) add(ctx context.Context, w LocalWatch, resourceVersion string) (context.Context, error) {
	l, err := w.Caller.now(ctx)
	if err != nil {
		return ctx, err
	}
	w.Options.ResourceVersion = resourceVersion
	p, err := w.Options.read(l.Resource)
	if err != nil {
		return ctx, err
	}
	if len(m.parts) > 0 && m.parts[0].Resource.Store != l.Resource.Store {
		return ctx, status.BadRequest("the resources are in several stores, which have different revisions")
	}
	if err := l.Enter(nil); err != nil {
		return ctx, err
	}
	m.release = append(m.release, func() { l.Leave(nil) })
	permission, err := l.watching(ctx, l.many(kind.Watch, w.Namespace, w.Options))
	if err != nil {
		return ctx, err
	}
	m.release = append(m.release, permission.Release)
	p.Only, p.Resume = permission.Only, permission.Resume
	b, err := follow.BeginningOf(permission, l.Resource, w.Namespace, p)
	if err != nil {
		return ctx, err
	}
	b.Alarm = m.alarm
	m.parts, m.beginnings = append(m.parts, l), append(m.beginnings, b)
	watching, cancel := l.Resource.UntilRetired(permission, l.Resource)
	m.release = append(m.release, cancel)
	return watching, nil
}

func (m *localMany) run(ctx context.Context) error {
	if err := m.merged.Begin(ctx, m.parts[0].Resource.Store, m.beginnings); err != nil {
		return err
	}
	complete := !m.beginnings[0].Existing
	for ctx.Err() == nil {
		more, err := m.merged.Poll(m.event)
		if err != nil {
			return err
		}
		if at := m.merged.Position(); !complete && at > 0 {
			complete = true
			if err := m.see(ManyEvent{Of: -1, Complete: true,
				Event: Event{Type: apimeta.EventBookmark, ResourceVersion: text(at)}}); err != nil {
				return err
			}
		}
		if more {
			continue
		}
		m.merged.Ready()
		select {
		case <-m.alarm:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

func (m *localMany) event(e follow.MergedEvent) error {
	event, err := m.parts[e.Of].event(e.Event)
	if err != nil {
		return err
	}
	return m.see(ManyEvent{Of: e.Of, Event: event})
}

// reason returns the error for the client: Expired if one of the resources was replaced. ctx is that of the client.
func (m *localMany) reason(ctx context.Context, err error) error {
	if !resource.IsRetired(err) {
		return err
	}
	ended := m.parts[0].Resource
	for _, l := range m.parts {
		if l.Resource.Retired() {
			ended = l.Resource
		}
	}
	return ended.EndOfWatch(ctx, err)
}
