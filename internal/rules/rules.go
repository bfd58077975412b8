// Package rules is where package rest meets the modules that bring a language for validation rules. Today that is
// module cel.
package rules

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// Set are the validation rules of one kind.
type Set interface {
	// Declared returns the rules by Go type or field, with keys like those of the Overlay of a resource.
	Declared() map[string][]schema.Rule
	// Language returns the language of the rules.
	Language() Language
}

// Language compiles expressions.
type Language interface {
	// Compile checks the rules that a schema carries against it.
	Compile(s *schema.Schema) (Checker, error)
	// Judge returns a verdict for each rule, keyed by the schema that carries the rule. Callers that accept schemas at
	// run time use it to tell clients which rule is wrong. It returns no verdicts for the rules of a schema whose
	// values expressions cannot see. The schema must not contain itself.
	Judge(s *schema.Schema) (map[*schema.Schema][]Verdict, error)
	// Admission returns the language of conditions, messages and patches about a write: the expressions of admission
	// webhooks and policies. It takes milliseconds, so callers keep the result.
	Admission() (Admission, error)
	// DeviceSelector compiles an expression of resource.k8s.io about the variable device. The expression must evaluate
	// to a boolean. The verdict has a Cost, or a Fault for clients in the words of API servers. An error means a
	// failure that the expression did not cause.
	DeviceSelector(expression string) (Verdict, error)
}

// Rules is embedded in rest.Rules. It hides the methods of a [Set], because hosts could not name their types. Only
// [Hide] returns Rules, so hosts cannot implement rest.Rules themselves.
type Rules interface{ set() Set }

// Hide returns the rules for a resource.
func Hide(s Set) Rules { return hiddenSet{s} }

// SetOf returns the set in the rules of a resource, or nil without rules.
func SetOf(r Rules) Set {
	if r == nil {
		return nil
	}
	return r.set()
}

type hiddenSet struct{ it Set }

func (h hiddenSet) set() Set { return h.it }

// Evaluator is embedded in rest.Evaluator. It hides a [Language] as [Rules] hides a [Set].
type Evaluator interface{ language() Language }

// HideLanguage returns the evaluator for the options of an API.
func HideLanguage(l Language) Evaluator { return hiddenLanguage{l} }

// LanguageOf returns the language of an evaluator, or nil without an evaluator.
func LanguageOf(e Evaluator) Language {
	if e == nil {
		return nil
	}
	return e.language()
}

type hiddenLanguage struct{ it Language }

func (h hiddenLanguage) language() Language { return h.it }

// Checker evaluates the compiled rules of one kind.
type Checker interface {
	// Check returns the rules that obj breaks, and apart from them those that the old object had broken in the same place
	// with the same value. old is absent on create. It is safe for concurrent use, and it ends early when ctx does; what
	// it returns then says nothing.
	Check(ctx context.Context, obj, old doc.Value) (broken, before status.FieldErrors)
}

// Verdict says what came of compiling a rule.
type Verdict struct {
	// Fault says why the expression cannot be used, and MessageFault why the messageExpression cannot. Both are empty for
	// a good rule.
	Fault, MessageFault string
	// Cost and MessageCost are the highest costs of the expressions, as CEL estimates them.
	Cost, MessageCost uint64
	// Most is how many values of the place fit into the largest request.
	Most uint64
	// UsesOldSelf says that the rule is a transition rule.
	UsesOldSelf bool
}
