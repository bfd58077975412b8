package kubeconfig

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// authenticated returns a transport that adds the credentials of a user to the requests for a cluster.
func authenticated(base *http.Transport, u entry[user], c entry[cluster], run runner) (http.RoundTripper, error) {
	if err := u.value.check(); err != nil {
		return nil, err
	}
	t := &transport{base: base, server: originOf(c.value.Server), impersonation: impersonation(u.value),
		username: u.value.Username, password: u.value.Password}
	pair, err := certificate(u)
	if err != nil {
		return nil, err
	}
	switch {
	case pair == nil:
	case u.value.ClientCertificate != "" || u.value.ClientKey != "": // the files may be renewed
		base.TLSClientConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if renewed, err := certificate(u); err == nil {
				return renewed, nil
			}
			return pair, nil // another program may be writing the files
		}
	default:
		base.TLSClientConfig.Certificates = []tls.Certificate{*pair}
	}
	switch {
	case u.value.TokenFile != "":
		t.tokens = &tokenFile{path: u.resolve(u.value.TokenFile), last: u.value.Token}
		if _, err := t.tokens.token(context.Background()); err != nil {
			return nil, err
		}
	case u.value.Token != "":
		t.tokens = fixedToken(u.value.Token)
	case u.value.Exec != nil || u.value.AuthProvider != nil:
		p, err := pluginOf(u, c)
		if err != nil {
			return nil, err
		}
		if run == nil {
			return nil, p.refused()
		}
		plugged := &plugged{plugin: p, run: run, renewed: base.CloseIdleConnections}
		t.tokens = plugged
		if pair == nil {
			base.TLSClientConfig.GetClientCertificate = plugged.certificate
		}
	}
	return t, nil
}

// check refuses credentials that exclude each other, by the rules of client-go.
func (u user) check() error {
	hasToken, hasName := u.Token != "" || u.TokenFile != "", u.Username != "" || u.Password != ""
	switch {
	case hasToken && hasName:
		return errors.New("token: cannot be combined with username")
	case u.Exec != nil && u.AuthProvider != nil:
		return errors.New("exec: cannot be combined with auth-provider")
	case u.As == "" && (u.AsUID != "" || len(u.AsGroups) > 0 || len(u.AsUserExtra) > 0):
		return errors.New("as: required if as-uid, as-groups or as-user-extra is set")
	}
	return nil
}

// impersonation returns the headers with which a user acts as another user.
func impersonation(u user) http.Header {
	h := http.Header{}
	if u.As == "" {
		return h
	}
	h.Set("Impersonate-User", u.As)
	if u.AsUID != "" {
		h.Set("Impersonate-Uid", u.AsUID)
	}
	for _, group := range u.AsGroups {
		h.Add("Impersonate-Group", group)
	}
	for key, values := range u.AsUserExtra {
		for _, value := range values {
			h.Add("Impersonate-Extra-"+escapedKey(key), value)
		}
	}
	return h
}

// escapedKey escapes characters that are invalid in the name of a header, as client-go does.
func escapedKey(key string) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(key) {
		c := key[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("!#$&'*+-.^_`|~", c) >= 0:
			out.WriteByte(c)
		default:
			out.WriteByte('%')
			out.WriteByte(digits[c>>4])
			out.WriteByte(digits[c&15])
		}
	}
	return out.String()
}

// tokens provides the bearer tokens for requests.
type tokens interface {
	// token returns a token, or "" if the user has none.
	token(ctx context.Context) (string, error)
	// refused tells the provider that the server has answered 401 to a token.
	refused(token string)
}

type fixedToken string

func (t fixedToken) token(context.Context) (string, error) { return string(t), nil }

func (fixedToken) refused(string) {}

// transport adds credentials to requests for the server, but not to requests for other servers, to which a
// redirect may lead.
type transport struct {
	base               *http.Transport
	server             origin
	tokens             tokens // nil for a user without tokens
	username, password string
	impersonation      http.Header
}

// RoundTrip implements [http.RoundTripper]. It does not replace an existing Authorization header.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if (origin{r.URL.Scheme, r.URL.Host}) != t.server {
		return t.base.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	for key, values := range t.impersonation {
		r.Header[key] = values
	}
	token := ""
	switch {
	case r.Header.Get("Authorization") != "":
	case t.tokens != nil:
		var err error
		if token, err = t.tokens.token(r.Context()); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, err
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
	case t.username != "" || t.password != "":
		r.SetBasicAuth(t.username, t.password)
	}
	answer, err := t.base.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusUnauthorized && t.tokens != nil {
		t.tokens.refused(token)
	}
	return answer, err
}

// origin is the scheme and host of a server.
type origin struct{ scheme, host string }

func originOf(server string) origin {
	u, err := url.Parse(server)
	if err != nil { // checkServer has parsed it
		return origin{}
	}
	return origin{u.Scheme, u.Host}
}

// CloseIdleConnections implements the method that [http.Client.CloseIdleConnections] calls.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }
