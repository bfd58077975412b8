package serviceaccount

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
)

// accounts is the name of the resource in the store.
const accounts = "serviceaccounts"

// definitions returns the kind ServiceAccount.
func (i *Issuer) definitions() []rest.Definition {
	return []rest.Definition{rest.Resource[ServiceAccount]{
		Version: "v1", Plural: accounts, Names: rest.Names{Short: []string{"sa"}},
		Description:  "ServiceAccount is the identity of a program.",
		Wire:         rest.Wire{Dialect: rest.DialectBuiltin, ReturnDeleted: true},
		Overlay:      map[string]string{"ObjectReference": "map=atomic", "LocalObjectReference": "map=atomic"},
		Subresources: []rest.SubresourceOf[ServiceAccount]{Token[ServiceAccount](i)},
		Columns: []rest.Column{
			rest.ColumnFunc(rest.Column{Name: "Age", Description: "The time since the object was created."},
				func(a *ServiceAccount) any { return a.CreationTimestamp.Time }),
		},
		Hooks: rest.Hooks[ServiceAccount]{
			Prepare: func(_ context.Context, a, _ *ServiceAccount) error {
				for n, secret := range a.Secrets {
					a.Secrets[n] = builtin.ObjectReference{Name: secret.Name}
				}
				return nil
			},
		},
	}}
}

// Token returns the subresource token, for a host that declares serviceaccounts with a Go type T of its own, such as
// the one of k8s.io/api/core/v1. A dry run issues a token too, as in Kubernetes, because no token is ever stored.
func Token[T any](i *Issuer) rest.SubresourceOf[T] {
	issue := func(ctx context.Context, _ *T, r *TokenRequest) (*TokenRequest, error) { return i.issue(ctx, r) }
	return rest.Subresource[T, TokenRequest]{
		Name: "token", Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest", Check: checkName,
		Create: issue, CreateDryRun: issue,
	}
}
