package apimeta

// ConditionStatus is one of [ConditionTrue], [ConditionFalse] and
// [ConditionUnknown].
type ConditionStatus string

// The three values of [Condition.Status].
const (
	ConditionTrue    ConditionStatus = "True"    // the observation holds
	ConditionFalse   ConditionStatus = "False"   // it does not hold
	ConditionUnknown ConditionStatus = "Unknown" // it is unknown whether it holds
)

// Condition is one observation about an object, identified by its type (API
// conventions, Typical status properties).
type Condition struct {
	// Type names the observation in CamelCase, such as "Ready".
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`
	// Status is whether the observation holds.
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt,name=status"`
	// ObservedGeneration is the metadata.generation that was observed.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,3,opt,name=observedGeneration"`
	// LastTransitionTime is when Status last changed.
	LastTransitionTime Time `json:"lastTransitionTime" protobuf:"bytes,4,opt,name=lastTransitionTime"`
	// Reason is a CamelCase word that programs can compare.
	Reason string `json:"reason" protobuf:"bytes,5,opt,name=reason"`
	// Message is text for people, possibly empty.
	Message string `json:"message" protobuf:"bytes,6,opt,name=message"`
}

// FindCondition returns the condition of that type, in place, or nil.
func FindCondition(conditions []Condition, conditionType string) *Condition {
	for i := range conditions {
		if conditions[i].Type == conditionType {
			return &conditions[i]
		}
	}
	return nil
}

// SetCondition adds c, or brings the condition of its type up to date, and
// reports whether anything changed. LastTransitionTime moves only when Status
// does: to the time c carries, or to the current time if it carries none. A nil
// pointer changes nothing.
func SetCondition(conditions *[]Condition, c Condition) (changed bool) {
	if conditions == nil {
		return false
	}
	old := FindCondition(*conditions, c.Type)
	if old != nil && old.Status == c.Status {
		c.LastTransitionTime = old.LastTransitionTime
	} else if c.LastTransitionTime.IsZero() {
		c.LastTransitionTime = Now()
	}
	switch {
	case old == nil:
		*conditions = append(*conditions, c)
	case *old == c:
		return false
	default:
		*old = c
	}
	return true
}

// RemoveCondition removes the condition of that type and reports whether it
// existed. A nil pointer changes nothing.
func RemoveCondition(conditions *[]Condition, conditionType string) (removed bool) {
	if conditions == nil {
		return false
	}
	kept := make([]Condition, 0, len(*conditions))
	for _, c := range *conditions {
		if c.Type != conditionType {
			kept = append(kept, c)
		}
	}
	removed = len(kept) != len(*conditions)
	if removed {
		*conditions = kept
	}
	return removed
}

// IsConditionTrue reports whether the condition of that type exists and holds.
func IsConditionTrue(conditions []Condition, conditionType string) bool {
	c := FindCondition(conditions, conditionType)
	return c != nil && c.Status == ConditionTrue
}

// IsConditionFalse reports whether the condition of that type exists and does
// not hold. An absent or unknown condition is neither true nor false.
func IsConditionFalse(conditions []Condition, conditionType string) bool {
	c := FindCondition(conditions, conditionType)
	return c != nil && c.Status == ConditionFalse
}
