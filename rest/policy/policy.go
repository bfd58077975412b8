package policy

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/mirror"
	"github.com/decorum-go/decorum/rest/raw"
)

// Options configure the plug-in [Policies]. The zero value works.
type Options struct {
	// Audit, unless nil, receives the annotations that policies make about a write: for auditAnnotations, and for
	// validations that fail in a binding with the action Audit. The key is the key of the annotation in Kubernetes'
	// audit event. ctx is the context of an admission hook. Audit may be called several times for one write, because
	// the server starts again if another write commits first.
	Audit func(ctx context.Context, key, value string)
}

// Policies is the plug-in of admission policies. It has no goroutine.
type Policies struct{ options Options }

// New returns the plug-in, which a host lists in [rest.Options].Plugins.
func New(options Options) *Policies { return &Policies{options} }

// Plug implements [rest.Plugin]. It adds the kinds of policies and bindings, and the hooks that evaluate them. Mutating
// policies mutate the objects of a write where the plug-in stands among the others. While the API has no policies with
// bindings, the hooks cost nothing.
//
// A user who writes a policy or a binding must have the right to read the parameters that it refers to, because
// expressions could reveal them.
//
// Plug returns an error if [rest.Options] have no CEL.
func (p *Policies) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	language, err := rules.AdmissionOf(api.CEL())
	if err != nil {
		return rest.PluginParts{}, err
	}
	objects := api.Objects()
	of := &policies{language: language, audit: p.options.Audit, objects: objects,
		mirror: mirror.New(objects, followed(), newIndex)}
	return rest.PluginParts{Name: "policies", Definitions: of.definitions(), Admission: of.admission()}, nil
}

// policies are the admission policies of an API.
type policies struct {
	language rules.Admission
	audit    func(ctx context.Context, key, value string)
	objects  raw.Objects
	mirror   *mirror.Mirror[*index]
}

// admission returns the hooks that evaluate the policies.
func (p *policies) admission() []admission.Hook {
	return []admission.Hook{
		{
			Name: "mutatingadmissionpolicy", SideEffects: admission.SideEffectsNone, Idle: p.idle(mutatingHalf),
			Operations: []admission.Operation{admission.Create, admission.Update, admission.Connect},
			Mutate: func(ctx context.Context, r *admission.Request) error {
				return p.dispatch(ctx, r, mutatingHalf,
					func(w *reviewed, active []activePolicy) error { return w.mutate(ctx, active) })
			},
		},
		{
			Name: "validatingadmissionpolicy", SideEffects: admission.SideEffectsNone, Idle: p.idle(validatingHalf),
			Validate: func(ctx context.Context, r *admission.Request) error {
				return p.dispatch(ctx, r, validatingHalf,
					func(w *reviewed, active []activePolicy) error { return w.validate(ctx, active) })
			},
		},
	}
}

// idle returns a function that reports whether no policy is in effect.
func (p *policies) idle(h halfName) func(ctx context.Context) bool {
	return func(ctx context.Context) bool {
		active, err := p.active(ctx, h)
		return err == nil && len(active) == 0
	}
}

// dispatch evaluates the policies that are in effect, unless the write is exempt.
func (p *policies) dispatch(ctx context.Context, r *admission.Request, h halfName,
	evaluate func(*reviewed, []activePolicy) error) error {
	active, err := p.active(ctx, h)
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	w := p.newWrite(r)
	if w.matching.Exempt() {
		return nil
	}
	return evaluate(w, active)
}

// active returns the policies that are in effect. ctx is the context of a hook.
func (p *policies) active(ctx context.Context, h halfName) ([]activePolicy, error) {
	index, err := p.mirror.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer p.mirror.Release()
	return index.halves[h].activeNow(), nil
}
