package server

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
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
	options  kinds.PluginOptions
	callers  map[string]*caller // the keys are names of plugins
}

// The plugins with which users review writes.
const (
	mutatingPolicies   = "MutatingAdmissionPolicy"
	mutatingWebhooks   = "MutatingAdmissionWebhook"
	validatingPolicies = "ValidatingAdmissionPolicy"
	validatingWebhooks = "ValidatingAdmissionWebhook"
)

var reviewPlugins = []string{mutatingPolicies, mutatingWebhooks, validatingPolicies, validatingWebhooks}

// newReview returns the review of one API. Webhooks may be anywhere, because those of tests are on the machine of the
// test.
func newReview(logger *slog.Logger, resolve func(context.Context, callout.Service) (string, error),
	o kinds.PluginOptions) (r review, err error) {
	r.options, r.callers = o, map[string]*caller{}
	for _, name := range reviewPlugins {
		if slices.Contains(o.Off, name) {
			continue
		}
		err := o.Configure(name, func(text []byte) (err error) {
			r.callers[name], err = callerIn(name, text)
			return err
		})
		if err != nil {
			return r, err
		}
	}
	anywhere := func(netip.AddrPort) error { return nil }
	if r.calls, err = callout.New(callout.Options{Dial: new(net.Dialer).DialContext, Allow: anywhere,
		Resolve: resolve, Credentials: credentialsOf}); err != nil {
		return r, err
	}
	r.policies = policy.New(policy.Options{})
	r.webhooks, err = webhook.New(webhook.Options{Calls: r.calls, Logger: logger})
	return r, err
}

// plugins returns the plug-ins, in the order of kube-apiserver.
func (r review) plugins() []rest.Plugin {
	return []rest.Plugin{reviewer{r, r.policies}, reviewer{r, r.webhooks}}
}

func (r review) close() error {
	r.calls.Close()
	return nil
}

// reviewer wraps a plug-in whose hooks have the names of plugins of kube-apiserver, in lower case. It leaves out the
// hooks of the plugins that are off, and lets the others call webhooks as configured. Their kinds stay.
type reviewer struct {
	review
	rest.Plugin
}

// Plug implements [rest.Plugin].
func (r reviewer) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := r.Plugin.Plug(api)
	var hooks []admission.Hook
	for _, h := range parts.Admission {
		i := slices.IndexFunc(reviewPlugins, func(name string) bool { return strings.EqualFold(name, h.Name) })
		if i >= 0 && slices.Contains(r.options.Off, reviewPlugins[i]) {
			continue
		}
		if i >= 0 {
			r.callers[reviewPlugins[i]].carriedBy(&h)
		}
		hooks = append(hooks, h)
	}
	parts.Admission = hooks
	return parts, err
}
