package validation

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const sealed = "field is immutable when `immutable` is set"

// staysSealed checks that an object which declares itself immutable stays so, and reports whether it does declare that.
func (r *report) staysSealed(now, was *bool) bool {
	if was == nil || !*was {
		return false
	}
	r.is(now != nil && *now, field.Forbidden(field.NewPath("immutable"), sealed))
	return true
}

func (r *report) configMapChange(now, was *corev1.ConfigMap) {
	if r.staysSealed(now.Immutable, was.Immutable) {
		r.is(same(now.Data, was.Data), field.Forbidden(field.NewPath("data"), sealed))
		r.is(same(now.BinaryData, was.BinaryData), field.Forbidden(field.NewPath("binaryData"), sealed))
	}
}

func (r *report) secretChange(now, was *corev1.Secret) {
	r.frozen(field.NewPath("type"), now.Type, was.Type)
	if r.staysSealed(now.Immutable, was.Immutable) {
		r.is(same(now.Data, was.Data), field.Forbidden(field.NewPath("data"), sealed))
	}
}
