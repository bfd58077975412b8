package kinds

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// bindingKey is the key of the Binding in the context of a write that binds a Pod to a node.
type bindingKey struct{}

// bindingOf returns the Binding that a write carries out, or nil.
func bindingOf(ctx context.Context) *corev1.Binding {
	b, _ := ctx.Value(bindingKey{}).(*corev1.Binding)
	return b
}

// legacyKey is the key of a context in which an object of the deprecated kind Binding binds a Pod.
type legacyKey struct{}

func isLegacyBinding(ctx context.Context) bool { return ctx.Value(legacyKey{}) != nil }

// podCheck is the Validate hook of Pods.
type podCheck = func(ctx context.Context, pod, old *corev1.Pod) (status.FieldErrors, error)

// allowingBinding returns the check of a Pod, which refuses another node unless the Pod is being assigned to it.
func allowingBinding(check podCheck) podCheck {
	return func(ctx context.Context, pod, old *corev1.Pod) (status.FieldErrors, error) {
		if old != nil && bindingOf(ctx) != nil {
			old = old.DeepCopy()
			old.Spec.NodeName = pod.Spec.NodeName
		}
		return check(ctx, pod, old)
	}
}

// bindings returns the subresource pods/binding, through which a scheduler assigns a Pod to a node. The node need not
// exist.
func bindings() rest.SubresourceOf[corev1.Pod] {
	return rest.Subresource[corev1.Pod, corev1.Binding]{
		Name: "binding", Version: "v1", Kind: "Binding", Check: checkBinding,
		Create: func(ctx context.Context, pod *corev1.Pod, b *corev1.Binding) (*corev1.Binding, error) {
			pods, err := rest.ClientForHook[corev1.Pod](ctx)
			if err != nil {
				return nil, err
			}
			return nil, bind(ctx, pods, pod, b)
		},
		CreateDryRun: func(ctx context.Context, pod *corev1.Pod, b *corev1.Binding) (*corev1.Binding, error) {
			pods, err := rest.ClientForHook[corev1.Pod](ctx)
			if err != nil {
				return nil, err
			}
			return nil, bind(ctx, pods.DryRun(), pod, b)
		},
	}
}

// checkBinding refuses a binding that does not name its Pod, or whose target cannot be a node. kube-apiserver answers
// 500 for such a target, although the client made the mistake.
func checkBinding(name string, b *corev1.Binding) error {
	if b.Name != name {
		return status.BadRequest("name in URL does not match name in Binding object")
	}
	var errs status.FieldErrors
	isNode := b.Target.Kind == "" || b.Target.Kind == "Node"
	if !isNode {
		errs = append(errs, status.NotSupportedField(status.NewPath("target", "kind"), b.Target.Kind,
			[]string{"Node", "<empty>"}))
	}
	at := status.NewPath("target", "name")
	if b.Target.Name == "" {
		errs = append(errs, status.RequiredField(at, ""))
	} else if isNode {
		for _, message := range validation.NameIsDNSSubdomain(b.Target.Name, false) {
			errs = append(errs, status.InvalidField(at, b.Target.Name, message))
		}
	}
	if len(errs) > 0 {
		return status.Invalid(apimeta.GroupKind{Kind: "Binding"}, name, errs)
	}
	return nil
}

// legacyBindings returns the kind Binding, whose creation does the same as the subresource.
func legacyBindings() rest.Resource[corev1.Binding] {
	return rest.Resource[corev1.Binding]{Version: "v1", Plural: "bindings",
		Wire:    rest.Wire{Dialect: rest.DialectBuiltin, AnswerStatus: true},
		Overlay: map[string]string{"k8s.io/api/core/v1.Binding.target": "publishRequired"},
		Hooks: rest.Hooks[corev1.Binding]{
			Call: func(ctx context.Context, b *corev1.Binding) error {
				pods, err := rest.ClientForHook[corev1.Pod](ctx)
				if err != nil {
					return err
				}
				return bindNamed(ctx, pods, b)
			},
			CallDryRun: func(ctx context.Context, b *corev1.Binding) error {
				pods, err := rest.ClientForHook[corev1.Pod](ctx)
				if err != nil {
					return err
				}
				return bindNamed(ctx, pods.DryRun(), b)
			},
		}}
}

