// Package steps reports the steps of a request to its observer. The context of the request carries the observer, so
// that the rooms, and plug-ins that wait for webhooks, can report to it. Without an observer, a step costs nothing.
package steps

import "context"

// Kind is what a step belongs to.
type Kind string

// Step is a part of a request that takes time.
type Step struct {
	Kind Kind
	// Name tells steps of a kind apart.
	Name string
	// Binding is that of a policy.
	Binding string
	// Operation is that of the admission request. It is empty for steps outside of admission.
	Operation string
	// Mutating: the step may change the object.
	Mutating bool
}

// The kinds of steps.
const (
	Pipeline   Kind = "pipeline"
	Admission  Kind = "admission"
	Hook       Kind = "hook"
	Webhook    Kind = "webhook"
	Conversion Kind = "conversion"
	Policy     Kind = "policy"
	Rules      Kind = "rules"
	Commit     Kind = "commit"
)

// Outcome is how a step ended.
type Outcome struct {
	Err error
	// Refused: a webhook has answered, and refuses the request.
	Refused bool
	// Code is the HTTP code of the answer of a webhook, or 0 if there was none.
	Code int
	// FailedOpen: the webhook failed, and its failure policy let the request go on.
	FailedOpen bool
	// Checks are the validations of a policy that failed.
	Checks []Check
}

// Check is a validation of a policy that failed, and what the policy does about it.
type Check struct {
	Action string
	// Err is why the validation could not be evaluated. It is nil if it was false.
	Err error
}

// Change is a committed change of one object. Before is nil if the write created the object, and After is nil if the
// write removed it.
type Change struct {
	Resource, Namespace, Name, UID string
	Revision                       uint64
	Before, After                  []byte
}

// Observer receives the steps of one request. Any number of goroutines may call it.
type Observer interface {
	// Begin reports the beginning of a step. It returns the context for what happens within the step, and a function that
	// reports the end.
	Begin(ctx context.Context, s Step) (context.Context, func(Outcome))
	// Pipeline says how a write reports its steps of kind [Pipeline]: in times, unless it is nil, and each by Begin if
	// each is set.
	Pipeline() (times *Times, each bool)
	// Committed reports a change.
	Committed(ctx context.Context, c Change)
}

type observerKey struct{}

// In returns a context whose steps are reported to the observer.
func In(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

// ObserverOf returns the observer of the context, or nil.
func ObserverOf(ctx context.Context) Observer {
	o, _ := ctx.Value(observerKey{}).(Observer)
	return o
}

// Begin reports the beginning of a step to the observer of the context, if there is one.
func Begin(ctx context.Context, s Step) (context.Context, func(Outcome)) {
	if o := ObserverOf(ctx); o != nil {
		return o.Begin(ctx, s)
	}
	return ctx, Unobserved
}

// Unobserved is the end of a step that nobody waits for.
func Unobserved(Outcome) {}
