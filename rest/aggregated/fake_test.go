package aggregated_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/corekinds"
	"github.com/decorum-go/decorum/internal/test/realapitest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/aggregated"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/internal/review"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// Report is the kind of the aggregated server.
type Report struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Text string `json:"text,omitempty"`
	} `json:"spec,omitzero"`
}

func reports() rest.Resource[Report] {
	return rest.Resource[Report]{Group: "reports.example.com", Version: "v1", Plural: "reports"}
}

const reportsPath = "/apis/reports.example.com/v1/namespaces/default/reports"

// fake is a cluster that answers as a test wants.
type fake struct {
	*resttest.Server
	t       testing.TB
	gone    atomic.Bool // no request arrives
	served  *rest.API   // the API of the last server
	clients *realapitest.Authority
	proxies *realapitest.Authority
	headers *realapitest.Authority // the certificate of the proxy

	mu       sync.Mutex
	tokens   map[string]review.TokenStatus
	refuses  map[string]bool // users who may do nothing
	denies   map[string]bool
	reviewed []string // the questions, as JSON
	asked    []string // the tokens
	hold     chan struct{}
}

// newFake returns a cluster with the namespace default, and without the ConfigMap.
func newFake(t testing.TB) *fake {
	f := &fake{t: t, clients: realapitest.NewAuthority("clients"), proxies: realapitest.NewAuthority("proxies"),
		tokens: map[string]review.TokenStatus{}, refuses: map[string]bool{}, denies: map[string]bool{}}
	f.headers = f.proxies.Sign("front-proxy", "crew")
	wire := rest.Wire{Dialect: rest.DialectBuiltin}
	f.Server = resttest.NewWith(t, resttest.Options{API: rest.Options{Now: time.Now, Logger: quiet}},
		builtin.Namespaces(), corekinds.ConfigMaps(),
		rest.Resource[Secret]{Version: "v1", Plural: "secrets", Wire: wire},
		rest.Resource[apiservice.APIService]{Group: apiservice.Group, Version: "v1", Plural: "apiservices",
			Scope: rest.ScopeCluster, Names: rest.Names{Rule: rest.NamePathSegment}, Wire: wire},
		rest.Resource[review.Token]{Group: "authentication.k8s.io", Version: "v1", Plural: "tokenreviews",
			Names: rest.Names{Kind: "TokenReview"}, Scope: rest.ScopeCluster, Wire: wire,
			Hooks: rest.Hooks[review.Token]{Call: f.reviewToken}},
		rest.Resource[review.Access]{Group: "authorization.k8s.io", Version: "v1", Plural: "subjectaccessreviews",
			Names: rest.Names{Kind: "SubjectAccessReview"}, Scope: rest.ScopeCluster, Wire: wire,
			Hooks: rest.Hooks[review.Access]{Call: f.reviewAccess}})
	f.namespace("kube-system")
	return f
}

var quiet = slog.New(slog.DiscardHandler)

// Secret is the kind Secret of the core group.
type Secret struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Data               map[string][]byte `json:"data,omitempty"`
	Type               string            `json:"type,omitempty"`
}

func (f *fake) reviewToken(ctx context.Context, r *review.Token) error {
	f.mu.Lock()
	hold := f.hold
	f.asked = append(f.asked, r.Spec.Token)
	r.Status = f.tokens[r.Spec.Token]
	f.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	return nil
}

func (f *fake) reviewAccess(_ context.Context, r *review.Access) error {
	text, err := json.Marshal(r.Spec)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reviewed = append(f.reviewed, string(text))
	r.Status.Allowed, r.Status.Denied = !f.refuses[r.Spec.User], f.denies[r.Spec.User]
	if !r.Status.Allowed {
		r.Status.Reason = "no role allows it"
	}
	return err
}

// change changes what the cluster answers.
func (f *fake) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// accept sets what the cluster answers about a token.
func (f *fake) accept(token string, answer review.TokenStatus) {
	f.change(func() { f.tokens[token] = answer })
}

// refuse lets a user do nothing, and deny says so for good.
func (f *fake) refuse(user string) { f.change(func() { f.refuses[user] = true }) }
func (f *fake) deny(user string)   { f.change(func() { f.denies[user] = true }) }

