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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/capabilities"

	"github.com/decorum-go/decorum/internal/test/hangtest"
)

// side is one of the two APIs that these tests compare.
type side struct {
	url       string
	transport http.RoundTripper
}

// answer is what a side answers.
type answer struct {
	code     int
	body     []byte
	warnings []string // the texts of the warnings, sorted, because Kubernetes walks over maps in any order
}

const asJSON = "application/json"

func (s side) send(t *testing.T, method, path, accept string, body []byte) answer {
	t.Helper()
	media := asJSON
	if method == http.MethodPatch {
		media = "application/strategic-merge-patch+json"
	}
	return s.exchange(t, method, path, accept, media, body)
}

// sendAs sends a body of a media type.
func (s side) sendAs(t *testing.T, method, path, media string, body []byte) answer {
	t.Helper()
	return s.exchange(t, method, path, asJSON, media, body)
}

func (s side) exchange(t *testing.T, method, path, accept, media string, body []byte) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(string(body)))
	require.NoError(t, err)
	r.Header.Set("Accept", accept)
	r.Header.Set("Content-Type", media)
	r.Header.Set("User-Agent", "oracle")
	w, err := s.transport.RoundTrip(r)
	require.NoError(t, err)
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return answer{w.StatusCode, text, slices.Sorted(slices.Values(w.Header.Values("Warning")))}
}

// as returns the side for a user other than the administrator.
func (s side) as(user string) side {
	return side{s.url, asUser{user, s.transport}}
}

// asUser adds the token of a user to requests.
type asUser struct {
	token string
	http.RoundTripper
}

func (u asUser) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") == "" { // no other user has been chosen
		r.Header.Set("Authorization", "Bearer "+u.token)
	}
	return u.RoundTripper.RoundTrip(r)
}

// get reads a document.
func (s side) get(t *testing.T, path string, into any) {
	t.Helper()
	a := s.send(t, http.MethodGet, path, asJSON, nil)
	require.Equal(t, http.StatusOK, a.code, "%s: %s", path, a.body)
	require.NoError(t, json.Unmarshal(a.body, into), path)
}

// ourPrograms are the processes of module kubeapi as kube-apiserver. This module cannot link it, because the program
// needs newer versions of the modules that Kubernetes fixes.
type ourPrograms struct {
	dir       string
	processes []*exec.Cmd
}

var running ourPrograms

// pluginsOff are the admission plugins that change or refuse objects.
const pluginsOff = "CertificateApproval,CertificateSigning,CertificateSubjectRestriction,ClusterTrustBundleAttest," +
	"DefaultIngressClass,DefaultStorageClass,DefaultTolerationSeconds,LimitRanger,NamespaceLifecycle," +
	"NodeDeclaredFeatureValidator,PersistentVolumeClaimResize,PodGroupProtection,PodResizeValidator,PodSecurity," +
	"PodTopologyLabels,Priority,ResourceQuota,RuntimeClass,ServiceAccount,StorageObjectInUseProtection," +
	"TaintNodesByCondition"

// ours is the API of module kubeapi without admission.
var ours = sync.OnceValues(func() (side, error) { return start("--disable-admission-plugins=" + pluginsOff) })

// build builds the program.
var build = sync.OnceValues(func() (program string, err error) {
	if running.dir, err = os.MkdirTemp("", "oracle-"); err != nil {
		return "", err
	}
	program = filepath.Join(running.dir, "kube-apiserver")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Stderr = "../..", os.Stderr
	return program, build.Run()
})

// start starts the program.
func start(flags ...string) (s side, err error) {
	program, err := build()
	if err != nil {
		return s, err
	}
	users := filepath.Join(running.dir, "users")
	if err := os.WriteFile(users, []byte(tokenFile()), 0o600); err != nil {
		return s, err
	}
	address, err := freeAddress()
	if err != nil {
		return s, err
	}
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(program, append(flags, "--secure-port="+port, "--token-auth-file="+users, "--api-audiences=api",
		"--enable-priority-and-fairness=false")...) // upstream's side has no controller that writes the status of FlowSchemas
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return s, err
	}
	running.processes = append(running.processes, cmd)
	transport, err := clientrest.TransportFor(&clientrest.Config{
		TLSClientConfig: clientrest.TLSClientConfig{Insecure: true}})
	s = side{"https://" + address, transport}.as(administrator)
	return s, errors.Join(err, s.wait())
}

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
	timeout := time.After(hangtest.Deadline)
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

// end ends the processes that tests have started.
func (p ourPrograms) end() error {
	for _, cmd := range p.processes {
		if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
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
