package oidc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
)

// Options configure the authenticator that [New] returns: the issuer, and how a token becomes a user.
type Options struct {
	// Issuer is the URL of the issuer, as in the claim iss. Required, with the scheme https.
	Issuer string
	// ClientIDs are the client ids under which the issuer knows the API's clients. A token must name one of them in the
	// claim aud, because otherwise the token of any other application would give access. Required.
	ClientIDs []string
	// UsernameClaim is the claim with the name of the user. Default: sub. If it is email, and the token says that the
	// address is not verified, the token is refused.
	UsernameClaim string
	// UsernamePrefix stands before the name, to distinguish the users of the issuer from others, such as "oidc:". A name
	// that then begins with "system:" is refused, because such names belong to the API.
	UsernamePrefix string
	// GroupsClaim is the claim with the groups of the user: a string or a list of strings. Default: the user has no
	// groups.
	GroupsClaim string
	// GroupsPrefix stands before each group. A group that then begins with "system:" is left out.
	GroupsPrefix string
	// RequiredClaims are claims that a token must have, with their values, which are strings.
	RequiredClaims map[string]string
	// Algorithms are the accepted algorithms of signatures. Default: RS256.
	Algorithms []string
	// Client sends the requests to the issuer. Set its Transport to trust a private authority, or to use a proxy. Default:
	// http.DefaultClient.
	Client *http.Client
	// Timeout is how long a request may wait for the issuer. Default: 10 seconds.
	Timeout time.Duration
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

const (
	defaultTimeout = 10 * time.Second
	// maxLength is the length of the longest token that is read, in bytes.
	maxLength = 64 << 10
)

// signatures lists the algorithms that New accepts. All are asymmetric, because a symmetric one would make the issuer's
// public key a secret.
func signatures() []string {
	return []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384,
		oidc.PS512, oidc.EdDSA}
}

// New returns an authenticator for the bearer tokens of one issuer; [access.Authenticators] combine several. New returns
// an error if the options are wrong. It sends no request: the authenticator asks the issuer for its configuration and
// its keys when it first sees one of its tokens.
//
// The authenticator keeps the keys, and asks again if it sees a signature that no key has made, but at most once in ten
// seconds. While the issuer does not answer, requests whose tokens need another key get 503: a few dozen of them wait,
// for Timeout at the latest, and all others get it at once. The other tokens are accepted.
func New(options Options) (access.Authenticator, error) {
	u, err := url.Parse(options.Issuer)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("oidc.New: Options.Issuer is %q, and must be an https URL", options.Issuer)
	}
	if len(options.ClientIDs) == 0 || slices.Contains(options.ClientIDs, "") {
		return nil, errors.New("oidc.New: Options.ClientIDs must name at least one client")
	}
	for _, algorithm := range options.Algorithms {
		if !slices.Contains(signatures(), algorithm) {
			return nil, fmt.Errorf("oidc.New: unsupported algorithm %q in Options.Algorithms", algorithm)
		}
	}
	if options.UsernameClaim == "" {
		options.UsernameClaim = "sub"
	}
	if len(options.Algorithms) == 0 {
		options.Algorithms = []string{oidc.RS256}
	}
	if options.Timeout <= 0 {
		options.Timeout = defaultTimeout
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	a := &authenticator{options: options, provider: newProvider(options)}
	return auth.Bearer(a.check), nil
}

// authenticator recognizes the tokens of an issuer.
type authenticator struct {
	options  Options
	provider *provider
}

// The reasons in the log why a token is refused.
var (
	errForeign  = errors.New("oidc: the token is of another issuer")
	errAudience = errors.New("oidc: the token is for another client")
	errSystem   = errors.New("oidc: names that begin with system: belong to the API")
	errEmail    = errors.New("oidc: the address of the user is not verified")
)

// check returns the user of a token. The issuer is asked only about tokens that claim to be its own.
func (a *authenticator) check(ctx context.Context, token string) (*access.Identity, error) {
	if !a.claimsIssuer(token) {
		return nil, errForeign
	}
	ctx, cancel := context.WithTimeout(ctx, a.options.Timeout)
	defer cancel()
	verifier, err := a.provider.verifier(ctx)
	if err != nil {
		return nil, err
	}
	var notDecided error
	verified, err := verifier.Verify(context.WithValue(ctx, undecidedKey{}, &notDecided), token)
	switch {
	case notDecided != nil:
		return nil, notDecided
	case err != nil:
		return nil, err
	}
	if !slices.ContainsFunc(verified.Audience, func(id string) bool { return slices.Contains(a.options.ClientIDs, id) }) {
		return nil, errAudience
	}
	if !a.options.Now().Before(verified.Expiry) {
		return nil, &oidc.TokenExpiredError{Expiry: verified.Expiry}
	}
	var c claims
	if err := verified.Claims(&c); err != nil {
		return nil, fmt.Errorf("oidc: %w", err)
	}
	u, err := a.user(c)
	if err != nil {
		return nil, err
	}
	return &access.Identity{User: u, Expires: verified.Expiry}, nil
}

// claimsIssuer reports whether a text has the form of a token of the issuer. It proves nothing.
func (a *authenticator) claimsIssuer(token string) bool {
	parts := strings.Split(token, ".")
	if len(token) > maxLength || len(parts) != 3 {
		return false
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return false
	}
	var c struct {
		Issuer string `json:"iss"`
	}
	return json.Unmarshal(body, &c) == nil && c.Issuer == a.options.Issuer
}
