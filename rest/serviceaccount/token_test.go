package serviceaccount_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

func TestATokenIsItsAccount(t *testing.T) {
	s := start(t, nil)
	a := s.account(t, "builder")
	r, err := s.request(t, "builder", serviceaccount.TokenRequestSpec{})
	require.NoError(t, err)
	assert.Equal(t, []string{issuer}, r.Spec.Audiences)
	assert.Equal(t, int64(3600), *r.Spec.ExpirationSeconds)
	assert.Equal(t, s.Clock.Now().Add(time.Hour).Unix(), r.Status.ExpirationTimestamp.Unix())

	code, who := s.whoAmI(t, r.Status.Token)
	assert.Equal(t, http.StatusCreated, code)
	assert.Equal(t, "system:serviceaccount:team:builder", who.Username)
	assert.Equal(t, a.UID, who.UID)
	assert.Equal(t, []string{"system:serviceaccounts", "system:serviceaccounts:team", "system:authenticated"}, who.Groups)

	var claims map[string]any
	require.NoError(t, json.Unmarshal([]byte(part(t, r.Status.Token, 1)), &claims))
	assert.Equal(t, []string{"JTI=" + claims["jti"].(string)}, who.Extra["authentication.kubernetes.io/credential-id"])
	delete(claims, "jti")
	now := float64(s.Clock.Now().Unix())
	assert.Equal(t, map[string]any{
		"aud": []any{issuer}, "iss": issuer, "sub": "system:serviceaccount:team:builder", "iat": now, "nbf": now,
		"exp": now + 3600,
		"kubernetes.io": map[string]any{"namespace": "team",
			"serviceaccount": map[string]any{"name": "builder", "uid": a.UID}},
	}, claims)
	assert.JSONEq(t, `{"alg":"ES256","kid":"first"}`, part(t, r.Status.Token, 0))
}

func TestATokenDiesWithItsAccount(t *testing.T) {
	s := start(t, nil)
	s.account(t, "builder")
	token := s.token(t, "builder")
	accepted := func() bool {
		code, _ := s.whoAmI(t, token)
		return code == http.StatusCreated
	}
	require.True(t, accepted())

	err := s.clients(t).Delete(t.Context(), "builder", rest.DeleteOptions{})
	require.NoError(t, err)
	assert.False(t, accepted(), "the account is deleted")
	s.account(t, "builder")
	assert.False(t, accepted(), "another account has the name")

	token = s.token(t, "builder")
	assert.True(t, accepted())
	_, err = s.clients(t).Modify(t.Context(), "builder", func(a *serviceaccount.ServiceAccount) error {
		a.Finalizers = []string{"example.com/hold"}
		return nil
	})
	require.NoError(t, err)
	assert.True(t, accepted())
	err = s.clients(t).Delete(t.Context(), "builder", rest.DeleteOptions{})
	require.NoError(t, err)
	assert.False(t, accepted(), "the account waits for its finalizer")
}

// failingStore is a store whose reads of accounts fail as long as err is set.
type failingStore struct {
	storage.Store
	err atomic.Pointer[error]
}

func (s *failingStore) Get(ctx context.Context, key storage.Key, revision watch.Revision) (*storage.Record, error) {
	if err := s.err.Load(); err != nil && key.Resource == "serviceaccounts" {
		return nil, *err
	}
	return s.Store.Get(ctx, key, revision)
}

// If the store cannot tell whether the account of a token exists, the answer is the error of the store, and never 401:
// a client would drop its token. A review of the token fails too, and does not call the token invalid.
func TestAStoreThatFailsRefusesNoToken(t *testing.T) {
	store := &failingStore{Store: memory.New(storage.Options{})}
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	s := startOn(t, store, nil)
	s.account(t, "builder")
	token := s.token(t, "builder")
	for name, c := range map[string]struct {
		err  error
		code int
	}{
		"away":        {storage.Unavailable(errors.New("etcd is away")), http.StatusServiceUnavailable},
		"another one": {errors.New("the disk is broken"), http.StatusInternalServerError},
		"too slow":    {context.DeadlineExceeded, http.StatusGatewayTimeout},
	} {
		store.err.Store(&c.err)
		code, _ := s.whoAmI(t, token)
		assert.Equal(t, c.code, code, name)
		code, body := s.send(t, "root", http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews",
			`{"spec":{"token":"`+token+`"}}`)
		assert.Equal(t, c.code, code, "%s: %s", name, body)
	}
	store.err.Store(nil)
	code, _ := s.whoAmI(t, token)
	assert.Equal(t, http.StatusCreated, code)
}

