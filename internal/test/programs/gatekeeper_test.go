package programs_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// Gatekeeper makes a definition from a template of policies, and its webhook refuses a namespace without the label that
// a constraint of this kind requires. Its audit reports the namespaces that are older than the constraint.
func TestGatekeeperEnforcesConstraints(t *testing.T) {
	t.Parallel()
	dir := source(t, "github.com/open-policy-agent/gatekeeper/v3", "v3.23.1")
	manifests := []string{filepath.Join(dir, "deploy/gatekeeper.yaml")}
	c := newCluster(t, kubeapitest.Options{Objects: manifests})
	deployment, err := c.client.AppsV1().Deployments("gatekeeper-system").Get(t.Context(), "gatekeeper-controller-manager",
		metav1.GetOptions{})
	require.NoError(t, err)
	template := deployment.Spec.Template
	pod, err := c.client.CoreV1().Pods(deployment.Namespace).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: deployment.Name + "-", Labels: template.Labels}, Spec: template.Spec,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	hooks := c.WebhookServer()
	c.run(t, program{
		path: build(t, dir, "."), namespace: "gatekeeper-system", account: "gatekeeper-admin",
		args: []string{"--host=" + hooks.Host, "--port=" + strconv.Itoa(hooks.Port), "--cert-dir=" + hooks.CertDir,
			"--disable-cert-rotation", "--health-addr=127.0.0.1:0", "--prometheus-port=" + port(t), "--audit-interval=1", "--api-cache-dir=" + t.TempDir(),
			"--exempt-namespace=gatekeeper-system"},
		env: []string{"POD_NAME=" + pod.Name, "NAMESPACE=gatekeeper-system", "CONTAINER_NAME=manager"},
	})

	require.NoError(t, c.create(t, "templates.gatekeeper.sh/v1/constrainttemplates", `
apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: owned}
spec:
  crd: {spec: {names: {kind: Owned}}}
  targets:
  - target: admission.k8s.gatekeeper.sh
    rego: |
      package owned
      violation[{"msg": msg}] {
        not input.review.object.metadata.labels.owner
        msg := "the label owner is missing"
      }
`))
	c.await(t, "apiextensions.k8s.io/v1/customresourcedefinitions", "", "owned.constraints.gatekeeper.sh",
		condition("Established"))
	require.NoError(t, c.create(t, "constraints.gatekeeper.sh/v1beta1/owned", `
apiVersion: constraints.gatekeeper.sh/v1beta1
kind: Owned
metadata: {name: namespaces}
spec: {match: {kinds: [{apiGroups: [""], kinds: [Namespace]}]}}
`))
	create := func(labels map[string]string) error {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "newer", Labels: labels}}
		_, err := c.client.CoreV1().Namespaces().Create(t.Context(), namespace,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	// The webhook ignores a constraint until the engine has read it.
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		assert.ErrorContains(t, create(nil), "denied the request: [namespaces] the label owner is missing")
	}, patience, 200*time.Millisecond)
	assert.NoError(t, create(map[string]string{"owner": "somebody"}))

	constraint := c.await(t, "constraints.gatekeeper.sh/v1beta1/owned", "", "namespaces", func(o *unstructured.Unstructured) bool {
		n, _, _ := unstructured.NestedInt64(o.Object, "status", "totalViolations")
		return n > 0
	})
	violations, _, err := unstructured.NestedSlice(constraint.Object, "status", "violations")
	require.NoError(t, err)
	var named []any
	for _, v := range violations {
		named = append(named, v.(map[string]any)["name"])
	}
	assert.Contains(t, named, "default")
}
