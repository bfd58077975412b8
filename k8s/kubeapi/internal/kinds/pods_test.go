package kinds_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// pod returns a Pod with one container, changed by options.
func pod(name string, options ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: named(name),
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{Name: "c", Image: "image"}}}}
	*p.Spec.TerminationGracePeriodSeconds = 30
	for _, o := range options {
		o(p)
	}
	return p
}

func onNode(p *corev1.Pod) { p.Spec.NodeName = "n" }

func resources(list ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(list); i += 2 {
		out[corev1.ResourceName(list[i])] = resource.MustParse(list[i+1])
	}
	return out
}

func withResources(requests, limits corev1.ResourceList) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: requests, Limits: limits}
	}
}

// inPhase gives a stored Pod a phase, as a kubelet would.
func inPhase(t *testing.T, pods corev1client.PodInterface, p *corev1.Pod, phase corev1.PodPhase) *corev1.Pod {
	p.Status.Phase = phase
	return must[*corev1.Pod](t)(pods.UpdateStatus(t.Context(), p, metav1.UpdateOptions{}))
}

func TestNewPodsHaveTheirFirstStatus(t *testing.T) {
	client, full := clientOf(t, newAPI(t)), resources("cpu", "1", "memory", "1Gi")
	running := func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }
	gated := func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "g"}} }
	for _, c := range []struct {
		name    string
		pod     *corev1.Pod
		class   corev1.PodQOSClass
		reasons []string
	}{
		{"nothing", pod("a", running), corev1.PodQOSBestEffort, nil},
		{"requests", pod("a", withResources(full, nil)), corev1.PodQOSBurstable, nil},
		{"limits of one resource", pod("a", withResources(resources("cpu", "1"), resources("cpu", "1"))),
			corev1.PodQOSBurstable, nil},
		{"limits above the requests", pod("a", withResources(full, resources("cpu", "2", "memory", "1Gi"))),
			corev1.PodQOSBurstable, nil},
		{"equal limits", pod("a", withResources(full, full)), corev1.PodQOSGuaranteed, nil},
		{"a gate", pod("a", gated), corev1.PodQOSBestEffort, []string{"SchedulingGated"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := must[*corev1.Pod](t)(client.CoreV1().Pods(newNamespace(t, client)).Create(t.Context(), c.pod,
				metav1.CreateOptions{}))
			assert.Equal(t, corev1.PodPending, p.Status.Phase)
			assert.Equal(t, c.class, p.Status.QOSClass)
			assert.EqualValues(t, 1, p.Generation)
			var reasons []string
			for _, condition := range p.Status.Conditions {
				reasons = append(reasons, condition.Reason)
			}
			assert.Equal(t, c.reasons, reasons)
		})
	}
}

func TestUpdatesOfPodsChangeOnlyAFewFields(t *testing.T) {
	client := clientOf(t, newAPI(t))
	deadline := func(seconds int64) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = &seconds }
	}
	tolerating := func(key string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
		}
	}
	for _, c := range []struct {
		name   string
		before func(*corev1.Pod)
		change func(*corev1.Pod)
		want   string
	}{
		{"an image", nil, func(p *corev1.Pod) { p.Spec.Containers[0].Image = "other" }, ""},
		{"a label", nil, func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }, ""},
		{"a new deadline", nil, deadline(5), ""},
		{"a shorter deadline", deadline(9), deadline(5), ""},
		{"a longer deadline", deadline(5), deadline(9),
			"spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to previous value"},
		{"another toleration", tolerating("a"), tolerating("b"), ""},
		{"a lost toleration", tolerating("a"), func(p *corev1.Pod) { p.Spec.Tolerations = nil },
			"spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"},
		{"a node", nil, onNode, "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`"},
		{"a command", nil, func(p *corev1.Pod) { p.Spec.Containers[0].Command = []string{"x"} },
			"spec: Forbidden: pod updates may not change fields other than"},
		{"another container", nil, func(p *corev1.Pod) {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "d", Image: "i"})
		}, "spec.containers: Forbidden: pod updates may not add or remove containers"},
		{"an opened gate", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "g"}} },
			func(p *corev1.Pod) { p.Spec.SchedulingGates = nil }, ""},
		{"a new gate", nil, func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "g"}} },
			"spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pods := client.CoreV1().Pods(newNamespace(t, client))
			p := pod("a")
			if c.before != nil {
				c.before(p)
			}
			p = must[*corev1.Pod](t)(pods.Create(t.Context(), p, metav1.CreateOptions{}))
			c.change(p)
			_, err := pods.Update(t.Context(), p, metav1.UpdateOptions{})
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assertRefused(t, err, 422, c.want)
			}
		})
	}
}

