package kubeapitest

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pki"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/socket"
)

// WebhookServer describes the server of a test's webhooks. The fields are those of webhook.Options of
// controller-runtime.
type WebhookServer struct {
	Host string
	Port int
	// CertDir is a folder with the certificate of the server, tls.crt, and its key, tls.key. The certificate is valid for
	// Host and for the Services of all webhooks in manifests of the test.
	CertDir string
}

// WebhookServer returns where the test must serve its webhooks: on a port that was free a moment ago. The folder is
// removed with the test. A later call returns another server, and only that one is called. See [Options.Webhooks].
func (s *Server) WebhookServer() WebhookServer {
	s.t.Helper()
	listener := s.listenForWebhooks()
	w := WebhookServer{CertDir: s.t.TempDir()}
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err == nil {
		w.Host = host
		w.Port, err = strconv.Atoi(port)
	}
	if err == nil {
		err = listener.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	certificate, key, err := pki.PEM(s.webhookCertificate())
	if err != nil {
		s.t.Fatal(err)
	}
	for name, text := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(w.CertDir, name), text, 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	return w
}

// ServeWebhooks starts a server of webhooks, which ends with the test. Use it instead of [Server.WebhookServer] if the
// test has a handler and needs no server of its own. See [Options.Webhooks].
func (s *Server) ServeWebhooks(handler http.Handler) {
	s.t.Helper()
	listener := s.listenForWebhooks()
	s.serve(listener, &tls.Config{Certificates: []tls.Certificate{s.webhookCertificate()}, MinVersion: tls.VersionTLS12},
		handler)
}

func (s *Server) listenForWebhooks() net.Listener {
	s.t.Helper()
	listener, err := socket.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	address := listener.Addr().String()
	s.hooks.Store(&address)
	return listener
}

func (s *Server) webhookCertificate() tls.Certificate {
	s.t.Helper()
	names := []string{"127.0.0.1", "localhost"}
	for _, known := range s.services {
		names = append(names, known.serverName())
	}
	certificate, err := s.secrets.Authority.Server(names...)
	if err != nil {
		s.t.Fatal(err)
	}
	return certificate
}

// webhookAddress returns the address of the test's own server of webhooks, or an empty string.
func (s *Server) webhookAddress() string {
	if address := s.hooks.Load(); address != nil {
		return *address
	}
	return ""
}
