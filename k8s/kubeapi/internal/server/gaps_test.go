package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// newServer returns a server whose administrator has the token root.
func newServer(t *testing.T, change func(*server.Config)) *server.Server {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := server.Config{
		Accounts: serviceaccount.Options{Issuer: "https://kubernetes.default.svc", Keys: []serviceaccount.Key{{Signer: key}}},
		Users: []access.Authenticator{auth.Tokens(auth.Token{Secret: "root",
			User: access.User{Name: "root", Groups: []string{server.Masters}}})},
	}
	change(&c)
	s, err := server.New(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestRequestsForWhatTheServerDoesNotHaveAreReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	report, end, err := server.ReportTo(path)
	require.NoError(t, err)
	s := newServer(t, func(c *server.Config) { c.Report = report })
	for _, test := range []struct {
		method, path, want string
	}{
		{http.MethodGet, "/apis/apps/v1beta1/deployments", "kubeapi does not serve deployments in apps/v1beta1"},
		{http.MethodGet, "/apis/apps/v1beta1/deployments", "kubeapi does not serve deployments in apps/v1beta1"},
		{http.MethodGet, "/apis/apiregistration.k8s.io/v1/apiservices", ""},
		{http.MethodGet, "/api/v1/namespaces/default/pods/missing", ""},
		{http.MethodGet, "/apis/example.com/v1/widgets", ""},
		{http.MethodGet, "/apis/metrics.k8s.io/v1beta1/nodes", "kubeapi does not serve nodes in metrics.k8s.io/v1beta1"},
		{http.MethodGet, "/api/v1/namespaces/default/nonsense", ""},
		{http.MethodGet, "/api/v1/namespaces/default/pods/missing/nonsense", ""},
		{http.MethodDelete, "/api/v1/namespaces/default/bindings", ""},
		{http.MethodPut, "/api/v1/namespaces/default/pods/missing/binding", ""},
		{http.MethodDelete, "/apis/authorization.k8s.io/v1/subjectaccessreviews", ""},
		{http.MethodGet, "/api/v1/namespaces/default/configmaps", ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, nil)
		r.Header.Set("Authorization", "Bearer root")
		answer := httptest.NewRecorder()
		s.Handler().ServeHTTP(answer, r)
		want := []string(nil)
		if test.want != "" {
			want = []string{`299 - "` + test.want + `"`}
		}
		assert.Equal(t, want, answer.Header().Values("Warning"), test.path)
	}
	require.NoError(t, end())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "kubeapi does not serve deployments in apps/v1beta1\n"+
		"kubeapi does not serve nodes in metrics.k8s.io/v1beta1\n",
		string(text))
}
