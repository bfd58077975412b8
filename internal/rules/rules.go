// Package rules is where package rest meets the modules that bring a language for validation rules. Today that is
// module cel.
package rules

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// Set are the validation rules of one kind, in a language of their own.
type Set interface {
	// Declared returns the rules by Go type or field, with keys like those of the Overlay of a resource.
	Declared() map[string][]schema.Rule
	// Compile checks the rules that a schema carries against it.
	Compile(s *schema.Schema) (Checker, error)
}

// Checker evaluates the compiled rules of one kind.
type Checker interface {
	// Check returns the rules that obj breaks, and apart from them those that the old object had broken in the same place
	// with the same value. old is absent on create. It is safe for concurrent use, and it ends early when ctx does; what
	// it returns then says nothing.
	Check(ctx context.Context, obj, old doc.Value) (broken, before status.FieldErrors)
}

// Judge is a Set that judges each rule of a schema by itself. Whoever accepts schemas at run time tells clients which
// rule is wrong.
type Judge interface {
	// Judge returns a verdict for each rule, by the schema that carries the rules. It has no verdicts for the rules of a
	// schema whose values expressions cannot see. The schema must not contain itself.
	Judge(s *schema.Schema) (map[*schema.Schema][]Verdict, error)
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

// Open returns the set in a rest.Rules, or nil if it contains no rules. Hosts could not name the methods of a set, so
// rest.Rules hides them. Open returns an error if a host has implemented rest.Rules itself.
func Open(hidden any) (Set, error) {
	if hidden == nil {
		return nil, nil
	}
	set, ok := hidden.(Set)
	if !ok {
		return nil, fmt.Errorf("the rules are a %T, and not of module github.com/decorum-go/decorum/cel", hidden)
	}
	return set, nil
}
