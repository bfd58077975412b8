package rules

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
)

// Condition is a named expression that must be true of a write: a match condition of a webhook or policy.
type Condition struct{ Name, Expression string }

// Conditions are compiled match conditions.
type Conditions struct {
	scope    Scope
	compiled []compiledCondition
}

type compiledCondition struct {
	name string
	Expression
	fault error // if set, Expression is nil
}

// CompileConditions compiles match conditions, which see what v says and the variables of the scope. Conditions that do
// not compile fail when they are evaluated.
func CompileConditions(s Scope, conditions []Condition, v Visible) *Conditions {
	c := &Conditions{scope: s}
	for _, condition := range conditions {
		e, err := s.Compile(condition.Expression, Bool, v)
		c.compiled = append(c.compiled, compiledCondition{condition.Name, e, err})
	}
	return c
}

// Match reports whether all conditions are true of a write. If a condition is false, errors in other conditions do not
// matter, and failed is the name of the condition. Otherwise err is the errors of all conditions, and the failure
// policy decides.
func (c *Conditions) Match(ctx context.Context, in *Input) (matches bool, failed string, err error) {
	if len(c.compiled) == 0 {
		return true, "", nil
	}
	results := make([]doc.Value, len(c.compiled))
	var errs []error
	evaluation := c.scope.Evaluate(in, ConditionsBudget)
	for i, condition := range c.compiled {
		err := NotCompiled(condition.fault)
		if err == nil {
			results[i], err = evaluation.Value(ctx, condition.Expression)
		}
		if _, ok := errors.AsType[*Exhausted](err); ok {
			return false, "", err
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	for i, result := range results {
		if result.Kind() == doc.Bool && !result.Bool() {
			return false, c.compiled[i].name, nil
		}
	}
	if len(errs) > 0 {
		return false, "", errors.New(words.Aggregate(errs))
	}
	return true, "", nil
}

// NotCompiled returns the error of evaluating an expression that did not compile because of fault, or nil if fault is
// nil.
func NotCompiled(fault error) error {
	if fault == nil {
		return nil
	}
	return errors.New("compilation error: " + fault.Error())
}
