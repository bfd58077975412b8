package limits_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// newClient returns a client of a server that sends and reads Protobuf.
func newClient(t *testing.T) *kubernetes.Clientset {
	config := kubeapitest.New(t, kubeapitest.Options{}).Config()
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func newNamespace(t *testing.T, client *kubernetes.Clientset) string {
	n, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "n-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return n.Name
}

// list returns a list of pairs of a name and a quantity.
func list(pairs ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		out[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return out
}

// texts returns a list with the texts of its quantities.
func texts(l corev1.ResourceList) map[string]string {
	out := map[string]string{}
	for name, q := range l {
		out[string(name)] = q.String()
	}
	return out
}

func pod(name string, requests, limits corev1.ResourceList, options ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Image: "i",
			Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits}}}}}
	for _, o := range options {
		o(p)
	}
	return p
}

func withInit(requests, limits corev1.ResourceList) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.InitContainers = append(p.Spec.InitContainers,
			corev1.Container{Name: "first", Image: "i",
				Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits}})
	}
}

func assertRefused(t *testing.T, err error, text string) {
	t.Helper()
	if text == "" {
		require.NoError(t, err)
		return
	}
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.Equal(t, text, err.Error())
}

func TestLimitRangesCompletePods(t *testing.T) {
	client := newClient(t)
	namespace := newNamespace(t, client)
	_, err := client.CoreV1().LimitRanges(namespace).Create(t.Context(),
		&corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Spec: corev1.LimitRangeSpec{
			Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Default: list("cpu", "500m", "memory", "1Gi"),
				DefaultRequest: list("cpu", "100m")}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	for _, c := range []struct {
		name             string
		pod              *corev1.Pod
		requests, limits corev1.ResourceList
		annotation       string
	}{
		{"nothing asked", pod("a", nil, nil), list("cpu", "100m", "memory", "1Gi"), list("cpu", "500m", "memory", "1Gi"),
			"LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c"},
		{"a request", pod("b", list("cpu", "200m", "memory", "1Mi"), nil), list("cpu", "200m", "memory", "1Mi"),
			list("cpu", "500m", "memory", "1Gi"), "LimitRanger plugin set: cpu, memory limit for container c"},
		{"everything", pod("c", list("cpu", "1", "memory", "1Mi"), list("cpu", "2", "memory", "1Mi"), withInit(nil, nil)),
			list("cpu", "1", "memory", "1Mi"), list("cpu", "2", "memory", "1Mi"),
			"LimitRanger plugin set: cpu, memory request for init container first; cpu, memory limit for init container first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := client.CoreV1().Pods(namespace).Create(t.Context(), c.pod, metav1.CreateOptions{})
			require.NoError(t, err)
			assert.Equal(t, texts(c.requests), texts(p.Spec.Containers[0].Resources.Requests))
			assert.Equal(t, texts(c.limits), texts(p.Spec.Containers[0].Resources.Limits))
			assert.Equal(t, c.annotation, p.Annotations["kubernetes.io/limit-ranger"])
		})
	}
}

