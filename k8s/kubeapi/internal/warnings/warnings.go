package warnings

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Of returns the warnings about a valid object, which is a pointer to a struct of k8s.io/api. old is the object before
// the write, or a nil pointer for a new object. part is the subresource of the write, or "".
func Of(obj, old any, part string) (texts []string) {
	l := &list{}
	switch part {
	case "":
		l.object(obj, old)
	case "status":
		l.status(obj)
	}
	return l.texts
}

// list collects warnings.
type list struct{ texts []string }

func (l *list) add(format string, args ...any) {
	l.texts = append(l.texts, fmt.Sprintf(format, args...))
}

// at adds a warning about a field.
func (l *list) at(p *field.Path, format string, args ...any) {
	l.add("%s: %s", p, fmt.Sprintf(format, args...))
}

// object adds the warnings about a new object, or about what an update changes.
func (l *list) object(obj, old any) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		if old.(*corev1.Pod) == nil { // controllers update Pods more often than users do
			l.nameOfPod(obj.Name, "the Pod's hostname")
			l.pod(nil, &obj.Spec, &obj.ObjectMeta)
		}
	case *corev1.PodTemplate:
		l.podTemplate(obj, old.(*corev1.PodTemplate))
	case *corev1.ReplicationController:
		l.replicationController(obj, old.(*corev1.ReplicationController))
	case *appsv1.DaemonSet:
		l.daemonSet(obj, old.(*appsv1.DaemonSet))
	case *appsv1.Deployment:
		l.deployment(obj, old.(*appsv1.Deployment))
	case *appsv1.ReplicaSet:
		l.replicaSet(obj, old.(*appsv1.ReplicaSet))
	case *appsv1.StatefulSet:
		l.statefulSet(obj, old.(*appsv1.StatefulSet))
	case *batchv1.Job:
		l.job(obj, old.(*batchv1.Job))
	case *batchv1.CronJob:
		l.cronJob(obj, old.(*batchv1.CronJob))
	case *corev1.Service:
		l.service(obj)
	case *corev1.Secret:
		l.secret(obj)
	case *corev1.ServiceAccount:
		l.serviceAccount(obj, old.(*corev1.ServiceAccount))
	case *corev1.ResourceQuota:
		if old.(*corev1.ResourceQuota) == nil {
			l.quota(obj)
		}
	case *corev1.Node:
		l.node(obj)
	//lint:ignore SA1019 clients still use it
	case *corev1.Endpoints:
		l.endpoints(obj)
	case *corev1.PersistentVolume:
		l.volume(obj)
	case *corev1.PersistentVolumeClaim:
		if _, ok := obj.Annotations[corev1.BetaStorageClassAnnotation]; ok {
			l.at(annotation(nil, corev1.BetaStorageClassAnnotation), betaStorageClass)
		}
		l.claim(field.NewPath("spec"), &obj.Spec)
	case *discoveryv1.EndpointSlice:
		l.endpointSlice(obj, old.(*discoveryv1.EndpointSlice))
	case *networkingv1.Ingress:
		l.ingress(obj, old.(*networkingv1.Ingress))
	case *networkingv1.NetworkPolicy:
		l.networkPolicy(obj)
	case *nodev1.RuntimeClass:
		l.runtimeClass(obj)
	case *storagev1.CSIDriver:
		l.driver(obj, old.(*storagev1.CSIDriver))
	case *storagev1.CSIStorageCapacity:
		l.capacity(obj)
	case *storagev1.StorageClass:
		l.storageClass(obj)
	case *resourcev1.ResourceSlice:
		l.resourceSlice(obj)
	}
}

// status adds the warnings about a written status.
func (l *list) status(obj any) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		for i, ip := range obj.Status.PodIPs {
			l.ip(field.NewPath("status", "podIPs").Index(i).Child("ip"), ip.IP)
		}
		for i, ip := range obj.Status.HostIPs {
			l.ip(field.NewPath("status", "hostIPs").Index(i).Child("ip"), ip.IP)
		}
	case *corev1.Service:
		for i, ingress := range obj.Status.LoadBalancer.Ingress {
			l.ingressIP(i, ingress.IP)
		}
	case *networkingv1.Ingress:
		for i, ingress := range obj.Status.LoadBalancer.Ingress {
			l.ingressIP(i, ingress.IP)
		}
	}
}

func (l *list) ingressIP(i int, ip string) {
	if ip != "" {
		l.ip(field.NewPath("status", "loadBalancer", "ingress").Index(i), ip)
	}
}

// ip adds a warning about an address in an unusual form.
func (l *list) ip(p *field.Path, ip string) {
	l.texts = append(l.texts, validation.GetWarningsForIP(p, ip)...)
}

// cidr adds warnings about a range of addresses in an unusual form.
func (l *list) cidr(p *field.Path, cidr string) {
	l.texts = append(l.texts, validation.GetWarningsForCIDR(p, cidr)...)
}

// annotation returns the path of an annotation. p is the path of the object, or nil.
func annotation(p *field.Path, key string) *field.Path {
	return p.Child("metadata", "annotations").Key(key)
}
