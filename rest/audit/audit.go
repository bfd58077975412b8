package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Options configure an [Audit]: what it records, and where it sends the events.
type Options struct {
	// Policy chooses what is recorded. [ReadPolicy] reads it from a file. Default: every request at [LevelMetadata].
	Policy *Policy
	// Outputs receive all events. At least one is required.
	Outputs []Output
	// Confidential are resources of the host whose objects contain credentials, besides those that the package knows:
	// Secrets, tokens of service accounts, and the group authentication.k8s.io. Their objects are recorded only if a rule
	// names the resource: [LevelRequest] for all resources of a group is [LevelMetadata] for them.
	Confidential []GroupResources
	// MaxObjectBytes limits a recorded object. A larger one is left out, and the event has the annotation
	// audit.k8s.io/truncated. Default: 1 MiB.
	MaxObjectBytes int
	// Budget also bounds the queues of [Batched] outputs, if it is set. Each queue takes its memory from a part of the
	// Budget, which may be the Budget of [rest.Options].
	Budget *storage.Budget
	// Logger receives an error when a sink begins to fail, and warnings about the policy. Default: errors only, to slog's
	// default logger.
	Logger *slog.Logger
}

const defaultMaxObjectBytes = 1 << 20

// Audit is the plug-in that records requests. Calls of in-process clients are not requests, and are not recorded.
type Audit struct {
	policy       *Policy
	confidential []GroupResources
	maxObject    int
	outputs      []*output
	logger       *slog.Logger
}

// New returns an Audit. It returns an error if the policy is invalid, or if an output has no sink.
func New(options Options) (*Audit, error) {
	policy := options.Policy
	if policy == nil {
		policy = &Policy{Rules: []PolicyRule{{Level: LevelMetadata}}}
	}
	if faults := policy.Validate(); len(faults) > 0 {
		return nil, fmt.Errorf("audit.New: Options.Policy: %w", faults)
	}
	if len(options.Outputs) == 0 {
		return nil, errors.New("audit.New: Options.Outputs must not be empty")
	}
	a := &Audit{
		policy: policy, confidential: slices.Concat(confidential(), options.Confidential), maxObject: options.MaxObjectBytes,
		logger: errorlog.Or(options.Logger),
	}
	if a.maxObject <= 0 {
		a.maxObject = defaultMaxObjectBytes
	}
	for i, o := range options.Outputs {
		if o.Sink == nil {
			return nil, fmt.Errorf("audit.New: Options.Outputs[%d].Sink must be set", i)
		}
		a.outputs = append(a.outputs, newOutput(o, options.Budget, a.logger))
	}
	for _, ignored := range policy.Ignored() {
		a.logger.Warn("the audit policy has a fault that kube-apiserver ignores too", "fault", ignored)
	}
	return a, nil
}

// Plug implements [rest.Plugin]. [rest.API.Start] starts the [Batched] outputs, and [rest.API.Shutdown] writes what
// they hold. Requests that end later than that, such as watches, write their last events themselves.
func (a *Audit) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	return rest.PluginParts{
		Name: "audit", Observer: a,
		Start: func(ctx context.Context, _ *rest.API) error {
			for _, o := range a.outputs {
				o.start(ctx)
			}
			return nil
		},
		Stop: a.stop,
	}, nil
}

// stop waits until the outputs have written their queues. If ctx ends first, it abandons the sinks.
func (a *Audit) stop(ctx context.Context) error {
	var errs []error
	for _, o := range a.outputs {
		err := rest.Wait(ctx, &o.running)
		if err != nil {
			o.abandon()
			err = fmt.Errorf("%d audit events are not written: %w", o.stats().Queued, err)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Stats returns what has happened to the events of each output, in the order of [Options].Outputs.
func (a *Audit) Stats() []Stats {
	all := make([]Stats, len(a.outputs))
	for i, o := range a.outputs {
		all[i] = o.stats()
	}
	return all
}

// record sends an event to all outputs. It returns an error if a [Strict] output fails.
func (a *Audit) record(ctx context.Context, e *Event) error {
	var errs []error
	for _, o := range a.outputs {
		if err := o.accept(ctx, e); err != nil && o.Mode == Strict {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Observe implements [observe.Observer].
func (a *Audit) Observe(ctx context.Context, r *observe.Request) (context.Context, observe.Observation, error) {
	client := r.Access
	switch {
	case status.IsUnauthorized(r.Refused):
		client.User = access.User{}
	case r.Sender != nil:
		client.User = *r.Sender
	}
	decision := a.policy.Evaluate(client)
	withheld := decision.withhold(&client, a.confidential)
	if decision.Level == LevelNone {
		return nil, observe.Observation{}, nil
	}
	t := newTrail(a, r, client, decision, withheld)
	observation := observe.Observation{Bodies: decision.Level.includes(LevelRequest) && client.Path == "",
		MaxAnswer: int64(a.maxObject), Ended: t.ended}
	if !decision.Level.includes(LevelRequestResponse) {
		observation.MaxAnswer = -1
	}
	if t.unknown {
		return nil, observation, nil
	}
	if r.LongRunning {
		observation.Started = t.started
	}
	if err := t.received(ctx); err != nil {
		return nil, observe.Observation{}, fmt.Errorf("the request is refused, because it cannot be audited: %w", err)
	}
	return context.WithValue(ctx, trailKey{}, t), observation, nil
}
