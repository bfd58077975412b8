package programs_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// trust-manager copies certificates to the namespaces with a label, writes a lost copy again, removes a copy that is no
// longer wanted, and refuses a bundle by its webhook, whose certificate helm has made.
func TestTrustManagerCopiesCertificates(t *testing.T) {
	t.Parallel()
	dir := source(t, "github.com/cert-manager/trust-manager", "v0.25.0")
	c := newCluster(t, kubeapitest.Options{})
	hooks := c.WebhookServer()
	c.helm(t, "cert-manager", "trust-manager", filepath.Join(dir, "deploy/charts/trust-manager"), "--set",
		"app.webhook.tls.helmCert.enabled=true,defaultPackage.enabled=false")
	c.mount(t, "cert-manager", "trust-manager-tls", hooks.CertDir)
	c.run(t, program{
		path: build(t, dir, "./cmd/trust-manager"), namespace: "cert-manager", account: "trust-manager",
		args: []string{"--webhook-host=" + hooks.Host, "--webhook-port=" + strconv.Itoa(hooks.Port),
			"--webhook-certificate-dir=" + hooks.CertDir, "--trust-namespace=cert-manager", "--metrics-port=" + port(t),
			"--readiness-probe-port=" + port(t), "--leader-elect=false"},
	})

	c.await(t, "v1/configmaps", "cert-manager", "kube-root-ca.crt", exists)
	bundle := func(name, source string) error {
		return c.create(t, "trust.cert-manager.io/v1alpha1/bundles", `
apiVersion: trust.cert-manager.io/v1alpha1
kind: Bundle
metadata: {name: `+name+`}
spec:
  sources: [`+source+`]
  target:
    configMap: {key: ca.crt}
    namespaceSelector: {matchLabels: {trusted: "yes"}}
`)
	}
	// The failure policy of the webhook is Fail, so nothing is accepted before it serves.
	require.EventuallyWithT(t, func(ct *assert.CollectT) {
		assert.NoError(ct, bundle("authorities", "{configMap: {name: kube-root-ca.crt, key: ca.crt}}"))
	}, patience, 200*time.Millisecond)
	assert.ErrorContains(t, bundle("keyless", "{configMap: {name: kube-root-ca.crt}}"),
		"source configMap key must be defined when includeAllKeys is false")

	require.NoError(t, c.create(t, "v1/namespaces",
		`{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {trusted: "yes"}}}`))
	whole := func(o *unstructured.Unstructured) bool { return text(o, "data", "ca.crt") != "" }
	first := c.await(t, "v1/configmaps", "team", "authorities", whole)
	require.NoError(t, c.client.CoreV1().ConfigMaps("team").Delete(t.Context(), "authorities", metav1.DeleteOptions{}))
	second := c.await(t, "v1/configmaps", "team", "authorities", whole)
	assert.NotEqual(t, first.GetUID(), second.GetUID())

	_, err := c.client.CoreV1().Namespaces().Patch(t.Context(), "team", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"trusted":null}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	c.awaitGone(t, "v1/configmaps", "team", "authorities")
}