// took returns the questions since the last call that are about a user.
func (f *fake) took(user string) (questions []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.reviewed {
		if strings.Contains(q, `"user":"`+user+`"`) {
			questions = append(questions, q)
		}
	}
	f.reviewed = nil
	return questions
}

// tookTokens returns how often the cluster was asked about a token since the last call.
func (f *fake) tookTokens(token string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, asked := range f.asked {
		if asked == token {
			n++
		}
	}
	f.asked = nil
	return n
}

func (f *fake) namespace(name string) {
	f.t.Helper()
	_, err := resttest.Client[builtin.Namespace](f.t, f.API).Create(f.t.Context(),
		&builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}})
	require.NoError(f.t, err)
}

// trusts writes the ConfigMap, as kube-apiserver does. An empty value leaves a field out.
func (f *fake) trusts(fields ...string) {
	f.t.Helper()
	data := map[string]string{
		"client-ca-file":                     f.clients.PEM,
		"requestheader-client-ca-file":       f.proxies.PEM,
		"requestheader-allowed-names":        `["front-proxy"]`,
		"requestheader-username-headers":     `["X-Remote-User"]`,
		"requestheader-uid-headers":          `["X-Remote-Uid"]`,
		"requestheader-group-headers":        `["X-Remote-Group"]`,
		"requestheader-extra-headers-prefix": `["X-Remote-Extra-"]`,
	}
	for i := 0; i < len(fields); i += 2 {
		if data[fields[i]] = fields[i+1]; fields[i+1] == "" {
			delete(data, fields[i])
		}
	}
	maps := resttest.Client[corekinds.ConfigMap](f.t, f.API).Namespace("kube-system")
	const name = "extension-apiserver-authentication"
	_, err := maps.Create(f.t.Context(), &corekinds.ConfigMap{ObjectMeta: apimeta.ObjectMeta{Name: name}, Data: data})
	if status.IsAlreadyExists(err) {
		_, err = maps.Modify(f.t.Context(), name, func(m *corekinds.ConfigMap) error {
			m.Data = data
			return nil
		})
	}
	require.NoError(f.t, err)
}

// RoundTrip implements [http.RoundTripper].
func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.gone.Load() {
		return nil, errors.New("the cluster is gone")
	}
	return f.RoundTripper().RoundTrip(r)
}

// endpoint is how a server reaches the cluster.
func (f *fake) endpoint() rest.Endpoint {
	return rest.Endpoint{URL: "https://cluster", HTTP: &http.Client{Transport: f}}
}

// server is an aggregated server.
type server struct {
	t   testing.TB
	api *rest.API
	log *apitest.LogBuffer
}

// serve starts an aggregated server of the cluster.
func (f *fake) serve(change func(*aggregated.Options)) (*server, *aggregated.Cluster) {
	f.t.Helper()
	s := &server{t: f.t, log: &apitest.LogBuffer{}}
	o := aggregated.Options{Cluster: f.endpoint(), Logger: slog.New(slog.NewTextHandler(s.log, nil)),
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, errors.New("no TLS here") }}
	if change != nil {
		change(&o)
	}
	cluster, err := aggregated.New(o)
	require.NoError(f.t, err)
	s.api, err = rest.New(rest.Options{Plugins: []rest.Plugin{cluster}, Logger: quiet}, reports())
	require.NoError(f.t, err)
	f.served = s.api
	require.NoError(f.t, s.api.Start(f.t.Context()))
	f.t.Cleanup(func() { require.NoError(f.t, s.api.Shutdown(context.Background())) })
	return s, cluster
}

// request makes a request with headers, over a connection whose client presents a certificate unless it is nil.
func request(method, path, body string, certificate *realapitest.Authority, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.TLS = &tls.ConnectionState{}
	if certificate != nil {
		r.TLS.PeerCertificates = []*x509.Certificate{certificate.Certificate}
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// send answers a request.
func (s *server) send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return w
}

// get returns the code of a GET of the reports.
func (s *server) get(certificate *realapitest.Authority, headers ...string) int {
	return s.send(request("GET", reportsPath, "", certificate, headers...)).Code
}

// alice are the headers of a proxy whose user is alice.
func alice() []string { return []string{"X-Remote-User", "alice"} }
