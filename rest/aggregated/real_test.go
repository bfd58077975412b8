package aggregated_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/aggregated"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// patience is the guard of waits for other processes.
const patience = 3 * time.Minute

// real is kube-apiserver with an etcd.
type real struct {
	t         *testing.T
	dir       string // of its files
	programs  string
	port      int
	etcd      string
	authority *authority // of its clients, and of its own certificate
	proxies   *authority
	process   *exec.Cmd
}

// The manifests of the example let a server work behind kube-apiserver itself: get, explain, apply, watch and delete go
// through it, the cluster decides about rights, and nobody can bypass it.
func TestBehindKubeAPIServer(t *testing.T) {
	programs := os.Getenv("DECORUM_REAL")
	// kube-apiserver takes seven minutes of processor time to compile, so only make real-conformance builds it.
	if programs == "" {
		t.Skip("set DECORUM_REAL to a directory with kube-apiserver and etcd; make real-conformance builds both")
	}
	r := newReal(t, programs)
	r.start()
	const deploy = "../../examples/aggregated/deploy/"
	r.kubectl("admin", "create", "namespace", "reports")
	r.kubectl("admin", "apply", "--server-side", "-f", deploy+"rbac.yaml", "-f", deploy+"users.yaml")
	r.kubectl("admin", "apply", "--dry-run=server", "-f", deploy+"program.yaml")
	r.kubectl("admin", "apply", "--server-side", "-f", deploy+"apiservice.yaml")
	r.kubectl("admin", "create", "service", "externalname", "reports", "-n", "reports", "--external-name=localhost")
	s := r.serve()
	r.kubectl("admin", "wait", "--for=condition=Available", "--timeout=180s", "apiservice/v1.reports.example.com")
	sample := filepath.Join(r.dir, "sample.yaml")
	require.NoError(t, os.WriteFile(sample, []byte("apiVersion: reports.example.com/v1\nkind: Report\n"+
		"metadata: {name: weekly, namespace: default}\nspec: {text: one}\n"), 0o600))

	// What people do.
	assert.Contains(t, r.kubectl("admin", "api-resources", "--api-group=reports.example.com"), "reports.example.com/v1")
	assert.Contains(t, r.kubectl("admin", "explain", "report.spec"), "text")
	assert.Contains(t, r.kubectl("admin", "apply", "-f", sample), "report.reports.example.com/weekly created")
	assert.Contains(t, r.kubectl("admin", "apply", "--server-side", "--force-conflicts", "-f", sample),
		"serverside-applied")
	assert.Contains(t, r.kubectl("admin", "get", "reports", "-A"), "weekly")
	watching, stop := r.background("admin", "get", "reports", "--watch", "-o", "name")
	assert.Eventually(t, func() bool { return strings.Count(watching(), "weekly") == 1 }, patience, 50*time.Millisecond)
	r.kubectl("admin", "annotate", "report", "weekly", "a=b")
	assert.Eventually(t, func() bool { return strings.Count(watching(), "weekly") == 2 }, patience, 50*time.Millisecond)
	stop()

	// Rights.
	assert.Contains(t, r.refused("alice", "get", "reports"), `User "alice" cannot list resource "reports"`)
	assert.Contains(t, r.refused("admin", "get", "reports", "--as=alice"), `User "alice" cannot list resource "reports"`)
	r.kubectl("admin", "create", "clusterrole", "reports:here", "--verb=get,list,watch",
		"--resource=reports.reports.example.com")
	r.kubectl("admin", "create", "rolebinding", "here", "--clusterrole=reports:here", "--user=alice", "-n", "default")
	require.Eventually(t, func() bool { _, err := r.run("alice", "get", "reports", "-n", "default"); return err == nil },
		patience, time.Second)
	assert.Contains(t, r.refused("alice", "delete", "report", "weekly"), "cannot delete resource")
	assert.Contains(t, r.refused("alice", "get", "reports", "-A"), "cannot list resource")
	missing := strings.Replace(sample, "sample", "missing", 1)
	require.NoError(t, os.WriteFile(missing, []byte("apiVersion: reports.example.com/v1\nkind: Report\n"+
		"metadata: {name: weekly, namespace: none}\n"), 0o600))
	assert.Contains(t, r.refused("admin", "create", "-f", missing), `namespaces "none" not found`)

	// Nobody can bypass kube-apiserver with its headers.
	forged := []string{"X-Remote-User", "admin", "X-Remote-Group", "system:masters"}
	assert.Equal(t, 401, s.get(nil, forged...))
	assert.Equal(t, 401, s.get(nil))
	assert.Equal(t, 401, s.get(newAuthority("proxies").sign("front-proxy"), forged...))
	assert.Equal(t, 401, s.get(r.proxies.sign("mallory"), forged...))
	assert.Equal(t, 403, s.get(r.authority.sign("front-proxy"), forged...), "a client of the cluster without rights")
	assert.Equal(t, 200, s.get(r.proxies.sign("front-proxy"), forged...))
	assert.Equal(t, 200, s.get(nil, append(forged, "Authorization", "Bearer alice")...), "alice may list")
	assert.Equal(t, 403, s.get(nil, append(forged, "Authorization", "Bearer bob")...), "the headers give bob nothing")

	// The authority of the proxies rotates while requests are under way.
	var failed atomic.Int64
	var load sync.WaitGroup
	loading, end := context.WithCancel(t.Context())
	for range 4 {
		load.Go(func() {
			for loading.Err() == nil {
				if r.get("admin", reportsPath+"?load") != 200 {
					failed.Add(1)
				}
			}
		})
	}
	former := r.proxies
	r.proxies = newAuthority("next proxies")
	r.write("proxies.pem", former.pem+r.proxies.pem)
	proxied := func(by *authority) int { return s.get(by.sign("front-proxy"), forged...) }
	require.Eventually(t, func() bool { return proxied(r.proxies) == 200 }, patience, time.Second)
	r.proxyCertificate()
	require.Eventually(t, func() bool { return s.issuer.Load() == "next proxies" }, patience, time.Second)
	r.write("proxies.pem", r.proxies.pem)
	require.Eventually(t, func() bool { return proxied(former) == 401 }, patience, time.Second)
	require.Eventually(t, func() bool { return r.get("admin", reportsPath) == 200 }, patience, time.Second)
	end()
	load.Wait()
	assert.Zero(t, failed.Load(), "requests failed while the authority rotated")

	// kube-apiserver goes away and comes back.
	r.stop()
	require.Eventually(t, func() bool { return s.get(nil, "Authorization", "Bearer alice") == 503 }, patience, time.Second)
	r.start()
	require.Eventually(t, func() bool { return s.get(nil, "Authorization", "Bearer alice") == 200 }, patience, time.Second)
	assert.Contains(t, r.kubectl("admin", "delete", "report", "weekly"), "deleted")
}

