package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/status"
)

const (
	// The client asks the server to end a stream after a random time between minStream and maxStream, as client-go does,
	// so that the clients spread over the replicas again.
	minStream = 5 * time.Minute
	maxStream = 10 * time.Minute
	// overdue is how long the client waits after the requested end of a stream. If the stream has not ended by then, the
	// client assumes that the connection is dead.
	overdue = 30 * time.Second
	// brief is the minimum duration of a stream that does not advance the resourceVersion. A server that ends such a
	// stream earlier may be unable to serve watches.
	brief = time.Second
)

// watching is the state of a watch, which reads one stream after the other.
type watching struct {
	*Service
	service.Following
	after   string // the resourceVersion after which the next stream begins
	brief   bool   // the last stream ended earlier than brief
	see     func(service.Event) error
	stopped error // the error that see returned
}

// Watch implements [service.Service].
func (c *Service) Watch(by service.Caller, f service.Following, see func(service.Event) error) error {
	ctx := by.Context
	if f.Recovers {
		return c.follow(ctx, f, see)
	}
	w := &watching{Service: c, Following: f, after: f.Selected.ResourceVersion, see: see}
	if err := w.begin(ctx); err != nil {
		return err
	}
	for {
		if _, err := w.stream(ctx); err != nil {
			return err
		}
	}
}

// begin delivers the existing objects if the watch has no resourceVersion. Otherwise it checks that the server has
// reached the resourceVersion.
func (w *watching) begin(ctx context.Context) error {
	if w.after != "" && w.after != "0" {
		return w.reached(ctx)
	}
	options := w.Selected
	options.ResourceVersion = ""
	// The client reads the whole list before it yields events. A slow receiver of events must not keep the server
	// waiting.
	var existing [][]byte
	page, err := w.List(service.Caller{Context: ctx}, w.Namespace, options, service.Into{See: func(object []byte) error {
		existing = append(existing, bytes.Clone(object))
		return nil
	}})
	if err != nil {
		return err
	}
	for i, item := range existing {
		existing[i] = nil
		m, err := metadataOf(item)
		if err == nil {
			err = w.tell(service.Event{Type: apimeta.EventAdded, JSON: item, ResourceVersion: m.ResourceVersion})
		}
		if err != nil {
			return err
		}
	}
	w.after = page.Version
	return nil
}

// reached returns an error if the server does not reach the resourceVersion of the next stream within a few seconds.
// Without this check, the stream would silently wait for it. reached ignores all other errors, because the stream will
// report them.
func (w *watching) reached(ctx context.Context) error {
	options := w.Selected
	options.ResourceVersion, options.ResourceVersionMatch, options.Limit = w.after, apimeta.MatchNotOlderThan, 1
	ignore := service.Into{See: func([]byte) error { return nil }}
	_, err := w.List(service.Caller{Context: ctx}, w.Namespace, options, ignore)
	if status.IsTooLargeResourceVersion(err) {
		return err
	}
	return nil
}

// tell calls see with an event.
func (w *watching) tell(e service.Event) error {
	w.stopped = w.see(e)
	return w.stopped
}

