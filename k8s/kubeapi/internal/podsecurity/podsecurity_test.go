package podsecurity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// heard collects the warnings that a client receives.
type heard struct{ texts []string }

func (h *heard) HandleWarningHeader(_ int, _, text string) { h.texts = append(h.texts, text) }

func newClient(t *testing.T) (*kubernetes.Clientset, *heard) {
	config, warnings := kubeapitest.New(t, kubeapitest.Options{}).Config(), new(heard)
	config.ContentType, config.WarningHandler = "application/vnd.kubernetes.protobuf", warnings
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client, warnings
}

// newNamespace creates a namespace with labels of the plugin: pairs of the end of a key and a value.
func newNamespace(t *testing.T, client *kubernetes.Clientset, labels ...string) string {
	n, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "n-", Labels: labelled(labels...)}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	return n.Name
}

func labelled(pairs ...string) map[string]string {
	labels := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		labels["pod-security.kubernetes.io/"+pairs[i]] = pairs[i+1]
	}
	return labels
}

func pod(options ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	for _, o := range options {
		o(p)
	}
	return p
}

func privileged(p *corev1.Pod) {
	yes := true
	p.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: &yes}
}

func restricted(p *corev1.Pod) {
	yes, no := true, false
	p.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: &yes,
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	p.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{AllowPrivilegeEscalation: &no,
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
}

func TestNamespacesRestrictTheirPods(t *testing.T) {
	client, warnings := newClient(t)
	const isPrivileged = `privileged (container "c" must not set securityContext.privileged=true)`
	const isPlain = `allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ` +
		`unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ` +
		`runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ` +
		`seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`
	for _, c := range []struct {
		name    string
		labels  []string
		pod     *corev1.Pod
		refused string
		warned  []string
	}{
		{"no labels", nil, pod(privileged), "", nil},
		{"a plain Pod in a baseline namespace", []string{"enforce", "baseline"}, pod(), "", nil},
		{"a privileged Pod in a baseline namespace", []string{"enforce", "baseline"}, pod(privileged),
			`pods "a" is forbidden: violates PodSecurity "baseline:latest": ` + isPrivileged, nil},
		{"a plain Pod in a restricted namespace", []string{"enforce", "restricted", "enforce-version", "v1.30"}, pod(),
			`pods "a" is forbidden: violates PodSecurity "restricted:v1.30": ` + isPlain, nil},
		{"a restricted Pod", []string{"enforce", "restricted"}, pod(restricted), "", nil},
		{"a warning", []string{"warn", "baseline"}, pod(privileged), "",
			[]string{`would violate PodSecurity "baseline:latest": ` + isPrivileged}},
		{"stricter warnings", []string{"enforce", "baseline", "warn", "restricted"}, pod(), "",
			[]string{`would violate PodSecurity "restricted:latest": ` + isPlain}},
	} {
		t.Run(c.name, func(t *testing.T) {
			namespace := newNamespace(t, client, c.labels...)
			warnings.texts = nil
			_, err := client.CoreV1().Pods(namespace).Create(t.Context(), c.pod, metav1.CreateOptions{})
			if c.refused == "" {
				require.NoError(t, err)
			} else {
				require.True(t, apierrors.IsForbidden(err), "%v", err)
				assert.Equal(t, c.refused, err.Error())
			}
			assert.Equal(t, c.warned, warnings.texts)
		})
	}
}

func TestTemplatesAreWarnedOf(t *testing.T) {
	client, warnings := newClient(t)
	namespace := newNamespace(t, client, "enforce", "baseline")
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
		Spec: pod(privileged).Spec}
	want := []string{`would violate PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)`}

	_, err := client.AppsV1().Deployments(namespace).Create(t.Context(),
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"},
			Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: template.Labels}, Template: template}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, want, warnings.texts)

	warnings.texts = nil
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	_, err = client.BatchV1().CronJobs(namespace).Create(t.Context(),
		&batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "j"},
			Spec: batchv1.CronJobSpec{Schedule: "0 0 * * *",
				JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, want, warnings.texts)
}

func TestPoliciesChange(t *testing.T) {
	client, warnings := newClient(t)
	namespace := newNamespace(t, client)
	pods := client.CoreV1().Pods(namespace)
	p, err := pods.Create(t.Context(), pod(privileged), metav1.CreateOptions{})
	require.NoError(t, err)

	n, err := client.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
	require.NoError(t, err)
	n.Labels = labelled("enforce", "basic")
	_, err = client.CoreV1().Namespaces().Update(t.Context(), n, metav1.UpdateOptions{})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	assert.Contains(t, err.Error(),
		`metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "basic": must be one of privileged, baseline, restricted`)

	n.Labels = labelled("enforce", "baseline")
	_, err = client.CoreV1().Namespaces().Update(t.Context(), n, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{`existing pods in namespace "` + namespace +
		`" violate the new PodSecurity enforce level "baseline:latest"`, "a: privileged"}, warnings.texts)

	p.Labels = map[string]string{"a": "b"}
	p, err = pods.Update(t.Context(), p, metav1.UpdateOptions{})
	require.NoError(t, err, "nothing that is checked has changed")
	p.Spec.Containers[0].Image = "j"
	_, err = pods.Update(t.Context(), p, metav1.UpdateOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}
