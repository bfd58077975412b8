package apimeta

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Limits of the selectors that [ParseLabelSelector], [ParseFieldSelector] and
// [LabelSelector.Matcher] accept. Both limit the work that one request can cause
// for each object of a list.
const (
	// MaxSelectorLength is the length of a selector in bytes.
	MaxSelectorLength = 64 << 10
	// MaxSelectorRequirements is the number of terms joined by commas.
	MaxSelectorRequirements = 1000
)

// Operator is how a requirement of a selector compares.
type Operator string

// Operators of label selectors. A [FieldMatcher] uses the first two only.
const (
	// Equals selects objects that have the key with the one value.
	Equals Operator = "="
	// NotEquals selects objects that lack the key or have another value.
	NotEquals Operator = "!="
	// In selects objects that have the key with one of the values.
	In Operator = "in"
	// NotIn selects objects that lack the key or have none of the values.
	NotIn Operator = "notin"
	// Exists selects objects that have the key.
	Exists Operator = "exists"
	// DoesNotExist selects objects that lack the key.
	DoesNotExist Operator = "!"
	// GreaterThan selects objects whose value is an integer above the one value.
	GreaterThan Operator = "gt"
	// LessThan selects objects whose value is an integer below the one value.
	LessThan Operator = "lt"
)

// LabelRequirement is one term of a [LabelMatcher]. It is immutable.
type LabelRequirement struct {
	key    string
	op     Operator
	values []string
	bound  int64 // the parsed value of GreaterThan and LessThan
}

// Key returns the label key the requirement is about.
func (r LabelRequirement) Key() string { return r.key }

// Operator returns how the requirement compares. A parsed "==" is [Equals].
func (r LabelRequirement) Operator() Operator { return r.op }

// Values returns a copy of the values, sorted and without duplicates.
func (r LabelRequirement) Values() []string { return slices.Clone(r.values) }

// Matches reports whether labels meet the requirement. It does not allocate.
func (r LabelRequirement) Matches(labels Labels) bool {
	value, ok := labels.Lookup(r.key)
	switch r.op {
	case Equals:
		return ok && value == r.values[0]
	case NotEquals:
		return !ok || value != r.values[0]
	case In:
		return ok && r.has(value)
	case NotIn:
		return !ok || !r.has(value)
	case Exists:
		return ok
	case DoesNotExist:
		return !ok
	}
	if !ok {
		return false
	}
	n, ok := decimal(value)
	if !ok {
		return false
	}
	if r.op == GreaterThan {
		return n > r.bound
	}
	return n < r.bound
}

func (r LabelRequirement) has(value string) bool {
	_, found := slices.BinarySearch(r.values, value)
	return found
}

// String returns the requirement in the grammar of [ParseLabelSelector].
func (r LabelRequirement) String() string { return string(r.appendTo(nil)) }

func (r LabelRequirement) appendTo(b []byte) []byte {
	switch r.op {
	case Exists:
		return append(b, r.key...)
	case DoesNotExist:
		return append(append(b, '!'), r.key...)
	}
	b = append(b, r.key...)
	switch r.op {
	case In, NotIn:
		b = append(append(append(b, ' '), r.op...), " ("...)
		for i, v := range r.values {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, v...)
		}
		return append(b, ')')
	case GreaterThan:
		b = append(b, '>')
	case LessThan:
		b = append(b, '<')
	default:
		b = append(b, r.op...)
	}
	return append(b, r.values[0]...)
}

// LabelMatcher selects objects by their labels. An object must meet all of its
// requirements (API concepts, Label selectors). It is immutable, safe for
// concurrent use, and its zero value matches everything.
type LabelMatcher struct {
	requirements []LabelRequirement
}

// Matches reports whether labels meet every requirement. It does not allocate.
func (s LabelMatcher) Matches(labels Labels) bool {
	for i := range s.requirements {
		if !s.requirements[i].Matches(labels) {
			return false
		}
	}
	return true
}

