package validation

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
)

// rules are the functions that check the objects of a kind. A function that a kind does not need is nil.
type rules[T any] struct {
	// object checks an object that is created or updated.
	object func(r *report, obj *T)
	// change checks what an update changes.
	change func(r *report, obj, old *T)
	// status checks the status of an object.
	status func(r *report, obj *T)
	// statusChange checks that a status may follow the old one.
	statusChange func(r *report, obj, old *T)
}

// kinds has one row for each kind that has rules, by group and name.
var kinds = byType(
	kind(rules[corev1.ConfigMap]{object: (*report).configMap, change: (*report).configMapChange}),
	//lint:ignore SA1019 clients still use it
	kind(rules[corev1.Endpoints]{object: (*report).endpoints}),
	kind(rules[corev1.LimitRange]{object: (*report).limitRange}),
	kind(rules[corev1.Namespace]{object: (*report).namespace, status: (*report).namespaceStatus}),
	kind(rules[corev1.Node]{object: (*report).node, change: (*report).nodeChange, status: (*report).nodeStatus}),
	kind(rules[corev1.PersistentVolume]{object: (*report).persistentVolume, change: (*report).volumeChange}),
	kind(rules[corev1.PersistentVolumeClaim]{
		object: (*report).claim, change: (*report).claimChange, status: (*report).claimStatus,
	}),
	kind(rules[corev1.Pod]{
		object: (*report).pod, change: (*report).podChange,
		status: (*report).podStatus, statusChange: (*report).podStatusChange,
	}),
	kind(rules[corev1.PodTemplate]{object: (*report).podTemplate}),
	kind(rules[corev1.ReplicationController]{
		object: (*report).replicationController, status: (*report).replicationControllerStatus,
	}),
	kind(rules[corev1.ResourceQuota]{
		object: (*report).quota, change: (*report).quotaChange, status: (*report).quotaStatus,
	}),
	kind(rules[corev1.Secret]{object: (*report).secret, change: (*report).secretChange}),
	kind(rules[corev1.Service]{
		object: (*report).service, change: (*report).serviceChange, status: (*report).serviceStatus,
	}),
	kind(rules[appsv1.ControllerRevision]{
		object: (*report).controllerRevision, change: (*report).controllerRevisionChange,
	}),
	kind(rules[appsv1.DaemonSet]{
		object: (*report).daemonSet, change: (*report).daemonSetChange,
		status: (*report).daemonSetStatus, statusChange: (*report).daemonSetStatusChange,
	}),
	kind(rules[appsv1.Deployment]{
		object: (*report).deployment, change: (*report).deploymentChange,
		status: (*report).deploymentStatus, statusChange: (*report).deploymentStatusChange,
	}),
	kind(rules[appsv1.ReplicaSet]{
		object: (*report).replicaSet, change: (*report).replicaSetChange, status: (*report).replicaSetStatus,
	}),
	kind(rules[appsv1.StatefulSet]{
		object: (*report).statefulSet, change: (*report).statefulSetChange,
		status: (*report).statefulSetStatus, statusChange: (*report).statefulSetStatusChange,
	}),
	kind(rules[autoscalingv2.HorizontalPodAutoscaler]{object: (*report).autoscaler, status: (*report).autoscalerStatus}),
	kind(rules[batchv1.CronJob]{object: (*report).cronJob}),
	kind(rules[batchv1.Job]{
		object: (*report).job, change: (*report).jobChange,
		status: (*report).jobStatus, statusChange: (*report).jobStatusChange,
	}),
	kind(rules[certificatesv1.CertificateSigningRequest]{
		object: (*report).signingRequest, status: (*report).signingStatus,
		statusChange: (*report).signingStatusChange,
	}),
	kind(rules[certificatesv1.ClusterTrustBundle]{object: (*report).trustBundle, change: (*report).trustBundleChange}),
	kind(rules[certificatesv1.PodCertificateRequest]{
		object: (*report).certificateRequest, change: (*report).certificateRequestChange,
		statusChange: (*report).certificateRequestEnd,
	}),
	kind(rules[coordinationv1.Lease]{object: (*report).lease}),
	kind(rules[discoveryv1.EndpointSlice]{object: (*report).endpointSlice, change: (*report).endpointSliceChange}),
	kind(rules[flowcontrolv1.FlowSchema]{object: (*report).flowSchema, status: (*report).flowSchemaStatus}),
	kind(rules[flowcontrolv1.PriorityLevelConfiguration]{
		object: (*report).priorityLevel, status: (*report).priorityLevelStatus,
	}),
	kind(rules[networkingv1.Ingress]{object: (*report).ingress, status: (*report).ingressStatus}),
	kind(rules[networkingv1.IngressClass]{object: (*report).ingressClass, change: (*report).ingressClassChange}),
	kind(rules[networkingv1.IPAddress]{object: (*report).ipAddress, change: (*report).ipAddressChange}),
	kind(rules[networkingv1.NetworkPolicy]{object: (*report).networkPolicy}),
	kind(rules[networkingv1.ServiceCIDR]{object: (*report).serviceCIDR, change: (*report).serviceCIDRChange}),
	kind(rules[nodev1.RuntimeClass]{object: (*report).runtimeClass, change: (*report).runtimeClassChange}),
	kind(rules[policyv1.PodDisruptionBudget]{
		object: (*report).disruptionBudget, status: (*report).disruptionBudgetStatus,
	}),
	kind(rules[resourcev1.DeviceClass]{object: (*report).deviceClass}),
	kind(rules[resourcev1.DeviceTaintRule]{
		object: (*report).taintRule, status: (*report).taintRuleStatus,
	}),
	kind(rules[resourcev1.ResourceClaim]{
		object: (*report).deviceClaim, change: (*report).deviceClaimChange,
		status: (*report).deviceClaimStatus, statusChange: (*report).deviceClaimStatusChange,
	}),
	kind(rules[resourcev1.ResourceClaimTemplate]{
		object: (*report).deviceClaimTemplate, change: (*report).deviceClaimTemplateChange,
	}),
	kind(rules[resourcev1.ResourceSlice]{object: (*report).resourceSlice, change: (*report).resourceSliceChange}),
	kind(rules[schedulingv1.PriorityClass]{object: (*report).priorityClass, change: (*report).priorityClassChange}),
	kind(rules[storagev1.CSIDriver]{object: (*report).csiDriver, change: (*report).csiDriverChange}),
	kind(rules[storagev1.CSINode]{object: (*report).csiNode, change: (*report).csiNodeChange}),
	kind(rules[storagev1.CSIStorageCapacity]{object: (*report).capacity, change: (*report).capacityChange}),
	kind(rules[storagev1.StorageClass]{object: (*report).storageClass, change: (*report).storageClassChange}),
	kind(rules[storagev1.VolumeAttachment]{
		object: (*report).attachment, change: (*report).attachmentChange, status: (*report).attachmentStatus,
	}),
	kind(rules[storagemigrationv1.StorageVersionMigration]{
		object: (*report).migration, change: (*report).migrationChange,
		status: (*report).migrationStatus, statusChange: (*report).migrationStatusChange,
	}),
	kind(rules[storagev1.VolumeAttributesClass]{
		object: (*report).attributesClass, change: (*report).attributesClassChange,
	}),
)

