package cel

import (
	"errors"
	"fmt"
	"strings"

	_ "github.com/decorum-go/decorum/cel/internal/lockstep" // explains a build with two versions
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Rules are the rules of a kind. A key is the Go type or the field whose values the rules validate, such as
// "WidgetSpec" or "WidgetSpec.size" with the JSON name of the field. A type may be written with its import path. The
// rules of a type apply wherever the kind uses the type.
type Rules map[string][]Rule

// New returns the rules in the form in which a resource takes them. It does not look at them: [rest.New] compiles them
// against the schema of the kind, and returns an error that names the place and the rule for an expression that does
// not compile or is not a condition, for a reference to a field that does not exist, for a transition rule of elements
// that have no older value, and for rules that could cost too much.
func New(r Rules) rest.Rules { return rules.Hide(set(r)) }

// Evaluator returns the evaluator of expressions from outside the program, such as definitions and admission policies.
// Set [rest.Options].CEL or [rest.Schema].CEL to it.
func Evaluator() rest.Evaluator { return rules.HideLanguage(language{}) }

// Rule is an expression that must be true of every object.
type Rule struct {
	// Rule is the expression. self is the value that it validates. oldSelf is the value before an update. A rule that uses
	// oldSelf is a transition rule: it is evaluated only if there is an older value, so not at creation.
	Rule string
	// Message tells clients in one line what must hold. Default: "failed rule: " and the expression.
	Message string
	// MessageExpression computes the message from the same variables. If it fails, Message is used.
	MessageExpression string
	// Reason is the type of the cause: [status.CauseInvalid] (the default), [status.CauseForbidden],
	// [status.CauseRequired] or [status.CauseDuplicate].
	Reason status.CauseType
	// FieldPath names the member below self that is at fault, such as ".min" or ".limits['cpu']".
	FieldPath string
	// OptionalOldSelf makes oldSelf an optional value. The rule then also runs on create, with an empty oldSelf.
	OptionalOldSelf bool
}

// set implements [rules.Set].
type set Rules

// Language implements [rules.Set].
func (set) Language() rules.Language { return language{} }

// language implements [rules.Language].
type language struct{}

func (s set) Declared() map[string][]schema.Rule {
	all := make(map[string][]schema.Rule, len(s))
	for place, list := range s {
		for _, rule := range list {
			all[place] = append(all[place], schema.Rule(rule))
		}
	}
	return all
}

func (language) Compile(s *schema.Schema) (rules.Checker, error) {
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

// checkRule returns the error of a rule, apart from errors in its expressions.
func checkRule(r schema.Rule) error {
	switch r.Reason {
	case "", status.CauseInvalid, status.CauseForbidden, status.CauseRequired, status.CauseDuplicate:
	default:
		return fmt.Errorf("the reason %q must be FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate", r.Reason)
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