func TestDeletedPodsStayWhileTheirNodeStopsThem(t *testing.T) {
	client := clientOf(t, newAPI(t))
	now, shorter := int64(0), int64(5)
	for _, c := range []struct {
		name    string
		pod     *corev1.Pod
		phase   corev1.PodPhase
		options metav1.DeleteOptions
		stays   int64 // the seconds that it stays
	}{
		{"without a node", pod("a"), corev1.PodPending, metav1.DeleteOptions{}, 0},
		{"on a node", pod("a", onNode), corev1.PodRunning, metav1.DeleteOptions{}, 30},
		{"on a node, shorter", pod("a", onNode), corev1.PodRunning, metav1.DeleteOptions{GracePeriodSeconds: &shorter}, 5},
		{"on a node, by force", pod("a", onNode), corev1.PodRunning, metav1.DeleteOptions{GracePeriodSeconds: &now}, 0},
		{"ended", pod("a", onNode), corev1.PodSucceeded, metav1.DeleteOptions{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			pods := client.CoreV1().Pods(newNamespace(t, client))
			inPhase(t, pods, must[*corev1.Pod](t)(pods.Create(t.Context(), c.pod, metav1.CreateOptions{})), c.phase)
			require.NoError(t, pods.Delete(t.Context(), "a", c.options))
			p, err := pods.Get(t.Context(), "a", metav1.GetOptions{})
			if c.stays == 0 {
				assert.True(t, apierrors.IsNotFound(err), "%v", err)
				return
			}
			require.NoError(t, err)
			assert.NotNil(t, p.DeletionTimestamp)
			assert.Equal(t, c.stays, *p.DeletionGracePeriodSeconds)
		})
	}
}

func TestBindingsAssignPodsToNodes(t *testing.T) {
	binding := func(uid types.UID) *corev1.Binding {
		return &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: namespace, UID: uid,
			Annotations: map[string]string{"by": "scheduler"}}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}
	}
	api := newAPI(t)
	pods := clientOf(t, api).CoreV1().Pods(namespace)
	created := must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a"), metav1.CreateOptions{}))
	events := must[watch.Interface](t)(pods.Watch(t.Context(),
		metav1.ListOptions{ResourceVersion: created.ResourceVersion}))
	defer events.Stop()

	err := pods.Bind(t.Context(), binding("other"), metav1.CreateOptions{})
	assertRefused(t, err, 409, "Precondition failed: UID in precondition: other")
	require.NoError(t, pods.Bind(t.Context(), binding(""), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}))
	require.NoError(t, pods.Bind(t.Context(), binding(""), metav1.CreateOptions{}))

	p := must[*corev1.Pod](t)(pods.Get(t.Context(), "a", metav1.GetOptions{}))
	assert.Equal(t, "n", p.Spec.NodeName)
	assert.Equal(t, "scheduler", p.Annotations["by"])
	require.Len(t, p.Status.Conditions, 1)
	assert.Equal(t, corev1.PodScheduled, p.Status.Conditions[0].Type)
	assert.Equal(t, corev1.ConditionTrue, p.Status.Conditions[0].Status)
	assert.EqualValues(t, 1, p.Generation)
	assert.Equal(t, created.ManagedFields, p.ManagedFields, "a binding adds no owner")
	assert.Equal(t, p, (<-events.ResultChan()).Object, "a binding is one event")

	err = pods.Bind(t.Context(), binding(""), metav1.CreateOptions{})
	assertRefused(t, err, 409, `Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n"`)
	_, err = clientOf(t, api).CoreV1().RESTClient().Post().Namespace(namespace).Resource("bindings").Body(binding("")).Do(t.Context()).Raw()
	assertRefused(t, err, 409, "")
	unowned := pod("a")
	unowned.Name, unowned.ManagedFields = "unowned", []metav1.ManagedFieldsEntry{{}}
	must[*corev1.Pod](t)(pods.Create(t.Context(), pod("unowned"), metav1.CreateOptions{}))
	must[*corev1.Pod](t)(pods.Update(t.Context(), unowned, metav1.UpdateOptions{}))
	second := binding("")
	second.Name = "unowned"
	require.NoError(t, pods.Bind(t.Context(), second, metav1.CreateOptions{}))
	p = must[*corev1.Pod](t)(pods.Get(t.Context(), "unowned", metav1.GetOptions{}))
	assert.Equal(t, "n", p.Spec.NodeName)
	assert.Empty(t, p.ManagedFields, "a client has reset them")

	broken := binding("")
	broken.Target = corev1.ObjectReference{Kind: "Shelf"}
	err = pods.Bind(t.Context(), broken, metav1.CreateOptions{})
	assertRefused(t, err, 422, "target.name: Required value")
}

