package validation

import (
	resourcev1 "k8s.io/api/resource/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxRuleConditions is how many conditions a DeviceTaintRule may have.
const maxRuleConditions = 8

// taintRule checks the device selector of a rule and its taint.
func (r *report) taintRule(obj *resourcev1.DeviceTaintRule) {
	p := field.NewPath("spec")
	if s := obj.Spec.DeviceSelector; s != nil {
		at := p.Child("deviceSelector")
		if s.Driver != nil {
			r.driverName(at.Child("driver"), *s.Driver)
		}
		if s.Pool != nil {
			r.poolName(at.Child("pool"), *s.Pool)
		}
		if s.Device != nil {
			r.follows(at.Child("device"), *s.Device, validation.IsDNS1123Label)
		}
	}
	at, taint := p.Child("taint"), obj.Spec.Taint
	r.add(metavalidation.ValidateLabelName(taint.Key, at.Child("key"))...)
	r.optional(at.Child("value"), taint.Value, validation.IsValidLabelValue)
	r.taintEffect(at.Child("effect"), taint.Effect)
}

func (r *report) taintRuleStatus(obj *resourcev1.DeviceTaintRule) {
	p, conditions := field.NewPath("status", "conditions"), obj.Status.Conditions
	r.add(metavalidation.ValidateConditions(conditions, p)...)
	r.is(len(conditions) <= maxRuleConditions, field.TooMany(p, len(conditions), maxRuleConditions))
}
