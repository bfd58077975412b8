package kubeconfig_test

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/kubeconfig"
)

func TestWriteText(t *testing.T) {
	for _, c := range []struct {
		name  string
		entry kubeconfig.Entry
		text  string
	}{
		{"http says that nothing is verified", kubeconfig.Entry{Name: "platform", Server: "http://127.0.0.1:8080/platform"},
			`apiVersion: v1
clusters:
- cluster:
    insecure-skip-tls-verify: true
    server: http://127.0.0.1:8080/platform
  name: platform
contexts:
- context:
    cluster: platform
    user: platform
  name: platform
current-context: platform
kind: Config
users:
- name: platform
  user: {}
`},
		{"https is verified", kubeconfig.Entry{Name: "platform", Server: "https://localhost", User: "alice", Token: "secret",
			Namespace: "team-a"}, `apiVersion: v1
clusters:
- cluster:
    server: https://localhost
  name: platform
contexts:
- context:
    cluster: platform
    namespace: team-a
    user: alice
  name: platform
current-context: platform
kind: Config
users:
- name: alice
  user:
    token: secret
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new", "config")
			require.NoError(t, kubeconfig.Write(path, c.entry))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, c.text, string(text))
			for path, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
				info, err := os.Stat(path)
				require.NoError(t, err)
				assert.Equal(t, mode, info.Mode().Perm(), path)
			}
		})
	}
}

// Load reads what Write wrote.
func TestWriteAndLoad(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	path := filepath.Join(t.TempDir(), "config")
	require.NoError(t, kubeconfig.Write(path, kubeconfig.Entry{
		Name: "platform", Server: server.URL, CertificateAuthority: authority, User: "alice", Token: "secret",
		Namespace: "team-a",
	}))
	config, err := kubeconfig.Load(kubeconfig.Options{}, path)
	require.NoError(t, err)
	assert.Equal(t, []string{"platform", "team-a", server.URL},
		[]string{config.Context, config.Namespace, config.Server.URL})
	answer, err := config.Server.HTTP.Get(server.URL)
	require.NoError(t, err, "the client trusts the authority")
	require.NoError(t, answer.Body.Close())
}

// An existing file keeps its other entries, and fields that the package does not know.
func TestWriteMerges(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "config"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte(`
kind: Config
preferences: {colors: true}
current-context: work
clusters: [{name: work, cluster: {server: https://work}}, {name: platform, cluster: {server: https://old}}]
users: [{name: me, user: {token: mine}}]
contexts: [{name: work, context: {cluster: work, user: me}}]
`), 0o644))
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, kubeconfig.Write(link, kubeconfig.Entry{Name: "platform", Server: "http://127.0.0.1:1"}))

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), "colors: true")
	assert.NotContains(t, string(text), "https://old")
	config, err := kubeconfig.Load(kubeconfig.Options{}, path)
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:1", config.Server.URL, "the new entry is the current context")
	config, err = kubeconfig.Load(kubeconfig.Options{Context: "work"}, path)
	require.NoError(t, err)
	assert.Equal(t, "https://work", config.Server.URL)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestWriteRefuses(t *testing.T) {
	for _, c := range []struct {
		name, existing string
		entry          kubeconfig.Entry
		err            string
	}{
		{"no name", "", kubeconfig.Entry{Server: "https://a"}, "kubeconfig.Write: Name is missing"},
		{"no server", "", kubeconfig.Entry{Name: "a"}, "kubeconfig.Write: server: required"},
		{"server without a host", "", kubeconfig.Entry{Name: "a", Server: "https://"},
			"must have the form https://HOST/PREFIX"},
		{"token over http", "", kubeconfig.Entry{Name: "a", Server: "http://a", Token: "t"},
			"over which kubectl sends no credentials"},
		{"key over http", "", kubeconfig.Entry{Name: "a", Server: "http://a", ClientKey: []byte("k")},
			"over which kubectl sends no credentials"},
		{"authority of http", "", kubeconfig.Entry{Name: "a", Server: "http://a", CertificateAuthority: []byte("c")},
			"CertificateAuthority is set, but Server is http"},
		{"authority that is not PEM", "", kubeconfig.Entry{Name: "a", Server: "https://a", CertificateAuthority: []byte("c")},
			"certificate-authority: contains no PEM certificate"},
		{"file of another kind", "kind: Pod", kubeconfig.Entry{Name: "a", Server: "https://a"}, "must be Config of v1"},
		{"file that is not YAML", "\t{", kubeconfig.Entry{Name: "a", Server: "https://a"}, "yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config")
			if c.existing != "" {
				require.NoError(t, os.WriteFile(path, []byte(c.existing), 0o600))
			}
			require.ErrorContains(t, kubeconfig.Write(path, c.entry), c.err)
			text, err := os.ReadFile(path)
			if c.existing == "" {
				require.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.existing, string(text), "nothing has changed")
		})
	}
}
