// Package oidc recognizes people by the ID tokens of an OpenID Connect issuer, such as Keycloak, Dex, Entra ID or
// Google. A person logs in at the issuer, kubectl receives the ID token through a plugin, and the API verifies the
// token with the issuer's public keys:
//
//	people, err := oidc.New(oidc.Options{Issuer: "https://login.example.com", ClientIDs: []string{"platform"},
//		UsernameClaim: "email", GroupsClaim: "groups", GroupsPrefix: "oidc:"})
//	api, err := rest.New(rest.Options{Authenticator: people, Plugins: []rest.Plugin{accounts, roles}}, definitions...)
//
// Watches and streams end when the token expires, and kubectl's plugin then gets another one. A token stays valid until
// it expires, also if the issuer locks its user, so the issuer should issue tokens that live for minutes.
//
// The package is a module of its own, because it links github.com/coreos/go-oidc.
package oidc
