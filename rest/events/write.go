package events

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// If the API is unreachable, the recorder tries to write an event at most maxTries times, with pauses of retryDelay
// plus a random time of up to a quarter of it. Other events wait during the retries.
const (
	maxTries   = 12
	retryDelay = 10 * time.Second
)

// write writes an event to the API. It returns an error only if the API is closed. If the context ends first, it keeps
// the event for flush.
func (r *Recorder) write(ctx context.Context, t *tracked) error {
	var err error
	for range maxTries {
		err = r.attempt(ctx, t)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, watch.ErrClosed):
			return err
		case ctx.Err() == nil && !temporary(err):
			r.lose(t, err)
			return nil
		}
		select {
		case <-time.After(retryDelay + rand.N(retryDelay/4)):
		case <-ctx.Done():
			r.held = append(r.held, t)
			return nil
		}
	}
	r.lose(t, err)
	return nil
}

// lose drops an event that cannot be written.
func (r *Recorder) lose(t *tracked, err error) {
	r.dropped.Add(1)
	level := slog.LevelError
	if namespaceGone(err) {
		level = slog.LevelDebug
	}
	r.options.Logger.Log(context.Background(), level, "an event is lost", "namespace", t.event.Namespace, "object",
		t.event.InvolvedObject.Name, "kind", t.event.InvolvedObject.Kind, "reason", t.event.Reason, "note", t.event.Message,
		"error", err)
}

// attempt tries once to write an event to the API.
func (r *Recorder) attempt(ctx context.Context, t *tracked) error {
	client := r.options.Client.Namespace(t.event.Namespace)
	if t.written > 0 {
		if err := r.update(ctx, client, t); !status.IsNotFound(err) {
			return err
		} // otherwise, another client has deleted the event
	}
	count := t.count
	_, err := client.Create(ctx, t.text())
	if status.IsAlreadyExists(err) {
		there, failed := client.Get(ctx, t.event.Name)
		switch {
		case failed != nil:
			return failed
		case there.ReportingInstance == t.event.ReportingInstance: // an earlier attempt succeeded, but its response was lost
			if t.written = 1; t.count == 1 {
				return nil
			}
			return r.update(ctx, client, t)
		}
		// At random, because recorders that began at the same instant would collide again.
		t.event.Name = r.nameAfter(t.event.InvolvedObject.Name, time.Now().Add(rand.N(time.Hour)))
		_, err = client.Create(ctx, t.text())
	}
	if err == nil {
		t.written = count
	}
	return err
}

// update writes the series of an event.
func (r *Recorder) update(ctx context.Context, client rest.Client[builtin.CoreEvent], t *tracked) error {
	count := t.count
	patch, err := json.Marshal(map[string]any{"series": t.text().Series})
	if err != nil {
		return err
	}
	if _, err = client.Patch(ctx, t.event.Name, apimeta.MergePatch, patch); err == nil {
		t.written = count
	}
	return err
}

// temporary reports whether a retry may succeed.
func temporary(err error) bool {
	var e *status.Error
	return !errors.As(err, &e) || status.IsTooManyRequests(err) || status.IsServiceUnavailable(err) ||
		status.IsServerTimeout(err) || status.IsTimeout(err)
}

// namespaceGone reports whether an event was refused because its namespace does not exist or is being deleted.
func namespaceGone(err error) bool {
	var e *status.Error
	if !errors.As(err, &e) || e.Status.Details == nil {
		return false
	}
	return status.IsNotFound(err) ||
		slices.ContainsFunc(e.Status.Details.Causes,
			func(c status.Cause) bool { return c.Type == status.CauseNamespaceTerminating })
}
