package kinds

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
)

// completing returns a hook that changes objects of a kind.
func completing[T any](name, resource string, operations []admission.Operation,
	complete func(ctx context.Context, obj *T) error) admission.Hook {
	return admission.Hook{Name: name, Operations: operations, Resources: []string{resource},
		SideEffects: admission.SideEffectsNone,
		Mutate: func(ctx context.Context, r *admission.Request) error {
			obj := new(T)
			if err := r.Object(obj); err != nil {
				return err
			}
			if err := complete(ctx, obj); err != nil {
				return err
			}
			return r.SetObject(obj)
		}}
}

// tolerateBriefly lets a Pod stay for some time on a node that is not ready or out of reach.
func (o PluginOptions) tolerateBriefly(_ context.Context, pod *corev1.Pod) error {
	for _, t := range []struct {
		key     string
		seconds *int64
	}{{corev1.TaintNodeNotReady, o.NotReadySeconds}, {corev1.TaintNodeUnreachable, o.UnreachableSeconds}} {
		tolerates := func(has corev1.Toleration) bool {
			return (has.Key == t.key || has.Key == "") && (has.Effect == corev1.TaintEffectNoExecute || has.Effect == "")
		}
		if slices.ContainsFunc(pod.Spec.Tolerations, tolerates) {
			continue
		}
		seconds := int64(300)
		if t.seconds != nil {
			seconds = *t.seconds
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: t.key,
			Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds})
	}
	return nil
}

// taintNode keeps Pods away from a new node until a controller finds out that it is ready.
func taintNode(_ context.Context, node *corev1.Node) error {
	notReady := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	if !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&notReady) }) {
		node.Spec.Taints = append(node.Spec.Taints, notReady)
	}
	return nil
}

// protect adds a finalizer that keeps an object until nothing uses it any more.
func protect(m *metav1.ObjectMeta, finalizer string) {
	if !slices.Contains(m.Finalizers, finalizer) {
		m.Finalizers = append(m.Finalizers, finalizer)
	}
}

// chooseStorageClass gives a claim the default StorageClass if it names none.
func chooseStorageClass(ctx context.Context, c *corev1.PersistentVolumeClaim) error {
	if _, named := c.Annotations[corev1.BetaStorageClassAnnotation]; named || c.Spec.StorageClassName != nil {
		return nil
	}
	class, err := defaultOf(ctx, func(s *storagev1.StorageClass) *metav1.ObjectMeta { return &s.ObjectMeta },
		"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
	if class != nil {
		c.Spec.StorageClassName = &class.Name
	}
	return err
}

// chooseIngressClass gives an Ingress the default IngressClass if it names none.
func chooseIngressClass(ctx context.Context, i *networkingv1.Ingress) error {
	if _, named := i.Annotations["kubernetes.io/ingress.class"]; named || i.Spec.IngressClassName != nil {
		return nil
	}
	class, err := defaultOf(ctx, func(c *networkingv1.IngressClass) *metav1.ObjectMeta { return &c.ObjectMeta },
		networkingv1.AnnotationIsDefaultIngressClass)
	if class != nil {
		i.Spec.IngressClassName = &class.Name
	}
	return err
}

// defaultOf returns the metadata of the class that an annotation marks as the default, or nil. The newest counts, then
// the first by name.
func defaultOf[T any](ctx context.Context, metadata func(*T) *metav1.ObjectMeta,
	annotations ...string) (found *metav1.ObjectMeta, err error) {
	classes, err := rest.ClientForHook[T](ctx)
	if err != nil {
		return nil, err
	}
	for class, err := range classes.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		m := metadata(class)
		if !slices.ContainsFunc(annotations, func(a string) bool { return m.Annotations[a] == "true" }) {
			continue
		}
		if found == nil || cmp.Or(found.CreationTimestamp.Compare(m.CreationTimestamp.Time),
			cmp.Compare(m.Name, found.Name)) < 0 {
			found = m
		}
	}
	return found, nil
}
