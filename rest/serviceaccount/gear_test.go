package serviceaccount_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/storage"
)

const issuer = "https://platform.example.com"

// server is an API with service accounts. The token "root" is an administrator's.
type server struct {
	*resttest.Server
	accounts *serviceaccount.Issuer
	key      *ecdsa.PrivateKey
}

// start starts a server. change, if not nil, changes the options of the Issuer.
func start(t testing.TB, change func(*serviceaccount.Options), more ...rest.Definition) *server {
	t.Helper()
	return startOn(t, nil, change, more...)
}

// startOn is start with a store, or with one of its own if store is nil.
func startOn(t testing.TB, store storage.Store, change func(*serviceaccount.Options), more ...rest.Definition) *server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	options := serviceaccount.Options{Issuer: issuer, Keys: []serviceaccount.Key{{ID: "first", Signer: key}}}
	if change != nil {
		change(&options)
	}
	accounts, err := serviceaccount.New(options)
	require.NoError(t, err)
	people := auth.Tokens(auth.Token{Secret: "root", User: access.User{Name: "root"}})
	definitions := append([]rest.Definition{accounts.TokenReviews(people), builtin.Namespaces()}, more...)
	s := resttest.NewWith(t, resttest.Options{API: rest.Options{
		Store: store, Authenticator: people, Plugins: []rest.Plugin{accounts, auth.Reviews()},
	}}, definitions...)
	_, err = resttest.Client[builtin.Namespace](t, s.API).Create(t.Context(),
		&builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "team"}})
	require.NoError(t, err)
	return &server{s, accounts, key}
}

// account creates a service account in the namespace team.
func (s *server) account(t testing.TB, name string) *serviceaccount.ServiceAccount {
	t.Helper()
	a, err := s.clients(t).Create(t.Context(), &serviceaccount.ServiceAccount{ObjectMeta: apimeta.ObjectMeta{Name: name}})
	require.NoError(t, err)
	return a
}

// clients returns the client of the service accounts in the namespace team.
func (s *server) clients(t testing.TB) rest.Client[serviceaccount.ServiceAccount] {
	return resttest.Client[serviceaccount.ServiceAccount](t, s.API).Namespace("team")
}

// request requests a token for a service account.
func (s *server) request(t testing.TB, name string,
	spec serviceaccount.TokenRequestSpec) (*serviceaccount.TokenRequest, error) {
	t.Helper()
	return rest.CreateSubresource(t.Context(), s.clients(t), name, "token", &serviceaccount.TokenRequest{Spec: spec})
}

// token returns a token for a service account.
func (s *server) token(t testing.TB, name string) string {
	t.Helper()
	r, err := s.request(t, name, serviceaccount.TokenRequestSpec{})
	require.NoError(t, err)
	return r.Status.Token
}

// send sends a request with a bearer token, and returns the code and the body of the answer.
func (s *server) send(t testing.TB, token, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://host"+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := s.RoundTripper().RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// user is what a review tells about a user.
type user struct {
	Username, UID string
	Groups        []string
	Extra         map[string][]string
}

// whoAmI returns as which user the API sees the bearer of a token.
func (s *server) whoAmI(t testing.TB, token string) (int, user) {
	t.Helper()
	code, body := s.send(t, token, http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{}`)
	var r struct{ Status struct{ UserInfo user } }
	if code == http.StatusCreated {
		require.NoError(t, json.Unmarshal([]byte(body), &r))
	}
	return code, r.Status.UserInfo
}

// part returns a part of a token, as JSON.
func part(t testing.TB, token string, n int) string {
	t.Helper()
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[n])
	require.NoError(t, err)
	return string(text)
}

// encode returns a part of a token.
func encode(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }
