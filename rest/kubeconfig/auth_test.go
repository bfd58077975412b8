package kubeconfig_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// Note is the kind of the tests.
type Note struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct{} `json:"spec,omitzero"`
}

// pair is a certificate with its key, in PEM.
type pair struct {
	certificate *x509.Certificate
	private     *ecdsa.PrivateKey
	cert, key   []byte
}

// issue makes a certificate that by signs or, if by is nil, the certificate of an authority.
func issue(t testing.TB, name string, by *pair) *pair {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"api.example.com"}, BasicConstraintsValid: true,
		IsCA:        by == nil,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	parent, signer := template, private
	if by != nil {
		parent, signer = by.certificate, by.private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, private.Public(), signer)
	require.NoError(t, err)
	p := &pair{private: private, cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
	p.certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	text, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	p.key = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: text})
	return p
}

func data(text []byte) string { return base64.StdEncoding.EncodeToString(text) }

// mirror answers with the name of the client's certificate, and remembers the last request.
type mirror struct {
	*httptest.Server
	last atomic.Pointer[http.Request]
}

func newMirror(t testing.TB, authority *pair) *mirror {
	m := &mirror{}
	m.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.last.Store(r)
		name := ""
		if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		_, _ = fmt.Fprint(w, name)
	}))
	if authority == nil {
		m.Start()
	} else {
		server := issue(t, "server", authority)
		own, err := tls.X509KeyPair(server.cert, server.key)
		require.NoError(t, err)
		pool := x509.NewCertPool()
		pool.AddCert(authority.certificate)
		m.TLS = &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven}
		m.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail on purpose
		m.EnableHTTP2 = true
		m.StartTLS()
	}
	t.Cleanup(m.Close)
	return m
}

// get sends a request with the http.Client of a kubeconfig, and returns the body of the response.
func get(t testing.TB, config kubeconfig.Config) (string, error) {
	t.Helper()
	answer, err := config.Server.HTTP.Get(config.Server.URL)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var name string
	_, _ = fmt.Fscan(answer.Body, &name)
	return name, nil
}

func parse(t testing.TB, o kubeconfig.Options, text string) kubeconfig.Config {
	t.Helper()
	config, err := kubeconfig.Parse(o, []byte(text))
	require.NoError(t, err)
	t.Cleanup(config.Server.HTTP.CloseIdleConnections)
	return config
}

func TestTLS(t *testing.T) {
	authority, stranger := issue(t, "authority", nil), issue(t, "stranger", nil)
	m := newMirror(t, authority)
	user := issue(t, "user", authority)
	dir := t.TempDir()
	write(t, dir, "pki/ca.pem", string(authority.cert))
	write(t, dir, "pki/user.pem", string(user.cert))
	write(t, dir, "pki/user.key", string(user.key))
	server := "server: " + m.URL
	trusted := server + ", certificate-authority-data: " + data(authority.cert)
	for _, c := range []struct{ name, cluster, user, want, fails string }{
		{"an authority", trusted, "", "", ""},
		{"no authority", server, "", "", "certificate"},
		{"another authority", server + ", certificate-authority-data: " + data(stranger.cert), "", "", "unknown authority"},
		{"insecure", server + ", insecure-skip-tls-verify: true", "", "", ""},
		{"a server name", trusted + ", tls-server-name: api.example.com", "", "", ""},
		{"another server name", trusted + ", tls-server-name: other.example.com", "", "", "other.example.com"},
		{"a certificate", trusted, "client-certificate-data: " + data(user.cert) + ", client-key-data: " + data(user.key),
			"user", ""},
		{"files", server + ", certificate-authority: pki/ca.pem",
			"client-certificate: pki/user.pem, client-key: pki/user.key", "user", ""},
		{"a file and data", server + ", certificate-authority: pki/ca.pem",
			"client-certificate: pki/user.pem, client-key-data: " + data(user.key), "user", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, dir, "config", whole(c.cluster, c.user))
			config, err := kubeconfig.Load(kubeconfig.Options{}, path)
			require.NoError(t, err)
			t.Cleanup(config.Server.HTTP.CloseIdleConnections)
			got, err := get(t, config)
			if c.fails != "" {
				assert.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
			assert.Equal(t, 2, m.last.Load().ProtoMajor, "HTTP/2")
		})
	}
	t.Run("a renewed certificate", func(t *testing.T) {
		config, err := kubeconfig.Load(kubeconfig.Options{},
			write(t, dir, "config", whole(trusted, "client-certificate: pki/user.pem, client-key: pki/user.key")))
		require.NoError(t, err)
		renewed := issue(t, "renewed", authority)
		write(t, dir, "pki/user.pem", string(renewed.cert)) // the key does not fit yet
		got, err := get(t, config)
		require.NoError(t, err)
		assert.Equal(t, "user", got)
		write(t, dir, "pki/user.key", string(renewed.key))
		config.Server.HTTP.CloseIdleConnections()
		got, err = get(t, config)
		require.NoError(t, err)
		assert.Equal(t, "renewed", got)
		config.Server.HTTP.CloseIdleConnections()
	})
}

