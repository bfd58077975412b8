// Package status is the Status kind as a Go error: how every layer says what went
// wrong, and what a client reads on the wire (API conventions, Response Status
// Kind).
//
// A layer returns an [*Error] made by a constructor, with the facts it knows:
//
//	return status.NotFound(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, "first")
//
// Layers above pass it on, wrapped or not. Callers ask with a predicate such as
// [IsNotFound] or with [ReasonOf] and [CodeOf], which look through wrapping. Where
// an error leaves the process, [From] turns any error into an *Error: one of ours
// unchanged, a context that ended into a timeout, and anything else into an
// internal error that does not show its text.
//
// Messages, reasons, codes and details are those of upstream servers, because
// clients match on them. The set of reasons is closed; [Reason] knows the HTTP
// code of each.
//
// Validation names the member at fault by a [Path] and collects [FieldErrors],
// which [Invalid] turns into one error with a cause for each:
//
//	var errs status.FieldErrors
//	spec := status.Field("spec")
//	if w.Spec.Size < 1 {
//		errs = append(errs, status.InvalidField(spec.Child("size"), w.Spec.Size, "must be greater than 0"))
//	}
//	return status.Invalid(kind, w.Name, errs)
package status
