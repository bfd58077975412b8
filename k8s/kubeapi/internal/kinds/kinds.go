package kinds

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/defaults"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/warnings"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/status"
)

// Environment holds the parts of one API that its kinds use.
type Environment struct {
	// Accounts issue the tokens of service accounts, and answer TokenReviews.
	Accounts *serviceaccount.Issuer
	// Users recognize the tokens that are not of service accounts, for TokenReviews. nil means that there are none.
	Users access.Authenticator
	// ServiceAddresses is the range of the first ServiceCIDR. Cluster IPs are of its family. Default: 10.0.0.0/24.
	ServiceAddresses netip.Prefix
}

// All returns the definitions of all kinds for one API, except for those of plug-ins: roles, access reviews,
// definitions, webhooks and policies. The definitions that use nothing of env are the same values in each call, so that
// a process builds them once.
func All(env Environment) []rest.Definition {
	addresses := env.ServiceAddresses
	if !addresses.IsValid() {
		addresses = netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, 0, 0}), 24)
	}
	return append(slices.Clone(shared()), env.Accounts.TokenReviews(env.Users), serviceAccounts(env.Accounts),
		services(addresses))
}

// shared returns the definitions that every API in the process has in common.
var shared = sync.OnceValue(func() []rest.Definition {
	return slices.Concat(core(), apps(), autoscaling(), batch(), networking(), policy(), storage(), resource(), cluster())
})

// of returns the resource of a kind of k8s.io/api with its defaults and its validation. What else the kind does is in
// its own file; it must keep these hooks.
func of[T any, P interface {
	*T
	runtime.Object
}]() rest.Resource[T] {
	r, missing := k8s.Resource[T, P](), defaults.Of[T]()
	r.Hooks.Default = func(_ context.Context, obj *T) error {
		missing.Set(obj)
		return nil
	}
	r.Hooks.Canonicalize = func(_ context.Context, obj *T) error {
		missing.Canonicalize(obj)
		return nil
	}
	r.Hooks.Validate = func(ctx context.Context, obj, old *T) (errs status.FieldErrors, err error) {
		switch {
		case old == nil:
			errs = validation.Check(obj)
		case part(ctx) == "":
			errs = validation.CheckUpdate(obj, old)
		case part(ctx) == "status":
			errs = validation.CheckStatus(obj, old)
		default:
			errs = validation.CheckPart(obj, old)
		}
		if len(errs) == 0 {
			for _, text := range warnings.Of(obj, old, part(ctx)) {
				rest.Warn(ctx, text)
			}
		}
		return errs, nil
	}
	if step := withoutOff[T](); step != nil {
		r = preparing(r, step)
	}
	return r
}
