package kinds_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	certificatesapply "k8s.io/client-go/applyconfigurations/certificates/v1"
)

func TestNewPodsHavePrioritiesAndTolerations(t *testing.T) {
	client := clientOf(t, newAPI(t))
	must[*schedulingv1.PriorityClass](t)(client.SchedulingV1().PriorityClasses().Create(t.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: named("high"), Value: 9}, metav1.CreateOptions{}))
	inClass := func(name string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.PriorityClassName = name }
	}
	atPriority := func(n int32) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Priority = &n }
	}
	everything := func(p *corev1.Pod) { p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }
	for _, c := range []struct {
		name     string
		pod      *corev1.Pod
		priority int32
		tolerate []string
		refused  string
	}{
		{"neither", pod("a"), 0, []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}, ""},
		{"a class", pod("a", inClass("high")), 9, []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"},
			""},
		{"a toleration of everything", pod("a", everything), 0, []string{""}, ""},
		{"no such class", pod("a", inClass("x")), 0, nil, `pods "a" is forbidden: no PriorityClass with name x was found`},
		{"another priority", pod("a", atPriority(5)), 0, nil,
			`pods "a" is forbidden: the integer value of priority (5) must not be provided in pod spec`},
	} {
		t.Run(c.name, func(t *testing.T) {
			pods := client.CoreV1().Pods(newNamespace(t, client))
			p, err := pods.Create(t.Context(), c.pod, metav1.CreateOptions{})
			if c.refused != "" {
				assertRefused(t, err, 403, c.refused)
				return
			}
			p = must[*corev1.Pod](t)(p, err)
			assert.Equal(t, c.priority, *p.Spec.Priority)
			assert.Equal(t, corev1.PreemptLowerPriority, *p.Spec.PreemptionPolicy)
			var keys []string
			for _, toleration := range p.Spec.Tolerations {
				keys = append(keys, toleration.Key)
			}
			assert.Equal(t, c.tolerate, keys)
			again := must[*corev1.Pod](t)(pods.Update(t.Context(), c.pod, metav1.UpdateOptions{}))
			assert.Equal(t, p, again, "the same manifest changes nothing")
		})
	}
}

func TestNodesBeginTaintedAndWithTheirStatus(t *testing.T) {
	nodes := clientOf(t, newAPI(t)).CoreV1().Nodes()
	n := &corev1.Node{ObjectMeta: named("n"), Status: corev1.NodeStatus{Capacity: resources("cpu", "4")}}
	n = must[*corev1.Node](t)(nodes.Create(t.Context(), n, metav1.CreateOptions{}))
	assert.Equal(t, "4", n.Status.Capacity.Cpu().String())
	assert.Equal(t, []corev1.Taint{{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoSchedule}},
		n.Spec.Taints)

	n.Spec.Taints, n.Status.Capacity = nil, resources("cpu", "8")
	n = must[*corev1.Node](t)(nodes.Update(t.Context(), n, metav1.UpdateOptions{}))
	assert.Empty(t, n.Spec.Taints)
	assert.Equal(t, "4", n.Status.Capacity.Cpu().String())
}

func TestVolumesAreProtectedAndHaveClasses(t *testing.T) {
	client := clientOf(t, newAPI(t))
	claims := client.CoreV1().PersistentVolumeClaims(namespace)
	claim := func(name string, class *string) *corev1.PersistentVolumeClaim {
		return must[*corev1.PersistentVolumeClaim](t)(claims.Create(t.Context(),
			&corev1.PersistentVolumeClaim{ObjectMeta: named(name),
				Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: class,
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources:   corev1.VolumeResourceRequirements{Requests: resources("storage", "1Gi")}}}, metav1.CreateOptions{}))
	}
	c := claim("a", nil)
	assert.Nil(t, c.Spec.StorageClassName)
	assert.Equal(t, corev1.ClaimPending, c.Status.Phase)
	assert.Equal(t, []string{"kubernetes.io/pvc-protection"}, c.Finalizers)

	fast := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast",
		Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}}, Provisioner: "p"}
	must[*storagev1.StorageClass](t)(client.StorageV1().StorageClasses().Create(t.Context(), fast, metav1.CreateOptions{}))
	assert.Equal(t, "fast", *claim("b", nil).Spec.StorageClassName)
	assert.Empty(t, *claim("c", new(string)).Spec.StorageClassName)

	c.Spec.Resources.Requests = resources("storage", "2Gi")
	_, err := claims.Update(t.Context(), c, metav1.UpdateOptions{})
	assertRefused(t, err, 422, "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims")
	c.Spec.Resources.Requests, c.Spec.VolumeName = resources("storage", "1Gi"), "v"
	c = must[*corev1.PersistentVolumeClaim](t)(claims.Update(t.Context(), c, metav1.UpdateOptions{}))
	c.Status.Phase = corev1.ClaimBound
	c = must[*corev1.PersistentVolumeClaim](t)(claims.UpdateStatus(t.Context(), c, metav1.UpdateOptions{}))
	c.Spec.Resources.Requests = resources("storage", "2Gi")
	_, err = claims.Update(t.Context(), c, metav1.UpdateOptions{})
	assertRefused(t, err, 403, "only dynamically provisioned pvc can be resized")

	volumes := client.CoreV1().PersistentVolumes()
	v := must[*corev1.PersistentVolume](t)(volumes.Create(t.Context(),
		&corev1.PersistentVolume{ObjectMeta: named("v"), Spec: corev1.PersistentVolumeSpec{
			Capacity: resources("storage", "1Gi"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/a"}}}},
		metav1.CreateOptions{}))
	assert.Equal(t, corev1.VolumePending, v.Status.Phase)
	assert.NotNil(t, v.Status.LastPhaseTransitionTime)
	assert.Equal(t, []string{"kubernetes.io/pv-protection"}, v.Finalizers)
	v.Spec.HostPath.Path = "/b"
	_, err = volumes.Update(t.Context(), v, metav1.UpdateOptions{})
	assertRefused(t, err, 422, "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation")
}

func TestIngressesGetTheDefaultClass(t *testing.T) {
	client := clientOf(t, newAPI(t)).NetworkingV1()
	class := &networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: "c",
		Annotations: map[string]string{"ingressclass.kubernetes.io/is-default-class": "true"}},
		Spec: networkingv1.IngressClassSpec{Controller: "example.com/c"}}
	must[*networkingv1.IngressClass](t)(client.IngressClasses().Create(t.Context(), class, metav1.CreateOptions{}))
	i := &networkingv1.Ingress{ObjectMeta: named("i"),
		Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "s",
			Port: networkingv1.ServiceBackendPort{Number: 80}}}}}
	i = must[*networkingv1.Ingress](t)(client.Ingresses(namespace).Create(t.Context(), i, metav1.CreateOptions{}))
	assert.Equal(t, "c", *i.Spec.IngressClassName)
}

func TestSigningRequestsAreDecidedOnce(t *testing.T) {
	requests := clientOf(t, newAPI(t)).CertificatesV1().CertificateSigningRequests()
	request, certificate := signingRequest(t)
	csr := &certificatesv1.CertificateSigningRequest{ObjectMeta: named("r"),
		Spec: certificatesv1.CertificateSigningRequestSpec{SignerName: "example.com/s", Username: "somebody else",
			Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth}, Request: request}}
	csr = must[*certificatesv1.CertificateSigningRequest](t)(requests.Create(t.Context(), csr, metav1.CreateOptions{}))
	assert.Equal(t, "system:anonymous", csr.Spec.Username)

	approved := certificatesv1.CertificateSigningRequestCondition{Type: certificatesv1.CertificateApproved,
		Status: corev1.ConditionTrue, Reason: "Test"}
	csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{approved}
	_, err := requests.UpdateStatus(t.Context(), csr, metav1.UpdateOptions{})
	assertRefused(t, err, 422, `status.conditions: Forbidden: updates may not add a condition of type "Approved"`)

	csr.Spec.SignerName, csr.Status.Certificate = "example.com/other", certificate
	csr = must[*certificatesv1.CertificateSigningRequest](t)(requests.UpdateApproval(t.Context(), "r", csr,
		metav1.UpdateOptions{}))
	assert.Equal(t, "example.com/s", csr.Spec.SignerName)
	assert.Empty(t, csr.Status.Certificate)
	assert.False(t, csr.Status.Conditions[0].LastUpdateTime.IsZero())

	csr.Status.Certificate = certificate
	csr = must[*certificatesv1.CertificateSigningRequest](t)(requests.UpdateStatus(t.Context(), csr,
		metav1.UpdateOptions{}))
	assert.NotEmpty(t, csr.Status.Certificate)

	csr.Status.Conditions = nil
	_, err = requests.UpdateApproval(t.Context(), "r", csr, metav1.UpdateOptions{})
	assertRefused(t, err, 422, `status.conditions: Forbidden: updates may not remove a condition of type "Approved"`)
	csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{approved,
		{Type: certificatesv1.CertificateDenied, Status: corev1.ConditionTrue}}
	_, err = requests.UpdateApproval(t.Context(), "r", csr, metav1.UpdateOptions{})
	assertRefused(t, err, 422, "Approved and Denied conditions are mutually exclusive")
}

