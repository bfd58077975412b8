package access

import (
	"context"
	"errors"
	"net/http"

	"github.com/decorum-go/decorum/status"
)

// Authenticators are an [Authenticator] that asks several. The first one that recognizes the sender of a request
// decides. Invalid credentials are an error only if no authenticator recognizes the sender, so several authenticators
// can read the same header. If an authenticator cannot decide, for example because the store does not answer, the
// request fails with its error, such as 503, and not with 401.
type Authenticators []Authenticator

// Authenticate implements [Authenticator].
func (all Authenticators) Authenticate(r *http.Request) (*Identity, error) {
	var errs []error
	for _, a := range all {
		who, err := a.Authenticate(r)
		if err == nil && who != nil {
			return who, nil
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return nil, joined(errs)
}

// Authorizers are an [Authorizer] that asks several. The first of them that allows or denies an access decides. If none
// does, the access is refused for the reasons of all. If one of them could not decide, clients receive its error of
// package status.
type Authorizers []Authorizer

// Authorize implements [Authorizer].
func (all Authorizers) Authorize(ctx context.Context, a Access) (Decision, error) {
	var none Decision
	var errs []error
	for _, authorizer := range all {
		d, err := authorizer.Authorize(ctx, a)
		if d.opinion != noOpinion {
			return d, err
		}
		if err != nil {
			errs = append(errs, err)
		}
		if d.reason != "" && none.reason != "" {
			none.reason += ", "
		}
		none.reason += d.reason
	}
	return none, joined(errs)
}

// RulesFor implements [RuleLister]. The list is incomplete if an authorizer cannot list its rules.
func (all Authorizers) RulesFor(ctx context.Context, user User, namespace string) (sum AccessRules, err error) {
	for _, authorizer := range all {
		lister, ok := authorizer.(RuleLister)
		if !ok {
			sum.Incomplete = true
			continue
		}
		rules, err := lister.RulesFor(ctx, user, namespace)
		if err != nil {
			return sum, err
		}
		sum.Resources, sum.Paths = append(sum.Resources, rules.Resources...), append(sum.Paths, rules.Paths...)
		sum.Incomplete = sum.Incomplete || rules.Incomplete
	}
	return sum, nil
}

// joined returns the error of several parts that were asked the same question. An error of package status wins, because
// clients receive it: if joined hid a 503 among plain errors, a client with a valid token would get 401 and drop the
// token. Of several, the one with the highest code wins, so a part that could not decide counts more than one that
// refused.
func joined(errs []error) error {
	var told *status.Error
	for _, err := range errs {
		if e, ok := errors.AsType[*status.Error](err); ok && (told == nil || status.CodeOf(e) > status.CodeOf(told)) {
			told = e
		}
	}
	switch {
	case len(errs) == 1:
		return errs[0]
	case told != nil:
		return told.WithCause(errors.Join(errs...))
	}
	return errors.Join(errs...)
}
