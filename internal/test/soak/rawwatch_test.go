package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
)

// rawSource speaks HTTP and requests objects, metadata or tables.
type rawSource struct {
	caller *caller
	sel    selector
	accept string
	random *rand.Rand
}

func (c rawSource) lists() bool { return true }

func (c rawSource) list() ([]item, uint64, error) {
	accept := c.accept
	if accept == mediaMeta {
		accept = mediaMetas
	}
	l, err := c.caller.list(c.sel, c.sel.query(), accept)
	return l.items(), revisionOf(l.Metadata.ResourceVersion), err
}

func (c rawSource) watch(ctx context.Context, after uint64, all bool) iter.Seq2[frame, error] {
	query := c.sel.query()
	query.Set("watch", "true")
	if after > 0 {
		query.Set("resourceVersion", strconv.FormatUint(after, 10))
	}
	if all {
		query.Set("sendInitialEvents", "true")
		query.Set("resourceVersionMatch", "NotOlderThan")
		query.Set("allowWatchBookmarks", "true")
	} else if after > 0 && c.random.IntN(2) == 0 {
		// A bookmark comes two seconds before the server ends the watch, and the end carries no error.
		query.Set("allowWatchBookmarks", "true")
		query.Set("timeoutSeconds", "3")
	}
	return func(yield func(frame, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		body, err := c.caller.open(ctx, "GET", path(c.sel.namespace, ""), query, mediaJSON, c.accept, nil)
		if err != nil {
			yield(frame{}, err)
			return
		}
		defer func() { _ = body.Close() }()
		for decoder := json.NewDecoder(body); ; {
			var e apimeta.WatchEvent
			if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				yield(frame{}, err)
				return
			}
			f, err := c.frame(e)
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// frame decodes an event in the source's form.
func (c rawSource) frame(e apimeta.WatchEvent) (frame, error) {
	if e.Type == apimeta.EventError {
		return frame{}, asError(e.Object)
	}
	object, revision := c.caller.hear(e.Object), ""
	if c.accept == mediaTable {
		var table struct {
			Metadata apimeta.ListMeta
			Rows     []struct{ Object json.RawMessage }
		}
		if err := json.Unmarshal(object, &table); err != nil {
			return frame{}, err
		}
		if len(table.Rows) != 1 {
			return frame{}, fmt.Errorf("an event of a table must have one row: %s", object)
		}
		object, revision = table.Rows[0].Object, table.Metadata.ResourceVersion
	}
	var g Gadget
	if err := json.Unmarshal(object, &g); err != nil {
		return frame{}, err
	}
	if revision != "" && revision != g.ResourceVersion {
		return frame{}, fmt.Errorf("a table must have the version of its object: %s and %s", revision, g.ResourceVersion)
	}
	return frame{event: e.Type, item: itemOf(&g), revision: revisionOf(g.ResourceVersion),
		initial: e.Type == apimeta.EventBookmark && g.Annotations[apimeta.InitialEventsAnnotation] == "true"}, nil
}
