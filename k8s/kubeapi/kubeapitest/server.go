package kubeapitest

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pki"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	decorum "github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// Server is a Kubernetes API that belongs to a test. Its methods may be called by many goroutines at once, but, like
// those of [testing.T] that end a test, those that can fail only by the goroutine of the test.
type Server struct {
	t       testing.TB
	cluster *server.Server
	secrets *pki.Secrets
	socket  func() string // the URL of the server on a socket

	services []service              // those of the webhooks in manifests
	hooks    atomic.Pointer[string] // the address of the test's own server of webhooks
}

// New starts an API, which ends with the test. It fails the test if it cannot.
func New(t testing.TB, options Options) *Server {
	t.Helper()
	if !options.ServiceRange.IsValid() {
		options.ServiceRange = netip.MustParsePrefix("10.0.0.0/24")
	}
	secrets, err := processSecrets()
	if err != nil {
		t.Fatal(err)
	}
	report, closeReport, err := server.ReportTo(os.Getenv(server.ReportVariable))
	if err != nil {
		t.Fatal(err)
	}
	ca := secrets.Authority.Certificate()
	s := &Server{t: t, secrets: secrets}
	s.socket = sync.OnceValue(s.listen)
	s.cluster, err = server.New(context.Background(), server.Config{
		Logger: slog.New(slog.NewTextHandler(logWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Accounts: serviceaccount.Options{Issuer: "https://kubernetes.default.svc.cluster.local",
			Keys: []serviceaccount.Key{{Signer: secrets.AccountKey}}},
		Users:   []access.Authenticator{access.AuthenticatorFunc(userOfTransport), auth.Certificates(secrets.Authority.Pool())},
		Objects: bootstrap.Config{ClientCA: ca, ServiceRange: options.ServiceRange, Common: &processObjects}, ServingCA: ca,
		Controllers: options.Controllers, Plugins: server.DefaultPlugins(options.Controllers), Report: report,
		Types:         &processTypes,
		WebhookServer: s.webhookAddress,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.cluster.Close(); err != nil {
			t.Error(err)
		}
		_ = closeReport()
	})
	if err := s.load(options); err != nil {
		t.Fatal(err)
	}
	return s
}

// processSecrets are the keys of all servers of the process: new ones for each test would cost time, and protect
// nothing.
var processSecrets = sync.OnceValues(pki.NewSecrets)

// All servers of the process share the schemas of the types and the objects that are the same in every API.
var (
	processTypes   decorum.TypeCache
	processObjects bootstrap.Common
)

// userKey is the key under which a transport puts its user into the context of a request.
type userKey struct{}

// transport sends requests to a server in this process, as a user.
type transport struct {
	user access.User
	next http.RoundTripper
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.next.RoundTrip(r.WithContext(context.WithValue(r.Context(), userKey{}, t.user)))
}

// userOfTransport returns the user of a transport, unless the client has sent a token: then the token counts.
func userOfTransport(r *http.Request) (*access.Identity, error) {
	u, ok := r.Context().Value(userKey{}).(access.User)
	if !ok || r.Header.Get("Authorization") != "" {
		return nil, nil
	}
	return &access.Identity{User: u}, nil
}

// Config returns a configuration for clients in this process, as an administrator. The caller may change it.
func (s *Server) Config() *rest.Config { return s.ConfigFor("kubernetes-admin", server.Masters) }

// ConfigFor returns a configuration for clients in this process, as a user in the given groups. The user may do what
// the roles of the API allow: see [Server.Bind].
func (s *Server) ConfigFor(user string, groups ...string) *rest.Config {
	return &rest.Config{
		Host:      "https://kubeapi.invalid",
		Transport: transport{access.User{Name: user, Groups: groups}, decorum.RoundTripper(s.cluster.Handler())},
		QPS:       -1, // nothing has to be protected from the clients
	}
}

// logWriter writes what the server logs to the log of the test.
type logWriter struct{ t testing.TB }

func (w logWriter) Write(line []byte) (int, error) {
	w.t.Logf("kubeapi: %s", line)
	return len(line), nil
}
