package oracle

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubernetes/pkg/quota/v1/install"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/internal/test/roundstest"
)

// counting is our API with the controller of ResourceQuotas.
var counting = sync.OnceValues(func() (client kubernetes.Interface, err error) {
	program, err := build()
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(running.dir, "kubeconfig")
	cmd := exec.Command(program, "--controllers=resourcequota", "--kubeconfig="+kubeconfig)
	cmd.Args[0], cmd.Stderr = "kubeapi", os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	running.processes = append(running.processes, cmd)
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.HasPrefix(lines.Text(), "kubeconfig "); {
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return kubernetes.NewForConfig(config)
})

// charging is our API with the plugin ResourceQuota, without controllers.
var charging = sync.OnceValues(func() (client kubernetes.Interface, err error) {
	off := strings.ReplaceAll(pluginsOff, "ResourceQuota,", "")
	s, err := start("--disable-admission-plugins=" + off)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfigAndClient(&clientrest.Config{Host: s.url, QPS: -1}, &http.Client{Transport: s.transport})
})

// namespaces counts the namespaces of the tests.
var namespaces atomic.Int64

// quotaSpecs are what the quotas of a namespace limit. No object exceeds them.
func quotaSpecs() (specs []corev1.ResourceQuotaSpec) {
	hard := func(names ...string) corev1.ResourceList {
		list := corev1.ResourceList{}
		for _, name := range names {
			list[corev1.ResourceName(name)] = resource.MustParse("1000000Gi")
		}
		return list
	}
	compute := []string{"pods", "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory",
		"requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage"}
	all := append(compute[:len(compute):len(compute)], "count/pods", "hugepages-2Mi", "requests.hugepages-2Mi",
		"requests.example.com/gpu", "services", "services.nodeports", "services.loadbalancers", "count/services",
		"persistentvolumeclaims", "requests.storage", "count/persistentvolumeclaims", "configmaps", "count/configmaps",
		"a.storageclass.storage.k8s.io/requests.storage", "a.storageclass.storage.k8s.io/persistentvolumeclaims",
		"count/resourceclaims.resource.k8s.io", "a.deviceclass.resource.k8s.io/devices",
		"a.example.com.deviceclass.resource.k8s.io/devices", "requests.deviceclass.resource.kubernetes.io/a",
		"count/deployments.apps", "count/roles.rbac.authorization.k8s.io", "count/widgets.example.com")
	specs = append(specs, corev1.ResourceQuotaSpec{Hard: hard(all...)})
	// CPU and memory must be in all containers, so that these do not share a quota with what Pods need not name.
	for _, scopes := range [][]corev1.ResourceQuotaScope{{corev1.ResourceQuotaScopeBestEffort},
		{corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeTerminating},
		{corev1.ResourceQuotaScopeCrossNamespacePodAffinity}, {corev1.ResourceQuotaScopeTerminating},
		{corev1.ResourceQuotaScopeNotTerminating}, {corev1.ResourceQuotaScopeNotBestEffort}} {
		specs = append(specs, corev1.ResourceQuotaSpec{Hard: hard("pods"), Scopes: scopes})
	}
	for _, m := range []corev1.ScopedResourceSelectorRequirement{
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{"high"}},
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpNotIn, Values: []string{"high"}},
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpExists},
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpDoesNotExist}} {
		specs = append(specs, corev1.ResourceQuotaSpec{Hard: hard("pods"),
			ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{m}}})
	}
	for _, operator := range []corev1.ScopeSelectorOperator{corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpIn,
		corev1.ScopeSelectorOpNotIn, corev1.ScopeSelectorOpDoesNotExist} {
		m := corev1.ScopedResourceSelectorRequirement{ScopeName: corev1.ResourceQuotaScopeVolumeAttributesClass,
			Operator: operator}
		if operator == corev1.ScopeSelectorOpIn || operator == corev1.ScopeSelectorOpNotIn {
			m.Values = []string{"gold"}
		}
		specs = append(specs, corev1.ResourceQuotaSpec{Hard: hard("persistentvolumeclaims", "requests.storage"),
			ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{m}}})
	}
	return specs
}

// quotaKinds are the kinds whose objects the quotas count.
var quotaKinds = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "services"}, {Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "persistentvolumeclaims"}, {Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"},
}

