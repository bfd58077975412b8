package schema

import (
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/status"
)

// Rule is a validation rule of a rule language, published as x-kubernetes-validations.
type Rule struct {
	// Rule is the expression.
	Rule string
	// Message says what must hold; MessageExpression computes such a message.
	Message, MessageExpression string
	// Reason is the type of the cause. Empty means an invalid value.
	Reason status.CauseType
	// FieldPath is the path of the fault, relative to the place of the rule.
	FieldPath string
	// OptionalOldSelf evaluates a transition rule on create, too, with an empty oldSelf.
	OptionalOldSelf bool
}

// rulesOf returns the rules of a type, or of one of its members.
func (d *deriver) rulesOf(t reflect.Type, field string) []Rule {
	if len(d.options.Rules) == 0 {
		return nil
	}
	var rules []Rule
	of := d.types.of(t)
	for _, name := range [...]string{of.short, of.name} {
		if declared, ok := d.options.Rules[string(d.overlayKey(name, field))]; ok {
			d.usedRules[string(d.key)] = true
			rules = append(rules, declared...)
		}
	}
	return rules
}

// addRules adds rules to those that a schema publishes.
func (s *Schema) addRules(rules []Rule) {
	if len(rules) > 0 {
		c := s.constrain()
		c.Rules = append(c.Rules, rules...)
	}
}

// HasRules reports whether the schema has a rule at any place. The schema must not contain itself, like every schema of
// [FromOpenAPI].
func (s *Schema) HasRules() bool {
	if s == nil {
		return false
	}
	if len(s.Constraints().Rules) > 0 || s.Items.HasRules() || s.Additional.HasRules() {
		return true
	}
	return s.Object != nil && slices.ContainsFunc(s.Object.Properties,
		func(p Property) bool { return !p.unchecked && p.Schema.HasRules() })
}
