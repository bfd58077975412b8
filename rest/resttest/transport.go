package resttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/decorum-go/decorum/rest"
)

// RoundTripper returns a transport that calls the server without a socket or port. Pass it to client-go or
// controller-runtime as rest.Config.Transport, or to an [http.Client]. Any scheme and host will do; the path of the URL
// begins with Options.Prefix. Watches stream.
func (s *Server) RoundTripper() http.RoundTripper {
	return transport{server: s, inner: rest.RoundTripper(http.HandlerFunc(s.serve))}
}

// errEnded is the error for clients that outlive the test.
var errEnded = errors.New("resttest: the test is over")

type transport struct {
	server *Server
	inner  http.RoundTripper
}

// brokenKey is the context key by which the handler tells the transport that the connection broke before the answer.
type brokenKey struct{}

// RoundTrip implements http.RoundTripper. The end of the test cancels the request, until the client closes the body.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.server.life.Err() != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, errEnded
	}
	broken := false
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), brokenKey{}, &broken))
	stop := context.AfterFunc(t.server.life, cancel)
	end := func() {
		stop()
		cancel()
	}
	answer, err := t.inner.RoundTrip(r.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	if broken { // set before the answer began
		end()
		_ = answer.Body.Close()
		return nil, io.EOF // the error of net/http for a connection that the server closed
	}
	answer.Request = r
	answer.Body = &endingBody{ReadCloser: answer.Body, end: end}
	return answer, nil
}

// endingBody releases the request when it is closed.
type endingBody struct {
	io.ReadCloser
	end func()
}

func (b *endingBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

// URL returns the URL of the API, including Options.Prefix. The first call starts a server on the loopback interface.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listening == nil {
		s.listening = httptest.NewServer(http.HandlerFunc(s.serve))
		if s.ended {
			s.listening.Close() // the URL then refuses connections, as it should
		}
	}
	return s.listening.URL + s.prefix
}

// Kubeconfig returns the path of a kubeconfig file for [Server.URL], in a temporary directory of the test. Its
// namespace is default.
func (s *Server) Kubeconfig() string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, fmt.Appendf(nil, kubeconfig, s.URL()), 0o600); err != nil {
		s.t.Fatalf("resttest: %v", err)
	}
	return path
}

// The server speaks http. The official JavaScript client refuses that unless the file says insecure-skip-tls-verify.
const kubeconfig = `apiVersion: v1
kind: Config
clusters:
- name: resttest
  cluster:
    server: %q
    insecure-skip-tls-verify: true
users:
- name: resttest
  user: {}
contexts:
- name: resttest
  context:
    cluster: resttest
    user: resttest
    namespace: default
current-context: resttest
`
