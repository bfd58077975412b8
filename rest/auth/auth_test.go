package auth_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// request returns a request with headers, which alternate names and values.
func request(headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/apis", nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// withCertificate returns a copy of a request over TLS with a certificate of the users' authority, which is verified or
// not.
func withCertificate(r *http.Request, name string, verified bool, groups ...string) *http.Request {
	return ofUsers().sign(name, groups...).present(r, verified)
}

func tokens() access.Authenticator {
	return auth.Tokens(
		auth.Token{Secret: "alice-secret", User: access.User{Name: "alice", Groups: []string{"dev"}}},
		auth.Token{Secret: "bob-secret", User: access.User{Name: "bob"}},
		auth.Token{Secret: "", User: access.User{Name: "nobody"}},
		auth.Token{Secret: "nameless"},
	)
}

func TestAuthenticators(t *testing.T) {
	certificates := auth.Certificates(ofUsers().pool)
	for _, c := range []struct {
		name   string
		by     access.Authenticator
		r      *http.Request
		user   string // empty for none
		groups []string
		fails  bool
	}{
		{"a token", tokens(), request("Authorization", "Bearer alice-secret"), "alice", []string{"dev"}, false},
		{"the scheme in lower case", tokens(), request("Authorization", "bearer  bob-secret "), "bob", nil, false},
		{"a wrong token", tokens(), request("Authorization", "Bearer alice-secre"), "", nil, true},
		{"a token with a space", tokens(), request("Authorization", "Bearer alice-secret x"), "", nil, true},
		{"the token of no name", tokens(), request("Authorization", "Bearer nameless"), "", nil, true},
		{"no token", tokens(), request("Authorization", "Bearer "), "", nil, false},
		{"another scheme", tokens(), request("Authorization", "Basic alice-secret"), "", nil, false},
		{"no header", tokens(), request(), "", nil, false},

		{"a certificate", certificates, withCertificate(request(), "alice", true, "dev", "ops"), "alice",
			[]string{"dev", "ops"}, false},
		{"a certificate that nobody verified", certificates, withCertificate(request(), "alice", false, "dev"), "",
			nil, false},
		{"a certificate without a name", certificates, withCertificate(request(), "", true), "", nil, true},
		{"no TLS", certificates, request(), "", nil, false},

		{"a certificate of another authority", certificates, ofProxies().sign("alice", "dev").present(request(), true), "",
			nil, true},
		{"no authority", auth.Certificates(nil), withCertificate(request(), "alice", true), "", nil, true},
		{"an empty pool", auth.Certificates(x509.NewCertPool()), withCertificate(request(), "alice", true), "", nil, true},

		{"the first", access.Authenticators{tokens(), certificates},
			withCertificate(request("Authorization", "Bearer bob-secret"), "dave", true), "bob", nil, false},
		{"the second", access.Authenticators{tokens(), certificates}, withCertificate(request(), "dave", true), "dave", nil,
			false},
		{"the second after an error", access.Authenticators{auth.Tokens(), tokens()},
			request("Authorization", "Bearer bob-secret"), "bob", nil, false},
		{"none of several", access.Authenticators{auth.Tokens(), tokens()}, request("Authorization", "Bearer guess"), "", nil,
			true},
		{"none, without credentials", access.Authenticators{certificates, tokens()}, request(), "", nil, false},
		{"anonymous", auth.OrAnonymous(tokens()), request(), "system:anonymous", []string{"system:unauthenticated"}, false},
		{"invalid credentials are not anonymous", auth.OrAnonymous(tokens()), request("Authorization", "Bearer guess"), "",
			nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			who, err := c.by.Authenticate(c.r)
			assert.Equal(t, c.fails, err != nil, err)
			if c.user == "" {
				assert.Nil(t, who)
				return
			}
			require.NotNil(t, who)
			assert.Equal(t, c.user, who.User.Name)
			assert.Equal(t, c.groups, who.User.Groups)
		})
	}
	r := withCertificate(request(), "alice", true)
	who, err := certificates.Authenticate(r)
	require.NoError(t, err)
	assert.Equal(t, r.TLS.PeerCertificates[0].NotAfter, who.Expires)
}

// If a single authenticator fails with an error of package status, clients receive that error.
func TestAuthenticatorsKeepAnError(t *testing.T) {
	down := auth.Bearer(func(context.Context, string) (*access.Identity,
		error) {
		return nil, status.ServiceUnavailable("later")
	})
	_, err := access.Authenticators{auth.Certificates(ofUsers().pool), down}.Authenticate(request("Authorization", "Bearer x"))
	assert.True(t, status.IsServiceUnavailable(err))
}