// TestBindingIsAnsweredWithStatus is about the deprecated way to bind a Pod.
func TestBindingIsAnsweredWithStatus(t *testing.T) {
	client := clientOf(t, newAPI(t)).CoreV1()
	must[*corev1.Pod](t)(client.Pods(namespace).Create(t.Context(), pod("a"), metav1.CreateOptions{}))
	bind := func(name string, options ...string) rest.Result {
		r := client.RESTClient().Post().Namespace(namespace).Resource("bindings").SetHeader("Accept", "application/json")
		for _, dryRun := range options {
			r.Param("dryRun", dryRun)
		}
		return r.Body(&corev1.Binding{ObjectMeta: named(name), Target: corev1.ObjectReference{Name: "n"}}).Do(t.Context())
	}
	nodeOf := func() string {
		return must[*corev1.Pod](t)(client.Pods(namespace).Get(t.Context(), "a", metav1.GetOptions{})).Spec.NodeName
	}
	assertRefused(t, bind("absent").Error(), 404, `pods "absent" not found`)
	require.NoError(t, bind("a", metav1.DryRunAll).Error())
	assert.Empty(t, nodeOf())
	var code int
	bound := bind("a")
	text, err := bound.StatusCode(&code).Raw()
	require.NoError(t, err)
	assert.Equal(t, 201, code)
	assert.JSONEq(t, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`, string(text))
	assert.Equal(t, "n", nodeOf())
}

func TestEvictionsRespectBudgets(t *testing.T) {
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}
	client, always := clientOf(t, newAPI(t)), policyv1.AlwaysAllow
	unseen := map[string]metav1.Time{}
	for i := range 2001 {
		unseen[fmt.Sprintf("p%d", i)] = metav1.Now()
	}
	for _, c := range []struct {
		name    string
		phase   corev1.PodPhase
		ready   bool
		budgets int
		policy  *policyv1.UnhealthyPodEvictionPolicyType
		status  policyv1.PodDisruptionBudgetStatus
		code    int32
		want    string
	}{
		{"no budget", corev1.PodRunning, true, 0, nil, policyv1.PodDisruptionBudgetStatus{}, 0, ""},
		{"an allowed disruption", corev1.PodRunning, true, 1, nil,
			policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: 1, CurrentHealthy: 3,
				DesiredHealthy: 2}, 0, ""},
		{"too few are healthy", corev1.PodRunning, true, 1, nil,
			policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, CurrentHealthy: 2, DesiredHealthy: 2}, 429,
			"The disruption budget b0 needs 2 healthy pods and has 2 currently"},
		{"too many deletions that the controller has not seen", corev1.PodRunning, true, 1, nil,
			policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: 1, DisruptedPods: unseen}, 403,
			"Type:DisruptionBudget,Message:The disruption budget b0 does not allow evicting pods currently: " +
				"too many pending evictions not confirmed by PDB controller"},
		{"an unknown state", corev1.PodRunning, true, 1, nil, policyv1.PodDisruptionBudgetStatus{}, 429,
			"The disruption budget b0 is still being processed by the server."},
		{"a Pod that is not ready", corev1.PodRunning, false, 1, &always,
			policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1}, 0, ""},
		{"a Pod that is not ready, of a healthy application", corev1.PodRunning, false, 1, nil,
			policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, CurrentHealthy: 2, DesiredHealthy: 2}, 0, ""},
		{"a Pod that does not run yet", corev1.PodPending, false, 1, nil, policyv1.PodDisruptionBudgetStatus{}, 0, ""},
		{"a Pod that has ended", corev1.PodFailed, false, 1, nil, policyv1.PodDisruptionBudgetStatus{}, 0, ""},
		{"two budgets", corev1.PodRunning, true, 2, nil, policyv1.PodDisruptionBudgetStatus{}, 500,
			"This pod has more than one PodDisruptionBudget"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ns := newNamespace(t, client)
			pods, budgets := client.CoreV1().Pods(ns), client.PolicyV1().PodDisruptionBudgets(ns)
			p := pod("a")
			p.Labels = map[string]string{"app": "a"}
			p = must[*corev1.Pod](t)(pods.Create(t.Context(), p, metav1.CreateOptions{}))
			if c.ready {
				p.Status.Conditions = []corev1.PodCondition{ready}
			}
			inPhase(t, pods, p, c.phase)
			for i := range c.budgets {
				b := &policyv1.PodDisruptionBudget{ObjectMeta: named(fmt.Sprintf("b%d", i)), Spec: policyv1.PodDisruptionBudgetSpec{
					Selector: &metav1.LabelSelector{MatchLabels: p.Labels}, UnhealthyPodEvictionPolicy: c.policy}}
				b = must[*policyv1.PodDisruptionBudget](t)(budgets.Create(t.Context(), b, metav1.CreateOptions{}))
				b.Status = c.status
				must[*policyv1.PodDisruptionBudget](t)(budgets.UpdateStatus(t.Context(), b, metav1.UpdateOptions{}))
			}
			evict := func(dryRun ...string) error {
				return client.CoreV1().RESTClient().Post().Namespace(ns).Resource("pods").Name("a").SubResource("eviction").MaxRetries(0).
					Body(&policyv1.Eviction{ObjectMeta: named("a"),
						DeleteOptions: &metav1.DeleteOptions{DryRun: dryRun}}).Do(t.Context()).Error()
			}
			for _, err := range []error{evict(metav1.DryRunAll), evict()} {
				if c.code == 0 {
					assert.NoError(t, err)
					continue
				}
				var status apierrors.APIStatus
				require.ErrorAs(t, err, &status)
				assert.Equal(t, c.code, status.Status().Code)
				assert.Contains(t, fmt.Sprint(status.Status().Message, status.Status().Details), c.want)
			}
			_, err := pods.Get(t.Context(), "a", metav1.GetOptions{})
			assert.Equal(t, c.code == 0, apierrors.IsNotFound(err), "%v", err)
			if c.code == 0 && c.status.DisruptionsAllowed > 0 {
				b := must[*policyv1.PodDisruptionBudget](t)(budgets.Get(t.Context(), "b0", metav1.GetOptions{}))
				assert.EqualValues(t, c.status.DisruptionsAllowed-1, b.Status.DisruptionsAllowed)
				assert.Contains(t, b.Status.DisruptedPods, "a")
			}
		})
	}
}

func TestPartsOfPods(t *testing.T) {
	client, full := clientOf(t, newAPI(t)), resources("cpu", "1", "memory", "1Gi")
	debugger := corev1.EphemeralContainer{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "d",
		Image: "debug"}}
	create := func(t *testing.T) (corev1client.PodInterface, *corev1.Pod) {
		pods := client.CoreV1().Pods(newNamespace(t, client))
		return pods, must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a", withResources(full, nil)),
			metav1.CreateOptions{}))
	}
	t.Run("ephemeralcontainers", func(t *testing.T) {
		pods, p := create(t)
		p.Spec.EphemeralContainers = append(p.Spec.EphemeralContainers, debugger)
		p.Spec.Containers[0].Image, p.Labels = "other", map[string]string{"a": "b"}
		p = must[*corev1.Pod](t)(pods.UpdateEphemeralContainers(t.Context(), "a", p, metav1.UpdateOptions{}))
		assert.Len(t, p.Spec.EphemeralContainers, 1)
		assert.Equal(t, "image", p.Spec.Containers[0].Image)
		assert.Empty(t, p.Labels)
		assert.EqualValues(t, 2, p.Generation)

		p = must[*corev1.Pod](t)(pods.Patch(t.Context(), "a", types.StrategicMergePatchType,
			[]byte(`{"spec":{"ephemeralContainers":[{"name":"e","image":"debug"}]}}`), metav1.PatchOptions{},
			"ephemeralcontainers"))
		assert.Len(t, p.Spec.EphemeralContainers, 2)

		p.Spec.EphemeralContainers = nil
		_, err := pods.UpdateEphemeralContainers(t.Context(), "a", p, metav1.UpdateOptions{})
		assertRefused(t, err, 422, `spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed`)
	})
	t.Run("resize", func(t *testing.T) {
		pods, p := create(t)
		p.Spec.Containers[0].Image, p.Spec.Containers[0].Resources.Requests = "other", resources("cpu", "2", "memory", "1Gi")
		p = must[*corev1.Pod](t)(pods.UpdateResize(t.Context(), "a", p, metav1.UpdateOptions{}))
		assert.Equal(t, "image", p.Spec.Containers[0].Image)
		assert.Equal(t, "2", p.Spec.Containers[0].Resources.Requests.Cpu().String())

		p.Spec.Containers[0].Resources.Requests = nil
		_, err := pods.UpdateResize(t.Context(), "a", p, metav1.UpdateOptions{})
		assertRefused(t, err, 422, "Pod QOS Class may not change as a result of resizing")
	})
	t.Run("status", func(t *testing.T) {
		pods, p := create(t)
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIPs: []corev1.PodIP{{IP: "10.1.0.1"}}}
		p.Spec.Containers[0].Image = "other"
		p = must[*corev1.Pod](t)(pods.UpdateStatus(t.Context(), p, metav1.UpdateOptions{}))
		assert.Equal(t, "10.1.0.1", p.Status.PodIP)
		assert.Equal(t, corev1.PodQOSBurstable, p.Status.QOSClass)
		assert.Equal(t, "image", p.Spec.Containers[0].Image)
	})
}

func TestNothingRunsInPods(t *testing.T) {
	api := newAPI(t)
	client := clientOf(t, api)
	pods := client.CoreV1().Pods(namespace)
	must[*corev1.Pod](t)(pods.Create(t.Context(), pod("waiting"), metav1.CreateOptions{}))
	must[*corev1.Pod](t)(pods.Create(t.Context(), pod("lost", onNode), metav1.CreateOptions{}))
	for _, c := range []struct {
		name, pod, subresource string
		code                   int32
		want                   string
	}{
		{"exec without a node", "waiting", "exec", 400, "pod waiting does not have a host assigned"},
		{"attach without a node", "waiting", "attach", 400, "pod waiting does not have a host assigned"},
		{"portforward without a node", "waiting", "portforward", 400, "pod waiting does not have a host assigned"},
		{"exec on a node that does not exist", "lost", "exec", 404, `nodes "n" not found`},
		{"proxy", "lost", "proxy", 503, "this API has no kubelets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := client.CoreV1().RESTClient().Post().Namespace(namespace).Resource("pods").Name(c.pod).SubResource(c.subresource).
				SetHeader("Upgrade", "websocket").SetHeader("Connection", "Upgrade").SetHeader("Sec-WebSocket-Version", "13").
				SetHeader("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==").
				Param("command", "ls").Param("container", "c").Param("stdout", "true").Param("ports", "80").Do(t.Context()).Error()
			assertRefused(t, err, c.code, c.want)
		})
	}
	log := must[[]byte](t)(pods.GetLogs("waiting", &corev1.PodLogOptions{}).DoRaw(t.Context()))
	assert.Empty(t, log)
	_, err := pods.GetLogs("waiting", &corev1.PodLogOptions{Container: "x"}).DoRaw(t.Context())
	assertRefused(t, err, 400, "")
}
