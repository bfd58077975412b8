package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/internal/matching"
	"github.com/decorum-go/decorum/rest/internal/mirror"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// Options configure [Webhooks].
type Options struct {
	// Calls is the client that calls the webhooks. It is required.
	Calls *callout.Client
	// Rules bring the language of matchConditions: cel.New(nil) of module cel. Without it, the API refuses configurations with matchConditions.
	Rules rest.Rules
	// MaxCalls is how many calls of one webhook may be under way at a time. Four times as many wait, within their timeout; further ones fail
	// at once. Default: 100.
	MaxCalls int
	// Audit, unless nil, receives the audit annotations in the answers of webhooks. The key begins with the name of the webhook. ctx is the
	// context of an admission hook. Audit may be called several times for one write, because the server starts again if another write
	// commits first.
	Audit func(ctx context.Context, key, value string)
	// Logger receives a warning for each failed call that the failure policy ignores. Default: no warnings.
	Logger *slog.Logger
}

// Webhooks are the admission webhooks of one API. They have no goroutine while no call is under way.
type Webhooks struct {
	options  Options
	language rules.Admission // nil without Rules
	of       atomic.Pointer[following]

	checking sync.Mutex
	scope    rules.Scope // of the conditions that clients write; nil until the first one
}

// following is the index of the configurations of an API.
type following struct {
	api *rest.API
	*mirror.Mirror[*index]
}

// New returns Webhooks. It returns an error if Options.Calls is missing, or Options.Rules have no language for matchConditions.
func New(options Options) (*Webhooks, error) {
	if options.Calls == nil {
		return nil, errors.New("webhook.New: Options.Calls must be set")
	}
	options.Logger = errorlog.Or(options.Logger)
	if options.MaxCalls <= 0 {
		options.MaxCalls = defaultMaxCalls
	}
	h := &Webhooks{options: options}
	if rules.Open(options.Rules) == nil {
		return h, nil
	}
	var err error
	if h.language, err = rules.AdmissionOf(options.Rules); err != nil {
		return nil, fmt.Errorf("webhook.New: %w", err)
	}
	return h, nil
}

// Definitions returns the kinds MutatingWebhookConfiguration and ValidatingWebhookConfiguration. The API must serve them.
func (h *Webhooks) Definitions() []rest.Definition {
	return []rest.Definition{ar.MutatingWebhookConfigurations(h.compile), ar.ValidatingWebhookConfigurations(h.compile)}
}

// Admission returns the hooks that call the webhooks, for [rest.Options]. Mutating webhooks change the object of a write where the hooks stand
// in the list, and validating webhooks see it after all hooks have changed it.
func (h *Webhooks) Admission() []rest.Admission {
	return []rest.Admission{
		{Name: "mutatingadmissionwebhook", SideEffects: rest.SideEffectsNone, Idle: h.idle(mutating), Mutate: h.hook(mutating, (*dispatch).mutate)},
		{Name: "validatingadmissionwebhook", SideEffects: rest.SideEffectsNone, Idle: h.idle(validating), Validate: h.hook(validating, (*dispatch).validate)},
	}
}

// idle returns a function that reports whether no webhook is registered.
func (h *Webhooks) idle(k kind) func(ctx context.Context) bool {
	return func(ctx context.Context) bool {
		registered, err := h.registered(ctx, k)
		return err == nil && len(registered) == 0
	}
}

// hook returns an admission hook that calls the webhooks of a kind, unless the write is exempt.
func (h *Webhooks) hook(k kind, call func(*dispatch, context.Context, []*webhook) error) func(context.Context, *rest.AdmissionRequest) error {
	return func(ctx context.Context, r *rest.AdmissionRequest) error {
		review := write.ReviewFrom(ctx)
		d := &dispatch{Webhooks: h, kind: k, review: review, request: matching.For(review), user: r.User}
		if d.request.Exempt() {
			return nil
		}
		registered, err := h.registered(ctx, k)
		if err != nil {
			return status.From(err)
		}
		return call(d, ctx, registered)
	}
}

// registered returns the webhooks of a kind, in the order in which they are called. ctx is the context of an admission hook.
func (h *Webhooks) registered(ctx context.Context, k kind) ([]*webhook, error) {
	of, err := h.following(ctx)
	if err != nil {
		return nil, err
	}
	x, err := of.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer of.Release()
	return x.ordered[k], nil
}

// errTwoAPIs is the error of Webhooks in the options of two APIs.
var errTwoAPIs = errors.New("webhook: Webhooks belong to one API")

// following returns the index of the API that runs a hook.
func (h *Webhooks) following(ctx context.Context) (*following, error) {
	api := write.EnvironmentOf(ctx).Owner.(*rest.API)
	of := h.of.Load()
	if of == nil {
		of = &following{api, mirror.New(rest.ObjectsOf(api), followed(), h.newIndex)}
		if !h.of.CompareAndSwap(nil, of) {
			of = h.of.Load()
		}
	}
	if of.api != api {
		return nil, errTwoAPIs
	}
	return of, nil
}
