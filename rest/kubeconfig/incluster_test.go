package kubeconfig_test

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// inPod makes a directory and an environment as a Pod has them, for a server of an authority.
func inPod(t *testing.T, server string, authority *pair) (dir string) {
	t.Helper()
	u, err := url.Parse(server)
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(u.Host)
	require.NoError(t, err)
	t.Setenv("KUBERNETES_SERVICE_HOST", host)
	t.Setenv("KUBERNETES_SERVICE_PORT", port)
	dir = t.TempDir()
	write(t, dir, "namespace", "team-a\n")
	write(t, dir, "token", "one\n")
	write(t, dir, "ca.crt", string(authority.cert))
	return dir
}

// The client sends the token that the file has after a 401, and believes the authorities that the file has when it
// connects.
func TestInCluster(t *testing.T) {
	authority, next := issue(t, "authority", nil), issue(t, "next", nil)
	m := newMirror(t, authority)
	dir := inPod(t, m.URL, authority)
	config, err := kubeconfig.InCluster(kubeconfig.InClusterOptions{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(config.Server.HTTP.CloseIdleConnections)
	assert.Equal(t, []string{"", "team-a", m.URL}, []string{config.Context, config.Namespace, config.Server.URL})
	_, err = get(t, config)
	require.NoError(t, err)
	assert.Equal(t, "Bearer one", m.last.Load().Header.Get("Authorization"))
	assert.Equal(t, 2, m.last.Load().ProtoMajor)

	renewed := newMirror(t, next)
	config.Server.URL = renewed.URL
	ask := func() error {
		answer, err := config.Server.HTTP.Get(renewed.URL)
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	assert.ErrorContains(t, ask(), "unknown authority")
	write(t, dir, "ca.crt", string(authority.cert)+string(next.cert))
	assert.NoError(t, ask())
	config.Server.HTTP.CloseIdleConnections()
	write(t, dir, "ca.crt", "")
	assert.ErrorContains(t, ask(), "unknown authority", "the authorities from the start decide while the file is empty")
}

func TestInClusterErrors(t *testing.T) {
	authority := issue(t, "authority", nil)
	for _, c := range []struct{ name, missing, want string }{
		{"no address", "env", "the program does not run in a Pod"},
		{"no token", "token", "tokenFile: "},
		{"no authority", "ca.crt", "certificate-authority: "},
		{"no namespace", "namespace", "namespace"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := inPod(t, "https://127.0.0.1:6443", authority)
			if c.missing == "env" {
				t.Setenv("KUBERNETES_SERVICE_HOST", "")
			} else {
				require.NoError(t, os.Remove(filepath.Join(dir, c.missing)))
			}
			_, err := kubeconfig.InCluster(kubeconfig.InClusterOptions{Dir: dir})
			assert.ErrorContains(t, err, "kubeconfig.InCluster: ")
			assert.ErrorContains(t, err, c.want)
		})
	}
}
