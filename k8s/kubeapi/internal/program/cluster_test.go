package program_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/program"
	"github.com/decorum-go/decorum/rest"
)

// running is a program that runs.
type running struct {
	stdout *bufio.Reader
	stderr *strings.Builder
	stop   context.CancelFunc
	code   chan int
}

// start runs a program until stop, or until the test ends.
func start(t *testing.T, args ...string) *running {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	r := &running{stdout: bufio.NewReader(out), stderr: new(strings.Builder), stop: stop, code: make(chan int, 1)}
	go func() {
		r.code <- program.Run(ctx, program.Process{Args: args, Getenv: func(string) string { return "" }, Stdout: in,
			Stderr: r.stderr})
		in.Close()
	}()
	t.Cleanup(func() { out.Close(); stop() })
	return r
}

// after returns what follows a word at the start of the next line.
func (r *running) after(t *testing.T, word string) string {
	line, err := r.stdout.ReadString('\n')
	if err != nil {
		require.NoError(t, err, "exit status %d: %s", <-r.code, r.stderr)
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), word+" ")
	require.True(t, ok, line)
	return rest
}

func clientOf(t *testing.T, kubeconfig string) kubernetes.Interface {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func TestTheProgramServesAClusterToItsAdministratorAlone(t *testing.T) {
	r := start(t, "kubeapi")
	url, kubeconfig := r.after(t, "ready"), r.after(t, "kubeconfig")
	info, err := os.Stat(kubeconfig)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	version, err := clientOf(t, kubeconfig).Discovery().ServerVersion()
	require.NoError(t, err)
	assert.Equal(t, rest.KubernetesVersion, version.GitVersion)
	service, err := clientOf(t, kubeconfig).CoreV1().Services("default").Get(t.Context(), "kubernetes",
		metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "10.0.0.1", service.Spec.ClusterIP)
	endpoints, err := clientOf(t, kubeconfig).CoreV1().Endpoints("default").Get(t.Context(), "kubernetes",
		metav1.GetOptions{})
	require.NoError(t, err)
	slice, err := clientOf(t, kubeconfig).DiscoveryV1().EndpointSlices("default").Get(t.Context(), "kubernetes",
		metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, slice.Endpoints[0].Addresses[0], endpoints.Subsets[0].Addresses[0].IP)
	assert.Equal(t, *slice.Ports[0].Port, endpoints.Subsets[0].Ports[0].Port)

	anonymous := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for path, want := range map[string]int{"/healthz": 200, "/livez": 200, "/readyz": 200, "/version": 200,
		"/api": 403, "/api/v1/namespaces": 403, "/openid/v1/jwks": 403} {
		answer, err := anonymous.Get(url + path)
		require.NoError(t, err)
		answer.Body.Close()
		assert.Equal(t, want, answer.StatusCode, path)
	}
	anonymous.CloseIdleConnections()

	r.stop()
	assert.Equal(t, 0, <-r.code)
	assert.NoFileExists(t, kubeconfig)
}

func TestAnOpenWatchDoesNotDelayTheEndOfTheProgram(t *testing.T) {
	r := start(t, "kubeapi")
	r.after(t, "ready")
	watch, err := clientOf(t, r.after(t, "kubeconfig")).CoreV1().Namespaces().Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer watch.Stop()
	require.Equal(t, "ADDED", string((<-watch.ResultChan()).Type))
	r.stop()
	assert.Equal(t, 0, <-r.code)
}

func TestAStoreKeepsObjectsAndCredentials(t *testing.T) {
	dir := t.TempDir()
	args := []string{"kubeapi", "--store", filepath.Join(dir, "objects.db"), "--kubeconfig", filepath.Join(dir, "config")}
	first := start(t, args...)
	first.after(t, "ready")
	client := clientOf(t, first.after(t, "kubeconfig"))
	_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	authority := func() []byte {
		config, err := clientcmd.LoadFromFile(filepath.Join(dir, "config"))
		require.NoError(t, err)
		return config.Clusters["kubeapi"].CertificateAuthorityData
	}
	before := authority()
	first.stop()
	require.Equal(t, 0, <-first.code)

	second := start(t, args...)
	second.after(t, "ready")
	client = clientOf(t, second.after(t, "kubeconfig"))
	_, err = client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, before, authority())
	info, err := os.Stat(filepath.Join(dir, "objects.db.secrets"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	second.stop()
	require.Equal(t, 0, <-second.code)
}

func TestErrorsEndTheStartWithOneLine(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"kubeapi", "--listen", "0.0.0.0:0"}, "add --expose"},
		{[]string{"kubeapi", "--controllers", "nothing"}, `unknown controller "nothing"`},
		{[]string{"kubeapi", "--service-cluster-ip-range", "x"}, "--service-cluster-ip-range"},
		{[]string{"/x/kube-apiserver", "--no-such-flag=1"}, "no-such-flag"},
		{[]string{"/x/kube-apiserver", "--feature-gates=NoSuchGate=true"}, "unrecognized feature gate: NoSuchGate"},
		{[]string{"/x/kube-apiserver", "--feature-gates=EvictionRequestAPI=true"},
			"does not implement the feature gate EvictionRequestAPI=true"},
		{[]string{"/x/kube-apiserver", "--enable-admission-plugins=Priority,NoSuchPlugin"},
			`enable-admission-plugins plugin "NoSuchPlugin" is unknown`},
		{[]string{"/x/kube-apiserver", "--disable-admission-plugins=NoSuchPlugin"},
			`disable-admission-plugins plugin "NoSuchPlugin" is unknown`},
		{[]string{"/x/kube-apiserver", "--admission-control=NoSuchPlugin"},
			`admission-control plugin "NoSuchPlugin" is unknown`},
		{[]string{"/x/kube-apiserver", "--enable-admission-plugins=Priority,AlwaysDeny",
			"--disable-admission-plugins=AlwaysDeny", "--disable-admission-plugins=Priority"},
			"[AlwaysDeny Priority] in enable-admission-plugins and disable-admission-plugins overlapped"},
		{[]string{"/x/kube-apiserver", "--admission-control=Priority", "--disable-admission-plugins=AlwaysDeny"},
			"admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive"},
		{[]string{"/x/kube-apiserver", "--admission-control-config-file=/nonexistent"},
			`failed to read plugin config: unable to read admission control configuration from "/nonexistent"`},
		{[]string{"/x/kube-apiserver", "--default-not-ready-toleration-seconds=x"}, `invalid value "x"`},
		{[]string{"/x/kube-apiserver", "--runtime-config=batch/v2alpha1=true"}, "does not implement batch/v2alpha1"},
		{[]string{"/x/kube-apiserver", "--authorization-mode=RBAC,Webhook"}, "does not implement the mode Webhook"},
		{[]string{"/x/kube-apiserver", "--max-requests-inflight=-1"}, "--max-requests-inflight must not be negative"},
		{[]string{"/x/kube-apiserver", "--max-requests-inflight=0", "--max-mutating-requests-inflight=0"},
			"must not both be 0"},
		{[]string{"/x/kube-apiserver", "--oidc-issuer-url=https://example.com"}, "does not implement --oidc-issuer-url"},
		{[]string{"/x/kube-apiserver", "--cert-dir=/nonexistent", "--tls-cert-file=/nonexistent/a", "--secure-port=0"},
			"no such file"},
		{[]string{"/x/etcd", "--no-such-flag"}, "no-such-flag"},
		{[]string{"/x/etcd", "--listen-client-urls=unix:///x"}, "only URLs of the form http://HOST:PORT"},
		{[]string{"/x/kubectl", "get", "pods"}, "PATH has none"},
	} {
		t.Run(fmt.Sprint(test.args), func(t *testing.T) {
			r := start(t, test.args...)
			assert.Equal(t, 1, <-r.code)
			if lines := strings.Split(strings.TrimSpace(r.stderr.String()), "\n"); len(lines) > 1 {
				t.Error(lines)
			}
			assert.Contains(t, r.stderr.String(), test.want)
		})
	}
}
