package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/internal/matching"
	"github.com/decorum-go/decorum/rest/internal/mirror"
	"github.com/decorum-go/decorum/status"
)

// Options configure the plug-in [Webhooks]. Calls is required.
type Options struct {
	// Calls is the client that calls the webhooks. It is required.
	Calls *callout.Client
	// MaxCalls is how many calls of one webhook may be under way at a time. Four times as many wait, within their timeout;
	// further ones fail at once. Default: 100.
	MaxCalls int
	// Audit, unless nil, receives the audit annotations in the answers of webhooks. The key begins with the name of the
	// webhook. ctx is the context of an admission hook. Audit may be called several times for one write, because the
	// server starts again if another write commits first.
	Audit func(ctx context.Context, key, value string)
	// Logger receives a warning for each failed call that the failure policy ignores. Default: no warnings.
	Logger *slog.Logger
}

// Webhooks is the plug-in of admission webhooks. It has no goroutine while no call is under way.
type Webhooks struct{ options Options }

// New returns Webhooks. It returns an error if Options.Calls is missing.
func New(options Options) (*Webhooks, error) {
	if options.Calls == nil {
		return nil, errors.New("webhook.New: Options.Calls must be set")
	}
	options.Logger = errorlog.Or(options.Logger)
	if options.MaxCalls <= 0 {
		options.MaxCalls = defaultMaxCalls
	}
	return &Webhooks{options}, nil
}

// Plug implements [rest.Plugin]. It adds the kinds MutatingWebhookConfiguration and ValidatingWebhookConfiguration, and
// the hooks that call the webhooks. Mutating webhooks change the object of a write where the plug-in stands among the
// others, and validating webhooks see the object after all hooks have changed it.
//
// Without CEL in [rest.Options], the API refuses configurations with matchConditions.
func (w *Webhooks) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	h := &webhooks{options: w.options, api: api}
	h.mirror = mirror.New(api.Objects(), followed(), h.newIndex)
	if api.CEL() != nil {
		var err error
		if h.language, err = rules.AdmissionOf(api.CEL()); err != nil {
			return rest.PluginParts{}, err
		}
	}
	return rest.PluginParts{
		Name: "webhooks",
		Definitions: []rest.Definition{ar.MutatingWebhookConfigurations(h.compile),
			ar.ValidatingWebhookConfigurations(h.compile)},
		Admission: []admission.Hook{
			{Name: "mutatingadmissionwebhook", SideEffects: admission.SideEffectsNone, Idle: h.idle(mutating),
				Mutate: h.hook(mutating, (*dispatch).mutate)},
			{Name: "validatingadmissionwebhook", SideEffects: admission.SideEffectsNone, Idle: h.idle(validating),
				Validate: h.hook(validating, (*dispatch).validate)},
		},
	}, nil
}

// webhooks are the admission webhooks of an API.
type webhooks struct {
	options  Options
	api      rest.PluginAPI
	language rules.Admission // nil without CEL
	mirror   *mirror.Mirror[*index]

	checking sync.Mutex
	scope    rules.Scope // the scope of conditions that clients write; nil until the first one
}

// idle returns a function that reports whether no webhook is registered.
func (h *webhooks) idle(k phase) func(ctx context.Context) bool {
	return func(ctx context.Context) bool {
		registered, err := h.registered(ctx, k)
		return err == nil && len(registered) == 0
	}
}

// hook returns an admission hook that calls the webhooks of a phase, unless the write is exempt.
func (h *webhooks) hook(k phase,
	call func(*dispatch, context.Context, []*webhook) error) func(context.Context, *admission.Request) error {
	return func(ctx context.Context, r *admission.Request) error {
		d := &dispatch{webhooks: h, phase: k, request: r, matching: matching.For(r)}
		if d.matching.Exempt() {
			return nil
		}
		registered, err := h.registered(ctx, k)
		if err != nil {
			return status.From(err)
		}
		return call(d, ctx, registered)
	}
}

// registered returns the webhooks of a phase, in the order in which they are called. ctx is the context of an admission
// hook.
func (h *webhooks) registered(ctx context.Context, k phase) ([]*webhook, error) {
	x, err := h.mirror.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer h.mirror.Release()
	return x.ordered[k], nil
}