// metadata is the part of an object's metadata that a watch needs.
type metadata struct {
	Name            string `json:"name"`
	Namespace       string `json:"namespace"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

// partial is the part of an object that all kinds share.
type partial struct {
	apimeta.TypeMeta `json:",inline"`
	Metadata         metadata `json:"metadata"`
}

func metadataOf(object []byte) (metadata, error) {
	var found partial
	if err := codec.Unmarshal(object, &found); err != nil {
		return metadata{}, unreadable("an object", err)
	}
	return found.Metadata, nil
}

var (
	// errBrief means that the server ended two streams in a row immediately, so the client stops. The client tolerates one
	// such stream, because a server that shuts down ends its streams and explains the reason in the next response.
	errBrief = errors.New("the server ends every watch as soon as it begins")
	errDead  = errors.New("the server did not end the watch in time: the connection seems to be dead")
)

// stream delivers the events after w.after until the server ends the stream. It returns nil after an orderly end, and
// the caller can continue with another stream. received reports whether the stream advanced w.after.
func (w *watching) stream(ctx context.Context) (received bool, err error) {
	seconds := int64((minStream + rand.N(maxStream-minStream)) / time.Second)
	query := queryOf(w.Selected)
	query.Set("watch", "true")
	query.Set("allowWatchBookmarks", "true")
	query.Set("resourceVersion", w.after)
	query.Set("timeoutSeconds", strconv.FormatInt(seconds, 10))
	target, err := w.collection(w.Namespace, query)
	if err != nil {
		return false, err
	}
	began, before := time.Now(), w.after
	bounded, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+overdue)
	defer cancel()
	resp, err := w.open(bounded, request{method: http.MethodGet, url: target, watch: true})
	if err == nil {
		defer resp.Body.Close()
		if err = checkApplied(resp.Header, w.Selected.Query); err != nil {
			return false, err
		}
		err = w.read(resp.Body)
		received = w.after != before
	}
	switch {
	case w.stopped != nil:
		return received, w.stopped
	case ctx.Err() != nil:
		return received, context.Cause(ctx)
	case bounded.Err() != nil:
		return received, errDead
	case err == io.EOF && (received || time.Since(began) >= brief || !w.brief):
		w.brief = !received && time.Since(began) < brief
		return received, nil
	case err == io.EOF:
		return received, errBrief
	}
	return received, err
}

// read delivers the events of a stream. It returns io.EOF if the stream ends after a complete event.
func (w *watching) read(body io.Reader) error {
	limited := &limitedReader{from: body, what: "an event"}
	decoder := json.NewDecoder(limited)
	for {
		limited.left = maxObject
		var event apimeta.WatchEvent
		if err := decoder.Decode(&event); err != nil {
			return err
		}
		if err := w.event(event); err != nil {
			return err
		}
	}
}

// event handles one message of a stream.
func (w *watching) event(e apimeta.WatchEvent) error {
	switch e.Type {
	case apimeta.EventError:
		return failureIn(e.Object)
	case apimeta.EventBookmark, apimeta.EventAdded, apimeta.EventModified, apimeta.EventDeleted:
	default:
		return fmt.Errorf("the server sent an event of the unknown type %q", e.Type)
	}
	m, err := metadataOf(e.Object)
	if err != nil {
		return err
	}
	advances := isAfter(m.ResourceVersion, w.after)
	switch {
	case e.Type == apimeta.EventBookmark && !advances: // replicas that lag behind send such bookmarks
		return nil
	case !advances:
		return fmt.Errorf("the server sent an event of resourceVersion %q after %q", m.ResourceVersion, w.after)
	case e.Type != apimeta.EventBookmark:
		if err := w.tell(service.Event{Type: e.Type, JSON: bytes.Clone(e.Object),
			ResourceVersion: m.ResourceVersion}); err != nil {
			return err
		}
	}
	w.after = m.ResourceVersion
	return nil
}

// isAfter reports whether one resourceVersion is newer than another. It accepts any different version if one of them is
// not a decimal number, because releases before 1.35 do not define an order.
func isAfter(version, before string) bool {
	v, err := strconv.ParseUint(version, 10, 64)
	b, failed := strconv.ParseUint(before, 10, 64)
	if err != nil || failed != nil {
		return version != "" && version != before
	}
	return v > b
}

// failureIn returns the error in an event of type ERROR. It reports every 410 as Expired, because older servers send
// the reason Gone.
func failureIn(object []byte) error {
	e, ok := statusIn(object)
	if !ok {
		return fmt.Errorf("the server ended the watch without a Status: %.*q", maxText, object)
	}
	if e.Status.Code == http.StatusGone {
		e.Status.Reason = status.ReasonExpired
	}
	return e
}
