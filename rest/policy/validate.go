package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// maxMessage bounds the result of a messageExpression, in bytes.
const maxMessage = 5 << 10

// decision is what a validation of a policy says about the write.
type decision struct {
	denied  bool
	message string
	reason  status.Reason // empty if the policy could not be evaluated
	fault   error         // why the policy could not be evaluated, or nil
}

// validate evaluates validating policies, and refuses the write if one of them denies it.
func (w *reviewed) validate(ctx context.Context, active []activePolicy) error {
	all, failures := w.invocations(ctx, active)
	refused := refusals{w: w}
	for _, f := range failures {
		if !f.policy.ignore {
			refused.add(f.policy.name, f.binding, decision{message: f.message})
		}
	}
	notes := newAnnotations()
	for _, i := range all {
		in, err := w.input(ctx, i)
		if err != nil {
			return err
		}
		within, ended := observe.BeginStep(ctx, observe.Step{
			Kind: observe.StepPolicy, Name: i.name, Binding: i.binding.name, Operation: w.request.Operation,
		})
		v := w.validation(within, i, in)
		ended(observe.StepResult{Checks: v.checks(i)})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for n, d := range v.decisions {
			if d.denied {
				w.act(i, n, d, &refused, notes)
			}
		}
		for _, a := range v.annotations {
			if a.fault != "" {
				refused.add(i.name, i.binding.name, decision{message: a.fault})
			} else {
				notes.add(i.name, a.key, a.value)
			}
		}
	}
	w.publish(ctx, notes)
	return refused.err()
}

// act does what the binding asks for when a validation fails.
func (w *reviewed) act(i invocation, n int, d decision, refused *refusals, notes *annotations) {
	for _, action := range i.binding.actions {
		switch action {
		case ar.Deny:
			refused.add(i.name, i.binding.name, d)
		case ar.Warn:
			w.request.WarnAlways(fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s",
				i.name, i.binding.name, d.message))
		case ar.Audit:
			notes.failures = append(notes.failures, failedValidation{d.message, i.name, i.binding.name, n, i.binding.actions})
		}
	}
}

// validation is the outcome of a policy.
type validation struct {
	decisions   []decision
	annotations []annotation
}

// checks returns what the policy does about validations that failed, for those who observe the request.
func (v *validation) checks(i invocation) (all []observe.PolicyCheck) {
	for _, d := range v.decisions {
		switch {
		case d.denied:
			for _, action := range i.binding.actions {
				all = append(all, observe.PolicyCheck{Action: strings.ToLower(string(action)), Err: d.fault})
			}
		case d.fault != nil:
			all = append(all, observe.PolicyCheck{Action: "allow", Err: d.fault})
		}
	}
	return all
}

// annotation is an audit annotation, or the error that prevented it.
type annotation struct{ key, value, fault string }

// validation evaluates a policy.
func (w *reviewed) validation(ctx context.Context, i invocation, in *rules.Input) validation {
	failed := func(err error) validation { return validation{decisions: []decision{i.failed(err)}} }
	program, err := i.program(w.policies.language)
	if err != nil {
		return failed(err)
	}
	matches, err := w.matchConditions(ctx, program, in)
	if err != nil {
		return failed(err)
	}
	if !matches {
		return validation{}
	}
	evaluation := program.scope.Evaluate(in, rules.PolicyBudget)
	results, err := evaluate(ctx, evaluation, program.validations)
	if err != nil {
		return failed(err)
	}
	// Messages and annotations cannot ask the authorizer.
	unauthorized := *in
	unauthorized.Authorize = nil
	messages, messagesErr := evaluate(ctx, program.scope.Evaluate(&unauthorized, evaluation.Left()), program.messages)
	out := validation{decisions: make([]decision, len(results))}
	for n, r := range results {
		switch {
		case r.err != nil:
			out.decisions[n] = i.failed(r.err)
		case messagesErr != nil:
			out.decisions[n] = i.failed(fmt.Errorf("failed messageExpression: %w", messagesErr))
		case !r.value.Bool():
			v := &i.validating.Validations[n]
			out.decisions[n] = decision{denied: true, message: messageOf(v, messages[n]), reason: reasonOf(v)}
		}
	}
	values, err := evaluate(ctx, program.scope.Evaluate(&unauthorized, rules.PolicyBudget), program.annotations)
	if err != nil {
		return failed(err)
	}
	for n, r := range values {
		out.annotations = i.annotate(out.annotations, i.validating.AuditAnnotations[n].Key, r)
	}
	return out
}

// matchConditions reports whether the match conditions of a policy are true. They do not see the namespace.
func (w *reviewed) matchConditions(ctx context.Context, p *program, in *rules.Input) (bool, error) {
	seen := *in
	seen.Namespace = doc.Value{}
	matches, _, err := p.conditions.Match(ctx, &seen)
	return matches, err
}

// failed returns the decision of a policy that cannot be evaluated.
func (p *policy) failed(err error) decision {
	return decision{denied: !p.ignore, message: err.Error(), fault: err}
}

// annotate appends the annotation that an expression makes.
func (p *policy) annotate(list []annotation, key string, r result) []annotation {
	switch value := strings.TrimSpace(r.value.Text()); {
	case r.err != nil && p.ignore, r.err == nil && value == "":
		return list
	case r.err != nil:
		return append(list, annotation{fault: r.err.Error()})
	default:
		return append(list, annotation{key: key, value: value})
	}
}

// messageOf returns the message of a validation that failed.
func messageOf(v *ar.Validation, computed result) string {
	message := strings.TrimSpace(computed.value.Text())
	if len(message) > maxMessage || strings.Contains(message, "\n") {
		message = ""
	}
	return cmp.Or(message, strings.TrimSpace(v.Message), "failed expression: "+strings.TrimSpace(v.Expression))
}

func reasonOf(v *ar.Validation) status.Reason {
	if v.Reason == nil {
		return status.ReasonInvalid
	}
	return *v.Reason
}

// refusals are the denials of a write. Clients see the first one.
type refusals struct {
	w     *reviewed
	first *status.Error
}

func (r *refusals) add(policy, binding string, d decision) {
	if r.first != nil {
		return
	}
	of := fmt.Sprintf("ValidatingAdmissionPolicy '%s'", policy)
	if binding != "" {
		of += fmt.Sprintf(" with binding '%s'", binding)
	}
	message := of + " denied request: " + d.message
	r.first = r.w.forbidden(message)
	s := &r.first.Status
	s.Reason = cmp.Or(d.reason, status.ReasonInvalid)
	s.Code = codeOf(s.Reason)
	s.Details.Causes = append(s.Details.Causes, status.Cause{Message: message})
}

// err returns the error of the write, or nil.
func (r *refusals) err() error {
	if r.first == nil {
		return nil
	}
	return r.first
}

// forbidden returns the error that refuses the write with a message.
func (w *reviewed) forbidden(message string) *status.Error {
	return status.Forbidden(w.request.Resource.GroupResource(), cmp.Or(w.request.Name, "Unknown"), message)
}

// codeOf returns the HTTP status code for the reason of a validation.
func codeOf(r status.Reason) int32 {
	switch r {
	case status.ReasonForbidden:
		return http.StatusForbidden
	case status.ReasonUnauthorized:
		return http.StatusUnauthorized
	case status.ReasonRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusUnprocessableEntity
}

func isExhausted(err error) bool {
	_, ok := errors.AsType[*rules.Exhausted](err)
	return ok
}