// Requests for the server carry the credentials of the user's entry. Requests for other servers do not.
func TestHeaders(t *testing.T) {
	m, other := newMirror(t, nil), newMirror(t, nil)
	server := "server: " + m.URL
	for _, c := range []struct {
		name, user string
		want       map[string][]string
	}{
		{"nothing", "", map[string][]string{"Authorization": nil}},
		{"a token", "token: abc", map[string][]string{"Authorization": {"Bearer abc"}}},
		{"a token instead of a plugin", "token: abc, exec: {command: login}",
			map[string][]string{"Authorization": {"Bearer abc"}}},
		{"a name", "username: me, password: 'a:b'",
			map[string][]string{"Authorization": {"Basic " + data([]byte("me:a:b"))}}},
		{"another user", "token: abc, as: bob, as-uid: '7', as-groups: [a, b], as-user-extra: {Scope/x: [p, q], 'a%b c': [d]}", map[string][]string{
			"Authorization": {"Bearer abc"}, "Impersonate-User": {"bob"}, "Impersonate-Uid": {"7"},
			"Impersonate-Group":           {"a", "b"},
			"Impersonate-Extra-Scope%2fx": {"p", "q"}, "Impersonate-Extra-A%25b%20c": {"d"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := parse(t, kubeconfig.Options{}, whole(server, c.user))
			_, err := get(t, config)
			require.NoError(t, err)
			for name, values := range c.want {
				assert.Equal(t, values, m.last.Load().Header[http.CanonicalHeaderKey(name)], name)
			}
			config.Server.URL = other.URL
			_, err = get(t, config)
			require.NoError(t, err)
			for name := range c.want {
				assert.Empty(t, other.last.Load().Header[http.CanonicalHeaderKey(name)], name)
			}
		})
	}
	t.Run("a header of the request wins", func(t *testing.T) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.URL, nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Custom x")
		answer, err := parse(t, kubeconfig.Options{}, whole(server, "token: abc")).Server.HTTP.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, "Custom x", m.last.Load().Header.Get("Authorization"))
		assert.Equal(t, http.Header{"Authorization": {"Custom x"}}, r.Header, "the request itself is unchanged")
	})
	t.Run("a proxy", func(t *testing.T) {
		proxy := newMirror(t, nil)
		config := parse(t, kubeconfig.Options{},
			whole("server: http://api.example.com/x, disable-compression: true, proxy-url: "+proxy.URL, "token: abc"))
		_, err := get(t, config)
		require.NoError(t, err)
		assert.Equal(t, "http://api.example.com/x", proxy.last.Load().RequestURI)
		assert.Empty(t, proxy.last.Load().Header["Accept-Encoding"])
	})
}

// guarded is a server that accepts one token, and answers 401 to all others.
func guarded(t testing.TB, valid *atomic.Pointer[string]) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+*valid.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprint(w, "refused")
			return
		}
		_, _ = fmt.Fprint(w, "welcome")
	}))
	t.Cleanup(s.Close)
	return s
}

