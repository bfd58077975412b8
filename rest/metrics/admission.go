package metrics

import (
	"context"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// step times the steps of admission, and counts the calls of webhooks.
func (m *observer) step(_ context.Context, s rest.Step) (context.Context, func(rest.StepResult)) {
	if s.Kind != rest.StepAdmission && s.Kind != rest.StepHook && s.Kind != rest.StepWebhook {
		return nil, nil
	}
	began := time.Now()
	return nil, func(r rest.StepResult) {
		took, rejected := time.Since(began).Seconds(), strconv.FormatBool(r.Err != nil && !r.FailedOpen)
		switch operation := string(s.Operation); s.Kind {
		case rest.StepAdmission:
			m.phases.WithLabelValues(operation, rejected, phaseOf(s, "validate")).Observe(took)
		case rest.StepHook:
			m.controllers.WithLabelValues(s.Name, operation, rejected, phaseOf(s, "validate")).Observe(took)
		default:
			m.webhooks.WithLabelValues(s.Name, operation, rejected, phaseOf(s, "validating")).Observe(took)
			m.countCall(s, r, rejected)
		}
	}
}

// phaseOf returns the label type: upstream calls the validating phase validate for hooks, and validating for webhooks.
func phaseOf(s rest.Step, validating string) string {
	if s.Mutating {
		return "admit"
	}
	return validating
}

// countCall counts one call of a webhook.
func (m *observer) countCall(s rest.Step, r rest.StepResult, rejected string) {
	phase, code := phaseOf(s, "validating"), strconv.Itoa(r.Code)
	m.webhookCalls.WithLabelValues(code, s.Name, string(s.Operation), rejected, phase).Inc()
	switch {
	case r.FailedOpen:
		m.failedOpen.WithLabelValues(s.Name, phase).Inc()
	case r.Err != nil && r.Code == 0:
		m.webhookErrors.WithLabelValues("calling_webhook_error", s.Name, string(s.Operation), "0", phase).Inc()
	case r.Err != nil:
		code := strconv.Itoa(status.CodeOf(status.From(r.Err)))
		m.webhookErrors.WithLabelValues("no_error", s.Name, string(s.Operation), code, phase).Inc()
	}
}
