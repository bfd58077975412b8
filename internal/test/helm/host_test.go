package helm_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
)

// Boat is the kind of a host.
type Boat struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Sails int `json:"sails" api:"min=1,max=9"`
	} `json:"spec"`
}

// helm installs charts on a host of a few kinds, if they include Secret, in which helm keeps its releases.
func TestAHostThatServesSecrets(t *testing.T) {
	t.Parallel()
	boats := rest.Resource[Boat]{Group: "fleet.example.com", Version: "v1", Plural: "boats"}
	api, err := rest.New(rest.Options{}, builtin.Namespaces(), k8s.Resource[corev1.Secret](), boats)
	require.NoError(t, err)
	web := httptest.NewServer(api)
	t.Cleanup(func() {
		assert.NoError(t, api.Close())
		web.Close()
	})
	home, chart := t.TempDir(), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(chart, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	c := &cluster{home: home, kubeconfig: write("kubeconfig", `{apiVersion: v1, kind: Config, current-context: host,
  clusters: [{name: host, cluster: {server: "`+web.URL+`"}}],
  users: [{name: me, user: {}}], contexts: [{name: host, context: {cluster: host, user: me}}]}`)}
	write("Chart.yaml", "{apiVersion: v2, name: fleet, version: 1.0.0}")
	write("values.yaml", "sails: 2")
	write("templates/boat.yaml", "apiVersion: fleet.example.com/v1\nkind: Boat\nmetadata: {name: {{ .Release.Name }}}\n"+
		"spec: {sails: {{ .Values.sails }}}\n")

	boat := func() int {
		client, err := rest.ClientForType[Boat](api)
		require.NoError(t, err)
		b, err := client.Namespace("sea").Get(t.Context(), "dinghy")
		require.NoError(t, err)
		return b.Spec.Sails
	}
	c.helm(t, "install", "dinghy", chart, "--create-namespace", "--wait")
	assert.Equal(t, 2, boat())
	c.helm(t, "upgrade", "dinghy", chart, "--wait", "--set", "sails=3")
	assert.Equal(t, 3, boat())
	assert.Contains(t, c.refused(t, "upgrade", "dinghy", chart, "--set", "sails=10"), "should be less than or equal to 9")
	c.helm(t, "rollback", "dinghy", "1")
	assert.Equal(t, 2, boat())
	c.helm(t, "uninstall", "dinghy", "--wait")
	assert.Empty(t, c.releases(t, "list"))
}