// usage returns how much Kubernetes says that the objects of a namespace use of a quota.
func usage(t *testing.T, namespace string, objects map[schema.GroupVersionResource][]runtime.Object,
	spec corev1.ResourceQuotaSpec) corev1.ResourceList {
	t.Helper()
	list := func(r schema.GroupVersionResource) (cache.GenericLister, error) {
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		for _, obj := range objects[r] {
			if err := indexer.Add(obj); err != nil {
				return nil, err
			}
		}
		return cache.NewGenericLister(indexer, r.GroupResource()), nil
	}
	idle := informers.NewSharedInformerFactory(nil, 0)
	config, err := install.NewQuotaConfigurationForControllers(list, idle)
	require.NoError(t, err)
	registry := generic.NewRegistry(config.Evaluators())
	for _, r := range []schema.GroupVersionResource{{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}} {
		registry.Add(generic.NewObjectCountEvaluator(r.GroupResource(), generic.ListResourceUsingListerFunc(list, r), ""))
	}
	used, err := quota.CalculateUsage(namespace, spec.Scopes, spec.Hard, registry, spec.ScopeSelector)
	require.NoError(t, err)
	return used
}

// objectsIn returns the objects of a namespace that quotas count.
func objectsIn(t *testing.T, client kubernetes.Interface, namespace string) map[schema.GroupVersionResource][]runtime.Object {
	t.Helper()
	objects := map[schema.GroupVersionResource][]runtime.Object{}
	for _, r := range quotaKinds {
		text, err := client.Discovery().RESTClient().Get().AbsPath(listPath(r, namespace)).DoRaw(t.Context())
		require.NoError(t, err)
		var list struct{ Items []json.RawMessage }
		require.NoError(t, json.Unmarshal(text, &list))
		for _, item := range list.Items {
			obj := kindOf(r).decode(t, item)
			objects[r] = append(objects[r], obj)
		}
	}
	return objects
}

func listPath(r schema.GroupVersionResource, namespace string) string {
	prefix := "/apis/" + r.Group
	if r.Group == "" {
		prefix = "/api"
	}
	return prefix + "/" + r.Version + "/namespaces/" + namespace + "/" + r.Resource
}

// kindOf returns the kind of a resource.
func kindOf(r schema.GroupVersionResource) subject {
	for _, s := range subjects() {
		if s.gvk.GroupVersion() == r.GroupVersion() && strings.ToLower(s.gvk.Kind)+"s" == r.Resource {
			return s
		}
	}
	panic("no kind of " + r.String())
}

// createAtRandom creates objects that were changed at random, as far as the API accepts them.
func createAtRandom(t *testing.T, client kubernetes.Interface, namespace string, r filler, status bool) {
	t.Helper()
	all := examples(t)
	for i := range 12 {
		kind := pick(r, quotaKinds...)
		if i < 6 {
			kind = quotaKinds[i]
		}
		var e []example
		for _, example := range all {
			if example.gvk == kindOf(kind).gvk {
				e = append(e, example)
			}
		}
		chosen := pick(r, e...)
		m := newMutator(t, chosen.subject)
		m.filler = r
		for range 20 {
			obj := chosen.decode(t, encode(t, with(chosen.doc, "status", nil, false)))
			m.mutate(obj, false)
			obj.(metav1.Object).SetName(fmt.Sprintf("random%d", i))
			obj.(metav1.Object).SetNamespace(namespace)
			switch s := obj.(type) {
			case *corev1.Pod:
				complete(s.Spec.Containers)
				complete(s.Spec.InitContainers)
			case *corev1.Service:
				s.Spec.ClusterIP, s.Spec.ClusterIPs, s.Spec.HealthCheckNodePort = "", nil, 0
				for p := range s.Spec.Ports {
					s.Spec.Ports[p].NodePort = 0
				}
			}
			path := listPath(kind, namespace)
			if client.Discovery().RESTClient().Post().AbsPath(path).Body(encode(t, obj)).Do(t.Context()).Error() != nil {
				continue // refused
			}
			if status && chosen.doc["status"] != nil {
				with := chosen.decode(t, encode(t, chosen.doc))
				m.mutate(with, true)
				patch := encode(t, map[string]any{"status": parse(t, encode(t, with)).(map[string]any)["status"]})
				// What is refused leaves the object as it was.
				_ = client.Discovery().RESTClient().Patch("application/merge-patch+json").
					AbsPath(path + "/" + fmt.Sprintf("random%d", i) + "/status").Body(patch).Do(t.Context()).Error()
			}
			break
		}
	}
}

// complete gives containers the requests and limits that a quota of CPU and memory demands.
func complete(containers []corev1.Container) {
	for i := range containers {
		for _, list := range []*corev1.ResourceList{&containers[i].Resources.Requests, &containers[i].Resources.Limits} {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				if _, ok := (*list)[name]; !ok {
					*list = quota.Add(*list, corev1.ResourceList{name: resource.MustParse("3Gi")})
				}
			}
		}
	}
}

