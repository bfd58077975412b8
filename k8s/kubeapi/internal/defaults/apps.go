package defaults

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// apps returns the defaults of the group apps. The templates of its kinds have those of pods.go, except for the ones
// that only a Pod has.
func apps() []rule {
	return []rule{
		fixed[appsv1.DaemonSet](values{"spec.updateStrategy.type": "RollingUpdate", "spec.revisionHistoryLimit": 10}),
		fixed[appsv1.Deployment](values{
			"spec.replicas":                1,
			"spec.strategy.type":           "RollingUpdate",
			"spec.revisionHistoryLimit":    10,
			"spec.progressDeadlineSeconds": 600,
		}),
		fixed[appsv1.ReplicaSet](values{"spec.replicas": 1}),
		fixed[appsv1.StatefulSet](values{
			"spec.replicas":                             1,
			"spec.podManagementPolicy":                  "OrderedReady",
			"spec.revisionHistoryLimit":                 10,
			"spec.persistentVolumeClaimRetentionPolicy": values{},
		}),
		fixed[appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy](values{"whenDeleted": "Retain",
			"whenScaled": "Retain"}),

		when(rollingDaemons),
		when(rollingDeployment),
		when(rollingReplicas),
		when(missingClaimKinds),

		rewrite(claimKinds),
	}
}

// rollingDaemons sets the parameters of a rolling update. Parameters of another strategy, which have no effect, are 0.
func rollingDaemons(obj *appsv1.DaemonSetUpdateStrategy) {
	unavailable := intstr.FromInt32(0)
	if obj.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		obj.RollingUpdate, unavailable = orNew(obj.RollingUpdate), intstr.FromInt32(1)
	}
	if obj.RollingUpdate != nil {
		obj.RollingUpdate.MaxUnavailable = or(obj.RollingUpdate.MaxUnavailable, unavailable)
		obj.RollingUpdate.MaxSurge = or(obj.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	}
}

// rollingDeployment sets the parameters of a rolling update. Those of another strategy are 0.
func rollingDeployment(obj *appsv1.DeploymentStrategy) {
	share := intstr.FromInt32(0)
	if obj.Type == appsv1.RollingUpdateDeploymentStrategyType {
		obj.RollingUpdate, share = orNew(obj.RollingUpdate), intstr.FromString("25%")
	}
	if obj.RollingUpdate != nil {
		obj.RollingUpdate.MaxUnavailable = or(obj.RollingUpdate.MaxUnavailable, share)
		obj.RollingUpdate.MaxSurge = or(obj.RollingUpdate.MaxSurge, share)
	}
}

// rollingReplicas sets the parameters of a rolling update, but does not add them to a strategy that names its type.
func rollingReplicas(obj *appsv1.StatefulSetUpdateStrategy) {
	if obj.Type == "" {
		obj.Type = appsv1.RollingUpdateStatefulSetStrategyType
		obj.RollingUpdate = orNew(obj.RollingUpdate)
	}
	if obj.RollingUpdate != nil {
		obj.RollingUpdate.Partition = or(obj.RollingUpdate.Partition, 0)
		if obj.Type == appsv1.RollingUpdateStatefulSetStrategyType {
			obj.RollingUpdate.MaxUnavailable = or(obj.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		}
	}
}

// claimKind names the kind of a claim that a StatefulSet makes.
func claimKind(claim *corev1.PersistentVolumeClaim) {
	claim.APIVersion, claim.Kind = "v1", "PersistentVolumeClaim"
}

func missingClaimKinds(obj *appsv1.StatefulSetSpec) {
	for i := range obj.VolumeClaimTemplates {
		if claim := &obj.VolumeClaimTemplates[i]; claim.APIVersion == "" && claim.Kind == "" {
			claimKind(claim)
		}
	}
}

func claimKinds(obj *appsv1.StatefulSetSpec) {
	for i := range obj.VolumeClaimTemplates {
		claimKind(&obj.VolumeClaimTemplates[i])
	}
}

// or returns p, or a pointer to the default if p is nil.
func or[T any](p *T, value T) *T {
	if p == nil {
		p = ptr.To(value)
	}
	return p
}

// orNew returns p, or a pointer to a zero value if p is nil.
func orNew[T any](p *T) *T {
	if p == nil {
		p = new(T)
	}
	return p
}
