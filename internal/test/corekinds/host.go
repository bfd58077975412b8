package corekinds

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// Accounts is a plug-in that adds the kind ServiceAccount alone. It needs no keys, because the transcripts request no
// tokens.
type Accounts struct{ serviceaccount.Issuer }

// Plug returns the parts of an Issuer, except its Authenticator.
func (a *Accounts) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := a.Issuer.Plug(api)
	parts.Authenticator = nil
	return parts, err
}

// Decide is the Authorizer of a host of the transcripts. It allows everything except impersonation.
func Decide(_ context.Context, a access.Access) (access.Decision, error) {
	if a.Verb == "impersonate" {
		return access.NoOpinion("impersonation is not allowed"), nil
	}
	return access.Allow("every request is allowed"), nil
}