func TestTokenFile(t *testing.T) {
	var valid atomic.Pointer[string]
	valid.Store(new("one"))
	s, dir := guarded(t, &valid), t.TempDir()
	write(t, dir, "token", "one\n")
	config, err := kubeconfig.Load(kubeconfig.Options{},
		write(t, dir, "config", whole("server: "+s.URL, "tokenFile: token, token: old")))
	require.NoError(t, err)
	t.Cleanup(config.Server.HTTP.CloseIdleConnections)
	wants := func(want string) {
		t.Helper()
		got, err := get(t, config)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	wants("welcome")
	write(t, dir, "token", "two")
	wants("welcome")
	valid.Store(new("two"))
	wants("refused")
	wants("welcome")
	write(t, dir, "token", "") // another program may leave it empty while it writes
	valid.Store(new("three"))
	wants("refused")
	wants("refused")
	write(t, dir, "token", "three")
	wants("welcome")

	_, err = kubeconfig.Load(kubeconfig.Options{},
		write(t, dir, "config", whole("server: "+s.URL, "tokenFile: "+write(t, dir, "empty", " \n"))))
	assert.ErrorContains(t, err, "tokenFile: "+filepath.Join(dir, "empty")+" is empty")
}

func TestPlugins(t *testing.T) {
	var valid atomic.Pointer[string]
	valid.Store(new("t1"))
	s := guarded(t, &valid)
	var asked []kubeconfig.Plugin
	answer := kubeconfig.Credentials{Token: "t1"}
	var failure error
	options := kubeconfig.Options{Run: func(_ context.Context, p kubeconfig.Plugin) (kubeconfig.Credentials, error) {
		asked = append(asked, p)
		return answer, failure
	}}
	const user = `exec: {apiVersion: client.authentication.k8s.io/v1, command: login, args: [a, b], env: [{name: A, value: B}], installHint: buy it, interactiveMode: Never, provideClusterInfo: true}`
	config := parse(t, options, whole("server: "+s.URL+", tls-server-name: x", user))
	assert.Empty(t, asked, "nobody needs credentials yet")
	wants := func(want string, runs int) {
		t.Helper()
		got, err := get(t, config)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Len(t, asked, runs)
	}
	wants("welcome", 1)
	wants("welcome", 1)
	assert.Equal(t, kubeconfig.Plugin{Command: "login", Args: []string{"a", "b"}, Env: []string{"A=B"},
		APIVersion: "client.authentication.k8s.io/v1", InstallHint: "buy it", InteractiveMode: "Never",
		Cluster: &kubeconfig.Cluster{Server: s.URL, TLSServerName: "x"}}, asked[0])
	valid.Store(new("t2"))
	answer = kubeconfig.Credentials{Token: "t2", Expires: time.Now()}
	wants("refused", 1)
	wants("welcome", 2) // after the 401
	wants("welcome", 3) // they have expired
	failure = errors.New("no network")
	_, err := get(t, config)
	assert.ErrorContains(t, err, "kubeconfig: obtaining credentials: no network")
	failure, answer = nil, kubeconfig.Credentials{}
	_, err = get(t, config)
	assert.ErrorContains(t, err, "the plugin returned neither a token nor a certificate")

	config = parse(t, options, whole("server: "+s.URL, "auth-provider: {name: oidc, config: {issuer: x}}"))
	answer = kubeconfig.Credentials{Token: "t2"}
	asked = nil
	wants("welcome", 1)
	assert.Equal(t, kubeconfig.Plugin{Provider: "oidc", Settings: map[string]string{"issuer": "x"}}, asked[0])

	path := write(t, t.TempDir(), "config", whole("server: "+s.URL, "exec: {command: bin/login}"))
	config, err = kubeconfig.Load(options, path)
	require.NoError(t, err)
	t.Cleanup(config.Server.HTTP.CloseIdleConnections)
	asked = nil
	wants("welcome", 1)
	assert.Equal(t, filepath.Join(filepath.Dir(path), "bin", "login"), asked[0].Command)
}

// Concurrent requests share one run of the plugin. A request stops waiting when its context ends.
func TestPluginsRunOnceAtATime(t *testing.T) {
	var valid atomic.Pointer[string]
	valid.Store(new("t"))
	s := guarded(t, &valid)
	var runs atomic.Int64
	running, release := make(chan struct{}), make(chan struct{})
	config := parse(t, kubeconfig.Options{Run: func(context.Context, kubeconfig.Plugin) (kubeconfig.Credentials, error) {
		runs.Add(1)
		close(running)
		<-release
		return kubeconfig.Credentials{Token: "t"}, nil
	}}, whole("server: "+s.URL, "exec: {command: x}"))
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			got, err := get(t, config)
			assert.NoError(t, err)
			assert.Equal(t, "welcome", got)
		})
	}
	<-running
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Server.URL, nil)
	require.NoError(t, err)
	_, err = config.Server.HTTP.Do(r)
	assert.ErrorIs(t, err, context.Canceled)
	close(release)
	group.Wait()
	assert.EqualValues(t, 1, runs.Load())
}

