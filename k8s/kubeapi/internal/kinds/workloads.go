package kinds

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

func apps() []rest.Definition {
	return []rest.Definition{
		freezing(of[appsv1.ControllerRevision](), frozen[appsv1.ControllerRevision]{"data", func(r *appsv1.ControllerRevision) any { return r.Data }}),
		daemonSets(),
		freezing(of[appsv1.Deployment](),
			frozen[appsv1.Deployment]{"spec.selector", func(d *appsv1.Deployment) any { return d.Spec.Selector }}),
		freezing(of[appsv1.ReplicaSet](),
			frozen[appsv1.ReplicaSet]{"spec.selector", func(r *appsv1.ReplicaSet) any { return r.Spec.Selector }}),
		statefulSets(),
	}
}

func batch() []rest.Definition {
	return []rest.Definition{of[batchv1.CronJob](), jobs()}
}

func policy() []rest.Definition {
	return []rest.Definition{of[policyv1.PodDisruptionBudget]()}
}

func statefulSets() rest.Resource[appsv1.StatefulSet] {
	return validating(of[appsv1.StatefulSet](), func(ctx context.Context, s, old *appsv1.StatefulSet) status.FieldErrors {
		if old == nil || part(ctx) != "" {
			return nil
		}
		now, was := s.Spec.DeepCopy(), &old.Spec
		now.Replicas, now.Ordinals, now.Template, now.UpdateStrategy = was.Replicas, was.Ordinals, was.Template, was.UpdateStrategy
		now.MinReadySeconds, now.RevisionHistoryLimit, now.PersistentVolumeClaimRetentionPolicy = was.MinReadySeconds, was.RevisionHistoryLimit, was.PersistentVolumeClaimRetentionPolicy
		if equality.Semantic.DeepEqual(now, was) {
			return nil
		}
		return status.FieldErrors{status.ForbiddenField(status.Field("spec"), "updates to statefulset spec for fields other than 'replicas', 'ordinals', "+
			"'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden")}
	})
}