// newReal starts an etcd, and writes the files of kube-apiserver.
func newReal(t *testing.T, programs string) *real {
	r := &real{t: t, dir: t.TempDir(), programs: programs, authority: newAuthority("cluster"),
		proxies: newAuthority("proxies")}
	etcd := exec.Command(filepath.Join(programs, "etcd"))
	input, err := etcd.StdinPipe()
	require.NoError(t, err)
	output, err := etcd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, etcd.Start())
	t.Cleanup(func() {
		_ = input.Close()
		_ = etcd.Wait()
	})
	_, err = fmt.Fscanf(output, "ready %s\n", &r.etcd)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r.port = listener.Addr().(*net.TCPAddr).Port
	require.NoError(t, listener.Close())

	own := issue(&x509.Certificate{SerialNumber: big.NewInt(5), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, r.authority)
	r.write("server.pem", own.pem)
	r.write("server.key", own.privateKey())
	r.write("ca.crt", r.authority.pem)
	r.write("proxies.pem", r.proxies.pem)
	r.proxyCertificate()
	r.write("namespace", "reports")
	r.write("token", "program")
	r.write("tokens", "admin,admin,admin,system:masters\nalice,alice,alice\nbob,bob,bob\n"+
		"program,system:serviceaccount:reports:reports,program,\"system:serviceaccounts,system:serviceaccounts:reports\"\n")
	return r
}

func (r *real) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	require.NoError(r.t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(r.t, os.Rename(path+".new", path))
}

// proxyCertificate gives kube-apiserver a certificate of the present authority of the proxies.
func (r *real) proxyCertificate() {
	own := r.proxies.sign("front-proxy")
	r.write("proxy.key", own.privateKey())
	r.write("proxy.pem", own.pem)
}

// start starts kube-apiserver, and waits until it is ready.
func (r *real) start() {
	r.t.Helper()
	file := func(name string) string { return filepath.Join(r.dir, name) }
	log, err := os.Create(file("log"))
	require.NoError(r.t, err)
	r.process = exec.Command(filepath.Join(r.programs, "kube-apiserver"), "--etcd-servers="+r.etcd,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+strconv.Itoa(r.port),
		"--tls-cert-file="+file("server.pem"), "--tls-private-key-file="+file("server.key"),
		"--service-account-key-file="+file("server.key"), "--service-account-signing-key-file="+file("server.key"),
		"--service-account-issuer=https://127.0.0.1", "--service-cluster-ip-range=10.0.0.0/16",
		"--token-auth-file="+file("tokens"), "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none", "--client-ca-file="+file("ca.crt"),
		"--requestheader-client-ca-file="+file("proxies.pem"), "--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-uid-headers=X-Remote-Uid", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+file("proxy.pem"), "--proxy-client-key-file="+file("proxy.key"))
	r.process.Stdout, r.process.Stderr = log, log
	require.NoError(r.t, r.process.Start())
	r.t.Cleanup(r.stop)
	if !assert.Eventually(r.t, func() bool { return r.get("admin", "/readyz") == 200 }, 2*patience, time.Second) {
		text, _ := os.ReadFile(file("log"))
		r.t.Fatalf("kube-apiserver does not get ready:\n%s", text[max(0, len(text)-5000):])
	}
}