func TestLimitRangesRefuse(t *testing.T) {
	client := newClient(t)
	for _, c := range []struct {
		name    string
		limit   corev1.LimitRangeItem
		pod     *corev1.Pod
		refused string
	}{
		{"enough", corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: list("cpu", "1"), Max: list("cpu", "2")},
			pod("a", list("cpu", "1"), list("cpu", "2")), ""},
		{"too little", corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: list("memory", "2Mi")},
			pod("a", list("memory", "1Mi"), nil),
			`pods "a" is forbidden: minimum memory usage per Container is 2Mi, but request is 1Mi`},
		{"no request", corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: list("memory", "2Mi")}, pod("a", nil, nil),
			`pods "a" is forbidden: minimum memory usage per Pod is 2Mi.  No request is specified`},
		{"too much of two", corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: list("cpu", "1", "memory", "1Mi")},
			pod("a", nil, list("cpu", "2", "memory", "2Mi")),
			`pods "a" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Mi, but limit is 2Mi]`},
		{"no limit", corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: list("cpu", "1")}, pod("a", nil, nil),
			`pods "a" is forbidden: maximum cpu usage per Pod is 1.  No limit is specified`},
		{"init containers run before the others", corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: list("cpu", "3")},
			pod("a", nil, list("cpu", "2"), withInit(nil, list("cpu", "3"))), ""},
		{"the limit is far from the request",
			corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("cpu", "2")},
			pod("a", list("cpu", "100m"), list("cpu", "300m")),
			`pods "a" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			namespace := newNamespace(t, client)
			_, err := client.CoreV1().LimitRanges(namespace).Create(t.Context(),
				&corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "r"},
					Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{c.limit}}}, metav1.CreateOptions{})
			require.NoError(t, err)
			_, err = client.CoreV1().Pods(namespace).Create(t.Context(), c.pod, metav1.CreateOptions{})
			assertRefused(t, err, c.refused)
		})
	}
}

func TestLimitRangesOfClaims(t *testing.T) {
	client := newClient(t)
	namespace := newNamespace(t, client)
	_, err := client.CoreV1().LimitRanges(namespace).Create(t.Context(),
		&corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Spec: corev1.LimitRangeSpec{
			Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypePersistentVolumeClaim, Min: list("storage", "1Gi"),
				Max: list("storage", "2Gi")}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	for size, refused := range map[string]string{
		"1Gi": "",
		"1Mi": `persistentvolumeclaims "c" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi`,
		"3Gi": `persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi`,
	} {
		_, err := client.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), claim(size),
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		assertRefused(t, err, refused)
	}
}

func claim(size string) *corev1.PersistentVolumeClaim {
	class := "gold"
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c"},
		Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &class,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: list("storage", size)}}}
}

// newQuota creates a quota whose status a controller has written.
func newQuota(t *testing.T, client *kubernetes.Clientset, namespace string, spec corev1.ResourceQuotaSpec,
	used corev1.ResourceList) {
	quotas := client.CoreV1().ResourceQuotas(namespace)
	q, err := quotas.Create(t.Context(), &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: spec},
		metav1.CreateOptions{})
	require.NoError(t, err)
	q.Status = corev1.ResourceQuotaStatus{Hard: spec.Hard, Used: used}
	_, err = quotas.UpdateStatus(t.Context(), q, metav1.UpdateOptions{})
	require.NoError(t, err)
}

func usedOf(t *testing.T, client *kubernetes.Clientset, namespace string) map[string]string {
	q, err := client.CoreV1().ResourceQuotas(namespace).Get(t.Context(), "q", metav1.GetOptions{})
	require.NoError(t, err)
	return texts(q.Status.Used)
}

func TestQuotasLimitNamespaces(t *testing.T) {
	client := newClient(t)
	ends := func(p *corev1.Pod) { seconds := int64(9); p.Spec.ActiveDeadlineSeconds = &seconds }
	createPod := func(p *corev1.Pod) func(t *testing.T, namespace string) error {
		return func(t *testing.T, namespace string) error {
			_, err := client.CoreV1().Pods(namespace).Create(t.Context(), p, metav1.CreateOptions{})
			return err
		}
	}
	createService := func(t *testing.T, namespace string) error {
		_, err := client.CoreV1().Services(namespace).Create(t.Context(),
			&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "s"},
				Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort,
					Ports: []corev1.ServicePort{{Name: "a", Port: 80}, {Name: "b", Port: 81}}}},
			metav1.CreateOptions{})
		return err
	}
	createClaim := func(t *testing.T, namespace string) error {
		_, err := client.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), claim("1Gi"), metav1.CreateOptions{})
		return err
	}
	createConfigMap := func(options metav1.CreateOptions) func(t *testing.T, namespace string) error {
		return func(t *testing.T, namespace string) error {
			_, err := client.CoreV1().ConfigMaps(namespace).Create(t.Context(),
				&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, options)
			return err
		}
	}
	priority := corev1.ResourceQuotaSpec{Hard: list("pods", "1"),
		ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
			{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn,
				Values: []string{"system-cluster-critical"}}}}}
	for _, c := range []struct {
		name        string
		quota       corev1.ResourceQuotaSpec
		used        corev1.ResourceList
		write       func(t *testing.T, namespace string) error
		refused     string
		usedInTotal corev1.ResourceList
	}{
		{"a Pod that fits", corev1.ResourceQuotaSpec{Hard: list("pods", "2", "requests.cpu", "2", "limits.memory", "2Gi")},
			list("pods", "1", "requests.cpu", "500m", "limits.memory", "0"),
			createPod(pod("a", list("cpu", "1"), list("memory", "1Gi"))), "",
			list("pods", "2", "requests.cpu", "1500m", "limits.memory", "1Gi")},
		{"a Pod too many", corev1.ResourceQuotaSpec{Hard: list("pods", "1", "count/pods", "5")},
			list("pods", "1", "count/pods", "1"), createPod(pod("a", nil, nil)),
			`pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1`,
			list("pods", "1", "count/pods", "1")},
		{"too much", corev1.ResourceQuotaSpec{Hard: list("cpu", "1", "memory", "1Gi")}, list("cpu", "500m", "memory", "0"),
			createPod(pod("a", list("cpu", "1", "memory", "2Gi"), nil)),
			`pods "a" is forbidden: exceeded quota: q, requested: cpu=1,memory=2Gi, used: cpu=500m,memory=0, limited: cpu=1,memory=1Gi`,
			list("cpu", "500m", "memory", "0")},
		{"a container does not say what it needs",
			corev1.ResourceQuotaSpec{Hard: list("requests.cpu", "1", "limits.memory", "1Gi")},
			list("requests.cpu", "0", "limits.memory", "0"),
			createPod(pod("a", list("cpu", "1"), nil, withInit(nil, nil))),
			`pods "a" is forbidden: failed quota: q: must specify limits.memory for: c,first; requests.cpu for: first`,
			list("requests.cpu", "0", "limits.memory", "0")},
		{"an extended resource", corev1.ResourceQuotaSpec{Hard: list("requests.example.com/gpu", "1")},
			list("requests.example.com/gpu", "0"),
			createPod(pod("a", list("example.com/gpu", "2"), list("example.com/gpu", "2"))),
			`pods "a" is forbidden: exceeded quota: q, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=0, limited: requests.example.com/gpu=1`, list("requests.example.com/gpu", "0")},
		{"before a controller has counted", corev1.ResourceQuotaSpec{Hard: list("pods", "1")}, nil,
			createPod(pod("a", nil, nil)), `pods "a" is forbidden: status unknown for quota: q, resources: pods`, nil},
		{"Pods that end", corev1.ResourceQuotaSpec{Hard: list("pods", "1"),
			Scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating}}, list("pods", "0"),
			createPod(pod("a", nil, nil, ends)), "", list("pods", "1")},
		{"Pods that do not end", corev1.ResourceQuotaSpec{Hard: list("pods", "1"),
			Scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating}}, list("pods", "1"),
			createPod(pod("a", nil, nil)), "", list("pods", "1")},
		{"Pods without resources", corev1.ResourceQuotaSpec{Hard: list("pods", "0"),
			Scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}}, list("pods", "0"),
			createPod(pod("a", nil, nil)),
			`pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0`, list("pods", "0")},
		{"Pods of a priority", priority, list("pods", "1"),
			createPod(pod("a", nil, nil, func(p *corev1.Pod) { p.Spec.PriorityClassName = "system-cluster-critical" })),
			`pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1`, list("pods", "1")},
		{"Pods of another priority", priority, list("pods", "1"), createPod(pod("a", nil, nil)), "", list("pods", "1")},
		{"node ports", corev1.ResourceQuotaSpec{Hard: list("services", "5", "services.nodeports", "1")},
			list("services", "0", "services.nodeports", "0"), createService,
			`services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1`, list("services", "0", "services.nodeports", "0")},
		{"claims", corev1.ResourceQuotaSpec{Hard: list("requests.storage", "5Gi",
			"gold.storageclass.storage.k8s.io/requests.storage", "2Gi", "silver.storageclass.storage.k8s.io/requests.storage",
			"0")},
			list("requests.storage", "1Gi", "gold.storageclass.storage.k8s.io/requests.storage", "1Gi",
				"silver.storageclass.storage.k8s.io/requests.storage", "0"), createClaim, "",
			list("requests.storage", "2Gi", "gold.storageclass.storage.k8s.io/requests.storage", "2Gi",
				"silver.storageclass.storage.k8s.io/requests.storage", "0")},
		{"other objects", corev1.ResourceQuotaSpec{Hard: list("configmaps", "1", "count/configmaps", "2")},
			list("configmaps", "0", "count/configmaps", "0"), createConfigMap(metav1.CreateOptions{}), "",
			list("configmaps", "1", "count/configmaps", "1")},
		{"a dry run", corev1.ResourceQuotaSpec{Hard: list("configmaps", "1")}, list("configmaps", "0"),
			createConfigMap(metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}), "", list("configmaps", "0")},
		{"a dry run too many", corev1.ResourceQuotaSpec{Hard: list("configmaps", "1")}, list("configmaps", "1"),
			createConfigMap(metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}),
			`configmaps "m" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1`,
			list("configmaps", "1")},
	} {
		t.Run(c.name, func(t *testing.T) {
			namespace := newNamespace(t, client)
			newQuota(t, client, namespace, c.quota, c.used)
			assertRefused(t, c.write(t, namespace), c.refused)
			assert.Equal(t, texts(c.usedInTotal), usedOf(t, client, namespace))
		})
	}
}

func TestServicesPayForANewType(t *testing.T) {
	client := newClient(t)
	namespace := newNamespace(t, client)
	newQuota(t, client, namespace,
		corev1.ResourceQuotaSpec{Hard: list("services", "1", "services.loadbalancers", "0", "services.nodeports", "1")},
		list("services", "0", "services.loadbalancers", "0", "services.nodeports", "0"))
	services := client.CoreV1().Services(namespace)
	s, err := services.Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "s"},
		Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	s.Spec.Type = corev1.ServiceTypeLoadBalancer
	_, err = services.Update(t.Context(), s, metav1.UpdateOptions{})
	assertRefused(t, err,
		`services "s" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0`)
	s.Spec.Type = corev1.ServiceTypeNodePort
	_, err = services.Update(t.Context(), s, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"services": "1", "services.loadbalancers": "0", "services.nodeports": "1"},
		usedOf(t, client, namespace))
}

func TestConcurrentWritesKeepAQuota(t *testing.T) {
	client := newClient(t)
	namespace := newNamespace(t, client)
	newQuota(t, client, namespace, corev1.ResourceQuotaSpec{Hard: list("configmaps", "20")}, list("configmaps", "0"))
	var writers sync.WaitGroup
	for i := range 40 {
		writers.Go(func() {
			_, err := client.CoreV1().ConfigMaps(namespace).Create(t.Context(),
				&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}}, metav1.CreateOptions{})
			if err != nil && !apierrors.IsForbidden(err) {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	maps, err := client.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, maps.Items, 20)
	assert.Equal(t, map[string]string{"configmaps": "20"}, usedOf(t, client, namespace))
}
