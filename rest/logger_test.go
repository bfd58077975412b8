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
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
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
		option  apitest.WidgetOption
	}{
		{"a hook that fails", rest.Options{},
			apitest.WithDefault(func(context.Context, *apitest.Widget) error { return errors.New(secret) })},
		{"a hook that panics", rest.Options{},
			apitest.WithValidate(func(context.Context, *apitest.Widget, *apitest.Widget) (status.FieldErrors, error) {
				panic(secret)
			})},
		{"a hook that runs out of its own time", rest.Options{},
			apitest.WithDefault(func(context.Context, *apitest.Widget) error {
				return errors.Join(errors.New(secret), context.DeadlineExceeded)
			})},
		{"an admission hook that panics", rest.Options{Admission: []admission.Hook{apitest.Validating("v",
			func(context.Context, *admission.Request) error { panic(secret) })}}, func(*rest.Resource[apitest.Widget]) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			defaultLog(t, &log)
			api := apitest.New(t, c.options, apitest.WidgetResource(c.option))
			a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
			assert.GreaterOrEqual(t, a.Code, 500)
			assert.NotContains(t, a.Body, secret)
			assert.Equal(t, 1, strings.Count(log.String(), "level=ERROR"), log.String())
			assert.Equal(t, 1, strings.Count(log.String(), secret), "told once: %s", log.String())
			assert.Contains(t, log.String(), apitest.Widgets)
		})
	}
}

// A hook may refuse a request with 503 on purpose. The log says so, but not as an error of the server.
func TestDeliberate503IsLoggedAsAWarning(t *testing.T) {
	for _, c := range []struct {
		name, level string
		err         error
	}{
		{"chosen", "level=WARN", status.ServiceUnavailable("nothing runs here")},
		{"with a cause", "level=ERROR",
			status.ServiceUnavailable("nothing runs here").WithCause(errors.New("the disk is full"))},
		{"wrapped", "level=ERROR", fmt.Errorf("the proxy: %w", status.ServiceUnavailable("nothing runs here"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			options := rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
			api := apitest.New(t, options,
				apitest.WidgetResource(apitest.WithDefault(func(context.Context, *apitest.Widget) error { return c.err })))
			a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
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
	synctest.Test(t, func(t *testing.T) { // in a bubble, waiting for a version takes no time
		causeErrors(t)
	})
	assert.Empty(t, log.String())
}

// causeErrors makes an API answer with errors that the host did not cause.
func causeErrors(t *testing.T) {
	api := apitest.NewWidgets(t, apitest.WithDefault(func(ctx context.Context, w *apitest.Widget) error {
		if w.Name != "gone" {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}))
	apitest.CreateWidget(t, api, "a")
	assert.Equal(t, 409, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)).Code)
	assert.Equal(t, 422, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"A"`)).Code)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/none", "").Code)
	assert.Equal(t, 504, apitest.Do(t, api, "GET", apitest.Widgets+"?resourceVersion=99999999999999", "").Code,
		"a version that is not reached")

	left, leave := context.WithCancel(t.Context())
	leave()
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(left, "POST", apitest.Widgets,
		strings.NewReader(apitest.WidgetBody(`"name":"gone"`)))
	request.Header.Set("Content-Type", "application/json")
	api.ServeHTTP(answer, request)
	assert.Equal(t, 504, answer.Code, "a client that has left")

	require.NoError(t, api.Close())
	assert.Equal(t, 503, apitest.Do(t, api, "GET", apitest.Widgets, "").Code)
}

// What a client or a hook chooses fills no disk and forges no line, whatever the handler of the host does with texts.
func TestCausesInTheLogAreShortAndOnOneLine(t *testing.T) {
	long := "a\nlevel=ERROR msg=forged " + strings.Repeat("x", 100_000)
	for name, fails := range map[string]error{
		"error": errors.New(long), "status with a cause": status.InternalError(errors.New(long)),
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			api := apitest.New(t, rest.Options{Logger: apitest.LoggerTo(&log)}, apitest.WidgetResource(
				apitest.WithDefault(func(context.Context, *apitest.Widget) error { return fails })))
			r := httptest.NewRequestWithContext(t.Context(), "POST", apitest.Widgets,
				strings.NewReader(apitest.WidgetBody(`"name":"a"`)))
			r.Header.Set("Content-Type", "application/json")
			api.ServeHTTP(httptest.NewRecorder(), r)
			assert.Contains(t, log.String(), "request failed")
			assert.Contains(t, log.String(), "forged")
			assert.Less(t, log.Len(), 10_000)
			assert.NotContains(t, log.String(), "\nlevel=ERROR msg=forged")
		})
	}
	t.Run("panic", func(t *testing.T) {
		var log strings.Builder
		api := apitest.New(t, rest.Options{Logger: apitest.LoggerTo(&log)}, apitest.WidgetResource(
			apitest.WithDefault(func(context.Context, *apitest.Widget) error { panic(long) })))
		apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
		assert.Contains(t, log.String(), "logger_test.go", "the stack")
		assert.Less(t, log.Len(), 30_000)
	})
}
