package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"slices"
)

// IssuerOptions describe an issuer of OpenID Connect, at which the console is registered as a public client: one
// without a secret, whose redirect URI is the URL of the console. The issuer must allow the origin of the console to
// read its configuration and its token endpoint (CORS). Its ID tokens are bearer tokens of the API, which package
// rest/auth/oidc verifies.
type IssuerOptions struct {
	// URL is the URL of the issuer, as in the claim iss. Required, with the scheme https.
	URL string
	// ClientID is the id of the console at the issuer. Required.
	ClientID string
	// Scopes are asked for beside openid, such as email and groups.
	Scopes []string
	// Origins are further origins of the issuer's endpoints, such as https://oauth2.googleapis.com. The page may connect
	// to the origin of URL and to these.
	Origins []string
}

// Issuer is an issuer of OpenID Connect, for [Options].
type Issuer struct {
	page    []byte // what the page knows of the issuer, as JSON
	origins []string
}

// NewIssuer returns the issuer, or an error if the options are wrong. It sends no request.
func NewIssuer(options IssuerOptions) (*Issuer, error) {
	if options.ClientID == "" {
		return nil, errors.New("console.NewIssuer: IssuerOptions.ClientID is required")
	}
	issuer := &Issuer{}
	for _, address := range append([]string{options.URL}, options.Origins...) {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
			return nil, fmt.Errorf("console.NewIssuer: %q must be an https URL", address)
		}
		// The origin becomes a part of a header, so it is made of what was parsed.
		origin := (&url.URL{Scheme: "https", Host: u.Host}).String()
		if !slices.Contains(issuer.origins, origin) {
			issuer.origins = append(issuer.origins, origin)
		}
	}
	scopes := []string{"openid"}
	for _, scope := range options.Scopes {
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	var err error
	issuer.page, err = json.Marshal(map[string]any{"url": options.URL, "clientID": options.ClientID, "scopes": scopes})
	return issuer, err
}

// withIssuer writes what the page knows of the issuer into the page.
func withIssuer(page []byte, issuer *Issuer) []byte {
	if issuer == nil {
		return page
	}
	const meta = `name="decorum-issuer" content="`
	return bytes.Replace(page, []byte(meta+`"`), []byte(meta+html.EscapeString(string(issuer.page))+`"`), 1)
}
