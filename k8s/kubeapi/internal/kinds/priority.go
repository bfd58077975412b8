package kinds

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// setPriority gives a new Pod the priority of its PriorityClass, or of the default class. Without either, the priority
// is 0. A stored Pod keeps its own, see preparePod.
func setPriority(ctx context.Context, pod *corev1.Pod) error {
	if !isNew(pod) {
		return nil
	}
	class, err := priorityClassOf(ctx, pod.Spec.PriorityClassName)
	if err != nil {
		return err
	}
	if pod.Spec.Priority != nil && *pod.Spec.Priority != class.Value {
		return fmt.Errorf("the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name",
			*pod.Spec.Priority, class.Value)
	}
	pod.Spec.PriorityClassName, pod.Spec.Priority = class.Name, &class.Value
	if class.PreemptionPolicy == nil {
		return nil
	}
	if pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy != *class.PreemptionPolicy {
		return fmt.Errorf("the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller computed %s from the given PriorityClass name",
			*pod.Spec.PreemptionPolicy, *class.PreemptionPolicy)
	}
	pod.Spec.PreemptionPolicy = class.PreemptionPolicy
	return nil
}

// priorityClassOf returns the PriorityClass with a name. Without a name it is the default class with the lowest value,
// or a class of priority 0 if no class is the default.
func priorityClassOf(ctx context.Context, name string) (*schedulingv1.PriorityClass, error) {
	classes, err := rest.ClientForHook[schedulingv1.PriorityClass](ctx)
	if err != nil {
		return nil, err
	}
	if name != "" {
		class, err := classes.Get(ctx, name)
		if status.IsNotFound(err) {
			err = fmt.Errorf("no PriorityClass with name %v was found", name)
		}
		return class, err
	}
	found, err := defaultPriority(ctx, classes)
	if err == nil && found == nil {
		preempt := corev1.PreemptLowerPriority
		found = &schedulingv1.PriorityClass{PreemptionPolicy: &preempt}
	}
	return found, err
}

// defaultPriority returns the default class, or nil. If there are several, it returns the one with the lowest value.
func defaultPriority(ctx context.Context,
	classes rest.Client[schedulingv1.PriorityClass]) (found *schedulingv1.PriorityClass, err error) {
	for class, err := range classes.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		if class.GlobalDefault && (found == nil || class.Value < found.Value) {
			found = class
		}
	}
	return found, nil
}

// permitDefaultPriority refuses a second default class.
func permitDefaultPriority(ctx context.Context, r *admission.Request) error {
	var class schedulingv1.PriorityClass
	if err := r.Object(&class); err != nil || !class.GlobalDefault {
		return err
	}
	classes, err := rest.ClientForHook[schedulingv1.PriorityClass](ctx)
	if err != nil {
		return err
	}
	found, err := defaultPriority(ctx, classes)
	if err != nil || found == nil || r.Operation == admission.Update && found.Name == class.Name {
		return err
	}
	return fmt.Errorf("PriorityClass %s is already marked as default. Only one default can exist", found.Name)
}
