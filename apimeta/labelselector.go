package apimeta

import (
	"fmt"
	"slices"
)

// LabelSelectorOperator says how a [LabelSelectorRequirement] compares the label with its values.
type LabelSelectorOperator string

// Operators of a [LabelSelectorRequirement].
const (
	LabelSelectorIn           LabelSelectorOperator = "In"           // the label has one of the values
	LabelSelectorNotIn        LabelSelectorOperator = "NotIn"        // the label is missing or has none of the values
	LabelSelectorExists       LabelSelectorOperator = "Exists"       // the label exists
	LabelSelectorDoesNotExist LabelSelectorOperator = "DoesNotExist" // the label is missing
)

// LabelSelector is a label selector as a member of an object (API conventions,
// Selecting Objects). All of its parts must hold; an empty one matches
// everything. The kind decides what a missing selector means; in upstream kinds
// it matches nothing.
type LabelSelector struct {
	// MatchLabels requires each key to have the value.
	MatchLabels map[string]string `json:"matchLabels,omitempty" protobuf:"bytes,1,rep,name=matchLabels"`
	// MatchExpressions lists further requirements.
	MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty" protobuf:"bytes,2,rep,name=matchExpressions"`
}

// LabelSelectorRequirement is one expression of a [LabelSelector], for conditions that MatchLabels cannot express.
type LabelSelectorRequirement struct {
	// Key is the label the requirement is about.
	Key string `json:"key" protobuf:"bytes,1,opt,name=key"`
	// Operator says how to compare.
	Operator LabelSelectorOperator `json:"operator" protobuf:"bytes,2,opt,name=operator"`
	// Values must not be empty for In and NotIn, and must be for the others.
	Values []string `json:"values,omitempty" protobuf:"bytes,3,rep,name=values"`
}

// Matcher returns the [LabelMatcher] that matches the same labels. It returns an
// error for an invalid key, operator or value, and for more than
// [MaxSelectorRequirements] requirements.
func (s LabelSelector) Matcher() (LabelMatcher, error) {
	if n := len(s.MatchLabels) + len(s.MatchExpressions); n > MaxSelectorRequirements {
		return LabelMatcher{}, fmt.Errorf("label selector has too many requirements: may not have more than %d",
			MaxSelectorRequirements)
	}
	var requirements []LabelRequirement
	for _, label := range LabelsOf(s.MatchLabels) {
		r, err := newRequirement(label.Key, Equals, []string{label.Value})
		if err != nil {
			return LabelMatcher{}, err
		}
		requirements = append(requirements, r)
	}
	for _, e := range s.MatchExpressions {
		op, err := e.Operator.operator()
		if err != nil {
			return LabelMatcher{}, err
		}
		r, err := newRequirement(e.Key, op, slices.Clone(e.Values))
		if err != nil {
			return LabelMatcher{}, err
		}
		requirements = append(requirements, r)
	}
	return newSelector(requirements), nil
}

func (o LabelSelectorOperator) operator() (Operator, error) {
	switch o {
	case LabelSelectorIn:
		return In, nil
	case LabelSelectorNotIn:
		return NotIn, nil
	case LabelSelectorExists:
		return Exists, nil
	case LabelSelectorDoesNotExist:
		return DoesNotExist, nil
	}
	return "", fmt.Errorf("%q is not a valid label selector operator", string(o))
}
