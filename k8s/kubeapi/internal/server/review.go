package server

import (
	"context"
	"log/slog"
	"net"
	"net/netip"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/policy"
	"github.com/decorum-go/decorum/rest/webhook"
)

// review is how users of the API review the writes of others: with policies, and with webhooks. Its client also calls the webhooks that
// convert objects.
type review struct {
	policies *policy.Policies
	webhooks *webhook.Webhooks
	calls    *callout.Client
}

// newReview returns the review of one API. Webhooks may be anywhere, because those of tests are on the machine of the test.
func newReview(logger *slog.Logger, resolve func(context.Context, callout.Service) (string, error)) (r review, err error) {
	anywhere := func(netip.AddrPort) error { return nil }
	if r.calls, err = callout.New(callout.Options{Dial: new(net.Dialer).DialContext, Allow: anywhere, Resolve: resolve}); err != nil {
		return r, err
	}
	if r.policies, err = policy.New(policy.Options{Rules: cel.New(nil)}); err != nil {
		return r, err
	}
	r.webhooks, err = webhook.New(webhook.Options{Calls: r.calls, Rules: cel.New(nil), Logger: logger})
	return r, err
}

// hooks returns the hooks on writes, in the order of kube-apiserver.
func (r review) hooks() []rest.Admission {
	return append(r.policies.Admission(), r.webhooks.Admission()...)
}

func (r review) definitions() []rest.Definition {
	return append(r.policies.Definitions(), r.webhooks.Definitions()...)
}

func (r review) close() error {
	r.calls.Close()
	return nil
}
