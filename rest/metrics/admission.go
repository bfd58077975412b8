package metrics

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// step times admission, commits and conversions, and counts the calls of webhooks.
func (m *observer) step(_ context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
	began := time.Now()
	switch s.Kind {
	case observe.StepCommit:
		return nil, func(observe.StepResult) { m.commits.Observe(time.Since(began).Seconds()) }
	case observe.StepRules:
		return nil, func(observe.StepResult) { m.rules.Observe(time.Since(began).Seconds()) }
	case observe.StepPolicy:
		return nil, func(r observe.StepResult) { m.countChecks(s, r, time.Since(began)) }
	case observe.StepConversion:
		return nil, func(observe.StepResult) { m.conversions.WithLabelValues(s.Name).Observe(time.Since(began).Seconds()) }
	}
	return nil, func(r observe.StepResult) {
		took, rejected := time.Since(began).Seconds(), strconv.FormatBool(r.Err != nil && !r.FailedOpen)
		switch operation := string(s.Operation); s.Kind {
		case observe.StepAdmission:
			m.phases.WithLabelValues(operation, rejected, phaseOf(s, "validate")).Observe(took)
		case observe.StepHook:
			m.controllers.WithLabelValues(s.Name, operation, rejected, phaseOf(s, "validate")).Observe(took)
		case observe.StepWebhook:
			m.webhooks.WithLabelValues(s.Name, operation, rejected, phaseOf(s, "validating")).Observe(took)
			m.countCall(s, r, rejected)
		}
	}
}

// phaseOf returns the label type: upstream calls the validating phase validate for hooks, and validating for webhooks.
func phaseOf(s observe.Step, validating string) string {
	if s.Mutating {
		return "admit"
	}
	return validating
}

// countCall counts one call of a webhook.
func (m *observer) countCall(s observe.Step, r observe.StepResult, rejected string) {
	phase, operation, code := phaseOf(s, "validating"), string(s.Operation), codeOf(r)
	m.webhookCalls.WithLabelValues(code, s.Name, operation, rejected, phase).Inc()
	switch {
	case r.FailedOpen:
		m.failedOpen.WithLabelValues(s.Name, phase).Inc()
	case r.Refused:
		m.webhookErrors.WithLabelValues("no_error", s.Name, operation, code, phase).Inc()
	case r.Err != nil:
		m.webhookErrors.WithLabelValues("calling_webhook_error", s.Name, operation, code, phase).Inc()
	}
}

// codeOf returns the label code of the call of a webhook: the code with which the webhook refuses a write, or else that
// of its answer. A webhook that could not be reached, or whose answer makes no sense, has 503.
func codeOf(r observe.StepResult) string {
	code := r.Code
	switch {
	case r.Refused:
		code = status.CodeOf(r.Err)
	case r.Err != nil && (code == 0 || code == http.StatusOK):
		code = http.StatusServiceUnavailable
	}
	return strconv.Itoa(code)
}

// countChecks counts what a policy does about validations that failed.
func (m *observer) countChecks(s observe.Step, r observe.StepResult, took time.Duration) {
	for _, c := range r.Checks {
		m.policyChecks.WithLabelValues(c.Action, faultOf(c.Err), s.Name, s.Binding).Inc()
		m.policies.WithLabelValues(c.Action, faultOf(c.Err), s.Name, s.Binding).Observe(took.Seconds())
	}
}

// faultOf returns the label error_type of a validation. The texts are those of API servers.
func faultOf(err error) string {
	switch {
	case err == nil:
		return "no_error"
	case strings.HasPrefix(err.Error(), "compilation error"):
		return "compile_error"
	case strings.Contains(err.Error(), "running out of cost budget"):
		return "out_of_budget"
	}
	return "invalid_error"
}
