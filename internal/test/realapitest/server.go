package realapitest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Patience bounds the wait for other processes.
const Patience = 3 * time.Minute

// Server is kube-apiserver with an etcd. Its users have static tokens: admin may do everything, alice and bob have no
// rights, and program is the service account of an aggregated server.
type Server struct {
	t        testing.TB
	dir      string // holds the files of the server
	programs string
	port     int
	etcd     string
	// Authority signs the certificate of the server. Clients signs the certificates of its clients. Proxies signs the
	// certificate that it presents to aggregated servers.
	Authority, Clients, Proxies *Authority
	process                     *exec.Cmd
}

// Start starts kube-apiserver with additional flags. It skips the test if DECORUM_REAL is not set.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	programs := os.Getenv("DECORUM_REAL")
	// Compiling kube-apiserver takes minutes of CPU time, so only make real-conformance does it.
	if programs == "" {
		t.Skip("set DECORUM_REAL to a directory with kube-apiserver and etcd; make real-conformance builds both")
	}
	s := &Server{t: t, dir: t.TempDir(), programs: programs, Authority: NewAuthority("cluster"),
		Clients: NewAuthority("clients"), Proxies: NewAuthority("proxies")}
	s.startEtcd()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.port = listener.Addr().(*net.TCPAddr).Port
	require.NoError(t, listener.Close())
	own := Issue(&x509.Certificate{SerialNumber: big.NewInt(5), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, s.Authority)
	s.Write("server.pem", own.PEM)
	s.Write("server.key", own.PrivateKey())
	s.Write("ca.crt", s.Authority.PEM)
	s.Write("clients.pem", s.Clients.PEM)
	s.Write("proxies.pem", s.Proxies.PEM)
	s.UseProxies(s.Proxies)
	s.Write("namespace", "reports")
	s.Write("token", "program")
	s.Write("tokens", "admin,admin,admin,system:masters\nalice,alice,alice\nbob,bob,bob\n"+
		"program,system:serviceaccount:reports:reports,program,\"system:serviceaccounts,system:serviceaccounts:reports\"\n")
	s.Resume(flags...)
	return s
}

// startEtcd starts etcd, which ends when its standard input is closed.
func (s *Server) startEtcd() {
	etcd := exec.Command(filepath.Join(s.programs, "etcd"))
	input, err := etcd.StdinPipe()
	require.NoError(s.t, err)
	output, err := etcd.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, etcd.Start())
	s.t.Cleanup(func() {
		_ = input.Close()
		_ = etcd.Wait()
	})
	_, err = fmt.Fscanf(output, "ready %s\n", &s.etcd)
	require.NoError(s.t, err)
}

// Path returns the path of a file of the server.
func (s *Server) Path(name string) string { return filepath.Join(s.dir, name) }

// URL returns the URL of the server.
func (s *Server) URL() string { return "https://127.0.0.1:" + strconv.Itoa(s.port) }

// Port returns the port of the server.
func (s *Server) Port() int { return s.port }

// PID returns the number of the process of kube-apiserver.
func (s *Server) PID() int { return s.process.Process.Pid }

// Write atomically replaces a file of the server.
func (s *Server) Write(name, text string) {
	s.t.Helper()
	path := s.Path(name)
	require.NoError(s.t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(s.t, os.Rename(path+".new", path))
}

// UseProxies gives the server a certificate for requests to aggregated servers, signed by an authority.
func (s *Server) UseProxies(a *Authority) {
	own := a.Sign("front-proxy")
	s.Write("proxy.key", own.PrivateKey())
	s.Write("proxy.pem", own.PEM)
}

// Resume starts kube-apiserver on the same etcd, and waits until it is ready.
func (s *Server) Resume(flags ...string) {
	s.t.Helper()
	log, err := os.Create(s.Path("log"))
	require.NoError(s.t, err)
	s.process = exec.Command(filepath.Join(s.programs, "kube-apiserver"), append([]string{"--etcd-servers=" + s.etcd,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + strconv.Itoa(s.port),
		"--tls-cert-file=" + s.Path("server.pem"), "--tls-private-key-file=" + s.Path("server.key"),
		"--service-account-key-file=" + s.Path("server.key"), "--service-account-signing-key-file=" + s.Path("server.key"),
		"--service-account-issuer=https://127.0.0.1", "--service-cluster-ip-range=10.0.0.0/16",
		"--token-auth-file=" + s.Path("tokens"), "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none", "--allow-privileged=true", "--client-ca-file=" + s.Path("clients.pem"),
		"--requestheader-client-ca-file=" + s.Path("proxies.pem"), "--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-uid-headers=X-Remote-Uid", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + s.Path("proxy.pem"), "--proxy-client-key-file=" + s.Path("proxy.key")}, flags...)...)
	s.process.Stdout, s.process.Stderr = log, log
	require.NoError(s.t, s.process.Start())
	s.t.Cleanup(s.Stop)
	ready := func() bool { code, _ := s.Do("admin", "GET", "/readyz", nil); return code == 200 }
	if !assert.Eventually(s.t, ready, 2*Patience, time.Second) {
		text, _ := os.ReadFile(s.Path("log"))
		s.t.Fatalf("kube-apiserver does not become ready:\n%s", text[max(0, len(text)-5000):])
	}
}

// Stop ends kube-apiserver.
func (s *Server) Stop() {
	if s.process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
		s.process = nil
	}
}

// Process returns the process of kube-apiserver.
func (s *Server) Process() *os.Process { return s.process.Process }

// Client returns a client that trusts the server.
func (s *Server) Client() *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(s.Authority.Certificate)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// Do sends a request with the token of a user over a new connection, and returns the code and the body of the answer.
// The code is 0 if the request fails.
func (s *Server) Do(user, method, path string, body []byte, header ...string) (code int, answer []byte) {
	client := s.Client()
	defer client.CloseIdleConnections()
	request, err := http.NewRequest(method, s.URL()+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil
	}
	request.Header.Set("Authorization", "Bearer "+user)
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	answer, _ = io.ReadAll(response.Body)
	return response.StatusCode, answer
}

func (s *Server) command(user string, args ...string) *exec.Cmd {
	c := exec.Command("kubectl", append([]string{"--server", s.URL(), "--certificate-authority", s.Path("ca.crt"),
		"--token", user}, args...)...)
	c.Env = append(os.Environ(), "KUBECONFIG="+s.Path("none"), "HOME="+s.dir)
	return c
}

// Run runs kubectl as a user.
func (s *Server) Run(user string, args ...string) (string, error) {
	text, err := s.command(user, args...).CombinedOutput()
	return string(text), err
}

// Kubectl runs kubectl as a user, and requires that it succeeds.
func (s *Server) Kubectl(user string, args ...string) string {
	s.t.Helper()
	text, err := s.Run(user, args...)
	require.NoError(s.t, err, "kubectl %s: %s", args, text)
	return text
}

// Refused runs kubectl as a user, and requires that it fails.
func (s *Server) Refused(user string, args ...string) string {
	s.t.Helper()
	text, err := s.Run(user, args...)
	require.Error(s.t, err, "kubectl %s: %s", args, text)
	return text
}

// Background starts kubectl as a user. output returns its output so far, and stop ends it.
func (s *Server) Background(user string, args ...string) (output func() string, stop func()) {
	text, c := &buffer{}, s.command(user, args...)
	c.Stdout, c.Stderr = text, text
	require.NoError(s.t, c.Start())
	return text.String, func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// buffer is a buffer that can be read while kubectl writes to it.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
