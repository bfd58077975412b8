package cel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Rules are the rules of a kind, by the Go type or the field of a struct whose values they are for: "WidgetSpec",
// "WidgetSpec.size", with the field's name in JSON. A type may be written with its import path. The rules of a type hold
// wherever the type is used. Several rules of one place are all evaluated.
type Rules map[string][]Rule

var _ rest.Rules = Rules(nil)

// Rule is an expression that must be true of every object.
type Rule struct {
	// Rule is the expression. self is the value it is for. oldSelf is the value before an update, and makes it a transition
	// rule, which is not evaluated where there is none: at creation, and for elements of lists that have no keys.
	Rule string
	// Message tells clients what must hold, in one line. Default: "failed rule: " and the rule.
	Message string
	// MessageExpression computes the message instead, from the same variables. Message is used where it fails.
	MessageExpression string
	// Reason is the type of the cause: [status.CauseInvalid] (the default), [status.CauseForbidden],
	// [status.CauseRequired] or [status.CauseDuplicate].
	Reason status.CauseType
	// FieldPath names a member below self as the one at fault, like ".min" or ".limits['cpu']".
	FieldPath string
	// OptionalOldSelf makes oldSelf an optional value, so that the rule is evaluated also where there is none.
	OptionalOldSelf bool
}

// Declared implements [rest.Rules].
func (r Rules) Declared() map[string][]schema.Rule {
	all := make(map[string][]schema.Rule, len(r))
	for place, rules := range r {
		for _, rule := range rules {
			all[place] = append(all[place], schema.Rule(rule))
		}
	}
	return all
}

// Compile implements [rest.Rules]. Each error names the place and the rule: expressions that do not compile or are no
// condition, references to fields that do not exist, transition rules where no older value can be told.
func (r Rules) Compile(s *schema.Schema) (rest.RuleChecker, error) {
	c, err := newCompiler()
	if err != nil {
		return nil, err
	}
	root := c.root(s)
	if err := errors.Join(c.errs...); err != nil {
		return nil, err
	}
	if err := checkWorstCase(root); err != nil {
		return nil, err
	}
	return &evaluator{root: root}, nil
}

// checkRule reports what is wrong with a rule apart from its expressions.
func checkRule(r schema.Rule) error {
	switch r.Reason {
	case "", status.CauseInvalid, status.CauseForbidden, status.CauseRequired, status.CauseDuplicate:
	default:
		return fmt.Errorf("the reason %q is none of FieldValueInvalid, FieldValueForbidden, FieldValueRequired and FieldValueDuplicate", r.Reason)
	}
	switch {
	case strings.TrimSpace(r.Rule) == "":
		return errors.New("the rule is empty")
	case strings.ContainsAny(strings.TrimSpace(r.Message), "\r\n"):
		return errors.New("the message has more than one line")
	case r.Message == "" && strings.ContainsAny(strings.TrimSpace(r.Rule), "\r\n"):
		return errors.New("a rule of several lines needs a message")
	}
	return nil
}
