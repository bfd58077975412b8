package cel_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/observe"
)

// evaluations is an observer that counts the evaluations of rules.
type evaluations struct{ begun, ended int }

// Observe implements [observe.Observer].
func (e *evaluations) Observe(context.Context, *observe.Request) (context.Context, observe.Observation, error) {
	return nil, observe.Observation{Brief: true,
		Step: func(_ context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
			if s.Kind != observe.StepRules {
				return nil, nil
			}
			e.begun++
			return nil, func(observe.StepResult) { e.ended++ }
		}}, nil
}

// An observer learns of each evaluation of the rules of a kind.
func TestObserversSeeTheEvaluationOfRules(t *testing.T) {
	seen := &evaluations{}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{rest.PluginParts{Name: "seen", Observer: seen}}},
		rest.Resource[Widget]{
			Group: "example.com", Version: "v1", Plural: "widgets",
			Rules: cel.New(cel.Rules{"WidgetSpec": {{Rule: "self.min <= 1"}}})})
	require.NoError(t, err)
	defer api.Close()
	for i, spec := range []string{`{"min":1}`, `{"min":2}`} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", widgetsPath,
			strings.NewReader(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":`+spec+`}`))
		r.Header.Set("Content-Type", "application/json")
		api.ServeHTTP(httptest.NewRecorder(), r)
		assert.Equal(t, evaluations{i + 1, i + 1}, *seen, spec)
	}
}
