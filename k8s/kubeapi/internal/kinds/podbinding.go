package kinds

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// bindingKey is the key of a context in which a write binds a Pod to a node.
type bindingKey struct{}

func isBinding(ctx context.Context) bool { return ctx.Value(bindingKey{}) != nil }

// legacyKey is the key of a context in which an object of the deprecated kind Binding binds a Pod.
type legacyKey struct{}

func isLegacyBinding(ctx context.Context) bool { return ctx.Value(legacyKey{}) != nil }

// podCheck is the Validate hook of Pods.
type podCheck = func(ctx context.Context, pod, old *corev1.Pod) (status.FieldErrors, error)

// allowingBinding returns the check of a Pod, which refuses another node unless the Pod is being assigned to it.
func allowingBinding(check podCheck) podCheck {
	return func(ctx context.Context, pod, old *corev1.Pod) (status.FieldErrors, error) {
		if old != nil && isBinding(ctx) {
			old = old.DeepCopy()
			old.Spec.NodeName = pod.Spec.NodeName
		}
		return check(ctx, pod, old)
	}
}

// bindings returns the subresource pods/binding, through which a scheduler assigns a Pod to a node. The node need not
// exist. The Prepare hook sets the status of a bound Pod, because the client that writes an object cannot.
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

func bind(ctx context.Context, pods rest.Client[corev1.Pod], pod *corev1.Pod, b *corev1.Binding) error {
	conflict := func(format string, args ...any) error {
		return status.Conflict(apimeta.GroupResource{Resource: "pods/binding"}, pod.Name, fmt.Sprintf(format, args...))
	}
	pods = pods.Namespace(pod.Namespace)
	_, err := pods.Modify(context.WithValue(ctx, bindingKey{}, true), pod.Name, func(pod *corev1.Pod) error {
		switch {
		case b.UID != "" && b.UID != pod.UID:
			return conflict("Precondition failed: UID in precondition: %v, UID in object meta: %v", b.UID, pod.UID)
		case b.ResourceVersion != "" && b.ResourceVersion != pod.ResourceVersion:
			return conflict("Precondition failed: ResourceVersion in precondition: %v, ResourceVersion in object meta: %v",
				b.ResourceVersion, pod.ResourceVersion)
		case pod.DeletionTimestamp != nil:
			return conflict("pod %s is being deleted, cannot be assigned to a host", pod.Name)
		case pod.Spec.NodeName != "":
			return conflict("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
		case len(pod.Spec.SchedulingGates) > 0:
			return conflict("pod %v has non-empty .spec.schedulingGates", pod.Name)
		}
		pod.Spec.NodeName = b.Target.Name
		pod.Annotations, pod.Labels = merged(pod.Annotations, b.Annotations), merged(pod.Labels, b.Labels)
		return nil
	})
	return err
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
