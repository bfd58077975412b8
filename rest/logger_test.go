package rest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// defaultLog makes slog's default logger write to the log until the test ends.
func defaultLog(t *testing.T, log *strings.Builder) {
	t.Helper()
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
}

// A host that has set no logger sees in its own log why a request has failed.
func TestFailuresAreSeenWithoutALogger(t *testing.T) {
	const secret = "the disk is full"
	for _, c := range []struct {
		name    string
		options rest.Options
		option  widgetOption
	}{
		{"a hook that fails", rest.Options{}, withDefault(func(context.Context, *Widget) error { return errors.New(secret) })},
		{"a hook that panics", rest.Options{}, withValidate(func(context.Context, *Widget, *Widget) status.FieldErrors { panic(secret) })},
		{"a hook that runs out of its own time", rest.Options{}, withDefault(func(context.Context, *Widget) error {
			return errors.Join(errors.New(secret), context.DeadlineExceeded)
		})},
		{"an admission hook that panics", rest.Options{Admission: []rest.Admission{validating("v", func(context.Context, *rest.AdmissionRequest) error { panic(secret) })}}, func(*rest.Resource[Widget]) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			defaultLog(t, &log)
			api := newAPI(t, c.options, widgetResource(c.option))
			a := do(t, api, "POST", widgets, widgetBody(`"name":"a"`))
			assert.GreaterOrEqual(t, a.Code, 500)
			assert.NotContains(t, a.Body, secret)
			assert.Equal(t, 1, strings.Count(log.String(), "level=ERROR"), log.String())
			assert.Equal(t, 1, strings.Count(log.String(), secret), "told once: %s", log.String())
			assert.Contains(t, log.String(), widgets)
		})
	}
}

// A hook may refuse a request with 503 on purpose. The log says so, but not as an error of the server.
func TestADeliberate503IsAWarning(t *testing.T) {
	for _, c := range []struct {
		name, level string
		err         error
	}{
		{"chosen", "level=WARN", status.ServiceUnavailable("nothing runs here")},
		{"with a cause", "level=ERROR", status.ServiceUnavailable("nothing runs here").WithCause(errors.New("the disk is full"))},
		{"wrapped", "level=ERROR", fmt.Errorf("the proxy: %w", status.ServiceUnavailable("nothing runs here"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			options := rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
			api := newAPI(t, options, widgetResource(withDefault(func(context.Context, *Widget) error { return c.err })))
			a := do(t, api, "POST", widgets, widgetBody(`"name":"a"`))
			assert.Equal(t, 503, a.Code)
			assert.Equal(t, 1, strings.Count(log.String(), c.level), log.String())
			assert.Equal(t, 1, strings.Count(log.String(), "level="), log.String())
		})
	}
}

// Errors that the client causes, and those that occur in normal operation, do not reach the host's log.
func TestTheDefaultLogHasOnlyErrors(t *testing.T) {
	var log strings.Builder
	defaultLog(t, &log)
	synctest.Test(t, func(t *testing.T) { // so that waiting for a version takes no time
		causeErrors(t)
	})
	assert.Empty(t, log.String())
}

// causeErrors makes an API answer with errors that the host did not cause.
func causeErrors(t *testing.T) {
	api := newWidgets(t, withDefault(func(ctx context.Context, w *Widget) error {
		if w.Name != "gone" {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}))
	create(t, api, "a")
	assert.Equal(t, 409, do(t, api, "POST", widgets, widgetBody(`"name":"a"`)).Code)
	assert.Equal(t, 422, do(t, api, "POST", widgets, widgetBody(`"name":"A"`)).Code)
	assert.Equal(t, 404, do(t, api, "GET", widgets+"/none", "").Code)
	assert.Equal(t, 504, do(t, api, "GET", widgets+"?resourceVersion=99999999999999", "").Code, "a version that is not reached")

	left, leave := context.WithCancel(t.Context())
	leave()
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(left, "POST", widgets, strings.NewReader(widgetBody(`"name":"gone"`)))
	request.Header.Set("Content-Type", "application/json")
	api.ServeHTTP(answer, request)
	assert.Equal(t, 504, answer.Code, "a client that has left")

	require.NoError(t, api.Close())
	assert.Equal(t, 503, do(t, api, "GET", widgets, "").Code)
}
