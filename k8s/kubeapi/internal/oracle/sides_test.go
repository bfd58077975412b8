package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/capabilities"
)

// side is one of the two APIs that these tests compare.
type side struct {
	url       string
	transport http.RoundTripper
}

// answer is what a side answers.
type answer struct {
	code int
	body []byte
}

const asJSON = "application/json"

func (s side) send(t *testing.T, method, path, accept string, body []byte) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(string(body)))
	require.NoError(t, err)
	r.Header.Set("Accept", accept)
	r.Header.Set("Content-Type", asJSON)
	r.Header.Set("User-Agent", "oracle")
	w, err := s.transport.RoundTrip(r)
	require.NoError(t, err)
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return answer{w.StatusCode, text}
}

// get reads a document.
func (s side) get(t *testing.T, path string, into any) {
	t.Helper()
	a := s.send(t, http.MethodGet, path, asJSON, nil)
	require.Equal(t, http.StatusOK, a.code, "%s: %s", path, a.body)
	require.NoError(t, json.Unmarshal(a.body, into), path)
}

// ourProgram is the program of module kubeapi as kube-apiserver, without admission. This module cannot link it, because
// the program needs newer versions of the modules that Kubernetes fixes.
type ourProgram struct {
	dir string
	cmd *exec.Cmd
}

var running ourProgram

// pluginsOff are the admission plugins that change or refuse objects.
const pluginsOff = "CertificateApproval,CertificateSigning,CertificateSubjectRestriction,ClusterTrustBundleAttest," +
	"DefaultIngressClass,DefaultStorageClass,DefaultTolerationSeconds,LimitRanger,NamespaceLifecycle," +
	"NodeDeclaredFeatureValidator,PersistentVolumeClaimResize,PodGroupProtection,PodResizeValidator,PodSecurity," +
	"PodTopologyLabels,Priority,ResourceQuota,RuntimeClass,ServiceAccount,StorageObjectInUseProtection," +
	"TaintNodesByCondition"

const token = "secret"

// ours builds and starts the program.
var ours = sync.OnceValues(func() (s side, err error) {
	if running.dir, err = os.MkdirTemp("", "oracle-"); err != nil {
		return s, err
	}
	program, users := filepath.Join(running.dir, "kube-apiserver"), filepath.Join(running.dir, "users")
	if err := os.WriteFile(users, []byte(token+`,kubernetes-admin,,"system:masters"`), 0o600); err != nil {
		return s, err
	}
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Stderr = "../..", os.Stderr
	if err := build.Run(); err != nil {
		return s, err
	}
	address, err := freeAddress()
	if err != nil {
		return s, err
	}
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(program, "--secure-port="+port, "--cert-dir="+running.dir, "--token-auth-file="+users,
		"--disable-admission-plugins="+pluginsOff,
		"--enable-priority-and-fairness=false") // upstream's side has no controller that writes the status of FlowSchemas
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return s, err
	}
	running.cmd = cmd
	transport, err := clientrest.TransportFor(&clientrest.Config{BearerToken: token,
		TLSClientConfig: clientrest.TLSClientConfig{Insecure: true}})
	s = side{"https://" + address, transport}
	return s, errors.Join(err, s.wait())
})

// freeAddress returns an address on which nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// wait returns when the side answers.
func (s side) wait() error {
	timeout := time.After(time.Minute)
	for {
		r, err := http.NewRequest(http.MethodGet, s.url+"/readyz", nil)
		if err != nil {
			return err
		}
		if w, err := s.transport.RoundTrip(r); err == nil {
			return w.Body.Close()
		}
		select {
		case <-timeout:
			return errors.New("the program does not answer")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// end ends the program, if a test has started it.
func (p ourProgram) end() error {
	if p.cmd != nil {
		if err := errors.Join(p.cmd.Process.Signal(os.Interrupt), p.cmd.Wait()); err != nil {
			return err
		}
	}
	return os.RemoveAll(p.dir)
}

// ourAPI returns the API of module kubeapi.
func ourAPI(t *testing.T) side {
	t.Helper()
	s, err := ours()
	require.NoError(t, err)
	return s
}

// TestMain allows privileged containers, as all clusters do. If the tests count the statements that they reach, it
// compares the numbers with the README of the module.
func TestMain(m *testing.M) {
	capabilities.Setup(true, 0)
	code := m.Run()
	if err := errors.Join(running.end(), reportCoverage()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
