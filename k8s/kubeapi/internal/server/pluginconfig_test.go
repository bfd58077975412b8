package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/api/imagepolicy/v1alpha1"
	nodev1 "k8s.io/api/node/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pluginconfig"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest"
)

// write writes a file into a new folder, and returns its path.
func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "file.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// configuredServer returns a server with a plugin that has a configuration, which is YAML on one line.
func configuredServer(t *testing.T, plugin, configuration string) *server.Server {
	file, err := pluginconfig.Read(write(t, "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n"+
		"plugins: [{name: "+plugin+", configuration: "+configuration+"}]"))
	require.NoError(t, err)
	return newServer(t, func(c *server.Config) {
		c.Plugins = server.DefaultPlugins(nil)
		c.Plugins.On, c.Plugins.Config = []string{plugin}, file
	})
}

func newPod(name string, options ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	for _, o := range options {
		o(p)
	}
	return p
}

// create creates a Pod in the namespace "default".
func create(t *testing.T, client kubernetes.Interface, name string, options ...func(*corev1.Pod)) (*corev1.Pod, error) {
	return client.CoreV1().Pods("default").Create(t.Context(), newPod(name, options...), metav1.CreateOptions{})
}

// newEvent returns an Event in a namespace, from a component, about a ConfigMap.
func newEvent(namespace, component, about string) *corev1.Event {
	return &corev1.Event{ObjectMeta: metav1.ObjectMeta{GenerateName: "e-", Namespace: namespace},
		Source:         corev1.EventSource{Component: component},
		InvolvedObject: corev1.ObjectReference{Kind: "ConfigMap", Name: about, Namespace: namespace}}
}

func TestEventsAreLimited(t *testing.T) {
	for _, test := range []struct {
		name, limits string
		events       []*corev1.Event // the last one is refused
		want         string
	}{
		{"all Events", "{type: Server, qps: 1, burst: 2}",
			[]*corev1.Event{newEvent("default", "a", "x"), newEvent("kube-system", "b", "y"), newEvent("kube-public", "c", "z")},
			"Too many requests: limit reached on type Server for key "},
		{"Events of a namespace", "{type: Namespace, qps: 1, burst: 1}",
			[]*corev1.Event{newEvent("default", "a", "x"), newEvent("kube-system", "a", "x"), newEvent("default", "b", "y")},
			"Too many requests: limit reached on type Namespace for key default"},
		{"Events of a user", "{type: User, qps: 1, burst: 2}",
			[]*corev1.Event{newEvent("default", "a", "x"), newEvent("kube-system", "b", "y"), newEvent("default", "c", "z")},
			"Too many requests: limit reached on type User for key root"},
		{"Events of a source about an object", "{type: SourceAndObject, qps: 1, burst: 1}",
			[]*corev1.Event{newEvent("default", "a", "x"), newEvent("default", "b", "x"), newEvent("default", "a", "y"),
				newEvent("default", "a", "x")},
			"Too many requests: limit reached on type SourceAndObject for key aConfigMapdefaultx"},
		{"two limits", "{type: Server, qps: 1, burst: 1}, {type: User, qps: 1, burst: 1}",
			[]*corev1.Event{newEvent("default", "a", "x"), newEvent("default", "a", "x")},
			"Too many requests: [limit reached on type Server for key , limit reached on type User for key root]"},
		{"a namespace that leaves the smallest cache", "{type: Namespace, qps: 1, burst: 1, cacheSize: 1}",
			[]*corev1.Event{newEvent("default", "a", "x"), newEvent("kube-system", "a", "x"), newEvent("default", "a", "x"),
				newEvent("default", "a", "x")},
			"Too many requests: limit reached on type Namespace for key default"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := rootOf(t, configuredServer(t, "EventRateLimit",
					"{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: ["+test.limits+"]}"))
				write := func(e *corev1.Event, o metav1.CreateOptions) error {
					_, err := client.CoreV1().Events(e.Namespace).Create(t.Context(), e, o)
					return err
				}
				last := test.events[len(test.events)-1]
				for range 5 {
					require.NoError(t, write(last, metav1.CreateOptions{DryRun: []string{"All"}}), "a dry run counts for nothing")
				}
				for _, e := range test.events[:len(test.events)-1] {
					require.NoError(t, write(e, metav1.CreateOptions{}))
				}
				err := write(last, metav1.CreateOptions{})
				require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
				assert.Equal(t, test.want, err.Error())
				_, later := apierrors.SuggestsClientDelay(err)
				assert.False(t, later, "kube-apiserver names no time")

				_, err = client.EventsV1().Events("default").Create(t.Context(), &eventsv1.Event{
					ObjectMeta: metav1.ObjectMeta{Name: "new"}, EventTime: metav1.NowMicro(), ReportingController: "example.com/c",
					ReportingInstance: "i", Action: "A", Reason: "R", Type: "Normal"}, metav1.CreateOptions{})
				require.NoError(t, err, "Events of events.k8s.io do not count")
				<-time.After(time.Second) // the clock of the bubble moves at once
				require.NoError(t, write(last, metav1.CreateOptions{}))
				assert.True(t, apierrors.IsTooManyRequests(write(last, metav1.CreateOptions{})))
			})
		})
	}
}

func TestUpdatesOfEventsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := rootOf(t, configuredServer(t, "EventRateLimit", "{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, "+
			"kind: Configuration, limits: [{type: Server, qps: 1, burst: 1}]}")).CoreV1().Events("default")
		e, err := client.Create(t.Context(), newEvent("default", "a", "x"), metav1.CreateOptions{})
		require.NoError(t, err)
		e.Count = 2
		_, err = client.Update(t.Context(), e, metav1.UpdateOptions{})
		assert.True(t, apierrors.IsTooManyRequests(err), "%v", err)
		require.NoError(t, client.Delete(t.Context(), e.Name, metav1.DeleteOptions{}))
	})
}

// images answers ImageReviews.
type images struct {
	asked  atomic.Int32
	answer func(w http.ResponseWriter, review *v1alpha1.ImageReview)
}

func (i *images) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.asked.Add(1)
	var review v1alpha1.ImageReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, fmt.Sprint(err, r.Header), http.StatusBadRequest)
		return
	}
	i.answer(w, &review)
}

// judge answers with a verdict about the first image.
func judge(w http.ResponseWriter, review *v1alpha1.ImageReview) {
	image := review.Spec.Containers[0].Image
	review.Status.Allowed = image != "bad:1" && image != "bad:2" && image != "worse"
	if image != "worse" {
		review.Status.Reason = "not signed"
	}
	_ = json.NewEncoder(w).Encode(review)
}

// imageServer returns a client of a server that asks the handler about images.
func imageServer(t *testing.T, handler http.Handler, more string) *kubernetes.Clientset {
	hooks := httptest.NewServer(handler)
	t.Cleanup(hooks.Close)
	return clientAsking(t, hooks.URL, more)
}

// clientAsking returns a client of a server that asks the server at a URL about images.
func clientAsking(t *testing.T, url, more string) *kubernetes.Clientset {
	kubeconfig := write(t, "clusters: [{name: a, cluster: {server: "+url+"/check}}]\n"+
		"users: [{name: a, user: {token: secret}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\ncurrent-context: a\n")
	return rootOf(t, configuredServer(t, "ImagePolicyWebhook",
		fmt.Sprintf("{imagePolicy: {kubeConfigFile: %q, retryBackoff: 1%s}}", kubeconfig, more)))
}

func withImage(image string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Containers[0].Image = image }
}

