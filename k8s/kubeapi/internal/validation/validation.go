package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/status"
)

// Check returns the faults of an object that has its defaults, a pointer to a struct of k8s.io/api. It has no rules for
// the kinds that this package does not know.
func Check(obj any) status.FieldErrors {
	return faults(func(r *report) { rulesOf(obj).object(r, obj) })
}

// CheckUpdate returns what an update may not change, and the faults of an object that the old object does not have: an
// update need not repair what was accepted before.
func CheckUpdate(obj, old any) status.FieldErrors {
	return append(CheckPart(obj, old), faults(func(r *report) { rulesOf(obj).change(r, obj, old) })...)
}

// CheckPart returns the faults of an object that the old object does not have, for a write to a subresource that has
// rules of its own about what it may change.
func CheckPart(obj, old any) status.FieldErrors {
	return added(obj, old, func(r *report, obj any) {
		r.existing = true
		rulesOf(obj).object(r, obj)
	})
}

// CheckStatus returns the faults of a write to the status of an object: those of the new status that the old one does
// not have, and what may not follow the old status.
func CheckStatus(obj, old any) status.FieldErrors {
	errs := added(obj, old, (*report).ofStatus)
	return append(errs, faults(func(r *report) { rulesOf(obj).statusChange(r, obj, old) })...)
}

func (r *report) ofStatus(obj any) { rulesOf(obj).status(r, obj) }

// faults returns what the rules report.
func faults(rules func(*report)) status.FieldErrors {
	r := &report{}
	rules(r)
	return r.faults()
}

func (r *report) faults() status.FieldErrors {
	errs := make(status.FieldErrors, 0, len(r.errs))
	for _, e := range r.errs {
		errs = append(errs, fieldError(e))
	}
	return errs
}

func fieldError(e *field.Error) *status.FieldError {
	if _, hidden := e.BadValue.(field.OmitValueType); hidden {
		broken := status.BrokenRuleField(status.NewPath(""), e.Detail)
		broken.Field = e.Field
		return broken
	}
	return &status.FieldError{Type: status.CauseType(e.Type), Field: e.Field, BadValue: e.BadValue, Detail: e.Detail}
}

// added returns the faults of an object that the old object does not have. The old object may have its addresses in
// another place.
func added(obj, old any, rules func(*report, any)) status.FieldErrors {
	now, before := &report{}, &report{}
	if rules(now, obj); len(now.errs) == 0 {
		return nil
	}
	rules(before, old)
	now = &report{known: before.addresses}
	rules(now, obj)
	accepted := map[string]bool{}
	for _, e := range before.faults() {
		accepted[e.Error()] = true
	}
	return slices.DeleteFunc(now.faults(), func(e *status.FieldError) bool { return accepted[e.Error()] })
}
