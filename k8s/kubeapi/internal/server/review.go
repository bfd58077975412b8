package server

import (
	"context"
	"log/slog"
	"net"
	"net/netip"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/policy"
	"github.com/decorum-go/decorum/rest/webhook"
)

// review is how users of the API review the writes of others: with policies, and with webhooks. Its client also calls
// the webhooks that convert objects.
type review struct {
	policies *policy.Policies
	webhooks *webhook.Webhooks
	calls    *callout.Client
}

// newReview returns the review of one API. Webhooks may be anywhere, because those of tests are on the machine of the
// test.
func newReview(logger *slog.Logger,
	resolve func(context.Context, callout.Service) (string, error)) (r review, err error) {
	anywhere := func(netip.AddrPort) error { return nil }
	if r.calls, err = callout.New(callout.Options{Dial: new(net.Dialer).DialContext, Allow: anywhere,
		Resolve: resolve}); err != nil {
		return r, err
	}
	r.policies = policy.New(policy.Options{})
	r.webhooks, err = webhook.New(webhook.Options{Calls: r.calls, Logger: logger})
	return r, err
}

// plugins returns the plug-ins, in the order of kube-apiserver.
func (r review) plugins() []rest.Plugin { return []rest.Plugin{r.policies, r.webhooks} }

func (r review) close() error {
	r.calls.Close()
	return nil
}