// An authenticator that could not decide counts more than those that refused, wherever it stands, and however its error
// is wrapped.
func TestAnUndecidedAuthenticatorIsNever401(t *testing.T) {
	unavailable := storage.Unavailable(errors.New("etcd is away"))
	for name, c := range map[string]struct {
		errs []error
		code int
	}{
		"first": {[]error{unavailable, errors.New("unknown")}, 503},
		"last":  {[]error{errors.New("unknown"), errors.New("foreign"), unavailable}, 503},
		"beside a refusal": {[]error{status.Unauthorized("no"), unavailable,
			status.Forbidden(apimeta.GroupResource{}, "", "no")}, 503},
		"wrapped":            {[]error{fmt.Errorf("accounts: %w", unavailable)}, 503},
		"wrapped and joined": {[]error{errors.New("unknown"), fmt.Errorf("accounts: %w", unavailable)}, 503},
		"refusals":           {[]error{errors.New("unknown"), errors.New("foreign")}, 401},
	} {
		var asked []access.Authenticator
		for _, err := range c.errs {
			asked = append(asked, auth.Bearer(func(context.Context, string) (*access.Identity, error) { return nil, err }))
		}
		api, err := rest.New(rest.Options{Authenticator: access.Authenticators(asked), Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, request("Authorization", "Bearer x"))
		assert.Equal(t, c.code, answer.Code, name)
		assert.Equal(t, c.code == 503, answer.Header().Get("Retry-After") != "", name)
		require.NoError(t, api.Close())
	}
}

// The same holds for authorizers: a plain error of one does not hide that another could not decide.
func TestAnUndecidedAuthorizerIsNever403(t *testing.T) {
	failing := func(err error) access.Authorizer {
		return access.AuthorizerFunc(func(context.Context, access.Access) (access.Decision, error) { return access.Decision{}, err })
	}
	unavailable := storage.Unavailable(errors.New("etcd is away"))
	_, err := access.Authorizers{failing(errors.New("broken")), failing(unavailable)}.Authorize(t.Context(), access.Access{})
	assert.Equal(t, 503, status.CodeOf(err))
	assert.ErrorIs(t, err, storage.ErrUnavailable)
	assert.ErrorContains(t, errors.Unwrap(err), "broken", "the log receives the other error too")
}

// answers is an Authorizer with a fixed answer, that lists one rule.
type answers struct {
	access.Decision
	err error
}

func (a *answers) Authorize(context.Context, access.Access) (access.Decision, error) {
	return a.Decision, a.err
}
func (a *answers) RulesFor(context.Context, access.User, string) (access.AccessRules, error) {
	return access.AccessRules{Paths: []access.PathAccess{{Verbs: []access.Verb{"get"}, Paths: []string{"/" + a.Reason()}}}}, nil
}

func TestAuthorizers(t *testing.T) {
	none, also := &answers{Decision: access.NoOpinion("a")}, &answers{Decision: access.NoOpinion("b")}
	allow, deny := &answers{Decision: access.Allow("c")}, &answers{Decision: access.Deny("d")}
	broken := &answers{err: errors.New("broken")}
	for _, c := range []struct {
		of    []access.Authorizer
		want  access.Decision
		fails bool
	}{
		{nil, access.Decision{}, false},
		{[]access.Authorizer{none, also}, access.NoOpinion("a, b"), false},
		{[]access.Authorizer{none, allow, deny}, allow.Decision, false},
		{[]access.Authorizer{none, deny, allow}, deny.Decision, false},
		{[]access.Authorizer{broken, allow}, allow.Decision, false},
		{[]access.Authorizer{broken, none}, none.Decision, true},
	} {
		got, err := access.Authorizers(c.of).Authorize(t.Context(), access.Access{})
		assert.Equal(t, c.want, got)
		assert.Equal(t, c.fails, err != nil)
	}

	rules, err := access.Authorizers{none, allow}.RulesFor(t.Context(), access.User{}, "team")
	require.NoError(t, err)
	assert.False(t, rules.Incomplete)
	assert.Len(t, rules.Paths, 2)
	opaque := access.AuthorizerFunc(allow.Authorize)
	rules, err = access.Authorizers{none, opaque}.RulesFor(t.Context(), access.User{}, "team")
	require.NoError(t, err)
	assert.True(t, rules.Incomplete)
}