func TestATokenExpires(t *testing.T) {
	s := start(t, nil)
	s.account(t, "builder")
	r, err := s.request(t, "builder", serviceaccount.TokenRequestSpec{ExpirationSeconds: ptr[int64](600)})
	require.NoError(t, err)
	for _, c := range []struct {
		after time.Duration
		code  int
	}{{-61 * time.Second, 401}, {-60 * time.Second, 201}, {0, 201}, {599 * time.Second, 201}, {600 * time.Second, 401},
		{time.Hour, 401}} {
		began := s.Clock.Now()
		s.Clock.Set(began.Add(c.after))
		code, _ := s.whoAmI(t, r.Status.Token)
		assert.Equal(t, c.code, code, c.after)
		s.Clock.Set(began)
	}
}

func TestTokenRequests(t *testing.T) {
	s := start(t, func(o *serviceaccount.Options) { o.MaxLifetime = 2 * time.Hour })
	s.account(t, "builder")
	const path = "/api/v1/namespaces/team/serviceaccounts/%s/token"
	for _, c := range []struct {
		name, account, spec string
		code                int
		message             string
	}{
		{"the body of kubectl", "builder", `{"audiences":null,"expirationSeconds":null,"boundObjectRef":null}`, 201,
			`"expirationSeconds":3600`},
		{"an audience", "builder", `{"audiences":["a","b"]}`, 201, `"audiences":["a","b"]`},
		{"no spec", "builder", `null`, 201, `"expirationSeconds":3600`},
		{"too long a life", "builder", `{"expirationSeconds":86400}`, 201, `"expirationSeconds":7200`},
		{"too short a life", "builder", `{"expirationSeconds":599}`, 422,
			"spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes"},
		{"an endless life", "builder", `{"expirationSeconds":4294967297}`, 422,
			"may not specify a duration larger than 2^32 seconds"},
		{"another account", "missing", `{}`, 404, `serviceaccounts \"missing\" not found`},
		{"an object that is not served", "builder", `{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"a"}}`, 400,
			"cannot bind token to object of type /v1, Kind=Secret"},
		{"an object of another kind", "builder", `{"boundObjectRef":{"kind":"Namespace","apiVersion":"v1","name":"team"}}`,
			400, "cannot bind token to object of type /v1, Kind=Namespace"},
		{"an object of another group", "builder", `{"boundObjectRef":{"kind":"Pod","apiVersion":"apps/v1","name":"a"}}`,
			400, "cannot bind token to object of type apps/v1, Kind=Pod"},
		{"audiences beyond all bounds", "builder", `{"audiences":["` + strings.Repeat("a", 16<<10) + `"]}`, 400,
			"the token would be longer than 16384 bytes"},
	} {
		code, body := s.send(t, "root", http.MethodPost, fmt.Sprintf(path, c.account), `{"spec":`+c.spec+`}`)
		assert.Equal(t, c.code, code, "%s: %s", c.name, body)
		assert.Contains(t, body, c.message, c.name)
	}
	code, body := s.send(t, "root", http.MethodPost, fmt.Sprintf(path, "builder"),
		`{"apiVersion":"v1","kind":"Pod","spec":{}}`)
	assert.Equal(t, http.StatusBadRequest, code, body)
}