func TestServerDecidesAboutImages(t *testing.T) {
	hooks := &images{answer: judge}
	client := imageServer(t, hooks, "")
	_, err := create(t, client, "a", withImage("good"))
	require.NoError(t, err)
	_, err = create(t, client, "b", withImage("bad:1"))
	assertForbidden(t, err, `pods "b" is forbidden: image policy webhook backend denied one or more images: not signed`)
	_, err = create(t, client, "c", withImage("worse"))
	assertForbidden(t, err, `pods "c" is forbidden: one or more images rejected by webhook backend`)
	for range 3 {
		_, err = create(t, client, "b", withImage("bad:1"))
		assertForbidden(t, err, "not signed")
	}
	assert.EqualValues(t, 3, hooks.asked.Load(), "the server keeps answers")

	var seen v1alpha1.ImageReviewSpec
	hooks.answer = func(w http.ResponseWriter, review *v1alpha1.ImageReview) {
		seen = review.Spec
		judge(w, review)
	}
	_, err = create(t, client, "d", func(p *corev1.Pod) {
		p.Annotations = map[string]string{"mycluster.image-policy.k8s.io/ticket": "1", "a": "b"}
		p.Spec.InitContainers = []corev1.Container{{Name: "i", Image: "first"}}
	})
	require.NoError(t, err)
	assert.Equal(t, v1alpha1.ImageReviewSpec{Namespace: "default",
		Containers:  []v1alpha1.ImageReviewContainerSpec{{Image: "i"}, {Image: "first"}},
		Annotations: map[string]string{"mycluster.image-policy.k8s.io/ticket": "1"}}, seen)
	debugged, err := client.CoreV1().Pods("default").Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	debugged.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "e", Image: "bad:2"}}}
	_, err = client.CoreV1().Pods("default").UpdateEphemeralContainers(t.Context(), "a", debugged, metav1.UpdateOptions{})
	assertForbidden(t, err, "not signed")
	assert.Equal(t, []v1alpha1.ImageReviewContainerSpec{{Image: "bad:2"}}, seen.Containers)
}

// TestVerdictsAboutImagesAreCached closes each connection, because time in the bubble stands still while one is
// open.
func TestVerdictsAboutImagesAreCached(t *testing.T) {
	hooks := &images{answer: func(w http.ResponseWriter, review *v1alpha1.ImageReview) {
		w.Header().Set("Connection", "close")
		judge(w, review)
	}}
	outside := httptest.NewServer(hooks)
	defer outside.Close()
	for _, test := range []struct {
		name, image, config string
		until               time.Duration // 0 if each write asks
	}{
		{"default for an allowed image", "good", "", 5 * time.Minute},
		{"default for a denied image", "bad:1", "", 30 * time.Second},
		{"allowTTL", "good", ", allowTTL: 7, denyTTL: 3", 7 * time.Second},
		{"denyTTL", "bad:1", ", allowTTL: 7, denyTTL: 3", 3 * time.Second},
		{"without allowTTL", "good", ", allowTTL: -1", 0},
		{"without denyTTL", "bad:1", ", denyTTL: -1", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := clientAsking(t, outside.URL, test.config)
				asked := func() int32 {
					before := hooks.asked.Load()
					_, err := client.CoreV1().Pods("default").Create(t.Context(),
						&corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "p-"}, Spec: newPod("", withImage(test.image)).Spec},
						metav1.CreateOptions{})
					assert.True(t, err == nil || apierrors.IsForbidden(err), "%v", err)
					return hooks.asked.Load() - before
				}
				assert.EqualValues(t, 1, asked())
				if test.until > 0 {
					<-time.After(test.until - time.Millisecond) // the clock of the bubble moves at once
					assert.EqualValues(t, 0, asked())
					<-time.After(time.Millisecond)
				}
				assert.EqualValues(t, 1, asked())
			})
		})
	}
}

