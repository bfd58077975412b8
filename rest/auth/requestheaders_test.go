package auth_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
)

// proxies returns an authenticator for a proxy called front-proxy.
func proxies(t *testing.T, change func(*auth.RequestHeaderOptions)) access.Authenticator {
	t.Helper()
	o := auth.RequestHeaderOptions{Authorities: ofProxies().pool, UserAuthorities: ofUsers().pool,
		Names: []string{"front-proxy"}}
	if change != nil {
		change(&o)
	}
	a, err := auth.RequestHeaders(o)
	require.NoError(t, err)
	return a
}

// remote are the headers of a proxy whose user is carol.
func remote() []string {
	return []string{"X-Remote-User", "carol", "X-Remote-Uid", "7", "X-Remote-Group", "a", "X-Remote-Group", "",
		"X-Remote-Group", "b", "X-Remote-Extra-Team%2fX", "t"}
}

func TestRequestHeadersOfTheProxy(t *testing.T) {
	r := ofProxies().sign("front-proxy").present(request(remote()...), true)
	who, err := proxies(t, nil).Authenticate(r)
	require.NoError(t, err)
	assert.Equal(t, access.User{Name: "carol", UID: "7", Groups: []string{"a", "b"},
		Extra: map[string][]string{"team/x": {"t"}}}, who.User)
	assert.Equal(t, r.TLS.PeerCertificates[0].NotAfter, who.Expires, "the certificate of the proxy expires")
	assert.ElementsMatch(t, []string{"X-Remote-User", "X-Remote-Uid", "X-Remote-Group", "X-Remote-Extra-Team%2fx"},
		who.Headers)

	everyName := proxies(t, func(o *auth.RequestHeaderOptions) { o.Names = nil })
	who, err = everyName.Authenticate(ofProxies().sign("other").present(request(remote()...), true))
	require.NoError(t, err)
	assert.Equal(t, "carol", who.User.Name)

	renamed := proxies(t, func(o *auth.RequestHeaderOptions) {
		o.UserHeaders, o.UIDHeaders = []string{"x-first", "x-second"}, []string{"x-id"}
		o.GroupHeaders, o.ExtraHeaderPrefixes = []string{"x-team", "x-guild"}, []string{"x-more-", "x-also-"}
	})
	who, err = renamed.Authenticate(ofProxies().sign("front-proxy").present(request("X-Second", "dave", "X-First", "",
		"X-Id", "8", "X-Team", "c", "X-Guild", "d", "X-More-A", "1", "X-Also-B", "2", "X-Remote-User", "carol",
		"X-Remote-Group", "a"), true))
	require.NoError(t, err)
	assert.Equal(t, access.User{Name: "dave", UID: "8", Groups: []string{"c", "d"},
		Extra: map[string][]string{"a": {"1"}, "b": {"2"}}}, who.User)
}

// Forged headers are invalid credentials whoever sends them, also where requests without credentials are welcome.
func TestForgedRequestHeaders(t *testing.T) {
	below := newAuthority("users below the proxies", ofProxies())
	joint := ofProxies().sign("front-proxy")
	for _, c := range []struct {
		name        string
		certificate chain
		verified    bool
		headers     []string
	}{
		{"no certificate", nil, false, remote()},
		{"an unverified certificate", ofProxies().sign("front-proxy"), false, remote()},
		{"another authority", ofStrangers().sign("front-proxy"), true, remote()},
		{"another name", ofProxies().sign("mallory"), true, remote()},
		{"a user named like the proxy", ofUsers().sign("front-proxy"), true, remote()},
		{"a name in another case", ofProxies().sign("Front-Proxy"), true, remote()},
		{"two users", joint, true, append(remote(), "X-Remote-User", "root")},
		{"the same user twice", joint, true, append(remote(), "X-Remote-User", "carol")},
		{"two users, the first empty", joint, true, []string{"X-Remote-User", "", "X-Remote-User", "root"}},
		{"two uids", joint, true, append(remote(), "X-Remote-Uid", "0")},
		{"an authority of users below that of the proxies",
			append(below.sign("front-proxy"), ofProxies().certificate), true, remote()},
	} {
		r := request(c.headers...)
		if c.certificate != nil {
			r = c.certificate.present(r, c.verified)
		}
		by := proxies(t, func(o *auth.RequestHeaderOptions) {
			if strings.Contains(c.name, "below") {
				o.UserAuthorities = below.pool
			}
		})
		for _, users := range []access.Authenticator{by, access.Authenticators{by, tokens()},
			auth.OrAnonymous(access.Authenticators{by, tokens()})} {
			code, _ := whoIs(t, users, r)
			assert.Equal(t, http.StatusUnauthorized, code, c.name)
		}
	}
}

