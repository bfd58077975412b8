package policy

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/mirror"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// Options configure [Policies].
type Options struct {
	// Rules bring the language of the expressions: cel.New(nil) of module cel. They are required.
	Rules rest.Rules
	// Audit, unless nil, receives the annotations that policies make about a write: for auditAnnotations, and for validations that fail in a
	// binding with the action Audit. The key is that of the annotation in Kubernetes' audit event. ctx is the context of an admission hook.
	// Audit may be called several times for one write, because the server starts again if another write commits first.
	Audit func(ctx context.Context, key, value string)
}

// Policies are the admission policies of one API. They have no goroutine.
type Policies struct {
	language rules.Admission
	audit    func(ctx context.Context, key, value string)
	of       atomic.Pointer[following]
}

// following is the index of the policies of an API.
type following struct {
	api *rest.API
	*mirror.Mirror[*index]
}

// New returns Policies. It returns an error if the options have no language.
func New(options Options) (*Policies, error) {
	language, err := rules.AdmissionOf(options.Rules)
	if err != nil {
		return nil, fmt.Errorf("policy.New: %w", err)
	}
	return &Policies{language: language, audit: options.Audit}, nil
}

// Admission returns the hooks that evaluate the policies, for [rest.Options]. Mutating policies mutate the objects of a write where the hooks
// stand in the list. While the API has no policies with bindings, the hooks cost nothing.
func (p *Policies) Admission() []rest.Admission {
	return []rest.Admission{
		{
			Name: "mutatingadmissionpolicy", SideEffects: rest.SideEffectsNone, Idle: p.idle(mutatingHalf),
			Operations: []rest.Operation{rest.OperationCreate, rest.OperationUpdate, rest.OperationConnect},
			Mutate: func(ctx context.Context, r *rest.AdmissionRequest) error {
				return p.dispatch(ctx, r, mutatingHalf, func(w *reviewed, active []activePolicy) error { return w.mutate(ctx, active) })
			},
		},
		{
			Name: "validatingadmissionpolicy", SideEffects: rest.SideEffectsNone, Idle: p.idle(validatingHalf),
			Validate: func(ctx context.Context, r *rest.AdmissionRequest) error {
				return p.dispatch(ctx, r, validatingHalf, func(w *reviewed, active []activePolicy) error { return w.validate(ctx, active) })
			},
		},
	}
}

// idle returns a function that reports whether no policy is in effect.
func (p *Policies) idle(h halfName) func(ctx context.Context) bool {
	return func(ctx context.Context) bool {
		active, err := p.active(ctx, h)
		return err == nil && len(active) == 0
	}
}

// dispatch evaluates the policies that are in effect, unless the write is exempt.
func (p *Policies) dispatch(ctx context.Context, r *rest.AdmissionRequest, h halfName, evaluate func(*reviewed, []activePolicy) error) error {
	active, err := p.active(ctx, h)
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	w := p.newWrite(ctx, r)
	if w.matching.Exempt() {
		return nil
	}
	return evaluate(w, active)
}

// errTwoAPIs is the error of Policies in the options of two APIs.
var errTwoAPIs = errors.New("the policies belong to another API")

// active returns the policies that are in effect. ctx is the context of a hook.
func (p *Policies) active(ctx context.Context, h halfName) ([]activePolicy, error) {
	of, err := p.following(ctx)
	if err != nil {
		return nil, err
	}
	index, err := of.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer of.Release()
	return index.halves[h].activeNow(), nil
}

// following returns the index of the API that runs a hook.
func (p *Policies) following(ctx context.Context) (*following, error) {
	api := write.EnvironmentOf(ctx).Owner.(*rest.API)
	of := p.of.Load()
	if of == nil {
		of = &following{api, mirror.New(rest.ObjectsOf(api), followed(), newIndex)}
		if !p.of.CompareAndSwap(nil, of) {
			of = p.of.Load()
		}
	}
	if of.api != api {
		return nil, errTwoAPIs
	}
	return of, nil
}
