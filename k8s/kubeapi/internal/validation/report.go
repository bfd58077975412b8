package validation

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/resource"
	apimachinery "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// report collects the faults of an object.
type report struct {
	errs     field.ErrorList
	existing bool // whether the object exists already: then what cannot change is not checked again
	// addresses are those that the rules have checked. The ones that the object had before, in known, may have an old
	// form.
	addresses, known []string
}

func (r *report) add(errs ...*field.Error) { r.errs = append(r.errs, errs...) }

// is adds the error unless the condition holds.
func (r *report) is(ok bool, err *field.Error) {
	if !ok {
		r.add(err)
	}
}

// given adds an error for an empty text, and reports whether there is a text.
func (r *report) given(p *field.Path, text string) bool {
	r.is(text != "", field.Required(p, ""))
	return text != ""
}

// follows adds an error for each message of the rule.
func (r *report) follows(p *field.Path, text string, rule func(string) []string) {
	for _, message := range rule(text) {
		r.add(field.Invalid(p, text, message))
	}
}

// obeys adds the errors of a rule that Kubernetes' types declare. Older rules word the same errors differently.
func (r *report) obeys(p *field.Path, text string,
	rule func(_ context.Context, _ operation.Operation, p *field.Path, now, was *string) field.ErrorList) {
	r.add(rule(context.Background(), operation.Operation{}, p, &text, nil)...)
}

// named checks a name that must be there.
func (r *report) named(p *field.Path, text string, rule func(string) []string) {
	if r.given(p, text) {
		r.follows(p, text, rule)
	}
}

// optional checks a name that may be absent.
func (r *report) optional(p *field.Path, text string, rule func(string) []string) {
	if text != "" {
		r.follows(p, text, rule)
	}
}

// distinct adds an error if the text is in seen, and otherwise puts it there.
func (r *report) distinct(p *field.Path, text string, seen map[string]bool) {
	r.is(!seen[text], field.Duplicate(p, text))
	seen[text] = true
}

// oneOf checks a value that must be there and one of these.
func oneOf[T ~string](r *report, p *field.Path, value T, allowed ...T) {
	if r.given(p, string(value)) {
		supported(r, p, value, allowed...)
	}
}

// supported checks that the value is one of these.
func supported[T ~string](r *report, p *field.Path, value T, allowed ...T) {
	for _, a := range allowed {
		if value == a {
			return
		}
	}
	r.add(field.NotSupported(p, value, allowed))
}

// optionalOneOf checks a value that may be absent.
func optionalOneOf[T ~string](r *report, p *field.Path, value *T, allowed ...T) {
	if value != nil {
		supported(r, p, *value, allowed...)
	}
}

// frozen checks that a field keeps its value.
func (r *report) frozen(p *field.Path, now, was any) {
	r.add(apimachinery.ValidateImmutableField(now, was, p)...)
}

// unchanged is frozen for a field whose rule Kubernetes declares: its error does not show the value.
func (r *report) unchanged(p *field.Path, now, was any) {
	r.is(same(now, was), field.Invalid(p, nil, apimachinery.FieldImmutableErrorMsg))
}

// same reports whether two values mean the same: an absent list is the same as an empty one, and 1 is the same quantity
// as 1000m.
func same(a, b any) bool { return equality.Semantic.DeepEqual(a, b) }

func number[T int32 | int64](r *report, p *field.Path, value T) {
	r.is(value >= 0, field.Invalid(p, int64(value), apimachinery.IsNegativeErrorMsg))
}

// optionalNumber checks a number that may be absent.
func optionalNumber[T int32 | int64](r *report, p *field.Path, value *T) {
	if value != nil {
		number(r, p, *value)
	}
}

func (r *report) quantity(p *field.Path, q resource.Quantity) {
	r.is(q.Sign() >= 0, field.Invalid(p, q.String(), apimachinery.IsNegativeErrorMsg))
}

func (r *report) port(p *field.Path, port int32) {
	for _, message := range validation.IsValidPortNum(int(port)) {
		r.add(field.Invalid(p, port, message))
	}
}

// ip checks an address.
func (r *report) ip(p *field.Path, text string) {
	r.addresses = append(r.addresses, text)
	r.add(validation.IsValidIPForLegacyField(p, text, true, r.known)...)
}

// cidr checks a range of addresses.
func (r *report) cidr(p *field.Path, text string) {
	r.addresses = append(r.addresses, text)
	r.add(validation.IsValidCIDRForLegacyField(p, text, true, r.known)...)
}

func (r *report) portOrName(p *field.Path, port intstr.IntOrString) {
	if port.Type == intstr.String {
		r.follows(p, port.StrVal, validation.IsValidPortName)
		return
	}
	for _, message := range validation.IsValidPortNum(port.IntValue()) {
		r.add(field.Invalid(p, port.IntValue(), message))
	}
}

// share checks a number or percentage, which is not above 100% if it is limited.
func (r *report) share(p *field.Path, v intstr.IntOrString, limited bool) {
	if v.Type == intstr.Int {
		number(r, p, v.IntVal)
		return
	}
	for _, message := range validation.IsValidPercent(v.StrVal) {
		r.add(field.Invalid(p, v, message))
	}
	if limited {
		r.is(percent(v) <= 100, field.Invalid(p, v, "must not be greater than 100%"))
	}
}

// percent returns the number of a percentage, or 0 if the text is none.
func percent(v intstr.IntOrString) (n int) {
	if v.Type == intstr.String && len(validation.IsValidPercent(v.StrVal)) == 0 {
		fmt.Sscanf(v.StrVal, "%d", &n) // the rule has found digits
	}
	return n
}

// amount returns the number of a number or percentage.
func amount(v intstr.IntOrString) int {
	if v.Type == intstr.Int {
		return v.IntValue()
	}
	return percent(v)
}

func (r *report) labels(p *field.Path, labels map[string]string) {
	r.add(metavalidation.ValidateLabels(labels, p)...)
}

func (r *report) selector(p *field.Path, s *metav1.LabelSelector) {
	r.add(metavalidation.ValidateLabelSelector(s, metavalidation.LabelSelectorValidationOptions{}, p)...)
}
