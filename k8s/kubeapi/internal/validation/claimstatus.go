package validation

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) claimStatus(obj *corev1.PersistentVolumeClaim) {
	p, s := field.NewPath("status"), &obj.Status
	const bad = "must be a valid resource quantity"
	for _, name := range slices.Sorted(maps.Keys(s.Capacity)) {
		q := s.Capacity[name]
		r.is(q.Value() >= 0, field.Invalid(p.Child("capacity").Key(string(name)), q.Value(), bad))
	}
	at := p.Child("allocatedResourceStatuses")
	states := []corev1.ClaimResourceStatus{
		corev1.PersistentVolumeClaimControllerResizeInProgress, corev1.PersistentVolumeClaimControllerResizeInfeasible,
		corev1.PersistentVolumeClaimNodeResizeInProgress, corev1.PersistentVolumeClaimNodeResizeInfeasible,
		corev1.PersistentVolumeClaimNodeResizePending}
	for _, name := range slices.Sorted(maps.Keys(s.AllocatedResourceStatuses)) {
		r.claimResource(at, name)
		r.is(slices.Contains(states, s.AllocatedResourceStatuses[name]), field.NotSupported(at, name, states))
	}
	allocated := p.Child("allocatedResources")
	for _, name := range slices.Sorted(maps.Keys(s.AllocatedResources)) {
		if q := s.AllocatedResources[name]; r.claimResource(allocated, name) {
			r.is(q.Value() >= 0, field.Invalid(allocated.Key(string(name)), q.Value(), bad))
		}
	}
}

// claimResource checks the name of a resource of a claim, and reports whether it is valid.
func (r *report) claimResource(p *field.Path, name corev1.ResourceName) bool {
	before := len(r.errs)
	r.follows(p, string(name), validation.IsQualifiedName)
	if len(r.errs) == before && isNative(name) {
		supported(r, p, name, corev1.ResourceStorage)
	}
	return len(r.errs) == before
}