// stop ends kube-apiserver.
func (r *real) stop() {
	if r.process != nil {
		_ = r.process.Process.Kill()
		_ = r.process.Wait()
		r.process = nil
	}
}

// get returns the code of a GET with the token of a user, or 0.
func (r *real) get(user, path string) int {
	roots := x509.NewCertPool()
	roots.AddCert(r.authority.certificate)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequest("GET", fmt.Sprintf("https://127.0.0.1:%d%s", r.port, path), nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Authorization", "Bearer "+user)
	answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(request)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.StatusCode
}

func (r *real) command(user string, args ...string) *exec.Cmd {
	c := exec.Command("kubectl", append([]string{"--server", fmt.Sprintf("https://127.0.0.1:%d", r.port),
		"--certificate-authority", filepath.Join(r.dir, "ca.crt"), "--token", user}, args...)...)
	c.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(r.dir, "none"), "HOME="+r.dir)
	return c
}

func (r *real) run(user string, args ...string) (string, error) {
	text, err := r.command(user, args...).CombinedOutput()
	return string(text), err
}

// kubectl runs a command that succeeds.
func (r *real) kubectl(user string, args ...string) string {
	r.t.Helper()
	text, err := r.run(user, args...)
	require.NoError(r.t, err, "kubectl %s: %s", args, text)
	return text
}

// refused runs a command that fails.
func (r *real) refused(user string, args ...string) string {
	r.t.Helper()
	text, err := r.run(user, args...)
	require.Error(r.t, err, "kubectl %s: %s", args, text)
	return text
}

// background runs a command until stop, and returns its output so far.
func (r *real) background(user string, args ...string) (output func() string, stop func()) {
	text, c := &apitest.LogBuffer{}, r.command(user, args...)
	c.Stdout, c.Stderr = text, text
	require.NoError(r.t, c.Start())
	return text.String, func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// behind is the server behind kube-apiserver.
type behind struct {
	t       *testing.T
	address string
	issuer  atomic.Value // the authority of the proxy that has sent the latest request of the load
}

// serve starts the server, with the credentials of a Pod.
func (r *real) serve() *behind {
	r.t.Helper()
	r.t.Setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
	r.t.Setenv("KUBERNETES_SERVICE_PORT", strconv.Itoa(r.port))
	pod, err := kubeconfig.InCluster(kubeconfig.InClusterOptions{Dir: r.dir})
	require.NoError(r.t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(r.t, err)
	port := int32(listener.Addr().(*net.TCPAddr).Port)
	logger := slog.New(slog.NewTextHandler(r.t.Output(), nil))
	cluster, err := aggregated.New(aggregated.Options{Cluster: pod.Server, Logger: logger,
		Publish: &aggregated.Publication{Groups: []string{"reports.example.com"},
			Service: apiservice.ServiceReference{Namespace: pod.Namespace, Name: "reports", Port: &port}}})
	require.NoError(r.t, err)
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{cluster}, Logger: logger}, reports())
	require.NoError(r.t, err)
	b := &behind{t: r.t, address: listener.Addr().String()}
	server := &http.Server{TLSConfig: cluster.TLSConfig(),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			if by := request.TLS.PeerCertificates; len(by) > 0 && request.URL.RawQuery == "load" {
				b.issuer.Store(by[0].Issuer.CommonName)
			}
			api.ServeHTTP(w, request)
		})}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- host.Run(ctx, api, host.Options{Server: server, Listener: listener, NoLifecycle: true})
	}()
	r.t.Cleanup(func() {
		stop()
		assert.NoError(r.t, <-ended)
	})
	return b
}

// get returns the code of a GET of the reports that bypasses kube-apiserver.
func (b *behind) get(certificate *authority, headers ...string) int {
	settings := &tls.Config{InsecureSkipVerify: true}
	if certificate != nil {
		settings.Certificates = []tls.Certificate{{Certificate: [][]byte{certificate.certificate.Raw},
			PrivateKey: certificate.key}}
	}
	transport := &http.Transport{TLSClientConfig: settings}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequest("GET", "https://"+b.address+reportsPath, nil)
	require.NoError(b.t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return 0
	}
	require.NoError(b.t, err)
	_ = answer.Body.Close()
	return answer.StatusCode
}

// privateKey returns the key in PEM.
func (a *authority) privateKey() string {
	der, err := x509.MarshalECPrivateKey(a.key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}