// row is a row of kinds, whose functions take pointers to objects of the row's kind.
type row struct {
	of                   reflect.Type
	object, status       func(r *report, obj any)
	change, statusChange func(r *report, obj, old any)
}

// kind returns the row of a kind.
func kind[T any](x rules[T]) row {
	one := func(rule func(*report, *T)) func(*report, any) {
		return func(r *report, obj any) {
			if rule != nil {
				rule(r, obj.(*T))
			}
		}
	}
	both := func(rule func(_ *report, _, _ *T)) func(_ *report, _, _ any) {
		return func(r *report, obj, old any) {
			if rule != nil {
				rule(r, obj.(*T), old.(*T))
			}
		}
	}
	return row{
		of: reflect.TypeFor[*T](), object: one(x.object), change: both(x.change), status: one(x.status),
		statusChange: both(x.statusChange),
	}
}

func byType(rows ...row) map[reflect.Type]row {
	kinds := make(map[reflect.Type]row, len(rows))
	for _, row := range rows {
		kinds[row.of] = row
	}
	return kinds
}

// noRules is the row of all kinds that are not in the table.
var noRules = kind(rules[any]{})

// rulesOf returns the row of an object's kind.
func rulesOf(obj any) row {
	if row, known := kinds[reflect.TypeOf(obj)]; known {
		return row
	}
	return noRules
}