func TestDefaultAllowDecidesWithoutAnswer(t *testing.T) {
	answer := func(code int, body string) func(http.ResponseWriter, *v1alpha1.ImageReview) {
		return func(w http.ResponseWriter, _ *v1alpha1.ImageReview) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, test := range []struct {
		name   string
		answer func(http.ResponseWriter, *v1alpha1.ImageReview)
		asked  int32
		want   string
	}{
		{"a permanent failure", answer(http.StatusNotFound, ""), 1, "the server answered 404 Not Found"},
		{"a transient failure", answer(http.StatusInternalServerError, ""), 5,
			"the server answered 500 Internal Server Error"},
		{"text that is not JSON", answer(http.StatusOK, "hello"), 1, "the answer is not an ImageReview"},
		{"empty body", answer(http.StatusOK, ""), 1, "the answer is not an ImageReview"},
		{"another kind", answer(http.StatusOK, `{"apiVersion":"v1","kind":"Status"}`), 1,
			`the answer is a Status of "v1", not an ImageReview of "imagepolicy.k8s.io/v1alpha1"`},
		{"a large answer", answer(http.StatusOK, strings.Repeat(" ", 1<<20)+"{}"), 1,
			"the answer is larger than 1048576 bytes"},
		{"a broken connection", func(http.ResponseWriter, *v1alpha1.ImageReview) { panic(http.ErrAbortHandler) }, 1, "EOF"},
	} {
		for _, allow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, defaultAllow %t", test.name, allow), func(t *testing.T) {
				hooks := &images{answer: test.answer}
				_, err := create(t, imageServer(t, hooks, fmt.Sprintf(", defaultAllow: %t", allow)), "a")
				if allow {
					require.NoError(t, err)
				} else {
					assertForbidden(t, err, test.want)
				}
				assert.Equal(t, test.asked, hooks.asked.Load())
			})
		}
	}
}

func TestImageReviewEndsWithRequest(t *testing.T) {
	hooks := &images{}
	client := imageServer(t, hooks, "")
	ctx, cancel := context.WithCancel(t.Context())
	arrived, left := make(chan struct{}), make(chan struct{})
	hooks.answer = func(http.ResponseWriter, *v1alpha1.ImageReview) { close(arrived); <-left }
	done := make(chan error)
	go func() {
		_, err := client.CoreV1().Pods("default").Create(ctx, newPod("a"), metav1.CreateOptions{})
		done <- err
	}()
	<-arrived
	cancel()
	assert.Error(t, <-done)
	close(left)
}

func TestNamespacesWithoutAnnotationsGetTheSelectorOfTheCluster(t *testing.T) {
	client := rootOf(t, configuredServer(t, "PodNodeSelector",
		`{podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "a=b", strict: "a=b,c=d"}}`))
	_, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "strict"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	selecting := func(key, value string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{key: value} }
	}
	p, err := create(t, client, "a", selecting("x", "y"))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "b", "x": "y"}, p.Spec.NodeSelector)
	pods := client.CoreV1().Pods("strict")
	_, err = pods.Create(t.Context(), newPod("a", selecting("x", "y")), metav1.CreateOptions{})
	assertForbidden(t, err, `pods "a" is forbidden: pod node label selector labels conflict with its namespace whitelist`)
	_, err = pods.Create(t.Context(), newPod("a", selecting("c", "d")), metav1.CreateOptions{})
	require.NoError(t, err)
}

func TestNamespacesWithoutAnnotationsGetTheTolerationsOfTheCluster(t *testing.T) {
	client := rootOf(t, configuredServer(t, "PodTolerationRestriction",
		"{apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration, default: [{key: a, operator: "+
			"Exists}], whitelist: [{key: a, operator: Exists}, {key: node.kubernetes.io/not-ready, operator: Exists}, {key: "+
			"node.kubernetes.io/unreachable, operator: Exists}]}"))
	p, err := create(t, client, "a")
	require.NoError(t, err)
	assert.Contains(t, p.Spec.Tolerations, corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists})
	_, err = create(t, client, "b", func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "b", Operator: corev1.TolerationOpExists}}
	})
	assert.ErrorContains(t, err,
		"pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist")
}

