package programs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// The descheduler evicts a Pod from a Node whose taint it does not tolerate, unless a budget forbids it.
func TestDeschedulerEvicts(t *testing.T) {
	t.Parallel()
	dir := source(t, "sigs.k8s.io/descheduler", "v0.36.0")
	c := newCluster(t, kubeapitest.Options{Objects: []string{filepath.Join(dir, "kubernetes/base/rbac.yaml")}})
	c.addNode(t, "{apiVersion: v1, kind: Node, metadata: {name: full}, spec: {taints: [{key: leave, effect: NoSchedule}]}}")
	c.addNode(t, "{apiVersion: v1, kind: Node, metadata: {name: free}}")
	set, err := c.resource(t, "apps/v1/replicasets", "default").Create(t.Context(), object(t, `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}
`), metav1.CreateOptions{})
	require.NoError(t, err)
	for _, name := range []string{"movable", "protected"} {
		pod := object(t, `
apiVersion: v1
kind: Pod
metadata: {name: `+name+`, namespace: default, labels: {app: web, is: `+name+`}}
spec: {nodeName: full, containers: [{name: web, image: nginx}]}
`)
		pod.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(set, set.GroupVersionKind())})
		pods := c.resource(t, "v1/pods", "default")
		pod, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
		require.NoError(t, err)
		pod.Object["status"] = map[string]any{"phase": "Running", "conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
		_, err = pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	budgets := c.resource(t, "policy/v1/poddisruptionbudgets", "default")
	budget, err := budgets.Create(t.Context(), object(t, `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: protected, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {is: protected}}}
`), metav1.CreateOptions{})
	require.NoError(t, err)
	// The controller of budgets would say so. Until then, clients are asked to come back in ten seconds.
	budget.Object["status"] = map[string]any{"observedGeneration": budget.GetGeneration(), "disruptionsAllowed": int64(0),
		"currentHealthy": int64(1), "desiredHealthy": int64(1), "expectedPods": int64(1)}
	_, err = budgets.UpdateStatus(t.Context(), budget, metav1.UpdateOptions{})
	require.NoError(t, err)
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(`
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: taints
  pluginConfig: [{name: DefaultEvictor}, {name: RemovePodsViolatingNodeTaints}]
  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints]}}
`), 0o600))

	end := c.run(t, program{
		path: build(t, dir, "./cmd/descheduler"), namespace: "kube-system", account: "descheduler-sa",
		args: []string{"--policy-config-file=" + policy, "--kubeconfig=$KUBECONFIG", "--disable-metrics", "--secure-port=0"},
	})
	require.NoError(t, end(), "without an interval, the program ends after a round")
	pods := map[string]bool{}
	for _, name := range []string{"movable", "protected"} {
		pod, err := c.resource(t, "v1/pods", "default").Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		pods[name] = pod.GetDeletionTimestamp() != nil
	}
	assert.Equal(t, map[string]bool{"movable": true, "protected": false}, pods)
}

// addNode creates a Node and says that it is ready, as its kubelet does.
func (c *cluster) addNode(t *testing.T, manifest string) {
	t.Helper()
	nodes := c.resource(t, "v1/nodes", "")
	node, err := nodes.Create(t.Context(), object(t, manifest), metav1.CreateOptions{})
	require.NoError(t, err)
	conditions := []any{map[string]any{"type": "Ready", "status": "True"}}
	require.NoError(t, unstructured.SetNestedSlice(node.Object, conditions, "status", "conditions"))
	_, err = nodes.UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
	require.NoError(t, err)
}
