package webhook_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/rest/webhook"
)

// ends is an observer that keeps how the calls of webhooks ended.
type ends struct{ results []observe.StepResult }

func (e *ends) Observe(context.Context, *observe.Request) (context.Context, observe.Observation, error) {
	return nil, observe.Observation{Step: func(_ context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
		if s.Kind != observe.StepWebhook {
			return nil, nil
		}
		return nil, func(r observe.StepResult) { e.results = append(e.results, r) }
	}}, nil
}

// An observer learns the HTTP code of the answer, and whether the webhook refuses the write or fails.
func TestObserversSeeHowCallsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		path, policy string
		want         observe.StepResult // Err only says whether there is one
	}{
		"allowed":    {path: "/allow", want: observe.StepResult{Code: 200}},
		"refused":    {path: "/deny", want: observe.StepResult{Code: 200, Refused: true, Err: assert.AnError}},
		"failed":     {path: "/fail", want: observe.StepResult{Code: 502, Err: assert.AnError}},
		"redirected": {path: "/elsewhere", want: observe.StepResult{Code: 302, Err: assert.AnError}},
		"failed open": {path: "/fail", policy: `"failurePolicy":"Ignore"`,
			want: observe.StepResult{Code: 502, Err: assert.AnError, FailedOpen: true}},
		"no answer": {path: "/abort", want: observe.StepResult{Err: assert.AnError}},
	} {
		t.Run(name, func(t *testing.T) {
			seen := &ends{}
			w := newWorldWith(t, webhook.Options{},
				rest.Options{Plugins: []rest.Plugin{rest.PluginParts{Name: "ends", Observer: seen}}})
			w.answers("/allow", allow)
			w.answers("/deny", deny)
			w.handle("/fail", func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusBadGateway) })
			w.handle("/elsewhere", func(out http.ResponseWriter, r *http.Request) {
				http.Redirect(out, r, "/allow", http.StatusFound)
			})
			w.handle("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
			w.validating("one", hook{path: c.path, more: c.policy})
			w.do("POST", gears, gear("a", ""))
			if assert.Len(t, seen.results, 1) {
				got := seen.results[0]
				assert.Equal(t, c.want.Err != nil, got.Err != nil)
				got.Err = c.want.Err
				assert.Equal(t, c.want, got)
			}
		})
	}
}
