package remote

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/backoff"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// follow is Watch with recovery. [follow.From] computes the differences, as it does for in-process clients.
func (c *Service) follow(ctx context.Context, f service.Following, see func(service.Event) error) error {
	after, err := resource.ParseRevision(f.Selected.ResourceVersion)
	if err != nil {
		return err
	}
	o := &origin{watching: watching{Service: c, Following: f}}
	from := follow.Beginning{Existing: after == 0, After: watch.Revision(after)}
	return follow.From(ctx, o, from, func(e follow.Event) error {
		json, err := shown(ctx, e)
		if err != nil {
			return err
		}
		return see(service.Event{Type: e.Type, JSON: json, ResourceVersion: text(e.Revision)})
	})
}

// shown returns the object of an event. If follow discovered a deletion by listing, the object gets the resourceVersion
// of the list.
func shown(ctx context.Context, e follow.Event) ([]byte, error) {
	object, err := e.Object.JSON(ctx)
	if err != nil {
		return nil, err
	}
	if e.Type != apimeta.EventDeleted || e.Object.Revision == e.Revision {
		return object, nil
	}
	v, _, err := codec.DecodeJSON(object)
	if err != nil {
		return nil, unreadable("an object", err)
	}
	return codec.AppendObject(nil, v.WithAt(doc.Of(text(e.Revision)), "metadata", objectmeta.ResourceVersion)), nil
}

func text(revision watch.Revision) string { return strconv.FormatUint(uint64(revision), 10) }

// origin implements [follow.Origin]. Once the server has responded for the first time, origin retries after transient
// failures.
type origin struct {
	watching
	answered bool
	broken   bool // the last request failed, so another server may answer the next one
	expired  bool // the last stream expired before it delivered an event
	retry    backoff.Backoff
}

// List implements [follow.Origin].
func (o *origin) List(ctx context.Context, at watch.Revision) (storage.Listing, error) {
	options := o.Selected
	options.ResourceVersion = ""
	if at > 0 {
		options.ResourceVersion, options.ResourceVersionMatch = text(at), apimeta.MatchExact
	}
	for {
		var all storage.Listing
		var invalid error // an object that no retry makes valid
		page, err := o.Service.List(service.Caller{Context: ctx}, o.Namespace, options, service.Into{See: func(object []byte) error {
			var r *storage.Record
			r, invalid = recordOf(bytes.Clone(object))
			all.Records = append(all.Records, r)
			return invalid
		}})
		if err == nil {
			o.answered = true
			all.Revision, err = revisionOf(page.Version)
			return all, err
		}
		if invalid != nil {
			return storage.Listing{}, invalid
		}
		if err := o.pause(ctx, err); err != nil {
			return storage.Listing{}, err
		}
	}
}

// Watch implements [follow.Origin].
func (o *origin) Watch(ctx context.Context, b follow.Beginning, see func(follow.Event) error) error {
	o.see = func(e service.Event) error {
		r, err := recordOf(e.JSON)
		if err != nil {
			return err
		}
		return see(follow.Event{Type: e.Type, Object: r, Revision: r.Revision})
	}
	if o.after = text(b.After); b.Existing {
		o.after = ""
		if err := o.begin(ctx); err != nil { // origin does not retry the first request
			return err
		}
		o.answered = true
	}
	for {
		received, err := o.next(ctx)
		again := o.expired && !received
		o.broken, o.expired = err != nil, status.IsExpired(err) && !received
		switch {
		case err == nil:
		case o.stopped != nil:
			return err
		case status.IsTooLargeResourceVersion(err): // the server has lost revisions, or lags behind another replica
			if stopped := o.wait(ctx); stopped != nil {
				return stopped
			}
			return status.Expired(err.Error())
		case status.IsExpired(err):
			if again {
				if stopped := o.wait(ctx); stopped != nil {
					return stopped
				}
			}
			return err
		default:
			if stopped := o.pause(ctx, err); stopped != nil {
				return stopped
			}
		}
	}
}

// next reads the events of one stream.
func (o *origin) next(ctx context.Context) (received bool, err error) {
	if o.broken {
		if err := o.reached(ctx); err != nil {
			return false, err
		}
	}
	return o.stream(ctx)
}

// pause waits before a retry if the failure is transient. Otherwise it returns the failure.
func (o *origin) pause(ctx context.Context, failure error) error {
	if ctx.Err() != nil || !o.answered || !transient(failure) {
		return failure
	}
	return o.wait(ctx)
}

func (o *origin) wait(ctx context.Context) error { return sleep(ctx, o.retry.Next(time.Now())) }

// transient reports whether a retry may succeed: the connection broke, the server is overloaded, or it failed with a
// 5xx.
func transient(err error) bool {
	failure, ok := errors.AsType[*status.Error](err)
	return !ok || status.IsTooManyRequests(failure) || status.CodeOf(failure) >= 500
}

// recordOf converts an object to a record with the parts that [follow.Origin] requires.
func recordOf(object []byte) (*storage.Record, error) {
	m, err := metadataOf(object)
	if err != nil {
		return nil, err
	}
	revision, err := revisionOf(m.ResourceVersion)
	r := storage.Record{Key: storage.Key{Namespace: m.Namespace, Name: m.Name}, Revision: revision}
	return r.With(object, storage.Extracted{UID: m.UID}), err
}

// revisionOf parses a resourceVersion. Since release 1.35, Kubernetes guarantees that it is a decimal number.
func revisionOf(resourceVersion string) (watch.Revision, error) {
	n, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil {
		return 0, unreadable("an object with a resourceVersion", err)
	}
	return watch.Revision(n), nil
}
