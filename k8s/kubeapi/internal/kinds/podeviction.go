package kinds

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// evictions returns the subresource pods/eviction, which deletes a Pod if its PodDisruptionBudget allows that.
func evictions() rest.SubresourceOf[corev1.Pod] {
	return rest.Subresource[corev1.Pod, policyv1.Eviction]{
		Name: "eviction", Group: "policy", Version: "v1", Kind: "Eviction",
		Accepts: []apimeta.GroupVersion{{Group: "policy", Version: "v1beta1"}},
		Check:   checkEviction,
		Create: func(ctx context.Context, pod *corev1.Pod, e *policyv1.Eviction) (*policyv1.Eviction, error) {
			return nil, evict(ctx, pod, e, false)
		},
		CreateDryRun: func(ctx context.Context, pod *corev1.Pod, e *policyv1.Eviction) (*policyv1.Eviction, error) {
			return nil, evict(ctx, pod, e, true)
		},
	}
}

// checkEviction refuses an eviction that does not name its Pod, so an empty body evicts nothing.
func checkEviction(name string, e *policyv1.Eviction) error {
	if e.Name != name {
		return status.BadRequest("name in URL does not match name in Eviction object")
	}
	if o := e.DeleteOptions; o != nil && o.IgnoreStoreReadErrorWithClusterBreakingPotential != nil &&
		*o.IgnoreStoreReadErrorWithClusterBreakingPotential {
		return status.Invalid(apimeta.GroupKind{Group: "policy", Kind: "Eviction"}, name, status.FieldErrors{
			status.InvalidField(status.NewPath("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential"), true,
				"can not be set for pod eviction, try after removing the option")})
	}
	return nil
}

// evict deletes a Pod. A Pod that does not run yet or any more may always be deleted, and so may one that is not ready
// if the application has enough that are. Every other Pod needs a disruption that its budget allows.
func evict(ctx context.Context, pod *corev1.Pod, e *policyv1.Eviction, dryRun bool) error {
	options := e.DeleteOptions
	if options == nil {
		options = &metav1.DeleteOptions{}
	}
	dryRun = dryRun || len(options.DryRun) > 0
	ending := podEnded(pod) || pod.DeletionTimestamp != nil
	if ending || pod.Status.Phase == corev1.PodPending {
		return deleteEvicted(ctx, pod, options, dryRun, !ending)
	}
	budget, err := budgetOf(ctx, pod)
	if err != nil {
		return err
	}
	if budget == nil {
		return deleteEvicted(ctx, pod, options, dryRun, false)
	}
	if unhealthyMayGo(pod, budget) {
		if err = deleteEvicted(ctx, pod, options, dryRun, true); status.IsConflict(err) && asksForVersion(options) == "" {
			return refusedEviction(10, "The disruption budget %s is still being processed by the server.", budget.Name)
		}
		return err
	}
	if err := takeDisruption(ctx, pod, budget, dryRun); err != nil {
		return err
	}
	return deleteEvicted(ctx, pod, options, dryRun, false)
}

// budgetOf returns the PodDisruptionBudget that selects a Pod, or nil.
func budgetOf(ctx context.Context, pod *corev1.Pod) (found *policyv1.PodDisruptionBudget, err error) {
	budgets, err := rest.ClientForHook[policyv1.PodDisruptionBudget](ctx)
	if err != nil {
		return nil, err
	}
	for b, err := range budgets.Namespace(pod.Namespace).All(ctx, rest.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err != nil || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		if found != nil {
			return nil, status.Generic(500,
				"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
		}
		found = b
	}
	return found, nil
}

// unhealthyMayGo reports whether a Pod may be deleted at no cost to its budget because it is not ready.
func unhealthyMayGo(pod *corev1.Pod, b *policyv1.PodDisruptionBudget) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return false
		}
	}
	always := b.Spec.UnhealthyPodEvictionPolicy != nil && *b.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow
	return always || b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0
}

// takeDisruption takes one of the disruptions that a budget allows, and records in the budget which Pod it is for.
func takeDisruption(ctx context.Context, pod *corev1.Pod, budget *policyv1.PodDisruptionBudget, dryRun bool) error {
	budgets, err := rest.ClientForHook[policyv1.PodDisruptionBudget](ctx)
	if err != nil {
		return err
	}
	budgets = budgets.Namespace(pod.Namespace)
	if dryRun {
		budgets = budgets.DryRun()
	}
	_, err = budgets.ModifyStatus(ctx, budget.Name, func(b *policyv1.PodDisruptionBudget) error {
		if err := checkDisruption(b); err != nil {
			return err
		}
		b.Status.DisruptionsAllowed--
		if b.Status.DisruptionsAllowed == 0 {
			meta.SetStatusCondition(&b.Status.Conditions,
				metav1.Condition{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
					Reason: policyv1.InsufficientPodsReason, ObservedGeneration: b.Status.ObservedGeneration})
		}
		if b.Status.DisruptedPods == nil {
			b.Status.DisruptedPods = map[string]metav1.Time{}
		}
		b.Status.DisruptedPods[pod.Name] = metav1.Now()
		return nil
	})
	return err
}

