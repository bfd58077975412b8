package kinds

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// useRuntimeClass gives a new Pod the overhead of its RuntimeClass, and lets it run only on nodes that have the
// runtime.
func useRuntimeClass(ctx context.Context, pod *corev1.Pod) error {
	if !isNew(pod) {
		return nil
	}
	var class nodev1.RuntimeClass
	if name := pod.Spec.RuntimeClassName; name != nil {
		classes, err := rest.ClientForHook[nodev1.RuntimeClass](ctx)
		if err != nil {
			return err
		}
		found, err := classes.Get(ctx, *name)
		if status.IsNotFound(err) {
			return fmt.Errorf("pod rejected: RuntimeClass %q not found", *name)
		}
		if err != nil {
			return err
		}
		class = *found
	}
	switch overhead := pod.Spec.Overhead; {
	case class.Overhead == nil && overhead != nil:
		return errors.New("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
	case class.Overhead != nil && len(overhead) > 0 && !equality.Semantic.DeepEqual(class.Overhead.PodFixed, overhead):
		return errors.New("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
	case class.Overhead != nil:
		pod.Spec.Overhead = class.Overhead.PodFixed
	}
	if class.Scheduling == nil {
		return nil
	}
	for key, value := range class.Scheduling.NodeSelector {
		if own, ok := pod.Spec.NodeSelector[key]; ok && own != value {
			return fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key,
				value, key, own)
		}
	}
	pod.Spec.NodeSelector = merged(pod.Spec.NodeSelector, class.Scheduling.NodeSelector)
	pod.Spec.Tolerations = withTolerations(pod.Spec.Tolerations, class.Scheduling.Tolerations)
	return nil
}

// withTolerations returns the tolerations of both lists, without those that another one includes.
func withTolerations(list, more []corev1.Toleration) (merged []corev1.Toleration) {
	all := append(list[:len(list):len(list)], more...)
	for i, t := range all {
		redundant := false
		for k, other := range all {
			same := equality.Semantic.DeepEqual(t, other)
			redundant = redundant || k != i && includes(other, t) && (!same || k < i)
		}
		if !redundant {
			merged = append(merged, t)
		}
	}
	return merged
}

// includes reports whether a toleration tolerates every taint that another one tolerates, and for as long.
func includes(wide, narrow corev1.Toleration) bool {
	if equality.Semantic.DeepEqual(wide, narrow) {
		return true
	}
	switch {
	case narrow.Key != wide.Key && (wide.Key != "" || wide.Operator != corev1.TolerationOpExists):
		return false
	case narrow.Effect != wide.Effect && wide.Effect != "":
		return false
	case wide.Effect == corev1.TaintEffectNoExecute && wide.TolerationSeconds != nil:
		if narrow.TolerationSeconds == nil || *narrow.TolerationSeconds > *wide.TolerationSeconds {
			return false
		}
	}
	if wide.Operator == corev1.TolerationOpExists {
		return true
	}
	equal := func(t corev1.Toleration) bool { return t.Operator == corev1.TolerationOpEqual || t.Operator == "" }
	return equal(wide) && equal(narrow) && narrow.Value == wide.Value
}