// bindNamed binds the Pod whose name and namespace an object of the kind Binding has.
func bindNamed(ctx context.Context, pods rest.Client[corev1.Pod], b *corev1.Binding) error {
	if err := checkBinding(b.Name, b); err != nil {
		return err
	}
	pod, err := pods.Namespace(b.Namespace).Get(ctx, b.Name)
	if err != nil {
		return err
	}
	return bind(context.WithValue(ctx, legacyKey{}, true), pods, pod, b)
}

// bind assigns a Pod to a node. The Prepare hook changes the Pod, so no client owns the changes: kube-apiserver does not
// record the owners of a binding.
func bind(ctx context.Context, pods rest.Client[corev1.Pod], pod *corev1.Pod, b *corev1.Binding) error {
	conflict := func(format string, args ...any) error {
		return status.Conflict(apimeta.GroupResource{Resource: "pods/binding"}, pod.Name, fmt.Sprintf(format, args...))
	}
	pods, b = pods.Namespace(pod.Namespace), b.DeepCopy() // a plug-in changes the labels of the Binding
	_, err := pods.Modify(context.WithValue(ctx, bindingKey{}, b), pod.Name, func(pod *corev1.Pod) error {
		switch {
		case b.UID != "" && b.UID != pod.UID:
			return failedBinding(pod, "UID", string(b.UID), string(pod.UID))
		case b.ResourceVersion != "" && b.ResourceVersion != pod.ResourceVersion:
			return failedBinding(pod, "ResourceVersion", b.ResourceVersion, pod.ResourceVersion)
		case pod.DeletionTimestamp != nil:
			return conflict("pod %s is being deleted, cannot be assigned to a host", pod.Name)
		case pod.Spec.NodeName != "":
			return conflict("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
		case len(pod.Spec.SchedulingGates) > 0:
			return conflict("pod %v has non-empty .spec.schedulingGates", pod.Name)
		}
		claimNothing(&pod.ObjectMeta)
		return nil
	})
	return err
}

// failedBinding returns the error for a precondition of a binding that its Pod does not meet. kube-apiserver names the
// key of the Pod in its store.
func failedBinding(pod *corev1.Pod, what, wanted, found string) error {
	return status.Conflict(apimeta.GroupResource{Resource: "pods"}, pod.Name,
		fmt.Sprintf("StorageError: invalid object, Code: 4, Key: /registry/pods/%s/%s, ResourceVersion: 0, "+
			"AdditionalErrorMsg: Precondition failed: %s in precondition: %s, %[3]s in object meta: %[5]s",
			pod.Namespace, pod.Name, what, wanted, found))
}

// claimNothing changes managedFields in a way that the server ignores. Without any change, a write would end before the
// Prepare hook runs.
func claimNothing(m *metav1.ObjectMeta) {
	switch {
	case len(m.ManagedFields) == 0:
		m.ManagedFields = []metav1.ManagedFieldsEntry{{}} // an empty entry resets the entries of a Pod without any
	case m.ManagedFields[0].Time == nil:
		m.ManagedFields[0].Time = &metav1.Time{Time: m.CreationTimestamp.Time}
	default:
		m.ManagedFields[0].Time = nil
	}
}

// assign changes a Pod as a Binding asks for.
func assign(pod *corev1.Pod, b *corev1.Binding) {
	pod.Spec.NodeName = b.Target.Name
	pod.Annotations, pod.Labels = merged(pod.Annotations, b.Annotations), merged(pod.Labels, b.Labels)
	pod.Status.NominatedNodeName = ""
	setPodCondition(&pod.Status, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
}

// merged returns a map with the entries of another one added. It does not change its arguments.
func merged(m, more map[string]string) map[string]string {
	if len(more) == 0 {
		return m
	}
	out := maps.Clone(m)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, more)
	return out
}
