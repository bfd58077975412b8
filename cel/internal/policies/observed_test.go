package policies_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/observe"
)

// watcher is an observer that keeps how the evaluations of policies ended.
type watcher struct{ checks []observe.PolicyCheck }

func (w *watcher) Observe(context.Context, *observe.Request) (context.Context, observe.Observation, error) {
	return nil, observe.Observation{Step: func(_ context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
		if s.Kind != observe.StepPolicy || s.Name != "p" || s.Binding == "" {
			return nil, nil
		}
		return nil, func(r observe.StepResult) { w.checks = append(w.checks, r.Checks...) }
	}}, nil
}

// An observer learns what a policy does about validations that failed.
func TestObserversSeeTheChecksOfPolicies(t *testing.T) {
	for name, c := range map[string]struct {
		spec, binding string
		want          []string // the actions
		fails         bool     // the validations cannot be evaluated
	}{
		"true": {`"validations": [{"expression": "true"}]`, `"validationActions": ["Deny"]`, nil, false},
		"false": {`"validations": [{"expression": "false"}]`, `"validationActions": ["Deny", "Audit"]`,
			[]string{"deny", "audit"}, false},
		"two are false": {`"validations": [{"expression": "false"}, {"expression": "1 > 2"}]`,
			`"validationActions": ["Warn"]`, []string{"warn", "warn"}, false},
		"an error": {`"validations": [{"expression": "object.spec.parts[7].size > 0"}]`, `"validationActions": ["Deny"]`,
			[]string{"deny"}, true},
		"an error that is ignored": {`"failurePolicy": "Ignore", "validations": [{"expression": "object.spec.parts[7].size > 0"}]`,
			`"validationActions": ["Deny"]`, []string{"allow"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			seen := &watcher{}
			s := newServer(t, rest.Options{Plugins: []rest.Plugin{rest.PluginParts{Name: "seen", Observer: seen}}}, false)
			s.policy(c.spec, c.binding)
			s.send(http.MethodPost, widgetsPath, widget("a", `"size": 1`))
			var actions []string
			for _, check := range seen.checks {
				actions = append(actions, check.Action)
				assert.Equal(t, c.fails, check.Err != nil)
			}
			assert.Equal(t, c.want, actions)
		})
	}
}
