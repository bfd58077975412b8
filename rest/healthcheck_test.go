package rest_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/observe"
)

// lights is a check whose result the test sets.
type lights struct{ err error }

func (l *lights) check(context.Context) error { return l.err }

func TestHealthChecksOfTheHost(t *testing.T) {
	var billing, engine lights
	var log bytes.Buffer
	api := apitest.New(t, rest.Options{
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Health: rest.Health{Checks: []observe.HealthCheck{{Name: "billing", Check: billing.check}}},
		Plugins: []rest.Plugin{rest.PluginParts{Name: "engine", HealthChecks: []observe.HealthCheck{
			{Name: "engine", Check: engine.check, Endpoints: []observe.HealthEndpoint{observe.Livez, observe.Readyz}},
		}}},
	})
	get := func(path string) apitest.Answer { return apitest.Do(t, api, "GET", path, "") }
	assert.Equal(t, "[+]ping ok\n[+]store ok\n[+]billing ok\n[+]engine ok\n[+]shutdown ok\nreadyz check passed\n",
		get("/readyz?verbose").Body)
	assert.Equal(t, "[+]ping ok\n[+]engine ok\nlivez check passed\n", get("/livez?verbose").Body)
	assert.Equal(t, "[+]ping ok\nhealthz check passed\n", get("/healthz?verbose").Body)
	assert.Equal(t, "ok", get("/readyz/billing").Body)
	assert.Equal(t, 404, get("/livez/billing").Code, "the check does not belong to this endpoint")

	billing.err = errors.New("10.0.0.7 refuses the password")
	for range 3 {
		answer := get("/readyz")
		assert.Equal(t, 500, answer.Code)
		assert.Equal(t, "[+]ping ok\n[+]store ok\n[-]billing failed: reason withheld\n[+]engine ok\n[+]shutdown ok\nreadyz check failed\n", answer.Body)
	}
	assert.Equal(t, "ok", get("/livez").Body)
	assert.Equal(t, "ok", get("/readyz?exclude=billing").Body)
	answer := get("/readyz/billing")
	assert.Equal(t, 500, answer.Code)
	assert.Equal(t, "internal server error: 10.0.0.7 refuses the password\n", answer.Body)
	billing.err = nil
	assert.Equal(t, "ok", get("/readyz").Body)
	assert.Equal(t, 1, bytes.Count(log.Bytes(),
		[]byte(`msg="health check failed" check=billing error="10.0.0.7 refuses the password"`)),
		"only the first failure is logged")
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte(`msg="health check recovered" check=billing`)))
}

func TestAHealthCheckThatPanicsFails(t *testing.T) {
	var log bytes.Buffer
	api := apitest.New(t, rest.Options{
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Health: rest.Health{Checks: []observe.HealthCheck{{Name: "wild",
			Check: func(context.Context) error { panic("secret") }}}},
	})
	assert.Contains(t, apitest.Do(t, api, "GET", "/readyz", "").Body, "[-]wild failed: reason withheld\n")
	answer := apitest.Do(t, api, "GET", "/readyz/wild", "")
	assert.Equal(t, 500, answer.Code)
	assert.Equal(t, "internal server error: the check panicked\n", answer.Body)
	assert.Contains(t, log.String(), "panic=secret")
	assert.Contains(t, log.String(), "healthcheck_test.go", "the log has the stack")
}

// A check that ignores its time limit fails in time and runs once, however often somebody asks. The other checks do not
// wait for it.
func TestHealthChecksHaveATimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		release := make(chan struct{})
		api := apitest.New(t, rest.Options{Health: rest.Health{Checks: []observe.HealthCheck{
			{Name: "stuck", Check: func(context.Context) error { calls.Add(1); <-release; return nil }},
			{Name: "slow", Check: func(ctx context.Context) error {
				<-ctx.Done()
				return errors.New("no answer of the ledger")
			}},
		}}})
		begin := time.Now()
		answer := apitest.Do(t, api, "GET", "/readyz", "")
		assert.Contains(t, answer.Body, "[-]stuck failed: reason withheld\n[-]slow failed: reason withheld\n")
		assert.Equal(t, 1100*time.Millisecond, time.Since(begin), "the checks run at the same time")
		assert.Equal(t, "internal server error: the check did not return within 1s\n",
			apitest.Do(t, api, "GET", "/readyz/stuck", "").Body)
		assert.Equal(t, "internal server error: no answer of the ledger\n",
			apitest.Do(t, api, "GET", "/readyz/slow", "").Body)
		assert.EqualValues(t, 1, calls.Load())
		close(release)
		synctest.Wait()
		assert.Equal(t, "ok", apitest.Do(t, api, "GET", "/readyz/stuck", "").Body)
	})
}

func TestWrongHealthChecksAreRefused(t *testing.T) {
	fine := func(context.Context) error { return nil }
	for name, c := range map[string]struct {
		checks []observe.HealthCheck
		want   string
	}{
		"bad name": {[]observe.HealthCheck{{Name: "a/b", Check: fine}},
			`health check "a/b": the name is not a DNS label`},
		"without function": {[]observe.HealthCheck{{Name: "a"}}, `health check "a": Check is nil`},
		"negative timeout": {[]observe.HealthCheck{{Name: "a", Check: fine, Timeout: -1}},
			`health check "a": Timeout is negative`},
		"name of the API": {[]observe.HealthCheck{{Name: "ping", Check: fine}},
			`health check "ping": the API has a check of this name`},
		"twice": {[]observe.HealthCheck{{Name: "a", Check: fine}, {Name: "a", Check: fine}},
			`health check "a": declared twice`},
		"unknown endpoint": {[]observe.HealthCheck{{Name: "a", Check: fine, Endpoints: []observe.HealthEndpoint{"startz"}}},
			`health check "a": unknown endpoint "startz"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rest.New(rest.Options{Health: rest.Health{Checks: c.checks}})
			require.EqualError(t, err, "rest.New: "+c.want)
		})
	}
}
