package validation

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// status checks the status of an object.
func (r *report) status(obj any) {
	p := field.NewPath("status")
	switch obj := obj.(type) {
	case *corev1.Namespace:
		r.namespaceStatus(p, obj)
	case *corev1.Node:
		r.nodeStatus(p, &obj.Status)
	case *corev1.PersistentVolumeClaim:
		r.claimStatus(p, &obj.Status)
	case *corev1.Pod:
		r.podStatus(p, obj)
	case *corev1.ReplicationController:
		r.replicas(p, &obj.Status)
	case *corev1.ResourceQuota:
		r.quotaAmounts(p.Child("hard"), obj.Status.Hard)
		r.quotaAmounts(p.Child("used"), obj.Status.Used)
	case *corev1.Service:
		r.balancers(p.Child("loadBalancer", "ingress"), obj)
	case *appsv1.DaemonSet:
		r.daemonSetStatus(p, &obj.Status)
	case *appsv1.Deployment:
		r.deploymentStatus(p, &obj.Status)
	case *appsv1.ReplicaSet:
		r.replicaSetStatus(p, &obj.Status)
	case *appsv1.StatefulSet:
		r.statefulSetStatus(p, &obj.Status)
	case *autoscalingv2.HorizontalPodAutoscaler:
		r.counts(p, count{"currentReplicas", obj.Status.CurrentReplicas}, count{"desiredReplicas", obj.Status.DesiredReplicas})
	case *batchv1.Job:
		r.jobStatus(p, obj)
	case *certificatesv1.CertificateSigningRequest:
		r.signingStatus(p, &obj.Status)
	case *flowcontrolv1.FlowSchema:
		r.flowConditions(p.Child("conditions"), typesOf(obj.Status.Conditions, func(c flowcontrolv1.FlowSchemaCondition) string { return string(c.Type) }))
	case *flowcontrolv1.PriorityLevelConfiguration:
		r.flowConditions(p.Child("conditions"), typesOf(obj.Status.Conditions, func(c flowcontrolv1.PriorityLevelConfigurationCondition) string { return string(c.Type) }))
	case *networkingv1.Ingress:
		r.ingressStatus(p.Child("loadBalancer", "ingress"), obj.Status.LoadBalancer.Ingress)
	case *policyv1.PodDisruptionBudget:
		s := &obj.Status
		r.add(metavalidation.ValidateConditions(s.Conditions, p.Child("conditions"))...)
		r.counts(p, count{"disruptionsAllowed", s.DisruptionsAllowed}, count{"currentHealthy", s.CurrentHealthy},
			count{"desiredHealthy", s.DesiredHealthy}, count{"expectedPods", s.ExpectedPods})
	case *resourcev1.ResourceClaim:
		for i, d := range obj.Status.Devices {
			r.add(metavalidation.ValidateConditions(d.Conditions, p.Child("devices").Index(i).Child("conditions"))...)
		}
	case *storagev1.VolumeAttachment:
		r.attachmentStatus(p, &obj.Status)
	}
}

// statusChange checks that a status may follow another one.
func (r *report) statusChange(obj, old any) {
	p := field.NewPath("status")
	switch obj := obj.(type) {
	case *corev1.Pod:
		r.podStatusChange(p, obj, old.(*corev1.Pod))
	case *appsv1.DaemonSet:
		r.collisions(p, obj.Status.CollisionCount, old.(*appsv1.DaemonSet).Status.CollisionCount)
	case *appsv1.Deployment:
		r.collisions(p, obj.Status.CollisionCount, old.(*appsv1.Deployment).Status.CollisionCount)
	case *appsv1.StatefulSet:
		r.collisions(p, obj.Status.CollisionCount, old.(*appsv1.StatefulSet).Status.CollisionCount)
	case *certificatesv1.CertificateSigningRequest:
		r.signingStatusChange(p, &obj.Status, &old.(*certificatesv1.CertificateSigningRequest).Status)
	case *batchv1.Job:
		r.jobStatusChange(p, obj, old.(*batchv1.Job))
	}
}
