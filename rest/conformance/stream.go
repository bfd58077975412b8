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
	opened chan struct{} // closed when the headers have arrived, or an error
	events chan any
	closed chan struct{} // closed when no more events come
	done   chan struct{} // closed when the reader has ended

	resp   *http.Response // valid after opened
	err    error          // valid after opened
	broken bool           // valid after closed: not a stream of JSON documents
}

// openingWait bounds the wait for the headers of a watch that must see later steps. A server that
// sends no headers before the first event would otherwise block the case.
const openingWait = 20 * time.Second

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

// waitOpen waits until the server has started the watch, so that the watch sees the next steps.
func (st *stream) waitOpen(ctx context.Context) {
	timer := time.NewTimer(openingWait)
	defer timer.Stop()
	select {
	case <-st.opened:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// stop ends the watch and waits for its goroutine.
func (st *stream) stop() {
	st.cancel()
	<-st.done
	if st.resp != nil {
		st.resp.Body.Close()
	}
}

// collect reads events until the case has what it needs, the server ends the stream, or the time is
// over. Then it ends the watch.
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
			if len(st.events) == 0 { // otherwise the stream ended after events that are still to be read
				return closedByServer
			}
		case <-timeout:
			return timedOut
		}
	}
}

// addEvent adds an event, and reports whether the watch has what it waits for.
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

// bookmarkOf reports whether v is a bookmark, and whether it ends the initial events. Servers may
// send bookmarks at any time, but the one that ends the initial events is part of the protocol.
func bookmarkOf(v any) (bookmark, endsInitial bool) {
	if kind, _ := lookup(v, "type"); kind != "BOOKMARK" {
		return false, false
	}
	end, _ := lookup(v, `object.metadata.annotations["k8s.io/initial-events-end"]`)
	return true, end == "true"
}

// eventKey returns the sort key for events whose order is not defined. A bookmark comes last.
func eventKey(v any) string {
	kind, _ := lookup(v, "type")
	if kind == "BOOKMARK" {
		return "~"
	}
	name, _ := lookup(v, "object.metadata.name")
	return text(kind) + " " + text(name)
}
