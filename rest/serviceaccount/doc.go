// Package serviceaccount gives programs an identity of their own: it serves the kind ServiceAccount of Kubernetes,
// issues tokens for service accounts, and recognizes these tokens. No person's password or certificate has to be in a
// program.
//
//	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: "https://platform.example.com", Keys: keys})
//	api, err := rest.New(rest.Options{Authenticator: people, Plugins: []rest.Plugin{accounts, roles}}, definitions...)
//
// kubectl create serviceaccount and kubectl create token work as with Kubernetes, and so does the TokenRequest of
// client-go. Clients send a token as a bearer token. The user is system:serviceaccount:NAMESPACE:NAME, in the groups
// system:serviceaccounts and system:serviceaccounts:NAMESPACE, so roles of Kubernetes apply unchanged.
//
// A token is a JSON Web Token that its issuer signs. It is valid for its audiences only and for a limited time. It dies
// with its account: from the moment the account is deleted, also if another one with the same name follows, it is
// refused. The API asks its store about the account for each request, so no cache delays that.
//
// Other services can verify the tokens without the API, if the host serves [Issuer.Discovery]; they do not learn when
// an account is deleted. A TokenReview tells them.
package serviceaccount
