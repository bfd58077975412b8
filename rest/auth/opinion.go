package auth

import (
	"context"

	"github.com/decorum-go/decorum/rest"
)

// FirstOpinion combines authorizers. The first of them that allows or denies an access decides. If none does, the access is refused for
// the reasons of all. If one of them could not decide, clients receive its error of package status. New starts each authorizer that has a method Start.
func FirstOpinion(authorizers ...rest.Authorizer) rest.Authorizer { return union(authorizers) }

// union implements FirstOpinion.
type union []rest.Authorizer

// Authorize implements [rest.Authorizer].
func (u union) Authorize(ctx context.Context, a rest.Access) (rest.Decision, error) {
	var none rest.Decision
	var errs []error
	for _, authorizer := range u {
		d, err := authorizer.Authorize(ctx, a)
		if d.Verdict != rest.NoOpinion {
			return d, err
		}
		if err != nil {
			errs = append(errs, err)
		}
		if d.Reason != "" && none.Reason != "" {
			none.Reason += ", "
		}
		none.Reason += d.Reason
	}
	return none, joined(errs)
}

// Start starts the authorizers.
func (u union) Start(api *rest.API) error { return start(api, u...) }

// Administrators returns the administrators of all authorizers, see [rest.Options].
func (u union) Administrators() (groups []string) {
	for _, authorizer := range u {
		if z, ok := authorizer.(interface{ Administrators() []string }); ok {
			groups = append(groups, z.Administrators()...)
		}
	}
	return groups
}

// RulesFor implements [rest.RuleLister]. The list is incomplete if an authorizer cannot list its rules.
func (u union) RulesFor(ctx context.Context, user rest.User, namespace string) (all rest.AccessRules, err error) {
	for _, authorizer := range u {
		lister, ok := authorizer.(rest.RuleLister)
		if !ok {
			all.Incomplete = true
			continue
		}
		rules, err := lister.RulesFor(ctx, user, namespace)
		if err != nil {
			return all, err
		}
		all.Resources, all.Paths = append(all.Resources, rules.Resources...), append(all.Paths, rules.Paths...)
		all.Incomplete = all.Incomplete || rules.Incomplete
	}
	return all, nil
}