func TestPodSecurityConfigurationAppliesWithoutLabels(t *testing.T) {
	s := configuredServer(t, "PodSecurity",
		"{apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {enforce: baseline}, "+
			"exemptions: {usernames: [system:serviceaccount:kube-system:job], namespaces: [kube-system], runtimeClasses: [vm]}}")
	client := rootOf(t, s)
	_, err := client.NodeV1().RuntimeClasses().Create(t.Context(),
		&nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "vm"}, Handler: "vm"}, metav1.CreateOptions{})
	require.NoError(t, err)
	onHost := func(p *corev1.Pod) { p.Spec.HostNetwork = true }
	_, err = create(t, client, "a", onHost)
	assertForbidden(t, err, `pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)`)
	_, err = create(t, client, "a", onHost, func(p *corev1.Pod) { p.Spec.RuntimeClassName = new("vm") })
	require.NoError(t, err)
	_, err = client.CoreV1().Pods("kube-system").Create(t.Context(), newPod("a", onHost), metav1.CreateOptions{})
	require.NoError(t, err)
	impersonating := &clientrest.Config{Host: "https://kubernetes", BearerToken: "root", QPS: -1,
		Impersonate: clientrest.ImpersonationConfig{UserName: "system:serviceaccount:kube-system:job",
			Groups: []string{server.Masters}}, Transport: rest.RoundTripper(s.Handler())}
	exempt, err := kubernetes.NewForConfig(impersonating)
	require.NoError(t, err)
	_, err = create(t, exempt, "b", onHost)
	require.NoError(t, err)
}

func TestConfigurationDemandsQuotas(t *testing.T) {
	const config = "{apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [" +
		"{resource: persistentvolumeclaims, matchContains: [.storageclass.storage.k8s.io/requests.storage]}, " +
		"{resource: pods, matchScopes: [{scopeName: PriorityClass, operator: In, values: [system-cluster-critical]}]}]}"
	client := rootOf(t, configuredServer(t, "ResourceQuota", config))
	claim := func(class *string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{GenerateName: "c-"},
			Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: class,
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
	}
	claims := client.CoreV1().PersistentVolumeClaims("default")
	critical := func(p *corev1.Pod) { p.Spec.PriorityClassName = "system-cluster-critical" }
	_, err := claims.Create(t.Context(), claim(nil), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = create(t, client, "a")
	require.NoError(t, err)
	_, err = claims.Create(t.Context(), claim(new("gold")), metav1.CreateOptions{})
	assertForbidden(t, err, "insufficient quota to consume: gold.storageclass.storage.k8s.io/requests.storage")
	_, err = create(t, client, "b", critical)
	assert.ErrorContains(t, err,
		"insufficient quota to match these scopes: [{PriorityClass In [system-cluster-critical]}]")

	quotas := client.CoreV1().ResourceQuotas("default")
	for name, spec := range map[string]corev1.ResourceQuotaSpec{
		"gold": {Hard: corev1.ResourceList{"gold.storageclass.storage.k8s.io/requests.storage": resource.MustParse("5Gi")}},
		"critical": {Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1")},
			ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{
				ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpExists}}}},
	} {
		q, err := quotas.Create(t.Context(),
			&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}, metav1.CreateOptions{})
		require.NoError(t, err)
		q.Status.Hard, q.Status.Used = spec.Hard, corev1.ResourceList{}
		for resourceName := range spec.Hard {
			q.Status.Used[resourceName] = resource.MustParse("0")
		}
		_, err = quotas.UpdateStatus(t.Context(), q, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	_, err = claims.Create(t.Context(), claim(new("gold")), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = create(t, client, "b", critical)
	require.NoError(t, err)
	_, err = create(t, client, "c", critical)
	assertForbidden(t, err, "exceeded quota: critical")
}
