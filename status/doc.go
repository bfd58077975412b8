// Package status represents the Status kind as a Go error. Every layer reports its failures with
// it, and clients read the same Status on the wire (API conventions, Response Status Kind).
//
// A layer returns an [*Error] made by a constructor, with the facts it knows:
//
//	return status.NotFound(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, "first")
//
// Layers above pass it on, wrapped or not. Callers ask with a predicate such as [IsNotFound] or
// with [ReasonOf] and [CodeOf], which look through wrapping. At the edge of the process, [From]
// turns any error into an *Error: it returns an *Error unchanged, turns an ended context into a
// timeout, and turns anything else into an internal error that does not show the original text.
//
// Messages, reasons, codes and details equal those of upstream servers, because clients match on
// them. The set of reasons is closed; [Reason] knows the HTTP code of each.
//
// Validation names the member at fault by a [Path] and collects [FieldErrors],
// which [Invalid] turns into one error with a cause for each:
//
//	var errs status.FieldErrors
//	spec := status.NewPath("spec")
//	if w.Spec.Size < 1 {
//		errs = append(errs, status.InvalidField(spec.Child("size"), w.Spec.Size, "must be greater than 0"))
//	}
//	return status.Invalid(kind, w.Name, errs)
package status
