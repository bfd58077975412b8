package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// stream is a watch that is read in the background.
type stream struct {
	step   *step
	cancel context.CancelFunc
	opened chan struct{} // closed when the headers are there, or err is
	events chan any
	closed chan struct{} // closed when no more events come
	done   chan struct{} // closed when nobody reads any more

	resp   *http.Response // after opened
	err    error          // after opened
	broken bool           // after closed: it was not a stream of JSON documents
}

// openingWait bounds the wait for the headers of a watch that later steps are to
// be seen by. A server that sends none before the first event would block the case.
const openingWait = 3 * time.Second

// open starts a watch. The caller collects or stops it.
func (c *client) open(ctx context.Context, s *step, r request) *stream {
	ctx, cancel := context.WithCancel(ctx)
	st := &stream{
		step: s, cancel: cancel,
		opened: make(chan struct{}), events: make(chan any, 1024), closed: make(chan struct{}), done: make(chan struct{}),
	}
	go func() {
		defer close(st.done)
		st.resp, st.err = c.send(ctx, r)
		close(st.opened)
		if st.err == nil && st.resp.StatusCode == http.StatusOK {
			st.read(ctx)
		}
	}()
	return st
}

func (st *stream) read(ctx context.Context) {
	defer close(st.closed)
	d := json.NewDecoder(st.resp.Body)
	d.UseNumber()
	for {
		var v any
		if err := d.Decode(&v); err != nil {
			st.broken = !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && ctx.Err() == nil
			return
		}
		select {
		case st.events <- v:
		case <-ctx.Done():
			return
		}
	}
}

// waitOpen waits until the server has the watch, so that it sees what comes next.
func (st *stream) waitOpen(ctx context.Context) {
	timer := time.NewTimer(openingWait)
	defer timer.Stop()
	select {
	case <-st.opened:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// stop ends the watch and waits until nothing of it is left.
func (st *stream) stop() {
	st.cancel()
	<-st.done
	if st.resp != nil {
		st.resp.Body.Close()
	}
}

// collect reads events until the case has what it wants, the server ends the
// stream, or the time is over; then the watch ends.
func (st *stream) collect(w *watch) (*answer, error) {
	defer st.stop()
	timer := time.NewTimer(time.Duration(w.Timeout))
	defer timer.Stop()
	select {
	case <-st.opened:
	case <-timer.C:
		return &answer{headers: map[string]any{}, text: "no response in time"}, nil
	}
	if st.err != nil {
		return nil, st.err
	}
	if st.resp.StatusCode != http.StatusOK {
		return readAnswer(st.resp)
	}
	a := &answer{status: http.StatusOK, headers: headersOf(st.resp), events: []any{}}
	ended := st.gather(a, w, timer.C)
	if ended == closedByServer && st.broken {
		a.text = "not a stream of JSON documents"
	}
	if w.Unordered {
		sortBy(a.events, eventKey)
	}
	if w.Until == "close" {
		a.ended = ended
	}
	return a, nil
}

// How a watch ended; golden transcripts hold these texts.
const (
	closedByServer = "closed by the server"
	timedOut       = "timeout"
	satisfied      = ""
)

func (st *stream) gather(a *answer, w *watch, timeout <-chan time.Time) (ended string) {
	for {
		select {
		case v := <-st.events:
			if a.addEvent(v, w) {
				return satisfied
			}
		case <-st.closed:
			if len(st.events) == 0 { // else it ended after what is still to be read
				return closedByServer
			}
		case <-timeout:
			return timedOut
		}
	}
}

// addEvent says whether the watch has what it waits for.
func (a *answer) addEvent(v any, w *watch) bool {
	bookmark, endsInitial := bookmarkOf(v)
	if bookmark && !endsInitial {
		return false
	}
	a.events = append(a.events, v)
	switch w.Until {
	case "":
		return w.Events > 0 && len(a.events) >= w.Events
	case "bookmark":
		return bookmark
	}
	return false
}

// bookmarkOf recognises bookmarks. Servers may send them at any time; the one
// that ends the initial events is part of the protocol.
func bookmarkOf(v any) (bookmark, endsInitial bool) {
	if kind, _ := lookup(v, "type"); kind != "BOOKMARK" {
		return false, false
	}
	end, _ := lookup(v, `object.metadata.annotations["k8s.io/initial-events-end"]`)
	return true, end == "true"
}

// eventKey orders the events of objects that were changed in no certain order; a bookmark comes last.
func eventKey(v any) string {
	kind, _ := lookup(v, "type")
	if kind == "BOOKMARK" {
		return "~"
	}
	name, _ := lookup(v, "object.metadata.name")
	return text(kind) + " " + text(name)
}
