package validation

import (
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) runtimeClass(obj *nodev1.RuntimeClass) {
	if r.existing { // the declared rule that the handler does not change comes before the one about its form
		r.named(field.NewPath("handler"), obj.Handler, validation.IsDNS1123Label)
	} else {
		r.shortName(field.NewPath("handler"), obj.Handler)
	}
	if obj.Overhead != nil {
		r.resources(field.NewPath("overhead"), &corev1.ResourceRequirements{Limits: obj.Overhead.PodFixed}, nil)
	}
	if obj.Scheduling == nil {
		return
	}
	p := field.NewPath("scheduling")
	r.labels(p.Child("nodeSelector"), obj.Scheduling.NodeSelector)
	r.tolerations(p.Child("tolerations"), obj.Scheduling.Tolerations)
	r.noComparisons(p.Child("tolerations"), obj.Scheduling.Tolerations)
	seen := map[corev1.Toleration]bool{}
	for i, t := range obj.Scheduling.Tolerations {
		key := t
		key.TolerationSeconds = nil
		r.is(!seen[key], field.Duplicate(p.Child("tolerations").Index(i), t))
		seen[key] = true
	}
}

func (r *report) runtimeClassChange(obj, old *nodev1.RuntimeClass) {
	r.unchanged(field.NewPath("handler"), obj.Handler, old.Handler)
}
