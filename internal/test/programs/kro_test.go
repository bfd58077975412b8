package programs_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// kro serves a kind that composes a Deployment and a Service, shows the address of the Service in the status, follows a
// change, and deletes both with their object. Its rights are those that a ClusterRole aggregates.
func TestKroComposes(t *testing.T) {
	t.Parallel()
	dir := source(t, "github.com/kubernetes-sigs/kro", "v0.9.4")
	c := newCluster(t, kubeapitest.Options{})
	c.helm(t, "kro", "kro", filepath.Join(dir, "helm"), "--set", "rbac.mode=aggregation")
	require.NoError(t, c.create(t, "rbac.authorization.k8s.io/v1/clusterroles", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: webapps, labels: {rbac.kro.run/aggregate-to-controller: "true"}}
rules:
- {apiGroups: [kro.run], resources: ["*"], verbs: ["*"]}
- {apiGroups: [apps], resources: [deployments], verbs: ["*"]}
- {apiGroups: [""], resources: [services], verbs: ["*"]}
`))
	c.run(t, program{
		path: build(t, dir, "./cmd/controller"), namespace: "kro", account: "kro",
		args: []string{"--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"},
	})

	require.NoError(t, c.create(t, "kro.run/v1alpha1/resourcegraphdefinitions", `
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: webapp}
spec:
  schema:
    apiVersion: v1alpha1
    kind: WebApp
    spec: {image: string, replicas: 'integer | default=1'}
    status: {address: '${service.spec.clusterIP}'}
  resources:
  - id: deployment
    template:
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: '${schema.metadata.name}'}
      spec:
        replicas: '${schema.spec.replicas}'
        selector: {matchLabels: {app: '${schema.metadata.name}'}}
        template:
          metadata: {labels: {app: '${schema.metadata.name}'}}
          spec: {containers: [{name: web, image: '${schema.spec.image}'}]}
  - id: service
    template:
      apiVersion: v1
      kind: Service
      metadata: {name: '${schema.metadata.name}'}
      spec: {selector: {app: '${schema.metadata.name}'}, ports: [{port: 80}]}
`))
	c.await(t, "apiextensions.k8s.io/v1/customresourcedefinitions", "", "webapps.kro.run", condition("Established"))
	const webapps = "kro.run/v1alpha1/webapps"
	require.NoError(t, c.create(t, webapps, `{apiVersion: kro.run/v1alpha1, kind: WebApp, metadata: {name: shop, namespace: default}, spec: {image: nginx}}`))
	c.await(t, "apps/v1/deployments", "default", "shop", exists)
	service := c.await(t, "v1/services", "default", "shop", exists)
	app := c.await(t, webapps, "default", "shop", func(o *unstructured.Unstructured) bool { return text(o, "status", "address") != "" })
	assert.Equal(t, text(service, "spec", "clusterIP"), text(app, "status", "address"))

	client := c.resource(t, webapps, "default")
	_, err := client.Patch(t.Context(), "shop", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	c.await(t, "apps/v1/deployments", "default", "shop", func(o *unstructured.Unstructured) bool {
		n, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
		return n == 3
	})
	require.NoError(t, client.Delete(t.Context(), "shop", metav1.DeleteOptions{}))
	for _, resource := range []string{webapps, "apps/v1/deployments", "v1/services"} {
		c.awaitGone(t, resource, "default", "shop")
	}
}