func TestTokenRequestHasMetadataOfAccount(t *testing.T) {
	s := start(t, nil)
	s.account(t, "builder")
	const account = "/api/v1/namespaces/team/serviceaccounts/builder"
	var built struct{ Metadata apimeta.ObjectMeta }
	code, body := s.send(t, "root", http.MethodGet, account, "")
	require.Equal(t, 200, code, body)
	require.NoError(t, json.Unmarshal([]byte(body), &built))
	for _, metadata := range []string{`{}`, `{"name":"builder","namespace":"team"}`, `{"uid":"` + built.Metadata.UID + `"}`,
		`{"creationTimestamp":"2001-02-03T04:05:06Z"}`} {
		code, body := s.send(t, "root", http.MethodPost, account+"/token", `{"metadata":`+metadata+`}`)
		require.Equal(t, 201, code, body)
		var made struct{ Metadata apimeta.ObjectMeta }
		require.NoError(t, json.Unmarshal([]byte(body), &made))
		require.Len(t, made.Metadata.ManagedFields, 1, body)
		owner := made.Metadata.ManagedFields[0]
		assert.Equal(t, [3]string{"token", "authentication.k8s.io/v1", `{"f:spec":{"f:expirationSeconds":{}}}`},
			[3]string{owner.Subresource, owner.APIVersion, string(owner.FieldsV1.Raw)}, metadata)
		made.Metadata.ManagedFields = nil
		assert.Equal(t, apimeta.ObjectMeta{Name: "builder", Namespace: "team", UID: built.Metadata.UID,
			CreationTimestamp: apimeta.NewTime(s.Clock.Now().UTC())}, made.Metadata, metadata)
	}
	code, body = s.send(t, "root", http.MethodPost, account+"/token?dryRun=All", `{"spec":{}}`)
	assert.Equal(t, http.StatusCreated, code, body)
	assert.Contains(t, body, `"token":"ey`, "a token is never stored, so a dry run issues one")
	code, body = s.send(t, "root", http.MethodPost, account+"/token", `{"metadata":{"uid":"other"},"spec":{}}`)
	assert.Equal(t, 409, code)
	assert.Contains(t, body, `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io \"builder\": the UID in `+
		`the token request (other) does not match the UID of the service account (`+built.Metadata.UID+`)`)
}

func TestATokenIsForItsAudiences(t *testing.T) {
	s := start(t, func(o *serviceaccount.Options) { o.Audiences = []string{"platform", issuer} })
	s.account(t, "builder")
	for _, c := range []struct {
		audiences []string
		code      int
	}{{nil, 201}, {[]string{"platform"}, 201}, {[]string{"vault", issuer}, 201}, {[]string{"vault"}, 401}} {
		r, err := s.request(t, "builder", serviceaccount.TokenRequestSpec{Audiences: c.audiences})
		require.NoError(t, err)
		code, _ := s.whoAmI(t, r.Status.Token)
		assert.Equal(t, c.code, code, c.audiences)
	}
}

// A token is accepted only in the exact form that the Issuer wrote.
func TestForgedTokensAreRefused(t *testing.T) {
	s := start(t, nil)
	s.account(t, "builder")
	s.account(t, "other")
	token := s.token(t, "builder")
	parts := strings.Split(token, ".")
	head, body, signature := parts[0], parts[1], parts[2]
	theirs, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	foreign, err := serviceaccount.New(serviceaccount.Options{Issuer: issuer,
		Keys: []serviceaccount.Key{{ID: "first", Signer: theirs}}})
	require.NoError(t, err)
	attacker := start(t, func(o *serviceaccount.Options) { o.Keys[0].Signer = theirs })
	attacker.account(t, "builder")
	elsewhere := start(t, func(o *serviceaccount.Options) {
		o.Issuer, o.Audiences, o.Keys[0].Signer = "https://other.example.com", []string{issuer}, s.key
	})
	elsewhere.account(t, "builder")

	for name, forged := range map[string]string{
		"no algorithm":          encode(`{"alg":"none","kid":"first"}`) + "." + body + ".",
		"no algorithm, signed":  encode(`{"alg":"none","kid":"first"}`) + "." + body + "." + signature,
		"a symmetric algorithm": encode(`{"alg":"HS256","kid":"first"}`) + "." + body + "." + signature,
		"another algorithm":     encode(`{"alg":"ES384","kid":"first"}`) + "." + body + "." + signature,
		"no key":                encode(`{"alg":"ES256"}`) + "." + body + "." + signature,
		"another key":           encode(`{"alg":"ES256","kid":"second"}`) + "." + body + "." + signature,
		"an extension": encode(`{"alg":"ES256","kid":"first","crit":["b64"],"b64":false}`) + "." + body + "." +
			signature,
		"a header of a list": encode(`[]`) + "." + body + "." + signature,
		"a changed claim": head + "." + encode(strings.Replace(part(t, token, 1), "builder", "other", -1)) + "." +
			signature,
		"no signature":           head + "." + body + ".",
		"half a signature":       head + "." + body + "." + signature[:40],
		"zeros as signature":     head + "." + body + "." + encode(string(make([]byte, 64))),
		"a long signature":       head + "." + body + "." + encode(string(make([]byte, 128))),
		"padding":                token + "==",
		"a line break":           head + "." + body + "." + signature[:10] + "\n" + signature[10:],
		"bad base64":             head + "." + body + "." + "!" + signature[1:],
		"standard base64":        head + "." + body + "." + "+/" + signature[2:],
		"two parts":              head + "." + body,
		"four parts":             token + ".",
		"an encrypted token":     token + ".." + "x",
		"dots":                   "..",
		"more dots":              strings.Repeat(".", 1000),
		"a huge token":           head + "." + strings.Repeat("A", 1<<20) + "." + signature,
		"the key of an attacker": attacker.token(t, "builder"),
		"another issuer's":       elsewhere.token(t, "builder"),
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		require.NoError(t, err)
		r.Header["Authorization"] = []string{"Bearer " + forged}
		who, err := s.accounts.Authenticate(r)
		require.Error(t, err, name)
		require.Nil(t, who, name)
		var known *status.Error
		assert.NotErrorAs(t, err, &known, name)
	}
	code, _ := s.whoAmI(t, token)
	assert.Equal(t, http.StatusCreated, code)

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	_, err = foreign.Authenticate(r)
	assert.ErrorContains(t, err, "not among the plug-ins")
}

