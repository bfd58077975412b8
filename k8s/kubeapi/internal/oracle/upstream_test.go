package oracle

import (
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/coordination"
	coordinationvalidation "k8s.io/kubernetes/pkg/apis/coordination/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/discovery"
	discoveryvalidation "k8s.io/kubernetes/pkg/apis/discovery/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
)

// creations returns what Kubernetes finds wrong with a new object of its internal version.
func creations(obj, _ runtime.Object) field.ErrorList {
	switch obj := obj.(type) {
	case *core.Pod:
		return corevalidation.ValidatePodCreate(obj, podOptions(obj, nil))
	case *core.PodTemplate:
		return corevalidation.ValidatePodTemplate(obj, templates(&obj.Template, nil))
	case *core.ReplicationController:
		return corevalidation.ValidateReplicationController(obj, templates(obj.Spec.Template, nil))
	case *core.Service:
		return corevalidation.ValidateServiceCreate(obj)
	case *core.ConfigMap:
		return corevalidation.ValidateConfigMap(obj)
	case *core.Secret:
		return corevalidation.ValidateSecret(obj)
	case *core.PersistentVolumeClaim:
		return corevalidation.ValidatePersistentVolumeClaim(obj,
			corevalidation.ValidationOptionsForPersistentVolumeClaimCreate())
	case *core.PersistentVolume:
		return corevalidation.ValidatePersistentVolume(obj, corevalidation.ValidationOptionsForPersistentVolume(obj, nil))
	case *apps.Deployment:
		return appsvalidation.ValidateDeployment(obj, templates(&obj.Spec.Template, nil))
	case *apps.ReplicaSet:
		return appsvalidation.ValidateReplicaSet(obj, templates(&obj.Spec.Template, nil))
	case *apps.DaemonSet:
		return appsvalidation.ValidateDaemonSet(obj, templates(&obj.Spec.Template, nil))
	case *apps.StatefulSet:
		return appsvalidation.ValidateStatefulSet(obj, appsvalidation.StatefulSetValidationOptions{}, templates(&obj.Spec.Template, nil))
	case *apps.ControllerRevision:
		return appsvalidation.ValidateControllerRevisionCreate(obj)
	case *batch.Job:
		return batchvalidation.ValidateJobCreate(obj,
			batchvalidation.JobValidationOptions{PodValidationOptions: templates(&obj.Spec.Template, nil),
				RequirePrefixedLabels: true})
	case *batch.CronJob:
		return batchvalidation.ValidateCronJobCreate(obj, templates(&obj.Spec.JobTemplate.Spec.Template, nil))
	case *coordination.Lease:
		return coordinationvalidation.ValidateLease(obj)
	case *discovery.EndpointSlice:
		return discoveryvalidation.ValidateEndpointSliceCreate(obj)
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(obj, policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *autoscaling.HorizontalPodAutoscaler:
		return autoscalingvalidation.ValidateHorizontalPodAutoscaler(obj, autoscalerOptions(obj))
	case *networking.Ingress:
		return networkingvalidation.ValidateIngressCreate(obj)
	case *networking.NetworkPolicy:
		return networkingvalidation.ValidateNetworkPolicy(obj, networkingvalidation.NetworkPolicyValidationOptions{})
	case *scheduling.PriorityClass:
		return schedulingvalidation.ValidatePriorityClass(obj)
	case *storage.StorageClass:
		return storagevalidation.ValidateStorageClass(obj)
	}
	return creationsOfCluster(obj)
}

// updates returns what Kubernetes finds wrong with an update of an object, after it has restored what such an update
// does not change.
func updates(obj, old runtime.Object) field.ErrorList {
	switch obj := obj.(type) {
	case *core.Pod:
		old := old.(*core.Pod)
		return corevalidation.ValidatePodUpdate(obj, old, podOptions(obj, old))
	case *core.PodTemplate:
		old := old.(*core.PodTemplate)
		return corevalidation.ValidatePodTemplateUpdate(obj, old, templates(&obj.Template, &old.Template))
	case *core.ReplicationController:
		old := old.(*core.ReplicationController)
		return corevalidation.ValidateReplicationControllerUpdate(obj, old, templates(obj.Spec.Template, old.Spec.Template))
	case *core.Service:
		return corevalidation.ValidateServiceUpdate(obj, old.(*core.Service))
	case *core.ConfigMap:
		return corevalidation.ValidateConfigMapUpdate(obj, old.(*core.ConfigMap))
	case *core.Secret:
		return corevalidation.ValidateSecretUpdate(obj, old.(*core.Secret))
	case *core.PersistentVolumeClaim:
		old := old.(*core.PersistentVolumeClaim)
		return corevalidation.ValidatePersistentVolumeClaimUpdate(obj, old,
			corevalidation.ValidationOptionsForPersistentVolumeClaim(obj, old))
	case *core.PersistentVolume:
		old := old.(*core.PersistentVolume)
		return corevalidation.ValidatePersistentVolumeUpdate(obj, old,
			corevalidation.ValidationOptionsForPersistentVolume(obj, old))
	case *apps.Deployment:
		old := old.(*apps.Deployment)
		return appsvalidation.ValidateDeploymentUpdate(obj, old, templates(&obj.Spec.Template, &old.Spec.Template))
	case *apps.ReplicaSet:
		old := old.(*apps.ReplicaSet)
		return appsvalidation.ValidateReplicaSetUpdate(obj, old, templates(&obj.Spec.Template, &old.Spec.Template))
	case *apps.DaemonSet:
		old := old.(*apps.DaemonSet)
		if obj.Spec.TemplateGeneration = old.Spec.TemplateGeneration; !equality.Semantic.DeepEqual(obj.Spec.Template,
			old.Spec.Template) {
			obj.Spec.TemplateGeneration++
		}
		return appsvalidation.ValidateDaemonSetUpdate(obj, old, templates(&obj.Spec.Template, &old.Spec.Template))
	case *apps.StatefulSet:
		old := old.(*apps.StatefulSet)
		return appsvalidation.ValidateStatefulSetUpdate(obj, old, appsvalidation.StatefulSetValidationOptions{
			AllowInvalidServiceName: true, SkipValidateVolumeClaimTemplates: true}, templates(&obj.Spec.Template, &old.Spec.Template))
	case *apps.ControllerRevision:
		return appsvalidation.ValidateControllerRevisionUpdate(obj, old.(*apps.ControllerRevision))
	case *batch.Job:
		old := old.(*batch.Job)
		options := batchvalidation.JobValidationOptions{PodValidationOptions: templates(&obj.Spec.Template,
			&old.Spec.Template)}
		_, options.RequirePrefixedLabels = old.Spec.Template.Labels[batch.JobNameLabel]
		suspended := old.Spec.Suspend != nil && *old.Spec.Suspend && old.Status.Active == 0
		options.AllowMutableSchedulingDirectives, options.AllowMutablePodResources = suspended, suspended
		return batchvalidation.ValidateJobUpdate(obj, old, options)
	case *batch.CronJob:
		old := old.(*batch.CronJob)
		return batchvalidation.ValidateCronJobUpdate(obj, old,
			templates(&obj.Spec.JobTemplate.Spec.Template, &old.Spec.JobTemplate.Spec.Template))
	case *coordination.Lease:
		return coordinationvalidation.ValidateLeaseUpdate(obj, old.(*coordination.Lease))
	case *discovery.EndpointSlice:
		return discoveryvalidation.ValidateEndpointSliceUpdate(obj, old.(*discovery.EndpointSlice))
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(obj, policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *autoscaling.HorizontalPodAutoscaler:
		return autoscalingvalidation.ValidateHorizontalPodAutoscalerUpdate(obj, old.(*autoscaling.HorizontalPodAutoscaler),
			autoscalerOptions(obj))
	case *networking.Ingress:
		return networkingvalidation.ValidateIngressUpdate(obj, old.(*networking.Ingress))
	case *networking.NetworkPolicy:
		return networkingvalidation.ValidateNetworkPolicyUpdate(obj, old.(*networking.NetworkPolicy),
			networkingvalidation.NetworkPolicyValidationOptions{})
	case *scheduling.PriorityClass:
		return schedulingvalidation.ValidatePriorityClassUpdate(obj, old.(*scheduling.PriorityClass))
	case *storage.StorageClass:
		return append(storagevalidation.ValidateStorageClass(obj),
			storagevalidation.ValidateStorageClassUpdate(obj, old.(*storage.StorageClass))...)
	}
	return updatesOfCluster(obj, old)
}

// statuses returns what Kubernetes finds wrong with a write to the status of an object.
func statuses(obj, old runtime.Object) field.ErrorList {
	at := field.NewPath("status")
	switch obj := obj.(type) {
	case *core.Pod:
		old := old.(*core.Pod)
		return corevalidation.ValidatePodStatusUpdate(obj, old, podOptions(obj, old))
	case *core.ReplicationController:
		return corevalidation.ValidateReplicationControllerStatusUpdate(obj, old.(*core.ReplicationController))
	case *core.Service:
		return corevalidation.ValidateServiceStatusUpdate(obj, old.(*core.Service))
	case *core.PersistentVolumeClaim:
		old := old.(*core.PersistentVolumeClaim)
		return corevalidation.ValidatePersistentVolumeClaimStatusUpdate(obj, old,
			corevalidation.ValidationOptionsForPersistentVolumeClaim(obj, old))
	case *core.PersistentVolume:
		return corevalidation.ValidatePersistentVolumeStatusUpdate(obj, old.(*core.PersistentVolume))
	case *apps.Deployment:
		return appsvalidation.ValidateDeploymentStatusUpdate(obj, old.(*apps.Deployment))
	case *apps.ReplicaSet:
		return appsvalidation.ValidateReplicaSetStatusUpdate(obj, old.(*apps.ReplicaSet))
	case *apps.DaemonSet:
		return appsvalidation.ValidateDaemonSetStatusUpdate(obj, old.(*apps.DaemonSet))
	case *apps.StatefulSet:
		return appsvalidation.ValidateStatefulSetStatusUpdate(obj, old.(*apps.StatefulSet))
	case *batch.Job:
		return batchvalidation.ValidateJobUpdateStatus(obj, old.(*batch.Job), jobStatusOptions())
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudgetStatusUpdate(obj.Status, old.(*policy.PodDisruptionBudget).Status,
			at, policyv1.SchemeGroupVersion)
	case *autoscaling.HorizontalPodAutoscaler:
		return autoscalingvalidation.ValidateHorizontalPodAutoscalerStatusUpdate(obj,
			old.(*autoscaling.HorizontalPodAutoscaler))
	case *networking.Ingress:
		return networkingvalidation.ValidateIngressStatusUpdate(obj, old.(*networking.Ingress))
	}
	return statusesOfCluster(obj, old)
}

func autoscalerOptions(a *autoscaling.HorizontalPodAutoscaler) autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions {
	options := autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions{}
	options.ScaleTargetRefValidationOptions.AllowEmptyAPIGroup = a.Spec.ScaleTargetRef.Kind == "ReplicationController"
	options.ObjectMetricsValidationOptions.AllowEmptyAPIGroup = true
	return options
}

func podOptions(pod, old *core.Pod) corevalidation.PodValidationOptions {
	var was *core.PodSpec
	var wasMeta *metav1.ObjectMeta
	if old != nil {
		was, wasMeta = &old.Spec, &old.ObjectMeta
	}
	options := podapi.GetValidationOptionsFromPodSpecAndMeta(&pod.Spec, was, &pod.ObjectMeta, wasMeta)
	options.ResourceIsPod = true
	return options
}

func templates(t, old *core.PodTemplateSpec) corevalidation.PodValidationOptions {
	return podapi.GetValidationOptionsFromPodTemplate(t, old)
}

// jobStatusOptions returns the rules that Kubernetes applies to the status of a Job. It applies most of them only to
// what has changed: the status before a change is valid in these tests.
func jobStatusOptions() batchvalidation.JobStatusValidationOptions {
	return batchvalidation.JobStatusValidationOptions{
		RejectDecreasingSucceededCounter: true, RejectDecreasingFailedCounter: true, RejectDisablingTerminalCondition: true,
		RejectInvalidCompletedIndexes: true, RejectInvalidFailedIndexes: true, RejectCompletedIndexesForNonIndexedJob: true,
		RejectFailedIndexesForNoBackoffLimitPerIndex: true, RejectFailedIndexesOverlappingCompleted: true,
		RejectFailedJobWithoutFailureTarget: true, RejectCompleteJobWithoutSuccessCriteriaMet: true,
		RejectFinishedJobWithActivePods: true, RejectFinishedJobWithoutStartTime: true,
		RejectFinishedJobWithUncountedTerminatedPods: true,
		RejectStartTimeUpdateForUnsuspendedJob:       true, RejectCompletionTimeBeforeStartTime: true,
		RejectMutatingCompletionTime:           true,
		RejectNotCompleteJobWithCompletionTime: true, RejectCompleteJobWithoutCompletionTime: true,
		RejectCompleteJobWithFailedCondition: true, RejectCompleteJobWithFailureTargetCondition: true,
		RejectMoreReadyThanActivePods:        true,
		RejectFinishedJobWithTerminatingPods: true,
	}
}