// No client owns the spec of a CertificateSigningRequest, and a signer does not own the conditions that it writes.
func TestOwnersOfSigningRequests(t *testing.T) {
	requests := clientOf(t, newAPI(t)).CertificatesV1().CertificateSigningRequests()
	request, certificate := signingRequest(t)
	config := certificatesapply.CertificateSigningRequest("r").WithLabels(map[string]string{"a": "b"}).
		WithSpec(certificatesapply.CertificateSigningRequestSpec().WithSignerName("example.com/s").
			WithUsages(certificatesv1.UsageClientAuth).WithRequest(request...))
	csr := must[*certificatesv1.CertificateSigningRequest](t)(requests.Apply(t.Context(), config,
		metav1.ApplyOptions{FieldManager: "requester"}))
	csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{
		{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue}}
	csr = must[*certificatesv1.CertificateSigningRequest](t)(requests.UpdateApproval(t.Context(), "r", csr,
		metav1.UpdateOptions{FieldManager: "approver"}))
	csr.Status.Certificate = certificate
	csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: "example.com/signed", Status: corev1.ConditionTrue})
	csr = must[*certificatesv1.CertificateSigningRequest](t)(requests.UpdateStatus(t.Context(), csr,
		metav1.UpdateOptions{FieldManager: "signer"}))
	require.Len(t, csr.Status.Conditions, 2)
	owned := map[string]string{}
	for _, e := range csr.ManagedFields {
		owned[e.Manager] = string(e.FieldsV1.Raw)
	}
	assert.Equal(t, `{"f:metadata":{"f:labels":{"f:a":{}}}}`, owned["requester"])
	assert.Equal(t, `{"f:status":{"f:certificate":{}}}`, owned["signer"])
	assert.Contains(t, owned["approver"], `k:{\"type\":\"Approved\"}`)
}

// Kubernetes restores the metadata in a write of the status of a CSINode. So that write gives it no owner, but the
// write has a time, because the configuration changes the object.
func TestAppliedStatusWithMetadata(t *testing.T) {
	nodes := clientOf(t, newAPI(t)).StorageV1().CSINodes()
	must[*storagev1.CSINode](t)(nodes.Create(t.Context(), &storagev1.CSINode{ObjectMeta: named("n")}, metav1.CreateOptions{}))
	n := must[*storagev1.CSINode](t)(nodes.Patch(t.Context(), "n", types.ApplyPatchType, []byte(`{"apiVersion":"storage.k8s.io/v1",`+
		`"kind":"CSINode","metadata":{"annotations":{"a":"b"},"deletionTimestamp":"2001-09-09T01:46:40Z"},"status":{}}`),
		metav1.PatchOptions{FieldManager: "driver"}, "status"))
	assert.Empty(t, n.Annotations)
	assert.Nil(t, n.DeletionTimestamp)
	i := slices.IndexFunc(n.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == "driver" })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, `{"f:status":{}}`, string(n.ManagedFields[i].FieldsV1.Raw))
	assert.NotNil(t, n.ManagedFields[i].Time)
}

func TestNodesHaveNoStatusOfRemovedConfigurations(t *testing.T) {
	nodes := clientOf(t, newAPI(t)).CoreV1().Nodes()
	config := &corev1.NodeConfigStatus{Error: "x", Assigned: &corev1.NodeConfigSource{ConfigMap: &corev1.ConfigMapNodeConfigSource{}}}
	n := must[*corev1.Node](t)(nodes.Create(t.Context(), &corev1.Node{ObjectMeta: named("n"),
		Status: corev1.NodeStatus{Config: config}}, metav1.CreateOptions{}))
	assert.Nil(t, n.Status.Config)
	n.Status.Config = config
	n = must[*corev1.Node](t)(nodes.UpdateStatus(t.Context(), n, metav1.UpdateOptions{}))
	assert.Nil(t, n.Status.Config)
}