func TestKeys(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	p521, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	require.NoError(t, err)
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	s := start(t, nil)
	s.account(t, "builder")
	first := s.token(t, "builder")
	for algorithm, signer := range map[string]crypto.Signer{"ES384": p384, "ES512": p521, "EdDSA": ed, "RS256": big} {
		require.NoError(t, s.accounts.SetKeys(serviceaccount.Key{Signer: signer},
			serviceaccount.Key{ID: "first", Public: s.key.Public()}))
		token := s.token(t, "builder")
		assert.Contains(t, part(t, token, 0), `"alg":"`+algorithm+`"`)
		for _, each := range []string{first, token} {
			code, _ := s.whoAmI(t, each)
			assert.Equal(t, http.StatusCreated, code, algorithm)
		}
		require.NoError(t, s.accounts.SetKeys(serviceaccount.Key{ID: "first", Signer: s.key}))
		code, _ := s.whoAmI(t, token)
		assert.Equal(t, http.StatusUnauthorized, code, "the key of the token was removed")
	}

	p224, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		keys  []serviceaccount.Key
		fault string
	}{
		"none":              {nil, "the first key must have a Signer"},
		"only a public key": {[]serviceaccount.Key{{Public: ed.Public()}}, "the first key must have a Signer"},
		"an empty key":      {[]serviceaccount.Key{{}}, "unsupported key"},
		"a weak curve":      {[]serviceaccount.Key{{Signer: p224}}, "P-256, P-384 or P-521"},
		"a short RSA key": {[]serviceaccount.Key{{Signer: ed}, {Public: &rsa.PublicKey{N: big.Primes[0], E: 65537}}},
			"at least 2048 bits"},
		"one id for two keys": {[]serviceaccount.Key{{ID: "a", Signer: ed}, {ID: "a", Signer: p384}},
			`duplicate key id "a"`},
		"a truncated public key": {[]serviceaccount.Key{{Signer: ed}, {Public: ed25519.PublicKey("short")}}, "wrong size"},
	} {
		assert.ErrorContains(t, s.accounts.SetKeys(c.keys...), c.fault, name)
	}
	code, _ := s.whoAmI(t, first)
	assert.Equal(t, http.StatusCreated, code, "a refused set of keys changes nothing")
}

func TestOptionsAreChecked(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	keys := []serviceaccount.Key{{Signer: key}}
	_, err = serviceaccount.New(serviceaccount.Options{Keys: keys})
	assert.ErrorContains(t, err, "Issuer")
	_, err = serviceaccount.New(serviceaccount.Options{Issuer: issuer})
	assert.ErrorContains(t, err, "Signer")
	_, err = serviceaccount.New(serviceaccount.Options{Issuer: issuer, Keys: keys, MaxLifetime: time.Minute})
	assert.ErrorContains(t, err, "MaxLifetime")

	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: issuer, Keys: keys})
	require.NoError(t, err)
	one, err := rest.New(rest.Options{Plugins: []rest.Plugin{accounts}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, one.Close()) })
	_, err = rest.New(rest.Options{Plugins: []rest.Plugin{accounts}})
	assert.ErrorContains(t, err, "belongs to one API")
}

func ptr[T any](v T) *T { return &v }

// Pod, Secret and Node are kinds to whose objects tokens can be bound.
type (
	Pod struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			ServiceAccountName string `json:"serviceAccountName,omitempty"`
			NodeName           string `json:"nodeName,omitempty"`
		} `json:"spec,omitzero"`
	}
	Secret struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
	}
	Node struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
	}
)

// boundKinds returns the definitions of these kinds. A Pod has 30 seconds to end.
func boundKinds() []rest.Definition {
	return []rest.Definition{
		rest.Resource[Pod]{Version: "v1", Plural: "pods", Hooks: rest.Hooks[Pod]{
			GracePeriod: func(_ context.Context, _ *Pod, asked *int64) (int64, error) {
				if asked != nil {
					return *asked, nil
				}
				return 30, nil
			},
		}},
		rest.Resource[Secret]{Version: "v1", Plural: "secrets"},
		rest.Resource[Node]{Version: "v1", Plural: "nodes", Scope: rest.ScopeCluster},
	}
}

func TestATokenDiesWithTheObjectToWhichItIsBound(t *testing.T) {
	s := start(t, nil, boundKinds()...)
	a := s.account(t, "builder")
	s.account(t, "other")
	pods, secrets := resttest.Client[Pod](t, s.API).Namespace("team"), resttest.Client[Secret](t, s.API).Namespace("team")
	node, err := resttest.Client[Node](t, s.API).Create(t.Context(), &Node{ObjectMeta: apimeta.ObjectMeta{Name: "n"}})
	require.NoError(t, err)
	pod := &Pod{ObjectMeta: apimeta.ObjectMeta{Name: "p"}}
	pod.Spec.ServiceAccountName, pod.Spec.NodeName = "builder", "n"
	pod, err = pods.Create(t.Context(), pod)
	require.NoError(t, err)
	_, err = secrets.Create(t.Context(), &Secret{ObjectMeta: apimeta.ObjectMeta{Name: "s"}})
	require.NoError(t, err)

	bound := func(account, kind, name, uid string) (string, error) {
		r, err := s.request(t, account, serviceaccount.TokenRequestSpec{
			BoundObjectRef: &serviceaccount.BoundObjectReference{Kind: kind, APIVersion: "v1", Name: name, UID: uid}})
		if err != nil {
			return "", err
		}
		return r.Status.Token, nil
	}
	_, err = bound("builder", "Secret", "missing", "")
	assert.True(t, status.IsNotFound(err), err)
	_, err = bound("builder", "Secret", "s", "another uid")
	assert.True(t, status.IsConflict(err), err)
	_, err = bound("other", "Pod", "p", "")
	assert.ErrorContains(t, err, `cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.`)

	ofPod, err := bound("builder", "Pod", "p", pod.UID)
	require.NoError(t, err)
	ofSecret, err := bound("builder", "Secret", "s", "")
	require.NoError(t, err)
	ofNode, err := bound("other", "Node", "n", node.UID)
	require.NoError(t, err)
	code, who := s.whoAmI(t, ofPod)
	require.Equal(t, http.StatusCreated, code)
	delete(who.Extra, "authentication.kubernetes.io/credential-id")
	assert.Equal(t, a.UID, who.UID)
	assert.Equal(t, map[string][]string{
		"authentication.kubernetes.io/pod-name": {"p"}, "authentication.kubernetes.io/pod-uid": {pod.UID},
		"authentication.kubernetes.io/node-name": {"n"}, "authentication.kubernetes.io/node-uid": {node.UID},
	}, who.Extra)
	accepted := func(token string) bool {
		code, _ := s.whoAmI(t, token)
		return code == http.StatusCreated
	}
	require.True(t, accepted(ofSecret))
	require.True(t, accepted(ofNode))

	err = resttest.Client[Node](t, s.API).Delete(t.Context(), "n", rest.DeleteOptions{})
	require.NoError(t, err)
	assert.False(t, accepted(ofNode))
	assert.True(t, accepted(ofPod), "the node is only for information")
	err = secrets.Delete(t.Context(), "s", rest.DeleteOptions{})
	require.NoError(t, err)
	assert.False(t, accepted(ofSecret))
	err = pods.Delete(t.Context(), "p", rest.DeleteOptions{})
	require.NoError(t, err)
	assert.True(t, accepted(ofPod), "the pod has time to end")
	s.Clock.Advance(30 * time.Second)
	assert.False(t, accepted(ofPod))
}

