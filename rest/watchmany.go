package rest

import (
	"context"
	"iter"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/caller"
	"github.com/decorum-go/decorum/rest/internal/remote"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// WatchMany watches several kinds as one stream, in the order of revisions:
//
//	for e, err := range rest.WatchMany(ctx, "", stocks.Watched(options), routes.Watched(options)) {
//		...
//		switch obj := e.Object.(type) {
//		case *Stock:
//		case *Route:
//		}
//	}
//
// Without a resourceVersion it yields an Added event for each existing object, kind by kind, and then a bookmark that
// is Complete. From there on, the ResourceVersion of the last event is the one with which a later call resumes the
// whole stream. WatchMany ends as [Client.Watch] does, and yields the error last. If [status.IsExpired] holds for the error,
// the stream has missed changes: begin again without a resourceVersion.
//
// The clients are in-process clients of one API, or clients of one Endpoint that act as the same user. The API of an
// Endpoint must have [Queries], and the client sends one request at a time to its path /watches. A server without that
// path answers NotFound. In process the stream needs no Queries, unless the options have a FieldQuery. All resources
// must be in the store of the API. Two clients of one resource must have the same Go type.
func WatchMany(ctx context.Context, resourceVersion string, watches ...Watched) iter.Seq2[ManyEvent, error] {
	return func(yield func(ManyEvent, error) bool) {
		err := watchMany(ctx, resourceVersion, watches, func(e caller.ManyEvent) error {
			out := ManyEvent{Type: e.Type, ResourceVersion: e.ResourceVersion, Complete: e.Complete}
			if e.Of >= 0 {
				var err error
				if out.Object, err = watches[e.Of].decode(e.JSON); err != nil {
					return err
				}
				out.Resource = watches[e.Of].res.GR
			}
			if !yield(out, nil) {
				return errBrokenOff
			}
			return nil
		})
		if err != nil && err != errBrokenOff {
			yield(ManyEvent{}, err)
		}
	}
}

// Watched is what a client watches as a part of a stream, see [WatchMany]. [Client.Watched] returns one.
type Watched struct {
	caller    caller.Caller
	res       *resource.Resource
	following caller.Following
	decode    func([]byte) (any, error)
	err       error
}

// ManyEvent is one event of [WatchMany]. The caller owns Object.
type ManyEvent struct {
	// Type is also that of bookmarks, which say how far the stream has come. Over HTTP a quiet stream has one about every
	// minute.
	Type     apimeta.EventType
	Resource apimeta.GroupResource // empty for a bookmark
	// Object is a *T of the client of the resource. It is nil for a bookmark.
	Object any
	// ResourceVersion is the version of the change, also of a deletion.
	ResourceVersion string
	// Complete marks the bookmark after the last of the existing objects.
	Complete bool
}

// Watched returns the objects that the client watches as a part of [WatchMany]. The options must have no
// ResourceVersion, because the stream has one.
func (c Client[T]) Watched(options WatchOptions) Watched {
	_, err := c.at(VerbWatch, "", "")
	if err == nil && options.ResourceVersion != "" {
		err = status.BadRequest("rest.Client.Watched: the resourceVersion is that of the whole stream: pass it to WatchMany")
	}
	return Watched{caller: c.caller, res: c.res, err: err, following: c.following(options),
		decode: func(json []byte) (any, error) { return decoded[T](json, nil) }}
}

func watchMany(ctx context.Context, resourceVersion string, watches []Watched,
	see func(caller.ManyEvent) error) error {
	if len(watches) == 0 || len(watches) > maxWatches {
		return status.BadRequest("rest.WatchMany: a stream has 1 to 100 watches")
	}
	var inProcess []caller.LocalWatch
	var overHTTP []remote.Watch
	for _, w := range watches {
		if w.err != nil {
			return w.err
		}
		switch c := w.caller.(type) {
		case *caller.Local:
			inProcess = append(inProcess, caller.LocalWatch{Caller: c, Following: w.following})
		case *remote.Caller:
			overHTTP = append(overHTTP, remote.Watch{Caller: c, Following: w.following})
		}
	}
	switch {
	case len(inProcess) == len(watches):
		return caller.WatchMany(ctx, inProcess, resourceVersion, see)
	case len(overHTTP) == len(watches) && remote.OneServer(overHTTP):
		return remote.WatchMany(ctx, overHTTP, resourceVersion, see)
	}
	return status.BadRequest("rest.WatchMany: the clients are not of one API")
}
