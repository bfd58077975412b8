package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// newAccounts returns an Issuer with a new key.
func newAccounts(t *testing.T) *serviceaccount.Issuer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: "https://platform.example.com",
		Keys: []serviceaccount.Key{{Signer: key}}})
	require.NoError(t, err)
	return accounts
}

// startAccounts serves notes and service accounts over TLS. The token of the administrator is root.
func startAccounts(t *testing.T) *server {
	accounts := newAccounts(t)
	people := auth.Tokens(auth.Token{Secret: "root", User: access.User{Name: "root", Groups: []string{"admins"}}})
	s, _ := serveNotes(t, people, []rest.Plugin{accounts}, accounts.TokenReviews(people))
	return s
}

// kubectl manages service accounts and gets tokens for them, which have the rights of the account and die with it.
func TestKubectlCreatesTokens(t *testing.T) {
	s := startAccounts(t)
	assert.Equal(t, "serviceaccount/robot created\n", as(t, s, 0, "root", "create", "serviceaccount", "robot"))
	as(t, s, 0, "root", "create", "role", "reader", "--verb=get,list", "--resource=notes.example.com")
	as(t, s, 0, "root", "create", "rolebinding", "readers", "--role=reader", "--serviceaccount="+namespace+":robot")
	token := strings.TrimSpace(as(t, s, 0, "root", "create", "token", "robot", "--duration=10m"))
	assert.Contains(t, as(t, s, 0, token, "auth", "whoami"), "system:serviceaccount:"+namespace+":robot")
	assert.Contains(t, as(t, s, 0, token, "get", "notes"), "No resources found")
	assert.Contains(t, as(t, s, 1, token, "get", "serviceaccounts"),
		`User "system:serviceaccount:`+namespace+`:robot" cannot list resource "serviceaccounts"`)
	assert.Contains(t, as(t, s, 1, token, "create", "token", "robot"), `cannot create resource "serviceaccounts/token"`)
	assert.Contains(t, as(t, s, 1, "root", "create", "token", "robot", "--bound-object-kind=Secret",
		"--bound-object-name=a"), "cannot bind token to object of type /v1, Kind=Secret")
	elsewhere := strings.TrimSpace(as(t, s, 0, "root", "create", "token", "robot", "--audience=vault"))
	assert.Contains(t, as(t, s, 1, elsewhere, "get", "notes"), "You must be logged in to the server")
	assert.Contains(t, as(t, s, 0, "root", "get", "sa"), "robot")

	as(t, s, 0, "root", "delete", "serviceaccount", "robot")
	as(t, s, 0, "root", "create", "serviceaccount", "robot")
	assert.Contains(t, as(t, s, 1, token, "get", "notes"), "You must be logged in to the server")
}

// client-go requests and reviews tokens in Protobuf.
func TestClientGoRequestsTokens(t *testing.T) {
	s := startAccounts(t)
	as(t, s, 0, "root", "create", "serviceaccount", "robot")
	clients, err := kubernetes.NewForConfig(&clientrest.Config{Host: s.url, BearerToken: "root",
		TLSClientConfig: clientrest.TLSClientConfig{Insecure: true},
		ContentConfig:   clientrest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"}})
	require.NoError(t, err)
	seconds := int64(1200)
	request, err := clients.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), "robot",
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: []string{"vault"},
			ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"vault"}, request.Spec.Audiences)
	assert.Equal(t, seconds, *request.Spec.ExpirationSeconds)
	review := func(audiences ...string) authenticationv1.TokenReviewStatus {
		r, err := clients.AuthenticationV1().TokenReviews().Create(t.Context(),
			&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: request.Status.Token,
				Audiences: audiences}}, metav1.CreateOptions{})
		require.NoError(t, err)
		return r.Status
	}
	assert.Equal(t, authenticationv1.TokenReviewStatus{Error: "the token is for another audience"}, review())
	status := review("vault", "backup")
	assert.True(t, status.Authenticated)
	assert.Equal(t, []string{"vault"}, status.Audiences)
	assert.Equal(t, "system:serviceaccount:"+namespace+":robot", status.User.Username)
}

// An informer of client-go survives the expiry of its token: the watch ends, and the informer lists and watches with
// the next token.
func TestInformerOutlivesItsToken(t *testing.T) {
	accounts := newAccounts(t)
	clock := &resttest.Clock{}
	clock.Set(time.Now().Truncate(time.Second))
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{accounts}, Now: clock.Now}, builtin.Namespaces(),
		rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"})
	require.NoError(t, err)
	watched := make(chan struct{}, 100) // watches that have ended
	over := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r)
		if r.URL.Query().Get("watch") != "" {
			watched <- struct{}{}
		}
	}))
	t.Cleanup(func() {
		over.CloseClientConnections()
		require.NoError(t, api.Close())
		over.Close()
	})
	_, err = resttest.Client[builtin.Namespace](t, api).Create(t.Context(),
		&builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: namespace}})
	require.NoError(t, err)
	robots := resttest.Client[serviceaccount.ServiceAccount](t, api).Namespace(namespace)
	_, err = robots.Create(t.Context(), &serviceaccount.ServiceAccount{ObjectMeta: apimeta.ObjectMeta{Name: "robot"}})
	require.NoError(t, err)
	var token atomic.Pointer[serviceaccount.TokenRequest]
	refresh := func() {
		next, err := rest.CreateSubresource(t.Context(), robots, "robot", "token", &serviceaccount.TokenRequest{})
		require.NoError(t, err)
		token.Store(next)
	}
	refresh()
	clock.Set(token.Load().Status.ExpirationTimestamp.Add(-100 * time.Millisecond))

	config := &clientrest.Config{Host: over.URL, TLSClientConfig: clientrest.TLSClientConfig{Insecure: true}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+token.Load().Status.Token)
			return next.RoundTrip(r)
		})
	})
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	informer := factory.ForResource(schema.GroupVersionResource{Group: "example.com", Version: "v1",
		Resource: "notes"}).Informer()
	added := make(chan string, 100)
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(o any) {
		added <- o.(metav1.Object).GetName()
	}})
	require.NoError(t, err)
	stop := make(chan struct{})
	factory.Start(stop)
	defer factory.Shutdown()
	defer close(stop)

	select {
	case <-watched:
	case <-time.After(patience):
		t.Fatal("the watch did not end with its token")
	}
	refresh()
	clock.Advance(time.Second) // the first token has expired
	_, err = resttest.Client[Note](t, api).Namespace(namespace).Create(t.Context(),
		&Note{ObjectMeta: apimeta.ObjectMeta{Name: "late"}})
	require.NoError(t, err)
	select {
	case name := <-added:
		assert.Equal(t, "late", name)
	case <-time.After(patience):
		t.Fatal("the informer did not go on")
	}
}

// roundTripper is a function that is an [http.RoundTripper].
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