// A token is bound to any object whose kind the API serves in the core group. Clients need not name the version.
func TestReferencesOfBoundTokens(t *testing.T) {
	s := start(t, nil, boundKinds()...)
	s.account(t, "builder")
	pod := &Pod{ObjectMeta: apimeta.ObjectMeta{Name: "p"}}
	pod.Spec.ServiceAccountName = "builder"
	_, err := resttest.Client[Pod](t, s.API).Namespace("team").Create(t.Context(), pod)
	require.NoError(t, err)
	for _, c := range []struct {
		ref, message string
		code         int
	}{
		{`{"kind":"Pod","name":"p"}`, `"token":"`, 201},
		{`{"kind":"Pod","apiVersion":"v7","name":"p"}`, `"token":"`, 201},
		{`{"kind":"Pod","apiVersion":"a/b/c","name":"p"}`, `"token":"`, 201},
		{`{"kind":"Pod","apiVersion":"v1"}`, `"message":"Name parameter required."`, 400},
		{`{"kind":"Pod","apiVersion":"v1","name":"a/b"}`,
			`"message":"Name parameter invalid: \"a/b\": may not contain '/'"`, 400},
		{`{"kind":"Pod","apiVersion":"v1","name":"q"}`, `"message":"pods \"q\" not found"`, 404},
		{`{"apiVersion":"v1","name":"p"}`, `"message":"cannot bind token to object of type /v1, Kind="`, 400},
	} {
		code, body := s.send(t, "root", http.MethodPost, "/api/v1/namespaces/team/serviceaccounts/builder/token",
			`{"spec":{"boundObjectRef":`+c.ref+`}}`)
		assert.Equal(t, c.code, code, "%s: %s", c.ref, body)
		assert.Contains(t, body, c.message, c.ref)
	}
}

// ofMissingPod returns a token that is bound to a pod that does not exist any more.
func (s *server) ofMissingPod(t testing.TB) string {
	t.Helper()
	pods := resttest.Client[Pod](t, s.API).Namespace("team")
	pod := &Pod{ObjectMeta: apimeta.ObjectMeta{Name: "p"}}
	pod.Spec.ServiceAccountName = "builder"
	_, err := pods.Create(t.Context(), pod)
	require.NoError(t, err)
	r, err := s.request(t, "builder", serviceaccount.TokenRequestSpec{
		BoundObjectRef: &serviceaccount.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: "p"}})
	require.NoError(t, err)
	require.NoError(t, pods.Delete(t.Context(), "p", rest.DeleteOptions{GracePeriodSeconds: ptr[int64](0)}))
	return r.Status.Token
}

// Robot is a host's own type for service accounts.
type Robot struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Owner              string `json:"owner,omitempty"`
}

func TestTokensOfAHostsOwnType(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: issuer, Keys: []serviceaccount.Key{{Signer: key}}})
	require.NoError(t, err)
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{accounts}},
		rest.Resource[Robot]{Version: "v1", Plural: "serviceaccounts", Names: rest.Names{Kind: "ServiceAccount"},
			Subresources: []rest.SubresourceOf[Robot]{serviceaccount.Token[Robot](accounts)}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	robots := resttest.Client[Robot](t, api).Namespace("team")
	_, err = robots.Create(t.Context(), &Robot{ObjectMeta: apimeta.ObjectMeta{Name: "builder"}, Owner: "alice"})
	require.NoError(t, err)
	request, err := rest.CreateSubresource(t.Context(), robots, "builder", "token", &serviceaccount.TokenRequest{})
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+request.Status.Token)
	who, err := accounts.Authenticate(r)
	require.NoError(t, err)
	assert.Equal(t, "system:serviceaccount:team:builder", who.User.Name)
	assert.Equal(t, request.Status.ExpirationTimestamp.Unix(), who.Expires.Unix())
}
