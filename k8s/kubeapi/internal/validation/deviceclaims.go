package validation

import (
	resourcev1 "k8s.io/api/resource/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) deviceClaimChange(obj, old *resourcev1.ResourceClaim) {
	r.frozen(field.NewPath("spec"), obj.Spec, old.Spec)
}

func (r *report) deviceClaimStatus(obj *resourcev1.ResourceClaim) {
	devices := field.NewPath("status", "devices")
	for i, d := range obj.Status.Devices {
		r.add(metavalidation.ValidateConditions(d.Conditions, devices.Index(i).Child("conditions"))...)
	}
}

func (r *report) deviceClaimTemplateChange(obj, old *resourcev1.ResourceClaimTemplate) {
	r.frozen(field.NewPath("spec"), obj.Spec, old.Spec)
}

func (r *report) resourceSliceChange(obj, old *resourcev1.ResourceSlice) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	r.frozen(p.Child("pool", "name"), now.Pool.Name, was.Pool.Name)
	r.frozen(p.Child("driver"), now.Driver, was.Driver)
	r.frozen(p.Child("nodeName"), now.NodeName, was.NodeName)
}