// prepare creates a namespace, and the classes that the examples name.
func prepare(t *testing.T, client kubernetes.Interface, namespace string) {
	t.Helper()
	post := func(path, doc string) {
		result := client.Discovery().RESTClient().Post().AbsPath(path).Body([]byte(doc)).Do(t.Context())
		var code int
		result.StatusCode(&code)
		require.Contains(t, []int{http.StatusCreated, http.StatusConflict}, code, "%v", result.Error())
	}
	post("/api/v1/namespaces", `{"metadata":{"name":"`+namespace+`"}}`)
	post("/apis/scheduling.k8s.io/v1/priorityclasses", `{"metadata":{"name":"high"},"value":1,"preemptionPolicy":"Never"}`)
	post("/apis/node.k8s.io/v1/runtimeclasses",
		`{"metadata":{"name":"gvisor"},"handler":"a","overhead":{"podFixed":{"cpu":"100m","memory":"1Mi"}}}`)
}

// texts returns quantities as they are compared: by their values.
func texts(list corev1.ResourceList) map[string]string {
	out := map[string]string{}
	for name, q := range list {
		n, _ := new(big.Rat).SetString(q.AsDec().String())
		out[string(name)] = n.RatString()
	}
	return out
}

// TestCountedUsage compares what the controller of ResourceQuotas counts with what Kubernetes counts.
func TestCountedUsage(t *testing.T) {
	client, err := counting()
	require.NoError(t, err)
	roundstest.Run(t, 15, func(t *testing.T, seed int64) {
		namespace := fmt.Sprintf("counted%d", namespaces.Add(1))
		prepare(t, client, namespace)
		createAtRandom(t, client, namespace, newFiller(seed), true)
		for i, spec := range quotaSpecs() {
			used := awaitUsed(t, client, namespace, createQuota(t, client, namespace, i, spec).Name)
			objects := objectsIn(t, client, namespace)
			assert.Equal(t, texts(usage(t, namespace, objects, spec)), texts(used), "%s of Pods %s", encode(t, spec), encode(t, objects[quotaKinds[0]]))
		}
	})
}

// createQuota creates the quota with a number.
func createQuota(t *testing.T, client kubernetes.Interface, namespace string, number int,
	spec corev1.ResourceQuotaSpec) *corev1.ResourceQuota {
	t.Helper()
	q, err := client.CoreV1().ResourceQuotas(namespace).Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("q%d", number)}, Spec: spec}, metav1.CreateOptions{})
	require.NoError(t, err)
	return q
}

// awaitUsed returns what a quota says is used, once the controller has written it.
func awaitUsed(t *testing.T, client kubernetes.Interface, namespace, name string) corev1.ResourceList {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangtest.Deadline)
	defer cancel()
	changes, err := client.CoreV1().ResourceQuotas(namespace).Watch(ctx,
		metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(t, err)
	defer changes.Stop()
	for c := range changes.ResultChan() {
		if q, ok := c.Object.(*corev1.ResourceQuota); ok && q.Status.Hard != nil {
			return q.Status.Used
		}
	}
	t.Fatalf("the controller does not write the status of %s", name)
	return nil
}

// TestChargedUsage compares what the plugin ResourceQuota adds for new objects with what Kubernetes counts.
func TestChargedUsage(t *testing.T) {
	client, err := charging()
	require.NoError(t, err)
	roundstest.Run(t, 15, func(t *testing.T, seed int64) {
		namespace := fmt.Sprintf("charged%d", namespaces.Add(1))
		prepare(t, client, namespace)
		quotas := client.CoreV1().ResourceQuotas(namespace)
		for i, spec := range quotaSpecs() {
			q := createQuota(t, client, namespace, i, spec)
			q.Status.Hard, q.Status.Used = spec.Hard, usage(t, namespace, nil, spec)
			_, err = quotas.UpdateStatus(t.Context(), q, metav1.UpdateOptions{})
			require.NoError(t, err)
		}
		createAtRandom(t, client, namespace, newFiller(seed), false)
		objects := objectsIn(t, client, namespace)
		for i, spec := range quotaSpecs() {
			q, err := quotas.Get(t.Context(), fmt.Sprintf("q%d", i), metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, texts(usage(t, namespace, objects, spec)), texts(q.Status.Used), "%s of Pods %s", encode(t, spec),
				encode(t, objects[quotaKinds[0]]))
		}
	})
}
