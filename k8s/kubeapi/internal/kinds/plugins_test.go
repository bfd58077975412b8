package kinds_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
)

func TestPodsRunAsTheirRuntimeClassSays(t *testing.T) {
	client := clientOf(t, newAPI(t))
	class := &nodev1.RuntimeClass{ObjectMeta: named("micro"), Handler: "micro",
		Overhead: &nodev1.Overhead{PodFixed: resources("cpu", "100m")},
		Scheduling: &nodev1.Scheduling{NodeSelector: map[string]string{"runtime": "micro"},
			Tolerations: []corev1.Toleration{{Key: "micro", Operator: corev1.TolerationOpExists},
				{Key: "micro", Operator: corev1.TolerationOpEqual, Value: "v", Effect: corev1.TaintEffectNoSchedule}}}}
	must[*nodev1.RuntimeClass](t)(client.NodeV1().RuntimeClasses().Create(t.Context(), class, metav1.CreateOptions{}))
	runs := func(name string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.RuntimeClassName = &name } }
	onNodes := func(value string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"runtime": value, "a": "b"} }
	}
	costs := func(cpu string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Overhead = resources("cpu", cpu) }
	}
	for _, c := range []struct {
		name    string
		pod     *corev1.Pod
		refused string
	}{
		{"with a class", pod("a", runs("micro"), onNodes("micro")), ""},
		{"with the overhead of the class", pod("a", runs("micro"), onNodes("micro"), costs("100m")), ""},
		{"with another overhead", pod("a", runs("micro"), costs("1")),
			`pods "a" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`},
		{"with an overhead and no class", pod("a", costs("1")),
			`pods "a" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`},
		{"for other nodes", pod("a", runs("micro"), onNodes("other")),
			`pods "a" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[runtime] = micro; pod.spec.nodeSelector[runtime] = other`},
		{"with an unknown class", pod("a", runs("x")), `pods "a" is forbidden: pod rejected: RuntimeClass "x" not found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := client.CoreV1().Pods(newNamespace(t, client)).Create(t.Context(), c.pod, metav1.CreateOptions{})
			if c.refused != "" {
				assertRefused(t, err, 403, c.refused)
				return
			}
			p = must[*corev1.Pod](t)(p, err)
			assert.Equal(t, "100m", p.Spec.Overhead.Cpu().String())
			assert.Equal(t, map[string]string{"runtime": "micro", "a": "b"}, p.Spec.NodeSelector)
			assert.Contains(t, p.Spec.Tolerations, class.Scheduling.Tolerations[0])
			assert.NotContains(t, p.Spec.Tolerations, class.Scheduling.Tolerations[1], "the first includes it")
		})
	}
}

func TestPodsRunAsAnAccount(t *testing.T) {
	client := clientOf(t, newAPIWith(t, hooksOf(t, kinds.PluginOptions{})))
	accounts, pods := client.CoreV1().ServiceAccounts(namespace), client.CoreV1().Pods(namespace)
	no := false
	must[*corev1.ServiceAccount](t)(accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: named("default"),
		ImagePullSecrets: []corev1.LocalObjectReference{{Name: "pull"}}}, metav1.CreateOptions{}))
	must[*corev1.ServiceAccount](t)(accounts.Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: named("quiet"), AutomountServiceAccountToken: &no}, metav1.CreateOptions{}))
	as := func(name string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.ServiceAccountName = name } }

	p := must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a"), metav1.CreateOptions{}))
	assert.Equal(t, "default", p.Spec.ServiceAccountName)
	assert.Equal(t, []corev1.LocalObjectReference{{Name: "pull"}}, p.Spec.ImagePullSecrets)
	require.Len(t, p.Spec.Volumes, 1)
	assert.Regexp(t, "^kube-api-access-.{5}$", p.Spec.Volumes[0].Name)
	assert.EqualValues(t, 3607, *p.Spec.Volumes[0].Projected.Sources[0].ServiceAccountToken.ExpirationSeconds)
	assert.Equal(t, []corev1.VolumeMount{{Name: p.Spec.Volumes[0].Name, ReadOnly: true,
		MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}}, p.Spec.Containers[0].VolumeMounts)

	p = must[*corev1.Pod](t)(pods.Create(t.Context(), pod("b", as("quiet")), metav1.CreateOptions{}))
	assert.Empty(t, p.Spec.Volumes)
	_, err := pods.Create(t.Context(), pod("c", as("x")), metav1.CreateOptions{})
	assertRefused(t, err, 403, `pods "c" is forbidden: error looking up service account default/x: serviceaccount "x" not found`)
}

func TestPodsUseOnlySecretsOfTheirAccount(t *testing.T) {
	client := clientOf(t, newAPIWith(t, hooksOf(t, kinds.PluginOptions{})))
	pods := client.CoreV1().Pods(namespace)
	account := &corev1.ServiceAccount{ObjectMeta: named("default"), Secrets: []corev1.ObjectReference{{Name: "own"}}}
	account.Annotations = map[string]string{"kubernetes.io/enforce-mountable-secrets": "true"}
	must[*corev1.ServiceAccount](t)(client.CoreV1().ServiceAccounts(namespace).Create(t.Context(), account,
		metav1.CreateOptions{}))
	from := func(secret string) []corev1.EnvFromSource {
		return []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: secret}}}}
	}
	using := func(secret string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Containers[0].EnvFrom = from(secret) }
	}

	p := must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a", using("own")), metav1.CreateOptions{}))
	_, err := pods.Create(t.Context(), pod("b", using("other")), metav1.CreateOptions{})
	assertRefused(t, err, 403, `pods "b" is forbidden: container `+p.Spec.Containers[0].Name+` with envFrom referencing secret.secretName="other" is not allowed because service account default does not reference that secret`)
	_, err = pods.Create(t.Context(), pod("c", using("own"), func(p *corev1.Pod) {
		p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	}), metav1.CreateOptions{})
	assertRefused(t, err, 403, `pods "c" is forbidden: a mirror pod may not reference secrets`)
	p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
		Name: "e", Image: "e", EnvFrom: from("other")}}}
	_, err = pods.UpdateEphemeralContainers(t.Context(), "a", p, metav1.UpdateOptions{})
	assertRefused(t, err, 500, `ephemeral container e with envFrom referencing secret.secretName="other" is not allowed because service account default does not reference that secret`)
}

func TestOnlyOnePriorityClassIsDefault(t *testing.T) {
	classes := clientOf(t, newAPI(t)).SchedulingV1().PriorityClasses()
	first := must[*schedulingv1.PriorityClass](t)(classes.Create(t.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: named("first"), GlobalDefault: true}, metav1.CreateOptions{}))
	_, err := classes.Create(t.Context(), &schedulingv1.PriorityClass{ObjectMeta: named("second"), GlobalDefault: true},
		metav1.CreateOptions{})
	assertRefused(t, err, 403, `priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass first is already marked as default. Only one default can exist`)
	first.Description = "a"
	must[*schedulingv1.PriorityClass](t)(classes.Update(t.Context(), first, metav1.UpdateOptions{}))
}

func TestClaimsGrowIfTheirClassAllowsIt(t *testing.T) {
	client := clientOf(t, newAPI(t))
	yes := true
	for name, expands := range map[string]*bool{"fixed": nil, "elastic": &yes} {
		must[*storagev1.StorageClass](t)(client.StorageV1().StorageClasses().Create(t.Context(),
			&storagev1.StorageClass{ObjectMeta: named(name), Provisioner: "p", AllowVolumeExpansion: expands},
			metav1.CreateOptions{}))
	}
	for _, c := range []struct {
		name, class string
		phase       corev1.PersistentVolumeClaimPhase
		code        int32
		refused     string
	}{
		{"an elastic class", "elastic", corev1.ClaimBound, 0, ""},
		{"a fixed class", "fixed", corev1.ClaimBound, 403,
			"only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"},
		{"no such class", "x", corev1.ClaimBound, 403, "only dynamically provisioned pvc can be resized"},
		{"no volume yet", "elastic", corev1.ClaimPending, 422, "spec is immutable after creation except resources.requests"},
	} {
		t.Run(c.name, func(t *testing.T) {
			claims := client.CoreV1().PersistentVolumeClaims(newNamespace(t, client))
			claim := must[*corev1.PersistentVolumeClaim](t)(claims.Create(t.Context(),
				&corev1.PersistentVolumeClaim{ObjectMeta: named("c"), Spec: corev1.PersistentVolumeClaimSpec{
					StorageClassName: &c.class, VolumeName: "v",
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources:   corev1.VolumeResourceRequirements{Requests: resources("storage", "1Gi")}}}, metav1.CreateOptions{}))
			claim.Status.Phase = c.phase
			claim = must[*corev1.PersistentVolumeClaim](t)(claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{}))
			claim.Spec.Resources.Requests = resources("storage", "2Gi")
			_, err := claims.Update(t.Context(), claim, metav1.UpdateOptions{})
			if c.refused == "" {
				require.NoError(t, err)
				return
			}
			assertRefused(t, err, c.code, c.refused)
		})
	}
}

func TestNobodyRequestsToBeAnAdministrator(t *testing.T) {
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	requests := clientOf(t, newAPI(t)).CertificatesV1().CertificateSigningRequests()
	request := func(name, group string) error {
		der := must[[]byte](t)(x509.CreateCertificateRequest(rand.Reader,
			&x509.CertificateRequest{Subject: pkix.Name{CommonName: "me", Organization: []string{group}}}, key))
		_, err := requests.Create(t.Context(),
			&certificatesv1.CertificateSigningRequest{ObjectMeta: named(name),
				Spec: certificatesv1.CertificateSigningRequestSpec{
					SignerName: certificatesv1.KubeAPIServerClientSignerName,
					Usages:     []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
					Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})}}, metav1.CreateOptions{})
		return err
	}
	require.NoError(t, request("a", "developers"))
	assertRefused(t, request("b", "system:masters"), 403,
		"use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed")
}

func TestPluginsCanBeOff(t *testing.T) {
	client := clientOf(t, newAPIWith(t, hooksOf(t, kinds.PluginOptions{Off: kinds.Plugins()})))
	p := must[*corev1.Pod](t)(client.CoreV1().Pods(namespace).Create(t.Context(), pod("a"), metav1.CreateOptions{}))
	assert.Nil(t, p.Spec.Priority)
	assert.Empty(t, p.Spec.Tolerations)
}

func TestPodsHaveTheTopologyOfTheirNodes(t *testing.T) {
	client := clientOf(t, newAPI(t))
	node := &corev1.Node{ObjectMeta: named("node")}
	node.Labels = map[string]string{corev1.LabelTopologyZone: "z", corev1.LabelTopologyRegion: "r", "other": "x"}
	must[*corev1.Node](t)(client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}))
	pods := client.CoreV1().Pods(newNamespace(t, client))
	on := func(node string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.NodeName = node } }
	create := func(p *corev1.Pod) *corev1.Pod {
		return must[*corev1.Pod](t)(pods.Create(t.Context(), p, metav1.CreateOptions{}))
	}
	want := map[string]string{corev1.LabelTopologyZone: "z", corev1.LabelTopologyRegion: "r"}

	assert.Equal(t, want, create(pod("created", on("node"))).Labels)
	assert.Empty(t, create(pod("elsewhere", on("missing"))).Labels, "the node does not exist")
	assert.Empty(t, create(pod("bound")).Labels, "the Pod has no node yet")
	require.NoError(t, pods.Bind(t.Context(), &corev1.Binding{ObjectMeta: named("bound"),
		Target: corev1.ObjectReference{Kind: "Node", Name: "node"}}, metav1.CreateOptions{}))
	bound := must[*corev1.Pod](t)(pods.Get(t.Context(), "bound", metav1.GetOptions{}))
	assert.Equal(t, want, bound.Labels)

	delete(bound.Labels, corev1.LabelTopologyZone)
	bound = must[*corev1.Pod](t)(pods.Update(t.Context(), bound, metav1.UpdateOptions{}))
	assert.NotContains(t, bound.Labels, corev1.LabelTopologyZone, "an update may remove a label")
}

func TestPodsResizeIfTheirNodeAllows(t *testing.T) {
	client := clientOf(t, newAPI(t))
	create := func(name, system string, features ...string) {
		node := &corev1.Node{ObjectMeta: named(name)}
		node.Labels = map[string]string{corev1.LabelOSStable: system}
		node.Status.Allocatable = resources("cpu", "2", "memory", "1Gi")
		node.Status.DeclaredFeatures = features
		must[*corev1.Node](t)(client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}))
	}
	create("small", "linux")
	create("able", "linux", "InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers")
	create("windows", "windows")
	to := func(list ...string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = resources(list...) }
	}
	initTo := func(cpu string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.InitContainers[0].Resources.Requests = resources("cpu", cpu) }
	}
	wholeTo := func(cpu string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Resources = &corev1.ResourceRequirements{Requests: resources("cpu", cpu, "memory", "1Mi")}
		}
	}
	for _, c := range []struct {
		name, node string
		change     func(*corev1.Pod)
		refused    string
		cause      metav1.CauseType
	}{
		{"enough room", "small", to("cpu", "2", "memory", "1Mi"), "", ""},
		{"unchanged requests", "windows", to("cpu", "1", "memory", "1Mi"), "", ""},
		{"an unscheduled Pod", "", to("cpu", "9", "memory", "1Mi"), "", ""},
		{"too little room", "small", to("cpu", "3", "memory", "2Gi"),
			`pods "a" is forbidden: node didn't have enough allocatable resources: cpu, requested: 3000, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824`,
			"NodeCapacity"},
		{"another operating system", "windows", to("cpu", "2", "memory", "1Mi"),
			`pods "a" is forbidden: pod resize is only supported on linux nodes, node "windows" is "windows"`,
			"UnsupportedPlatform"},
		{"a missing node", "gone", to("cpu", "2", "memory", "1Mi"), `pods "a" is forbidden: node "gone" not found`, ""},
		{"an init container", "able", initTo("2"), "", ""},
		{"an init container on another node", "small", initTo("2"),
			`pods "a" is forbidden: pod update requires features InPlacePodVerticalScalingInitContainers which are not available on node "small"`,
			""},
		{"the whole Pod", "able", wholeTo("2"), "", ""},
		{"the whole Pod on another node", "small", wholeTo("2"),
			`pods "a" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "small"`,
			""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pods := client.CoreV1().Pods(newNamespace(t, client))
			p := pod("a", func(p *corev1.Pod) {
				p.Spec.NodeName = c.node
				p.Spec.InitContainers = []corev1.Container{{Name: "first", Image: "image"}}
				p.Spec.InitContainers[0].Resources.Requests = resources("cpu", "1")
			}, to("cpu", "1", "memory", "1Mi"))
			if strings.HasPrefix(c.name, "the whole Pod") {
				wholeTo("1")(p)
			}
			p = must[*corev1.Pod](t)(pods.Create(t.Context(), p, metav1.CreateOptions{}))
			c.change(p)
			_, err := pods.UpdateResize(t.Context(), "a", p, metav1.UpdateOptions{})
			if c.refused == "" {
				require.NoError(t, err)
				return
			}
			assertRefused(t, err, 403, c.refused)
			if c.cause != "" {
				assert.True(t, apierrors.HasStatusCause(err, c.cause), "%#v", err)
			}
		})
	}
}

