package kubeapitest

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pki"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/socket"
)

// URL returns the URL of the API on the loopback interface, with TLS. The first call opens the socket.
func (s *Server) URL() string {
	s.t.Helper()
	return s.socket()
}

func (s *Server) listen() string {
	s.t.Helper()
	listener, err := socket.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	certificate, err := s.secrets.Authority.Server("127.0.0.1", "localhost")
	if err != nil {
		s.t.Fatal(err)
	}
	s.serve(listener, socket.TLS(certificate, s.secrets.Authority.Pool()), s.cluster.Handler())
	return "https://" + listener.Addr().String()
}

// serve serves a handler until the test ends.
func (s *Server) serve(listener net.Listener, config *tls.Config, handler http.Handler) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- socket.Serve(ctx, listener, config, handler) }()
	s.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
}

// SocketConfig returns a configuration for clients that need a socket, such as those that upgrade connections, as an
// administrator.
func (s *Server) SocketConfig() *rest.Config {
	s.t.Helper()
	certificate, key, err := s.secrets.Authority.Client("kubernetes-admin", server.Masters)
	if err != nil {
		s.t.Fatal(err)
	}
	return &rest.Config{Host: s.URL(), QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: s.secrets.Authority.Certificate(), CertData: certificate, KeyData: key}}
}

// Kubeconfig returns the path of a kubeconfig file for other processes, such as kubectl, as a user in the given groups.
// Without a user, it is for an administrator. The file is removed with the test.
func (s *Server) Kubeconfig(user string, groups ...string) string {
	s.t.Helper()
	if user == "" {
		user, groups = "kubernetes-admin", []string{server.Masters}
	}
	text, err := pki.Kubeconfig(s.URL(), s.secrets.Authority, user, groups...)
	if err != nil {
		s.t.Fatal(err)
	}
	path := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}
