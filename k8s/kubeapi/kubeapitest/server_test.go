package kubeapitest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

func clientOf(t *testing.T, config *rest.Config) kubernetes.Interface {
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func TestEachTestHasItsOwnAPI(t *testing.T) {
	for _, name := range []string{"a", "b", "c"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			maps := clientOf(t, kubeapitest.New(t, kubeapitest.Options{}).Config()).CoreV1().ConfigMaps("default")
			_, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "same"}},
				metav1.CreateOptions{})
			require.NoError(t, err)
			all, err := maps.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			assert.Len(t, all.Items, 1)
		})
	}
}

func TestASocketServesTheSameObjects(t *testing.T) {
	api := kubeapitest.New(t, kubeapitest.Options{})
	config, err := clientcmd.BuildConfigFromFlags("", api.Kubeconfig(""))
	require.NoError(t, err)
	inProcess, watched := clientOf(t, api.Config()), clientOf(t, config)
	_, err = inProcess.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	w, err := watched.CoreV1().Namespaces().Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=team"})
	require.NoError(t, err) // the watch is still open when the test ends
	assert.Equal(t, "team", (<-w.ResultChan()).Object.(*corev1.Namespace).Name)
	_, err = clientOf(t, api.SocketConfig()).CoreV1().Namespaces().Get(t.Context(), "team", metav1.GetOptions{})
	require.NoError(t, err)
}

func TestUsersMayDoWhatTheirRolesAllow(t *testing.T) {
	api := kubeapitest.New(t, kubeapitest.Options{})
	alice := clientOf(t, api.ConfigFor("alice"))
	read := func(namespace string) error {
		_, err := alice.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
		return err
	}
	assert.True(t, apierrors.IsForbidden(read("default")))
	api.Bind("alice", "view", "default")
	require.NoError(t, read("default"))
	assert.True(t, apierrors.IsForbidden(read("kube-system")))
	api.Bind("alice", "view", "")
	require.NoError(t, read("kube-system"))

	fromFile, err := clientcmd.BuildConfigFromFlags("", api.Kubeconfig("alice"))
	require.NoError(t, err)
	_, err = clientOf(t, fromFile).CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsForbidden(err))
}

func TestServiceAccountsUseTheirTokens(t *testing.T) {
	api := kubeapitest.New(t, kubeapitest.Options{})
	admin := clientOf(t, api.Config())
	_, err := admin.CoreV1().ServiceAccounts("default").Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	request, err := admin.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "robot",
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	config := api.Config()
	config.BearerToken = request.Status.Token
	_, err = clientOf(t, config).CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	assert.ErrorContains(t, err, `User "system:serviceaccount:default:robot" cannot list resource "pods"`)
}

// manifest writes a file and returns its path.
func manifest(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "manifest.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// widgetVersions is the definition of widgets up to its versions.
const widgetVersions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
`

const widgets = widgetVersions + `
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {size: {type: integer, default: 3}}
            x-kubernetes-validations: [{rule: self.size < 10, message: too large}]
`

func TestDefinitionsAndObjectsComeFromFiles(t *testing.T) {
	file := manifest(t, widgets+`---
kind: Kustomization
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: first}
spec: {}
`)
	api := kubeapitest.New(t, kubeapitest.Options{
		CRDs: []string{filepath.Dir(file)},
		Objects: []string{manifest(t,
			`{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "second"}, "spec": {}}`)},
	})
	client, err := dynamic.NewForConfig(api.Config())
	require.NoError(t, err)
	resource := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1",
		Resource: "widgets"}).Namespace("default")
	list, err := resource.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1, "CRDs ignores other objects")
	size, _, err := unstructured.NestedInt64(list.Items[0].Object, "spec", "size")
	require.NoError(t, err)
	assert.Equal(t, int64(3), size)
	list.Items[0].Object["spec"] = map[string]any{"size": int64(11)}
	_, err = resource.Update(t.Context(), &list.Items[0], metav1.UpdateOptions{})
	assert.ErrorContains(t, err, "too large")
}

func TestControllersRunOnlyIfTheTestWantsThem(t *testing.T) {
	api := kubeapitest.New(t, kubeapitest.Options{Controllers: []string{"namespace", "serviceaccount",
		"root-ca-certificate-publisher"}})
	client := clientOf(t, api.Config())
	awaits := func(list func(context.Context, metav1.ListOptions) (watch.Interface, error), name string) {
		t.Helper()
		w, err := list(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
		require.NoError(t, err)
		defer w.Stop()
		assert.Equal(t, "ADDED", string((<-w.ResultChan()).Type))
	}
	awaits(client.CoreV1().ServiceAccounts("kube-public").Watch, "default")
	awaits(client.CoreV1().ConfigMaps("kube-public").Watch, "kube-root-ca.crt")
	_, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, client.CoreV1().Namespaces().Delete(t.Context(), "team", metav1.DeleteOptions{}))
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		_, err := client.CoreV1().Namespaces().Get(context.Background(), "team", metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err))
	}, hangtest.Deadline, 10*time.Millisecond)
}

func TestAggregatedRolesShowTheirRules(t *testing.T) {
	api := kubeapitest.New(t, kubeapitest.Options{Controllers: []string{"clusterrole-aggregation"}})
	roles := clientOf(t, api.Config()).RbacV1().ClusterRoles()
	rule := func(resource string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{"get"}}
	}
	create := func(name string, labels map[string]string, rules ...rbacv1.PolicyRule) *rbacv1.ClusterRole {
		t.Helper()
		role, err := roles.Create(t.Context(),
			&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Rules: rules}, metav1.CreateOptions{})
		require.NoError(t, err)
		return role
	}
	shows := func(name string, rules ...rbacv1.PolicyRule) {
		t.Helper()
		require.EventuallyWithT(t, func(t *assert.CollectT) {
			role, err := roles.Get(context.Background(), name, metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, rules, role.Rules)
		}, hangtest.Deadline, 10*time.Millisecond)
	}
	whole := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "whole", Labels: map[string]string{"to": "all"}},
		AggregationRule: &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{
			{MatchLabels: map[string]string{"to": "whole"}}}}}
	_, err := roles.Create(t.Context(), whole, metav1.CreateOptions{})
	require.NoError(t, err)
	part := create("b", map[string]string{"to": "whole"}, rule("pods"), rule("secrets"))
	create("a", map[string]string{"to": "whole"}, rule("secrets"))
	create("c", map[string]string{"to": "whole"}, rule("nodes"))
	create("other", nil, rule("services"))
	shows("whole", rule("secrets"), rule("pods"), rule("nodes"))

	all := whole.DeepCopy()
	all.Name, all.Labels = "all", nil
	all.AggregationRule.ClusterRoleSelectors[0].MatchLabels["to"] = "all"
	_, err = roles.Create(t.Context(), all, metav1.CreateOptions{})
	require.NoError(t, err)
	shows("all", rule("secrets"), rule("pods"), rule("nodes"))

	part.Labels = nil
	_, err = roles.Update(t.Context(), part, metav1.UpdateOptions{})
	require.NoError(t, err)
	shows("all", rule("secrets"), rule("nodes"))
	require.NoError(t, roles.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	shows("all", rule("nodes"))
}