// newAPIOn returns an API with a plugin that is off by default.
func newAPIOn(t *testing.T, plugin string) *kubernetes.Clientset {
	return clientOf(t, newAPIWith(t, hooksOf(t, kinds.PluginOptions{On: []string{plugin}, Off: []string{"ServiceAccount"}})))
}

func TestPodsAlwaysPullImages(t *testing.T) {
	client := newAPIOn(t, "AlwaysPullImages")
	pods := client.CoreV1().Pods(namespace)
	image := func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Image: &corev1.ImageVolumeSource{
			Reference: "i", PullPolicy: corev1.PullNever}}}}
	}
	p := must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a", image), metav1.CreateOptions{}))
	assert.Equal(t, corev1.PullAlways, p.Spec.Containers[0].ImagePullPolicy)
	assert.Equal(t, corev1.PullAlways, p.Spec.Volumes[0].Image.PullPolicy)
}

func TestNamespacesSelectNodes(t *testing.T) {
	client := newAPIOn(t, "PodNodeSelector")
	n := &corev1.Namespace{ObjectMeta: named("n")}
	n.Annotations = map[string]string{"scheduler.alpha.kubernetes.io/node-selector": "env=test,disk=ssd"}
	must[*corev1.Namespace](t)(client.CoreV1().Namespaces().Create(t.Context(), n, metav1.CreateOptions{}))
	selecting := func(key, value string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{key: value} }
	}
	pods := client.CoreV1().Pods("n")
	p := must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a", selecting("a", "b")), metav1.CreateOptions{}))
	assert.Equal(t, map[string]string{"a": "b", "env": "test", "disk": "ssd"}, p.Spec.NodeSelector)
	_, err := pods.Create(t.Context(), pod("b", selecting("env", "prod")), metav1.CreateOptions{})
	assertRefused(t, err, 403,
		`pods "b" is forbidden: pod node label selector conflicts with its namespace node label selector`)
}

