package validation

import (
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) lease(obj *coordinationv1.Lease) {
	p, s := field.NewPath("spec"), &obj.Spec
	if d := s.LeaseDurationSeconds; d != nil {
		r.is(*d > 0, field.Invalid(p.Child("leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if n := s.LeaseTransitions; n != nil {
		r.is(*n >= 0, field.Invalid(p.Child("leaseTransitions"), *n, "must be greater than or equal to 0"))
	}
}

func (r *report) endpointSlice(obj *discoveryv1.EndpointSlice) {
	oneOf(r, field.NewPath("addressType"), obj.AddressType, discoveryv1.AddressTypeFQDN, discoveryv1.AddressTypeIPv4,
		discoveryv1.AddressTypeIPv6)
	names := map[string]bool{}
	for i, port := range obj.Ports {
		p := field.NewPath("ports").Index(i)
		if port.Name != nil {
			r.optional(p.Child("name"), *port.Name, validation.IsDNS1123Label)
			r.distinct(p.Child("name"), *port.Name, names)
		}
		if port.Protocol != nil {
			supported(r, p.Child("protocol"), *port.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)
		}
	}
	for i, e := range obj.Endpoints {
		p := field.NewPath("endpoints").Index(i)
		r.is(len(e.Addresses) > 0, field.Required(p.Child("addresses"), "must contain at least 1 address"))
		for j, address := range e.Addresses {
			if obj.AddressType == discoveryv1.AddressTypeIPv4 {
				r.ip(p.Child("addresses").Index(j), address)
			}
		}
		if e.NodeName != nil {
			r.follows(p.Child("nodeName"), *e.NodeName, validation.IsDNS1123Subdomain)
		}
		if e.Hostname != nil {
			r.follows(p.Child("hostname"), *e.Hostname, validation.IsDNS1123Label)
		}
	}
}

func (r *report) endpointSliceChange(obj, old *discoveryv1.EndpointSlice) {
	r.frozen(field.NewPath("addressType"), obj.AddressType, old.AddressType)
}

func (r *report) disruptionBudget(obj *policyv1.PodDisruptionBudget) {
	p, s := field.NewPath("spec"), &obj.Spec
	if s.MinAvailable != nil && s.MaxUnavailable != nil {
		r.add(field.Invalid(p, *s, "minAvailable and maxUnavailable cannot be both set"))
	}
	if s.MinAvailable != nil {
		r.share(p.Child("minAvailable"), *s.MinAvailable, true)
	}
	if s.MaxUnavailable != nil {
		r.share(p.Child("maxUnavailable"), *s.MaxUnavailable, true)
	}
	r.selector(p.Child("selector"), s.Selector)
	if u := s.UnhealthyPodEvictionPolicy; u != nil {
		supported(r, p.Child("unhealthyPodEvictionPolicy"), *u, policyv1.AlwaysAllow, policyv1.IfHealthyBudget)
	}
}

func (r *report) disruptionBudgetStatus(obj *policyv1.PodDisruptionBudget) {
	p, s := field.NewPath("status"), &obj.Status
	r.add(metavalidation.ValidateConditions(s.Conditions, p.Child("conditions"))...)
	r.counts(p, count{"disruptionsAllowed", s.DisruptionsAllowed}, count{"currentHealthy", s.CurrentHealthy},
		count{"desiredHealthy", s.DesiredHealthy}, count{"expectedPods", s.ExpectedPods})
}

func (r *report) priorityClass(obj *schedulingv1.PriorityClass) {
	if r.existing {
		return
	}
	const highest = 1_000_000_000
	r.is(strings.HasPrefix(obj.Name, "system-") || obj.Value <= highest,
		field.Forbidden(field.NewPath("value"), "maximum allowed value of a user defined priority is 1000000000"))
	if obj.PreemptionPolicy != nil {
		oneOf(r, field.NewPath("preemptionPolicy"), *obj.PreemptionPolicy, corev1.PreemptLowerPriority, corev1.PreemptNever)
	}
}

func (r *report) priorityClassChange(obj, old *schedulingv1.PriorityClass) {
	r.is(obj.Value == old.Value, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
	r.frozen(field.NewPath("preemptionPolicy"), obj.PreemptionPolicy, old.PreemptionPolicy)
}

func (r *report) storageClass(obj *storagev1.StorageClass) {
	r.provisioner(field.NewPath("provisioner"), obj.Provisioner)
	r.parameters(field.NewPath("parameters"), obj.Parameters)
	if policy := obj.ReclaimPolicy; policy != nil && *policy != "" {
		supported(r, field.NewPath("reclaimPolicy"), *policy, corev1.PersistentVolumeReclaimDelete,
			corev1.PersistentVolumeReclaimRetain)
	}
	if mode := obj.VolumeBindingMode; mode != nil {
		supported(r, field.NewPath("volumeBindingMode"), *mode, storagev1.VolumeBindingImmediate,
			storagev1.VolumeBindingWaitForFirstConsumer)
	}
}

func (r *report) storageClassChange(obj, old *storagev1.StorageClass) {
	r.frozen(field.NewPath("parameters"), obj.Parameters, old.Parameters)
	r.frozen(field.NewPath("provisioner"), obj.Provisioner, old.Provisioner)
	r.frozen(field.NewPath("reclaimPolicy"), obj.ReclaimPolicy, old.ReclaimPolicy)
	r.frozen(field.NewPath("volumeBindingMode"), obj.VolumeBindingMode, old.VolumeBindingMode)
}
