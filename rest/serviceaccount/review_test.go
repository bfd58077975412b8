package serviceaccount_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
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
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/status"
)

func TestTokenReviews(t *testing.T) {
	s := start(t, nil)
	s.account(t, "builder")
	own := s.token(t, "builder")
	r, err := s.request(t, "builder", serviceaccount.TokenRequestSpec{Audiences: []string{"vault", "backup"}})
	require.NoError(t, err)
	forVault := r.Status.Token
	const builder = "system:serviceaccount:team:builder"
	for _, c := range []struct {
		name, token string
		audiences   []string
		user        string // empty if the token is not valid
		valid       []string
		fault       string
	}{
		{"a token for the API", own, nil, builder, []string{issuer}, ""},
		{"the same for another audience", own, []string{"vault"}, "", nil, "the token is for another audience"},
		{"a token for others", forVault, nil, "", nil, "the token is for another audience"},
		{"the same for one of them", forVault, []string{"x", "vault"}, builder, []string{"vault"}, ""},
		{"a person's", "root", nil, "root", []string{issuer}, ""},
		{"a person's for another audience", "root", []string{"vault"}, "", nil, "malformed token"},
		{"a guess", "guess", nil, "", nil, "malformed token"},
	} {
		body, err := json.Marshal(map[string]any{"spec": map[string]any{"token": c.token, "audiences": c.audiences}})
		require.NoError(t, err)
		code, text := s.send(t, "root", http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews", string(body))
		require.Equal(t, http.StatusCreated, code, text)
		var answer struct {
			Status struct {
				Authenticated bool
				User          user
				Audiences     []string
				Error         string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(text), &answer))
		got := answer.Status
		assert.Equal(t, c.user != "", got.Authenticated, c.name)
		assert.Equal(t, c.user, got.User.Username, c.name)
		assert.Equal(t, c.valid, got.Audiences, c.name)
		assert.Equal(t, c.fault, got.Error, c.name)
		if c.user != "" {
			assert.Contains(t, got.User.Groups, "system:authenticated", c.name)
		}
	}
	code, _ := s.send(t, "root", http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews", `{"spec":{}}`)
	assert.Equal(t, http.StatusBadRequest, code)
}

// If another authenticator cannot decide about a token, the review fails and does not call the token invalid.
func TestTokenReviewWhenOthersAreUndecided(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: issuer, Keys: []serviceaccount.Key{{Signer: key}}})
	require.NoError(t, err)
	away := access.AuthenticatorFunc(func(*http.Request) (*access.Identity, error) {
		return nil, fmt.Errorf("people: %w", status.ServiceUnavailable("later"))
	})
	users := auth.Tokens(auth.Token{Secret: "root", User: access.User{Name: "root"}})
	api, err := rest.New(rest.Options{Authenticator: users, Plugins: []rest.Plugin{accounts},
		Logger: slog.New(slog.DiscardHandler)}, accounts.TokenReviews(away))
	require.NoError(t, err)
	defer api.Close()
	r := httptest.NewRequest(http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews",
		strings.NewReader(`{"spec":{"token":"guess"}}`))
	r.Header.Set("Authorization", "Bearer root")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code, w.Body)
}

func TestDiscoveryShowsThePublicKeys(t *testing.T) {
	s := start(t, nil)
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	wide, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	require.NoError(t, err)
	require.NoError(t, s.accounts.SetKeys(serviceaccount.Key{ID: "first", Signer: s.key},
		serviceaccount.Key{ID: "ed", Public: ed.Public()}, serviceaccount.Key{ID: "rsa", Public: big.Public()},
		serviceaccount.Key{ID: "wide", Public: wide.Public()}))
	get := func(path string, into any) string {
		w := httptest.NewRecorder()
		s.accounts.Discovery().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		require.Equal(t, http.StatusOK, w.Code)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), into))
		return w.Header().Get("Content-Type")
	}
	var configuration map[string]any
	assert.Equal(t, "application/json", get("/.well-known/openid-configuration", &configuration))
	assert.Equal(t, map[string]any{
		"issuer": issuer, "jwks_uri": issuer + "/openid/v1/jwks", "response_types_supported": []any{"id_token"},
		"subject_types_supported":               []any{"public"},
		"id_token_signing_alg_values_supported": []any{"ES256", "EdDSA", "RS256", "ES512"},
	}, configuration)
	var set struct{ Keys []map[string]string }
	assert.Equal(t, "application/jwk-set+json", get("/openid/v1/jwks", &set))
	require.Len(t, set.Keys, 4)
	for i, want := range []struct{ id, of, curve string }{{"first", "EC", "P-256"}, {"ed", "OKP", "Ed25519"},
		{"rsa", "RSA", ""}, {"wide", "EC", "P-521"}} {
		k := set.Keys[i]
		assert.Equal(t, []string{want.id, want.of, want.curve, "sig"}, []string{k["kid"], k["kty"], k["crv"], k["use"]})
		assert.Empty(t, k["d"], "no private part")
	}
	assert.Equal(t, "AQAB", set.Keys[2]["e"])
	assert.Len(t, set.Keys[3]["x"], 88)
}
