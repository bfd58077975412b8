package realapitest

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/aggregated"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// Behind is an aggregated server behind kube-apiserver, with the credentials of a Pod.
type Behind struct {
	t       testing.TB
	Address string
	// Issuer is the common name of the authority that signed the proxy's certificate in the latest request with the
	// query parameter "load".
	Issuer atomic.Value
}

// Aggregate serves the kinds of a group behind kube-apiserver until the test ends. The server publishes itself through
// the Service that [Server.Permit] creates, at its own port.
func (s *Server) Aggregate(t *testing.T, group string, options rest.Options, kinds ...rest.Definition) *Behind {
	t.Helper()
	t.Setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", strconv.Itoa(s.port))
	pod, err := kubeconfig.InCluster(kubeconfig.InClusterOptions{Dir: s.dir})
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := int32(listener.Addr().(*net.TCPAddr).Port)
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))
	cluster, err := aggregated.New(aggregated.Options{Cluster: pod.Server, Logger: logger,
		Publish: &aggregated.Publication{Groups: []string{group},
			Service: apiservice.ServiceReference{Namespace: pod.Namespace, Name: "reports", Port: &port}}})
	require.NoError(t, err)
	options.Plugins, options.Logger = append([]rest.Plugin{cluster}, options.Plugins...), logger
	api, err := rest.New(options, kinds...)
	require.NoError(t, err)
	b := &Behind{t: t, Address: listener.Addr().String()}
	server := &http.Server{TLSConfig: cluster.TLSConfig(),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			if by := request.TLS.PeerCertificates; len(by) > 0 && request.URL.Query().Has("load") {
				b.Issuer.Store(by[0].Issuer.CommonName)
			}
			api.ServeHTTP(w, request)
		})}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- host.Run(ctx, api, host.Options{Server: server, Listener: listener, NoLifecycle: true})
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	return b
}

// Permit creates the namespace and the Service of an aggregated server.
func (s *Server) Permit() {
	s.t.Helper()
	s.Kubectl("admin", "create", "namespace", "reports")
	s.Kubectl("admin", "create", "service", "externalname", "reports", "-n", "reports", "--external-name=localhost")
}

// Available waits until an APIService is available.
func (s *Server) Available(name string) {
	s.t.Helper()
	s.Kubectl("admin", "wait", "--for=condition=Available", fmt.Sprintf("--timeout=%ds", Patience/time.Second), "apiservice/"+name)
}

// Get is [Behind.Send] for a GET.
func (b *Behind) Get(certificate *Authority, path string, headers ...string) int {
	b.t.Helper()
	return b.Send(certificate, "GET", path, headers...)
}

// Send sends a request directly to the aggregated server, bypassing kube-apiserver, and returns the code of the answer.
// The certificate may be nil.
func (b *Behind) Send(certificate *Authority, method, path string, headers ...string) int {
	b.t.Helper()
	settings := &tls.Config{InsecureSkipVerify: true}
	if certificate != nil {
		settings.Certificates = []tls.Certificate{certificate.TLS()}
	}
	transport := &http.Transport{TLSClientConfig: settings}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequest(method, "https://"+b.Address+path, nil)
	require.NoError(b.t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(request)
	require.NoError(b.t, err)
	_ = answer.Body.Close()
	return answer.StatusCode
}
