package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/caller"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Watch is one of the watches of [WatchMany].
type Watch struct {
	Caller *Caller
	caller.Following
}

// WatchMany does over HTTP what [caller.WatchMany] does in process, with one request at a time. All watches are of one
// server, and the first caller sends the requests.
func WatchMany(ctx context.Context, watches []Watch, resourceVersion string, see func(caller.ManyEvent) error) error {
	revision, err := resource.ParseRevision(resourceVersion)
	if err != nil {
		return err
	}
	m := &many{watches: watches, seeMany: see}
	m.Caller = watches[0].Caller
	if m.complete = revision > 0; m.complete {
		m.after = resourceVersion
	}
	query := url.Values{}
	for _, w := range watches {
		target, err := w.Caller.collection(w.Namespace, queryOf(w.Options))
		if err != nil {
			return err
		}
		query.Add("watch", target[len(w.Caller.Root):])
	}
	for {
		_, err := m.receive(ctx, m.Root+"/watches?"+query.Encode(), func(http.Header) error { return nil }, m.message)
		switch {
		case err != nil:
			return err
		case !m.complete:
			return errors.New("the server ended the stream before it had sent the existing objects")
		}
	}
}

// many is a watch of several resources in progress.
type many struct {
	watching
	watches  []Watch
	seeMany  func(caller.ManyEvent) error
	complete bool // the client has the existing objects, and can resume after the last revision
}

func (m *many) report(e caller.ManyEvent) error {
	m.stopped = m.seeMany(e)
	return m.stopped
}

// message handles one message of the stream.
func (m *many) message(e apimeta.WatchEvent) error {
	if e.Type == apimeta.EventError {
		return failureIn(e.Object)
	}
	var found partial
	if err := codec.Unmarshal(e.Object, &found); err != nil {
		return unreadable("an object", err)
	}
	event := caller.ManyEvent{Of: -1,
		Event: caller.Event{Type: e.Type, ResourceVersion: found.Metadata.ResourceVersion}}
	switch e.Type {
	case apimeta.EventBookmark:
		event.Complete, m.complete = !m.complete, true
	case apimeta.EventAdded, apimeta.EventModified, apimeta.EventDeleted:
		event.Of = slices.IndexFunc(m.watches, func(w Watch) bool {
			gvk := w.Caller.Resource.GVK
			return gvk.Kind == found.Kind && gvk.GroupVersion().String() == found.APIVersion
		})
		if event.Of < 0 {
			return fmt.Errorf("the server sent an object of the kind %q of %q, which the client does not watch", found.Kind,
				found.APIVersion)
		}
		event.JSON = bytes.Clone(e.Object)
	default:
		return fmt.Errorf("the server sent an event of the unknown type %q", e.Type)
	}
	if m.complete {
		if event.ResourceVersion == "" {
			return unreadable("an object", errors.New("it has no resourceVersion"))
		}
		m.after = event.ResourceVersion
	}
	return m.report(event)
}

// OneServer reports whether one caller can send the requests of all watches.
func OneServer(watches []Watch) bool {
	first := watches[0].Caller
	return !slices.ContainsFunc(watches, func(w Watch) bool {
		c := w.Caller
		return c.Root != first.Root || c.HTTP != first.HTTP || !maps.EqualFunc(c.Header, first.Header, slices.Equal)
	})
}