// Exact returns the value that the selector requires of a label, and whether it
// requires one. A selector that requires two different values matches nothing,
// and Exact returns either value.
func (s LabelMatcher) Exact(key string) (value string, ok bool) {
	for i := range s.requirements {
		r := &s.requirements[i]
		if r.key == key && (r.op == Equals || r.op == In && len(r.values) == 1) {
			return r.values[0], true
		}
	}
	return "", false
}

// Empty reports whether the selector matches everything because it requires
// nothing.
func (s LabelMatcher) Empty() bool { return len(s.requirements) == 0 }

// String returns the canonical form: requirements and values are sorted, blanks
// are left out, and parsing it gives an equal selector.
func (s LabelMatcher) String() string {
	var b []byte
	for i, r := range s.requirements {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.appendTo(b)
	}
	return string(b)
}

// Requirements returns a copy of the requirements in canonical order.
func (s LabelMatcher) Requirements() []LabelRequirement { return slices.Clone(s.requirements) }

// newSelector takes ownership of requirements and sorts them.
func newSelector(requirements []LabelRequirement) LabelMatcher {
	sort.Slice(requirements, func(i, j int) bool {
		a, b := requirements[i], requirements[j]
		return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.op, b.op), slices.Compare(a.values, b.values)) < 0
	})
	return LabelMatcher{requirements: requirements}
}

// newRequirement checks and builds one requirement, and takes ownership of
// values. Its errors name the parts as upstream does, such as values[0][key].
func newRequirement(key string, op Operator, values []string) (LabelRequirement, error) {
	var faults []string
	if msgs := ValidateLabelKey(key); len(msgs) > 0 {
		faults = append(faults, "key: "+invalidValue(key, msgs))
	}
	slices.Sort(values)
	values = slices.Compact(values)
	var bound int64
	switch op {
	case In, NotIn:
		if len(values) == 0 {
			faults = append(faults, "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty")
		}
	case Exists, DoesNotExist:
		if len(values) > 0 {
			shown, _ := json.Marshal(values) // strings always marshal
			faults = append(faults, "values: Invalid value: "+string(shown)+
				": values set must be empty for exists and does not exist")
		}
	case GreaterThan, LessThan:
		var ok bool
		if bound, ok = decimal(values[0]); !ok {
			faults = append(faults, "values[0]: "+invalidValue(values[0],
				[]string{"for 'Gt', 'Lt' operators, the value must be an integer"}))
		}
	}
	for i, v := range values {
		if msgs := ValidateLabelValue(v); len(msgs) > 0 {
			faults = append(faults, fmt.Sprintf("values[%d][%s]: %s", i, key, invalidValue(v, msgs)))
		}
	}
	switch len(faults) {
	case 0:
		return LabelRequirement{key: key, op: op, values: values, bound: bound}, nil
	case 1:
		return LabelRequirement{}, errors.New(faults[0])
	default:
		return LabelRequirement{}, errors.New("[" + strings.Join(faults, ", ") + "]")
	}
}

func invalidValue(value string, msgs []string) string {
	return "Invalid value: " + strconv.Quote(value) + ": " + strings.Join(msgs, "; ")
}

// decimal is strconv.ParseInt for base 10, but allocates no error: a label that
// is not an integer is an ordinary case.
func decimal(s string) (int64, bool) {
	digits := s
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		digits = s[1:]
	}
	if digits == "" {
		return 0, false
	}
	// Counting down from zero reaches the smallest integer too.
	const least = -1 << 63
	var n int64
	for i := range len(digits) {
		d := int64(digits[i]) - '0'
		if d < 0 || d > 9 || n < (least+d)/10 {
			return 0, false
		}
		n = n*10 - d
	}
	if negative {
		return n, true
	}
	if n == least {
		return 0, false
	}
	return -n, true
}