// maxDisruptedPods is how many deletions a budget may record that its controller has not seen.
const maxDisruptedPods = 2000

// checkDisruption returns an error if a budget allows no disruption.
func checkDisruption(b *policyv1.PodDisruptionBudget) error {
	const notNow = "The disruption budget %s does not allow evicting pods currently"
	budgets := apimeta.GroupResource{Group: "policy", Resource: "poddisruptionbudget"}
	synced := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
	refuses := synced != nil && synced.Status == metav1.ConditionFalse && synced.Message != ""
	switch s := b.Status; {
	case s.ObservedGeneration < b.Generation:
		return refusedEviction(10, "The disruption budget %s is still being processed by the server.", b.Name)
	case s.DisruptionsAllowed < 0:
		const negative = "pdb disruptions allowed is negative"
		return causedByBudget(status.Forbidden(budgets, b.Name, negative), notNow+": "+negative, b.Name)
	case len(s.DisruptedPods) > maxDisruptedPods:
		return causedByBudget(status.Forbidden(budgets, b.Name,
			"DisruptedPods map too big - too many evictions not confirmed by PDB controller"),
			notNow+": too many pending evictions not confirmed by PDB controller", b.Name)
	case s.DisruptionsAllowed > 0:
		return nil
	case refuses && synced.Reason == policyv1.SyncFailedReason:
		return refusedEviction(0, notNow+" because it failed sync: %s", b.Name, synced.Message)
	case s.CurrentHealthy <= s.DesiredHealthy:
		return refusedEviction(0, "The disruption budget %s needs %d healthy pods and has %d currently", b.Name,
			s.DesiredHealthy, s.CurrentHealthy)
	case refuses:
		return refusedEviction(0, notNow+" (%s): %s", b.Name, synced.Reason, synced.Message)
	}
	return refusedEviction(0, notNow, b.Name)
}

// refusedEviction returns the error for an eviction that would violate a budget.
func refusedEviction(retryAfterSeconds int, format string, args ...any) error {
	return causedByBudget(status.TooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.",
		retryAfterSeconds), format, args...)
}

// causedByBudget adds a cause to an error, so a client recognizes that a PodDisruptionBudget refuses the eviction.
func causedByBudget(err *status.Error, format string, args ...any) error {
	if err.Status.Details == nil {
		err.Status.Details = &status.Details{}
	}
	err.Status.Details.Causes = append(err.Status.Details.Causes,
		status.Cause{Type: status.CauseType(policyv1.DisruptionBudgetCause), Message: fmt.Sprintf(format, args...)})
	return err
}

func asksForVersion(options *metav1.DeleteOptions) string {
	if options.Preconditions == nil || options.Preconditions.ResourceVersion == nil {
		return ""
	}
	return *options.Preconditions.ResourceVersion
}

// deleteEvicted sets the condition DisruptionTarget of a Pod and deletes the Pod. If unchanged is set, the Pod must not
// have changed since the eviction began.
func deleteEvicted(ctx context.Context, pod *corev1.Pod, options *metav1.DeleteOptions, dryRun, unchanged bool) error {
	pods, err := rest.ClientForHook[corev1.Pod](ctx)
	if err != nil {
		return err
	}
	pods = pods.Namespace(pod.Namespace)
	out := rest.DeleteOptions{GracePeriodSeconds: options.GracePeriodSeconds}
	if options.PropagationPolicy != nil {
		out.PropagationPolicy = apimeta.DeletionPropagation(*options.PropagationPolicy)
	}
	preconditions := apimeta.Preconditions{}
	if options.Preconditions != nil && options.Preconditions.UID != nil {
		uid := string(*options.Preconditions.UID)
		preconditions.UID = &uid
	}
	version := asksForVersion(options)
	if version == "" && unchanged {
		version = pod.ResourceVersion
	}
	if dryRun {
		pods = pods.DryRun()
	} else {
		marked, err := pods.ModifyStatus(ctx, pod.Name, func(now *corev1.Pod) error {
			if preconditions.UID != nil && string(now.UID) != *preconditions.UID ||
				version != "" && now.ResourceVersion != version {
				return status.ModifiedConflict(apimeta.GroupResource{Resource: "pods"}, pod.Name)
			}
			setPodCondition(&now.Status, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
				Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting"})
			return nil
		})
		if err != nil {
			return err
		}
		if version != "" {
			version = marked.ResourceVersion
		}
	}
	if version != "" {
		preconditions.ResourceVersion = &version
	}
	out.Preconditions = &preconditions
	return pods.Delete(ctx, pod.Name, out)
}
