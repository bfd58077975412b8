package oidc_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth/oidc"
	"github.com/decorum-go/decorum/status"
)

// fake is an issuer on the loopback interface.
type fake struct {
	*httptest.Server
	mu     sync.Mutex
	keys   []jose.JSONWebKey
	now    time.Time
	asked  map[string]int
	broken atomic.Bool // answers 503
}

// newFake starts an issuer with one key, whose id is k1.
func newFake(t *testing.T) *fake {
	f := &fake{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), asked: map[string]int{}}
	f.Server = httptest.NewTLSServer(f)
	t.Cleanup(f.Close)
	f.rotate(t, "k1")
	return f
}

// rotate replaces the key of the issuer.
func (f *fake) rotate(t *testing.T, id string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys = []jose.JSONWebKey{{Key: key, KeyID: id, Algorithm: "RS256", Use: "sig"}}
}

func (f *fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fake) advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

// requests returns how often the issuer was asked for a path.
func (f *fake) requests(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[path]
}

// The paths of the issuer.
const (
	configuration = "/.well-known/openid-configuration"
	keys          = "/keys"
)

// ServeHTTP serves the configuration and the public keys.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked[r.URL.Path]++
	var answer any
	switch {
	case f.broken.Load():
		http.Error(w, "broken", http.StatusServiceUnavailable)
		return
	case r.URL.Path == configuration:
		answer = map[string]any{"issuer": f.URL, "jwks_uri": f.URL + keys,
			"id_token_signing_alg_values_supported": []string{"RS256", "none", "HS256"}}
	default:
		set := jose.JSONWebKeySet{}
		for _, k := range f.keys {
			set.Keys = append(set.Keys, k.Public())
		}
		answer = set
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// claims returns the claims of a valid token, changed.
func (f *fake) claims(change map[string]any) map[string]any {
	c := map[string]any{"iss": f.URL, "aud": "platform", "sub": "1234", "exp": f.Now().Add(time.Hour).Unix(),
		"iat": f.Now().Unix()}
	maps.Copy(c, change)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// token returns a token that the issuer signed.
func (f *fake) token(t *testing.T, change map[string]any) string {
	f.mu.Lock()
	key := f.keys[0]
	f.mu.Unlock()
	return signed(t, jose.RS256, key, f.claims(change))
}

func signed(t *testing.T, algorithm jose.SignatureAlgorithm, key any, claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	require.NoError(t, err)
	body, err := json.Marshal(claims)
	require.NoError(t, err)
	jws, err := signer.Sign(body)
	require.NoError(t, err)
	text, err := jws.CompactSerialize()
	require.NoError(t, err)
	return text
}

// options are the options for the issuer.
func (f *fake) options() oidc.Options {
	return oidc.Options{Issuer: f.URL, ClientIDs: []string{"other", "platform"}, Client: f.Client(), Now: f.Now}
}

// authenticator returns an authenticator for the issuer. change, if not nil, changes its options.
func (f *fake) authenticator(t *testing.T, change func(*oidc.Options)) access.Authenticator {
	o := f.options()
	if change != nil {
		change(&o)
	}
	a, err := oidc.New(o)
	require.NoError(t, err)
	return a
}

// present presents a bearer token.
func present(t *testing.T, a access.Authenticator, token string) (*access.Identity, error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	return a.Authenticate(r)
}

func TestUsersAndGroups(t *testing.T) {
	f := newFake(t)
	named := func(o *oidc.Options) {
		o.UsernameClaim, o.UsernamePrefix, o.GroupsClaim, o.GroupsPrefix = "email", "oidc:", "groups", "oidc:"
		o.RequiredClaims = map[string]string{"tenant": "a"}
	}
	bare := func(o *oidc.Options) { o.UsernameClaim, o.GroupsClaim = "name", "groups" }
	valid := map[string]any{"email": "ada@example.com", "tenant": "a"}
	with := func(name string, value any) map[string]any {
		c := maps.Clone(valid)
		c[name] = value
		return c
	}
	for _, c := range []struct {
		name   string
		by     access.Authenticator
		claims map[string]any
		user   string // empty if the token is refused
		groups []string
		fault  string
	}{
		{"the subject", f.authenticator(t, nil), nil, "1234", nil, ""},
		{"several audiences", f.authenticator(t, nil), map[string]any{"aud": []string{"x", "other"}}, "1234", nil, ""},
		{"another audience", f.authenticator(t, nil), map[string]any{"aud": []string{"x"}}, "", nil, "another client"},
		{"no audience", f.authenticator(t, nil), map[string]any{"aud": nil}, "", nil, "another client"},
		{"another issuer", f.authenticator(t, nil), map[string]any{"iss": "https://other.example.com"}, "", nil,
			"another issuer"},
		{"expired", f.authenticator(t, nil), map[string]any{"exp": f.Now().Unix()}, "", nil, "expired"},
		{"without an expiry", f.authenticator(t, nil), map[string]any{"exp": nil}, "", nil, "expired"},
		{"not valid yet", f.authenticator(t, nil), map[string]any{"nbf": f.Now().Add(time.Hour).Unix()}, "", nil, "nbf"},
		{"an address", f.authenticator(t, named), valid, "oidc:ada@example.com", nil, ""},
		{"a verified address", f.authenticator(t, named), with("email_verified", true), "oidc:ada@example.com", nil, ""},
		{"an address that is not verified", f.authenticator(t, named), with("email_verified", false), "", nil,
			"not verified"},
		{"an address that may be verified", f.authenticator(t, named), with("email_verified", "true"), "", nil,
			"not verified"},
		{"no address", f.authenticator(t, named), with("email", nil), "", nil, `no claim "email"`},
		{"a number as address", f.authenticator(t, named), with("email", 1), "", nil, `no claim "email"`},
		{"another tenant", f.authenticator(t, named), with("tenant", "b"), "", nil, `the claim "tenant" with the value "a"`},
		{"a group", f.authenticator(t, named), with("groups", "dev"), "oidc:ada@example.com", []string{"oidc:dev"}, ""},
		{"groups", f.authenticator(t, named), with("groups", []string{"dev", "system:masters"}), "oidc:ada@example.com",
			[]string{"oidc:dev", "oidc:system:masters"}, ""},
		{"groups that are numbers", f.authenticator(t, named), with("groups", []int{1}), "", nil,
			"neither a string nor a list of strings"},
		{"groups of the API", f.authenticator(t, bare),
			map[string]any{"name": "ada", "groups": []string{"system:masters", "", "dev"}}, "ada", []string{"dev"}, ""},
		{"a user of the API", f.authenticator(t, bare), map[string]any{"name": "system:admin"}, "", nil, "belong to the API"},
	} {
		who, err := present(t, c.by, f.token(t, c.claims))
		if c.user == "" {
			assert.ErrorContains(t, err, c.fault, c.name)
			assert.Nil(t, who, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		assert.Equal(t, c.user, who.User.Name, c.name)
		assert.Equal(t, c.groups, who.User.Groups, c.name)
		assert.Equal(t, f.Now().Add(time.Hour).Unix(), who.Expires.Unix(), c.name)
	}
}

func TestForgedTokensAreRefused(t *testing.T) {
	f := newFake(t)
	a := f.authenticator(t, nil)
	token := f.token(t, nil)
	_, err := present(t, a, token)
	require.NoError(t, err)
	parts := strings.Split(token, ".")
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	theirs, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	public := f.keys[0].Public().Key.(*rsa.PublicKey)
	admin, err := json.Marshal(f.claims(map[string]any{"sub": "admin"}))
	require.NoError(t, err)
	for name, forged := range map[string]string{
		"no algorithm":          encode(`{"alg":"none"}`) + "." + parts[1] + ".",
		"a symmetric algorithm": signed(t, jose.HS256, public.N.Bytes(), f.claims(nil)),
		"another algorithm":     signed(t, jose.ES256, curve, f.claims(nil)),
		"another key": signed(t, jose.RS256, jose.JSONWebKey{Key: crypto.PrivateKey(theirs), KeyID: "k1"},
			f.claims(nil)),
		"an embedded key": encode(`{"alg":"RS256","jwk":{"kty":"RSA","n":"AQAB","e":"AQAB"}}`) + "." + parts[1] + "." +
			parts[2],
		"another subject": parts[0] + "." + encode(string(admin)) + "." + parts[2],
		"no signature":    parts[0] + "." + parts[1] + ".",
		"a huge token":    parts[0] + "." + strings.Repeat("A", 1<<20) + "." + parts[2],
		"a token in JSON": `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] +
			`"}`,
		"an opaque token": "secret",
	} {
		who, err := present(t, a, forged)
		assert.Error(t, err, name)
		assert.Nil(t, who, name)
	}
	assert.LessOrEqual(t, f.requests(keys), 1, "forged tokens make the API ask no more often than allowed")
}

func TestKeysAreKeptAndRotated(t *testing.T) {
	f := newFake(t)
	a := f.authenticator(t, nil)
	assert.Zero(t, f.requests(configuration), "New asks nothing")
	for range 3 {
		_, err := present(t, a, f.token(t, nil))
		require.NoError(t, err)
	}
	assert.Equal(t, 1, f.requests(configuration))
	assert.Equal(t, 1, f.requests(keys))

	old := f.token(t, nil)
	f.rotate(t, "k2")
	_, err := present(t, a, f.token(t, nil))
	require.ErrorContains(t, err, "less than 10s ago")
	_, err = present(t, a, old)
	require.NoError(t, err, "the known keys stay")
	f.advance(10 * time.Second)
	require.Eventually(t, func() bool { // on a busy machine, go-oidc may still share the answer of the refused question
		_, err = present(t, a, f.token(t, nil))
		return err == nil
	}, time.Minute, time.Millisecond)
	assert.Equal(t, 2, f.requests(keys))
	_, err = present(t, a, old)
	assert.Error(t, err, "the issuer has given up the key")
}

func TestTheIssuerIsUnavailable(t *testing.T) {
	f := newFake(t)
	a := f.authenticator(t, nil)
	f.broken.Store(true)
	_, err := present(t, a, f.token(t, nil))
	assert.True(t, status.IsServiceUnavailable(err), "the token may be valid")
	require.ErrorContains(t, errors.Unwrap(err), "503")
	_, err = present(t, a, f.token(t, nil))
	require.Error(t, err)
	assert.Equal(t, 1, f.requests(configuration), "it is not asked for each request")
	f.broken.Store(false)
	f.advance(10 * time.Second)
	_, err = present(t, a, f.token(t, nil))
	require.NoError(t, err)

	f.broken.Store(true)
	f.advance(20 * time.Second)
	_, err = present(t, a, f.token(t, nil))
	assert.NoError(t, err, "known keys suffice")
}

// hanging is a transport whose answers never come.
type hanging struct{ began chan struct{} }

func (h hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	h.began <- struct{}{}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestAnIssuerThatHangsEndsWithTheTimeout(t *testing.T) {
	f := newFake(t)
	h := hanging{make(chan struct{}, 1)}
	a := f.authenticator(t, func(o *oidc.Options) {
		o.Client, o.Timeout = &http.Client{Transport: h}, 50*time.Millisecond
	})
	token := f.token(t, nil)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			_, err := present(t, a, token)
			assert.Error(t, err)
		})
	}
	all.Wait()
	assert.Len(t, h.began, 1, "all wait for one request")
}

// While an issuer hangs, a few dozen requests wait for it, and the others get their answer at once. After it has
// failed, nobody waits.
func TestFewRequestsWaitForAnIssuer(t *testing.T) {
	for _, hangs := range []string{configuration, keys} {
		f := newFake(t)
		began, release := make(chan struct{}, 1), make(chan struct{})
		transport := f.Client().Transport
		partly := roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path != hangs {
				return transport.RoundTrip(r)
			}
			began <- struct{}{}
			<-release
			return nil, errors.New("it hung up")
		})
		a := f.authenticator(t, func(o *oidc.Options) { o.Client, o.Timeout = &http.Client{Transport: partly}, time.Minute })
		forged := f.token(t, nil)
		const clients = 1100
		ended := make(chan error, clients)
		for range clients {
			go func() {
				_, err := present(t, a, forged)
				ended <- err
			}()
		}
		<-began
		for range clients - 33 { // one asks, or nobody does, and 32 wait
			assert.True(t, status.IsServiceUnavailable(<-ended), hangs)
		}
		close(release)
		for range 33 {
			assert.Error(t, <-ended, hangs)
		}
		_, err := present(t, a, forged)
		assert.True(t, status.IsServiceUnavailable(err), "%s: %v", hangs, err)
		assert.Empty(t, began, "it is not asked again at once")
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// panicking is a transport of a host that panics.
type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic("broken transport") }

func TestATransportThatPanicsKeepsNobodyWaiting(t *testing.T) {
	f := newFake(t)
	a := f.authenticator(t, func(o *oidc.Options) { o.Client = &http.Client{Transport: panicking{}} })
	token := f.token(t, nil)
	for range 2 {
		f.advance(10 * time.Second)
		assert.Panics(t, func() { _, _ = present(t, a, token) })
	}
}

func TestOptionsAreChecked(t *testing.T) {
	valid := oidc.Options{Issuer: "https://login.example.com", ClientIDs: []string{"platform"}}
	_, err := oidc.New(valid)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		change func(*oidc.Options)
		fault  string
	}{
		"no issuer":             {func(o *oidc.Options) { o.Issuer = "" }, "must be an https URL"},
		"an issuer without TLS": {func(o *oidc.Options) { o.Issuer = "http://login.example.com" }, "must be an https URL"},
		"no client":             {func(o *oidc.Options) { o.ClientIDs = nil }, "ClientIDs"},
		"a client without id":   {func(o *oidc.Options) { o.ClientIDs = []string{""} }, "ClientIDs"},
		"no signature":          {func(o *oidc.Options) { o.Algorithms = []string{"none"} }, `unsupported algorithm "none"`},
		"a symmetric one": {func(o *oidc.Options) { o.Algorithms = []string{"HS256"} },
			`unsupported algorithm "HS256"`},
	} {
		o := valid
		c.change(&o)
		_, err := oidc.New(o)
		assert.ErrorContains(t, err, c.fault, name)
	}
}
