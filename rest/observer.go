package rest

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/steps"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// Observer observes the requests of an API: for logs, metrics, traces and audits. A [Plugin] has one in its [Parts]. An
// API without an Observer spends nothing on it. Packages rest/audit and rest/requestlog, and modules rest/metrics and
// rest/tracing, are built on it.
//
// An Observer sees the requests that [API.ServeHTTP] receives, health checks and failed requests too. It does not see
// the calls of in-process clients. But if a hook calls the API with its context, the steps and the changes of that call
// belong to the request that runs the hook.
type Observer interface {
	// Observe begins to observe a request. The API calls it once for each request, when the user and the access are known
	// and the Authorizer has decided, and before the request acts. For a request that fails earlier, r.Refused is the
	// error. A request that the API answers before it knows the user, such as the preflight of a browser, is observed at
	// its end.
	//
	// The request goes on with the returned context, which hooks and webhooks receive. A nil context changes nothing. The
	// API calls the functions of the Observation while the request runs.
	//
	// If Observe returns an error, the request is refused and does nothing: with this error if it is one of package
	// status, and otherwise with a 500 whose text only the log gets. Other observers still observe the request.
	Observe(ctx context.Context, r *ObservedRequest) (context.Context, Observation, error)
}

// ObservedRequest is a request that an [Observer] begins to observe. Later versions of this package may add fields. An
// Observer may keep it, but must not change it.
type ObservedRequest struct {
	// Received is when the API received the request.
	Received time.Time
	// HTTP is the request as the API received it. Its headers may contain credentials. An Observer must not read its body.
	HTTP *http.Request
	// AuditID names the request in its answer, in the header Audit-ID, and in the log.
	AuditID string
	// Access is the user and what the request does. It is read from the URL, so it has no name in a create.
	Access access.Access
	// Sender is the user who sent the request, if the sender impersonates Access.User. Otherwise it is nil.
	Sender *access.User
	// Unknown says that the API serves nothing at the path, so that a client may have chosen any name in it.
	Unknown bool
	// Declared is the path as the API or a plug-in serves it, if the request is outside of all resources: /version, for
	// example. A path of [Parts.Paths] that ends with a slash stands for all paths below it. Declared is empty if Unknown
	// is set, so clients cannot choose it.
	Declared string
	// LongRunning says that the request is a watch or a stream, which ends when its client or the API ends it.
	LongRunning bool
	// Deprecated says that the version in the path is deprecated, see [Stage].
	Deprecated bool
	// DryRun says that the query asks for a write that is not stored.
	DryRun bool
	// Authorized says that the Authorizer was asked. Decision is its decision.
	Authorized bool
	Decision   access.Decision
	// Refused is the error that keeps the request from acting, such as 401, 403, 405 or 429. It is nil for a request that
	// acts.
	Refused error
}

// SourceIPs returns the addresses of the client and of the proxies between it and the API, the client first: those of
// the header X-Forwarded-For, else that of X-Real-Ip, and then that of the connection. A client can forge the headers,
// so only the last address is certain.
func (r *ObservedRequest) SourceIPs() []string {
	ips := make([]string, 0, 1)
	add := func(text string) {
		if ip := canonicalIP(text); ip != "" {
			ips = append(ips, ip)
		}
	}
	h := r.HTTP.Header
	for _, list := range h["X-Forwarded-For"] {
		for text := range strings.SplitSeq(list, ",") {
			add(strings.Clone(strings.TrimSpace(text))) // whoever keeps an address must not keep the list
		}
	}
	if real := h["X-Real-Ip"]; len(ips) == 0 && len(real) > 0 {
		add(strings.TrimSpace(real[0]))
	}
	host, _, err := net.SplitHostPort(r.HTTP.RemoteAddr)
	if err != nil {
		host = r.HTTP.RemoteAddr
	}
	if ip := canonicalIP(host); ip != "" && (len(ips) == 0 || ips[len(ips)-1] != ip) {
		ips = append(ips, ip)
	}
	return ips
}

// canonicalIP returns an address in the form in which all write it, or "" for other texts.
func canonicalIP(text string) string {
	ip, err := netip.ParseAddr(text)
	switch {
	case err != nil || ip.Zone() != "":
		return ""
	case ip.Is4():
		return text // has only one form
	}
	return ip.Unmap().String()
}

// Observation is what an [Observer] wants to know of one request. All fields are optional. Later versions of this
// package may add fields.
//
// The API calls the functions one at a time, perhaps from several goroutines, and none of them after Ended. They must
// return soon, because the request waits for them, and they must not call the API.
type Observation struct {
	// Bodies asks for the objects of the request and of the answer, which Ended receives. They cost memory until then.
	Bodies bool
	// MaxAnswer is the size, in bytes, up to which Bodies asks for the object or the list in the answer. Zero is no limit,
	// and a negative number asks for no answer. Ended may receive a larger one if another Observer asks for it.
	MaxAnswer int64
	// Times asks for the times of the steps of kind [StepPipeline], which [EndedRequest.Steps] returns. They cost much
	// less than calls of Step.
	Times bool
	// Brief says that Step is not called for steps of kind [StepPipeline]. A write has about 20.
	Brief bool
	// Started is called when the answer begins, with its code. For a watch, this is before the first event.
	Started func(code int)
	// Step is called when a step of the request begins. It returns the context for what happens within the step, and a
	// function that the API calls when the step has ended. Both may be nil.
	Step func(ctx context.Context, s Step) (context.Context, func(StepResult))
	// Changed is called after the store has committed a change of an object, and not for dry runs. A deletion of a
	// collection changes many objects.
	Changed func(Change)
	// Sent is called when a watch sends an event, with its size in bytes, and before its bytes may have left the buffer of
	// the watch. A bookmark is an event.
	Sent func(bytes int)
	// Listed is called when a watch has sent the objects that existed when it began, if its client asked for them. This is
	// after their events, and the bookmark behind them.
	Listed func()
	// Ended is called once, at the end of the request.
	Ended func(EndedRequest)
}

