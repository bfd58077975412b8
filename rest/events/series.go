package events

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/builtin"
)

const (
	// finishTime is how long after the last repetition a series ends.
	finishTime = 6 * time.Minute
	// refreshTime is the time between two writes of the count of a series.
	refreshTime = 30 * time.Minute
	// maxSeries limits how many events the recorder remembers. It cannot recognize repetitions of older events.
	maxSeries = 4096
)

// identity holds the fields that are equal in all occurrences of an event.
type identity struct {
	source
	reason, action string
}

// tracked is an event whose repetitions the recorder counts.
type tracked struct {
	event   builtin.CoreEvent // the first occurrence
	count   int32             // the number of occurrences
	last    apimeta.MicroTime // the time of the last occurrence
	written int32             // the count in the API; 0 before the event is created
}

// text returns the event with its current count.
func (t *tracked) text() *builtin.CoreEvent {
	e := t.event
	if t.count > 1 {
		e.Series = &builtin.CoreEventSeries{Count: t.count, LastObservedTime: t.last}
	}
	return &e
}

// take counts an occurrence, and writes the event if it is new or becomes a series.
func (r *Recorder) take(ctx context.Context, e *builtin.CoreEvent) error {
	object := e.InvolvedObject
	object.ResourceVersion = ""
	id := identity{source: source{object, e.Type}, reason: e.Reason, action: e.Action}
	t := r.series[id]
	if t != nil {
		t.count++
		t.last = e.EventTime
		if t.count > 2 || !r.spam.allow(id.source, e.EventTime.Time) {
			return nil
		}
		return r.write(ctx, t)
	}
	if !r.spam.allow(id.source, e.EventTime.Time) {
		r.dropped.Add(1)
		return nil
	}
	t = &tracked{event: *e, count: 1, last: e.EventTime}
	if len(r.series) < maxSeries {
		r.series[id] = t
	}
	return r.write(ctx, t)
}

// finish ends the series that have not been repeated for a while.
func (r *Recorder) finish(ctx context.Context) error {
	for id, t := range r.series {
		if time.Since(t.last.Time) < finishTime {
			continue
		}
		delete(r.series, id)
		if t.count > max(1, t.written) {
			if err := r.write(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// refresh writes the counts of the series. These writes also keep the events from expiring.
func (r *Recorder) refresh(ctx context.Context) error {
	for _, t := range r.series {
		if t.count > max(1, t.written) {
			if err := r.write(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}
