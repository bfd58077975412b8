package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/program/programtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/conventions"
)

// The kind follows the API conventions.
func TestKindKeepsTheConventions(t *testing.T) { conventions.Exceptions{}.Vet(t, reports()) }

// kind declares a kind of the cluster that the program reads or writes.
func kind(group, plural, name string, scope rest.Scope) rest.Definition {
	return rest.Resource[apimeta.Document]{Group: group, Version: "v1", Plural: plural, Names: rest.Names{Kind: name,
		Rule: rest.NamePathSegment}, Scope: scope}
}

// cluster is an API server that allows everything.
func cluster(t *testing.T, authority []byte) *httptest.Server {
	t.Helper()
	api, err := rest.New(rest.Options{}, builtin.Namespaces(), kind("", "configmaps", "ConfigMap", rest.ScopeNamespaced),
		kind("", "secrets", "Secret", rest.ScopeNamespaced),
		kind(apiservice.Group, "apiservices", "APIService", rest.ScopeCluster))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	mux := http.NewServeMux()
	for path, answer := range map[string]string{
		"/apis/authorization.k8s.io/v1/subjectaccessreviews": `{"apiVersion":"authorization.k8s.io/v1",
			"kind":"SubjectAccessReview","status":{"allowed":true}}`,
		"/apis/authentication.k8s.io/v1/tokenreviews": `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",
			"status":{}}`,
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	}
	mux.Handle("/", api)
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	post(t, server, "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": "kube-system"}})
	post(t, server, "/api/v1/namespaces/kube-system/configmaps", map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "extension-apiserver-authentication"},
		"data": map[string]any{"requestheader-client-ca-file": string(authority), "requestheader-allowed-names": `["proxy"]`,
			"requestheader-username-headers": `["X-Remote-User"]`}})
	return server
}

func post(t *testing.T, server *httptest.Server, path string, object any) {
	t.Helper()
	body, err := json.Marshal(object)
	require.NoError(t, err)
	answer, err := server.Client().Post(server.URL+path, "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode, path)
}

// proxy returns an authority in PEM, and a client with the certificate that it has signed for the proxy of the cluster.
func proxy(t *testing.T) (authority []byte, client *http.Client) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "proxy"},
		NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	own, err := x509.CreateCertificate(rand.Reader, leaf, template, key.Public(), key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		clientWith(tls.Certificate{Certificate: [][]byte{own}, PrivateKey: key})
}

// clientWith returns a client with certificates. It does not verify the server, as probes of Kubernetes do not.
func clientWith(own ...tls.Certificate) *http.Client {
	settings := &tls.Config{InsecureSkipVerify: true, Certificates: own}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: settings}}
}

// The program publishes itself, and serves users whom the proxy of the cluster names, and nobody else.
func TestInACluster(t *testing.T) {
	authority, through := proxy(t)
	server := cluster(t, authority)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	t.Setenv("KUBERNETES_SERVICE_HOST", address.Hostname())
	t.Setenv("KUBERNETES_SERVICE_PORT", address.Port())
	dir := t.TempDir()
	for name, text := range map[string]string{"namespace": "default", "token": "secret",
		"ca.crt": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	program, _ := programtest.Start(t, run, "--credentials", dir, "--store", filepath.Join(dir, "reports.db"))

	direct := clientWith()
	send := func(by *http.Client, method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, program+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("X-Remote-User", "alice")
		r.Header.Set("Content-Type", "application/yaml")
		answer, err := by.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	require.Eventually(t, func() bool {
		code, _ := send(direct, "GET", "/readyz", "")
		return code == http.StatusOK
	}, time.Minute, 10*time.Millisecond)
	sample, err := os.ReadFile("sample.yaml")
	require.NoError(t, err)
	const path = "/apis/reports.example.com/v1/namespaces/default/reports"
	code, text := send(through, "POST", path, string(sample))
	assert.Equal(t, http.StatusCreated, code, text)
	code, _ = send(direct, "GET", path, "")
	assert.Equal(t, http.StatusUnauthorized, code)

	answer, err := server.Client().Get(server.URL + "/apis/apiregistration.k8s.io/v1/apiservices/v1.reports.example.com")
	require.NoError(t, err)
	defer answer.Body.Close()
	var published apiservice.APIService
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&published))
	assert.NotEmpty(t, published.Spec.CABundle)
	wanted := manifest(t, "apiservice.yaml")
	published.Spec.CABundle = nil
	spec, err := json.Marshal(published.Spec)
	require.NoError(t, err)
	assert.JSONEq(t, strings.Replace(string(wanted), `"namespace":"reports"`, `"namespace":"default"`, 1), string(spec),
		"the manifest says what the program says")
}

// manifest returns the spec in a manifest as JSON.
func manifest(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	require.NoError(t, err)
	var object struct {
		Spec json.RawMessage `json:"spec"`
	}
	require.NoError(t, yaml.Unmarshal(text, &object))
	return object.Spec
}