// StepKind says what a [Step] belongs to.
type StepKind string

const (
	// StepPipeline is a step of a write. docs/design-of-rest.md lists the steps of a write in their order. If another
	// write commits first, the write repeats them.
	StepPipeline StepKind = StepKind(steps.Pipeline)
	// StepAdmission is all admission hooks of a write that mutate, or all that validate. It is within a StepPipeline.
	StepAdmission StepKind = StepKind(steps.Admission)
	// StepHook is one admission hook, within a StepAdmission. Its name is that of the [admission.Hook].
	StepHook StepKind = StepKind(steps.Hook)
	// StepWebhook is one call of an admission webhook, within a StepHook. Its name is that of the webhook.
	StepWebhook StepKind = StepKind(steps.Webhook)
	// StepPolicy is one evaluation of a ValidatingAdmissionPolicy, within a StepHook. Its name is that of the policy.
	StepPolicy StepKind = StepKind(steps.Policy)
	// StepRules is one evaluation of all rules of a kind (see [Rules]) for an object, within a StepPipeline.
	StepRules StepKind = StepKind(steps.Rules)
	// StepConversion is one call that converts objects outside of the process. Its name is the version to which it
	// converts.
	StepConversion StepKind = StepKind(steps.Conversion)
	// StepCommit is the time that the store needs to make a write durable and visible.
	StepCommit StepKind = StepKind(steps.Commit)
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

// StepResult is how a [Step] ended.
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

// resultOf returns the exported form of an outcome.
func resultOf(out steps.Outcome) StepResult {
	r := StepResult{Err: out.Err, Refused: out.Refused, Code: out.Code, FailedOpen: out.FailedOpen}
	for _, c := range out.Checks {
		r.Checks = append(r.Checks, PolicyCheck(c))
	}
	return r
}

// outcome is the reverse of resultOf.
func (r StepResult) outcome() steps.Outcome {
	out := steps.Outcome{Err: r.Err, Refused: r.Refused, Code: r.Code, FailedOpen: r.FailedOpen}
	for _, c := range r.Checks {
		out.Checks = append(out.Checks, steps.Check(c))
	}
	return out
}

// Change is a committed change of one object.
type Change struct {
	// Resource is the plural of the resource, and its group, such as "widgets.example.com".
	Resource string
	// Namespace, Name and UID are those of the object.
	Namespace, Name, UID string
	// Revision is the revision of the change, which the resourceVersion of the object shows.
	Revision uint64
	// Before and After are the object in the stored version, as JSON, which nobody may change. Before is nil if the write
	// created the object. After is nil if the write removed the object.
	Before, After []byte
}

// EndedRequest is how an observed request ended. Later versions of this package may add fields.
type EndedRequest struct {
	// Duration is the time from the arrival of the request to its end.
	Duration time.Duration
	// Code is the HTTP code of the answer. It is 101 for a WebSocket. It is 0 if the client left without an answer.
	Code int
	// Bytes is the number of bytes of the body of the answer, as they were sent. Those of a WebSocket do not count.
	Bytes int64
	// Status is the Status with which the API answered, after a failure or a deletion. Otherwise it is nil.
	Status *status.Status
	// Err is the error with which the request failed. It may say more than clients may know.
	Err error
	// Aborted says that the API broke off the answer.
	Aborted bool
	// Abandoned says that a hook still works on the request, which nobody observes any more.
	Abandoned bool
	// Panic is the value of a panic in the request, and Stack is where it happened. Panic is nil without one.
	Panic any
	Stack []byte
	// Body is what the metadata in the body of the request says, if the body is an object.
	Body ObjectMetadata
	// Request is the body of the request as JSON, and Answer is the object in the answer as JSON, if [Observation].Bodies
	// is set. A patch is as the client sent it, which is YAML for some applied configurations. They are nil if there are
	// none, such as after errors and in watches. Nobody may change them.
	Request, Answer []byte
	// LeftOut says that Answer is nil because it is larger than all observers want, see [Observation].MaxAnswer.
	LeftOut bool

	times *steps.Times // of the writes of the request; nil unless an observer wants them
}

// Steps returns the times of the steps of kind [StepPipeline] if [Observation].Times is set, in the order of a write. A
// step that happens several times is one entry, and a step that a hook still holds has the time until now. The steps of
// a write by a hook belong to the step that runs the hook.
func (e EndedRequest) Steps() (all []StepTime) {
	e.times.Each(func(step int, took time.Duration) { all = append(all, StepTime{write.StepNames[step], took}) })
	return all
}

// StepTime is how long a step has taken.
type StepTime struct {
	Name string
	Took time.Duration
}

// ObjectMetadata is what identifies an object in the body of a request. Each field is empty if the body does not have
// it.
type ObjectMetadata struct {
	Namespace, Name, UID, ResourceVersion string
}

// BeginStep reports the beginning of a step to the observers of the request whose context is ctx, if there are any. It
// is for plug-ins that wait for something, such as package rest/webhook. The step happens with the returned context,
// and the caller calls ended at its end.
func BeginStep(ctx context.Context, s Step) (within context.Context, ended func(StepResult)) {
	observer := steps.ObserverOf(ctx)
	if observer == nil {
		return ctx, func(StepResult) {}
	}
	within, end := observer.Begin(ctx, steps.Step{
		Kind: steps.Kind(s.Kind), Name: s.Name, Binding: s.Binding, Operation: string(s.Operation), Mutating: s.Mutating,
	})
	return within, func(r StepResult) { end(r.outcome()) }
}
