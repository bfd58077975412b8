package schema

import (
	"reflect"

	"github.com/decorum-go/decorum/status"
)

// Rule is a validation rule in a rule language, as x-kubernetes-validations publishes it.
type Rule struct {
	// Rule is the expression.
	Rule string
	// Message says what must hold, MessageExpression computes it.
	Message, MessageExpression string
	// Reason is the type of the cause; empty for an invalid value.
	Reason status.CauseType
	// FieldPath is where the fault is, below the place of the rule.
	FieldPath string
	// OptionalOldSelf evaluates a transition rule also where there is no older value.
	OptionalOldSelf bool
}

// rulesOf returns the rules of a type, or of a member of it.
func (d *deriver) rulesOf(t reflect.Type, field string) []Rule {
	var rules []Rule
	for _, key := range overlayKeys(t, field) {
		if declared, ok := d.options.Rules[key]; ok {
			d.usedRules[key] = true
			rules = append(rules, declared...)
		}
	}
	return rules
}