// A client with credentials of its own is the user of these credentials, whatever its headers say.
func TestForgedRequestHeadersBesideCredentials(t *testing.T) {
	users := access.Authenticators{proxies(t, nil), auth.Certificates(ofUsers().pool), tokens()}
	forged := append(remote(), "X-Remote-Group", "system:masters")
	for _, c := range []struct {
		name string
		r    *http.Request
		code int
		user string
	}{
		{"a certificate", withCertificate(request(forged...), "front-proxy", true), 201, "front-proxy"},
		{"a token", request(append(forged, "Authorization", "Bearer bob-secret")...), 201, "bob"},
		{"a wrong token", request(append(forged, "Authorization", "Bearer guess")...), 401, ""},
		{"the proxy", ofProxies().sign("front-proxy").present(request(remote()...), true), 201, "carol"},
		{"the proxy with a token", ofProxies().sign("front-proxy").present(
			request(append(remote(), "Authorization", "Bearer bob-secret")...), true), 201, "carol"},
		{"the proxy without a user", ofProxies().sign("front-proxy").present(request("X-Remote-Group", "a"), true), 401, ""},
		{"the proxy with an empty user", ofProxies().sign("front-proxy").present(request("X-Remote-User", ""), true), 401, ""},
		{"the proxy with only a uid", ofProxies().sign("front-proxy").present(request("X-Remote-Uid", "0"), true), 401, ""},
		{"the user of the proxy impersonates", ofProxies().sign("front-proxy").present(
			request(append(remote(), "Impersonate-User", "root")...), true), 403, ""},
	} {
		code, user := whoIs(t, users, c.r)
		assert.Equal(t, c.code, code, c.name)
		assert.Equal(t, c.user, user.Username, c.name)
		assert.NotContains(t, user.Groups, "system:masters", c.name)
	}
}

// account is what the API says about the sender of a request.
type account struct {
	Username string
	Groups   []string
}

// whoIs asks an API who sends a request.
func whoIs(t *testing.T, users access.Authenticator, r *http.Request) (int, account) {
	t.Helper()
	api, err := rest.New(rest.Options{Authenticator: users, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer func() { require.NoError(t, api.Close()) }()
	asking := httptest.NewRequest(http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews",
		strings.NewReader("{}"))
	asking.Header, asking.TLS = r.Header, r.TLS
	w := httptest.NewRecorder()
	api.ServeHTTP(w, asking)
	if w.Code != http.StatusCreated {
		return w.Code, account{}
	}
	var review struct{ Status struct{ UserInfo account } }
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &review), w.Body)
	return w.Code, review.Status.UserInfo
}

// A server verifies certificates of both authorities, and the authenticators tell them apart.
func TestRequestHeadersOverTLS(t *testing.T) {
	both := x509.NewCertPool()
	both.AddCert(ofUsers().certificate)
	both.AddCert(ofProxies().certificate)
	leaf := ofProxies().sign("front-proxy")
	chains, err := leaf[0].Verify(x509.VerifyOptions{Roots: both, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	require.NoError(t, err)
	r := request(remote()...)
	r.TLS = &tls.ConnectionState{PeerCertificates: leaf[:1], VerifiedChains: chains}
	who, err := proxies(t, nil).Authenticate(r)
	require.NoError(t, err)
	assert.Equal(t, "carol", who.User.Name)
	_, err = auth.Certificates(ofUsers().pool).Authenticate(r)
	assert.ErrorContains(t, err, "another authority", "the certificate of a proxy does not authenticate a user")
}

func TestRequestHeadersRefusesOptions(t *testing.T) {
	for want, o := range map[string]auth.RequestHeaderOptions{
		"RequestHeaderOptions.Authorities is empty":    {UserAuthorities: ofUsers().pool},
		"Authorities is empty":                         {Authorities: x509.NewCertPool(), UserAuthorities: ofUsers().pool},
		"UserAuthorities is nil":                       {Authorities: ofProxies().pool},
		"a user could act as the proxy":                {Authorities: ofUsers().pool, UserAuthorities: ofUsers().pool},
		"RequestHeaderOptions.UIDHeaders has an empty": {Authorities: ofProxies().pool, UserAuthorities: ofUsers().pool, UIDHeaders: []string{"a", " "}},
	} {
		_, err := auth.RequestHeaders(o)
		assert.ErrorContains(t, err, want)
	}
}