// A plugin may return a certificate. After the plugin returns a renewed one, new connections use it.
func TestPluginsWithCertificates(t *testing.T) {
	authority := issue(t, "authority", nil)
	m := newMirror(t, authority)
	var answer kubeconfig.Credentials
	give := func(name string) {
		p := issue(t, name, authority)
		answer = kubeconfig.Credentials{Certificate: p.cert, Key: p.key, Expires: time.Now()}
	}
	config := parse(t, kubeconfig.Options{Run: func(context.Context, kubeconfig.Plugin) (kubeconfig.Credentials,
		error) {
		return answer, nil
	}},
		whole("server: "+m.URL+", certificate-authority-data: "+data(authority.cert),
			"exec: {command: x, provideClusterInfo: true}"))
	for _, name := range []string{"first", "second"} {
		give(name)
		got, err := get(t, config)
		require.NoError(t, err)
		assert.Equal(t, name, got)
	}
	answer.Key = []byte("none")
	_, err := get(t, config)
	assert.ErrorContains(t, err, "obtaining credentials: tls: ")
}

// A certificate in the file takes precedence over that of a plugin, which still provides the token.
func TestPluginsBesideACertificate(t *testing.T) {
	authority := issue(t, "authority", nil)
	m := newMirror(t, authority)
	own, other := issue(t, "own", authority), issue(t, "other", authority)
	config := parse(t, kubeconfig.Options{Run: func(context.Context, kubeconfig.Plugin) (kubeconfig.Credentials, error) {
		return kubeconfig.Credentials{Token: "t", Certificate: other.cert, Key: other.key}, nil
	}}, whole("server: "+m.URL+", certificate-authority-data: "+data(authority.cert),
		"client-certificate-data: "+data(own.cert)+", client-key-data: "+data(own.key)+", exec: {command: x}"))
	got, err := get(t, config)
	require.NoError(t, err)
	assert.Equal(t, "own", got)
	assert.Equal(t, "Bearer t", m.last.Load().Header.Get("Authorization"))
}

// If the server refuses a token late, after another request has renewed it, the client keeps the new token.
func TestALateRefusalOfAnOldToken(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer t1" {
			arrived <- struct{}{}
			<-release
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer s.Close()
	var runs atomic.Int64
	config := parse(t, kubeconfig.Options{Run: func(context.Context, kubeconfig.Plugin) (kubeconfig.Credentials, error) {
		return kubeconfig.Credentials{Token: fmt.Sprint("t", runs.Add(1))}, nil
	}}, whole("server: "+s.URL, "exec: {command: x}"))
	ended := make(chan error, 2)
	for range 2 {
		go func() { _, err := get(t, config); ended <- err }()
		<-arrived
	}
	for refusal := range 2 {
		release <- struct{}{}
		require.NoError(t, <-ended)
		_, err := get(t, config)
		require.NoError(t, err)
		assert.EqualValues(t, 2, runs.Load(), "after refusal %d", refusal+1)
	}
}
