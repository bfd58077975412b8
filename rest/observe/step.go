package observe

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/keys"
)

// StepKind says which part of a request a [Step] is.
type StepKind string

const (
	// StepPipeline is a step of a write. docs/design-of-rest.md lists the steps of a write in their order. If another
	// write commits first, the write repeats them.
	StepPipeline StepKind = "pipeline"
	// StepAdmission is all admission hooks of a write that mutate, or all that validate. It is within a StepPipeline.
	StepAdmission StepKind = "admission"
	// StepHook is one admission hook, within a StepAdmission. Its name is that of the [admission.Hook].
	StepHook StepKind = "hook"
	// StepWebhook is one call of an admission webhook, within a StepHook. Its name is that of the webhook.
	StepWebhook StepKind = "webhook"
	// StepPolicy is one evaluation of a ValidatingAdmissionPolicy, within a StepHook. Its name is that of the policy.
	StepPolicy StepKind = "policy"
	// StepRules is one evaluation of all rules of a kind for an object, within a StepPipeline.
	StepRules StepKind = "rules"
	// StepConversion is one call that converts objects outside of the process. Its name is the version to which it
	// converts.
	StepConversion StepKind = "conversion"
	// StepCommit is the time that the store needs to make a write durable and visible.
	StepCommit StepKind = "commit"
)

// Step is a part of a request that takes time. Steps of one request may be within each other, and webhooks may be
// called side by side.
type Step struct {
	Kind StepKind
	// Name tells apart steps of the same kind.
	Name string
	// Binding is the name of the ValidatingAdmissionPolicyBinding of a StepPolicy.
	Binding string
	// Operation is that of the admission request. It is empty for steps outside of admission.
	Operation admission.Operation
	// Mutating says that the step may change the object. Otherwise, it validates it.
	Mutating bool
}

// StepResult is how a [Step] ended. An [Observation] receives it.
type StepResult struct {
	// Err is the error of the step. In admission, it refuses the write, unless FailedOpen is set.
	Err error
	// Refused says that a webhook has answered, and that its answer refuses the write. Otherwise, an Err of a webhook says
	// why it failed.
	Refused bool
	// Code is the HTTP code of the answer of a webhook, or 0 if there was none.
	Code int
	// FailedOpen says that a webhook failed, and that its failure policy let the write go on.
	FailedOpen bool
	// Checks are what a StepPolicy does about validations that failed: one for each of them and each action.
	Checks []PolicyCheck
}

// PolicyCheck is what a policy does about one validation that failed.
type PolicyCheck struct {
	// Action is "deny", "warn" or "audit", as the binding says. It is "allow" if the validation could not be evaluated,
	// and the failure policy lets the write go on.
	Action string
	// Err is why the validation could not be evaluated. It is nil if the validation was false.
	Err error
}

// StepTimes are the times of the steps of the writes of one request, as far as the writes have come.
type StepTimes interface {
	// Each calls a function for each step that has begun, in the order of a write. A step that happens several times is
	// called once, and a step that a hook still holds has the time until now. The steps of a write by a hook belong to the
	// step that runs the hook.
	Each(func(step string, took time.Duration))
}

// Steps returns the Times as a list.
func (e Ended) Steps() (all []StepTime) {
	if e.Times != nil {
		e.Times.Each(func(step string, took time.Duration) { all = append(all, StepTime{step, took}) })
	}
	return all
}

// StepTime is how long a step has taken.
type StepTime struct {
	Name string
	Took time.Duration
}

// reporter is the observer of a request as its context carries it.
type reporter interface {
	Begin(ctx context.Context, s Step) (context.Context, func(StepResult))
}

// BeginStep reports the beginning of a step to the observers of the request whose context is ctx, if any. With any
// other context, ended is [Unobserved]. It is for plug-ins that wait for something, such as package rest/webhook.
// The step happens with the returned context, and the caller calls ended at its end.
func BeginStep(ctx context.Context, s Step) (within context.Context, ended func(StepResult)) {
	if observer, ok := ctx.Value(keys.Observer{}).(reporter); ok {
		return observer.Begin(ctx, s)
	}
	return ctx, Unobserved
}

// Unobserved is the end of a step that nobody waits for.
func Unobserved(StepResult) {}