func TestNamespacesLimitTolerations(t *testing.T) {
	client := newAPIOn(t, "PodTolerationRestriction")
	n := &corev1.Namespace{ObjectMeta: named("n")}
	n.Annotations = map[string]string{
		"scheduler.alpha.kubernetes.io/defaultTolerations":   `[{"key":"a","operator":"Exists"}]`,
		"scheduler.alpha.kubernetes.io/tolerationsWhitelist": `[{"key":"a","operator":"Exists"},{"key":"node.kubernetes.io/not-ready","operator":"Exists"},{"key":"node.kubernetes.io/unreachable","operator":"Exists"}]`}
	must[*corev1.Namespace](t)(client.CoreV1().Namespaces().Create(t.Context(), n, metav1.CreateOptions{}))
	pods := client.CoreV1().Pods("n")
	p := must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a"), metav1.CreateOptions{}))
	assert.Contains(t, p.Spec.Tolerations, corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists})
	_, err := pods.Create(t.Context(), pod("b", func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "b", Operator: corev1.TolerationOpExists}}
	}), metav1.CreateOptions{})
	assertRefused(t, err, 500,
		"pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist")
	p = must[*corev1.Pod](t)(client.CoreV1().Pods(namespace).Create(t.Context(),
		pod("c", func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = resources("cpu", "1") }),
		metav1.CreateOptions{}))
	assert.Contains(t, p.Spec.Tolerations, corev1.Toleration{Key: corev1.TaintNodeMemoryPressure,
		Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
}

func TestPodsTolerateNodesWithTheirResources(t *testing.T) {
	pods := newAPIOn(t, "ExtendedResourceToleration").CoreV1().Pods(namespace)
	p := must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a", func(p *corev1.Pod) {
		r := resources("example.com/gpu", "1", "cpu", "1")
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: r, Limits: r}
	}), metav1.CreateOptions{}))
	assert.Contains(t, p.Spec.Tolerations, corev1.Toleration{Key: "example.com/gpu",
		Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	for _, toleration := range p.Spec.Tolerations {
		assert.NotEqual(t, "cpu", toleration.Key)
	}
}

func TestAntiAffinityIsLimitedToNodes(t *testing.T) {
	pods := newAPIOn(t, "LimitPodHardAntiAffinityTopology").CoreV1().Pods(namespace)
	alone := func(key string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: key,
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}}}}}
		}
	}
	must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a", alone(corev1.LabelHostname)), metav1.CreateOptions{}))
	_, err := pods.Create(t.Context(), pod("b", alone(corev1.LabelTopologyZone)), metav1.CreateOptions{})
	assertRefused(t, err, 403,
		`pods "b" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed`)
}

func TestServicesGetNoExternalIPs(t *testing.T) {
	services := newAPIOn(t, "DenyServiceExternalIPs").CoreV1().Services(namespace)
	s := must[*corev1.Service](t)(services.Create(t.Context(), service("a"), metav1.CreateOptions{}))
	s.Spec.ExternalIPs = []string{"192.0.2.1"}
	_, err := services.Update(t.Context(), s, metav1.UpdateOptions{})
	assertRefused(t, err, 403, `services "a" is forbidden: Use of external IPs is denied by admission control`)
}
