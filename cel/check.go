package cel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// The reasons to stop the evaluation. The texts are those of API servers.
const (
	outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"
	outOfTime   = "validation failed due to running out of time, no further validation rules will be run"
)

// evaluator evaluates the rules of a kind.
type evaluator struct{ root *node }

// Check implements rules.Checker.
func (e *evaluator) Check(ctx context.Context, obj, old doc.Value) (broken, before status.FieldErrors) {
	ctx, stop := context.WithTimeout(ctx, objectTime)
	defer stop()
	w := walk{ctx: ctx, budget: objectBudget}
	w.node(e.root, nil, obj, old, nil) // a write always changes something of the object itself
	return w.broken, w.before
}

// walk is one evaluation of all rules of an object.
type walk struct {
	ctx            context.Context
	budget         int64 // what the remaining rules may cost; negative once the evaluation has stopped
	broken, before status.FieldErrors
	bytes          int // the length of broken
}

// over reports whether the evaluation has stopped.
func (w *walk) over() bool {
	return w.budget < 0 || len(w.broken) >= maxNamed || w.bytes >= maxNamedBytes
}

func (w *walk) refuse(e *status.FieldError) {
	w.broken = append(w.broken, e)
	w.bytes += len(e.Field) + len(e.Detail)
}

// node evaluates the rules of a place and of the places below it. old is absent if the place has no older value.
func (w *walk) node(n *node, at *status.Path, v, old doc.Value, nearest *pair) {
	if n == nil || v.IsAbsent() || v.IsNull() || w.over() {
		return
	}
	if old.IsNull() {
		old = doc.Value{}
	}
	w.rules(n, at, v, old, nearest)
	if !old.IsAbsent() && nearest == nil { // only places below the object itself need it
		nearest = &pair{schema: n.schema, now: v, old: old}
	}
	switch v.Kind() {
	case doc.Map:
		for key, member := range v.Members() {
			below, place := n.values, at.Key(key)
			if n.schema.Object != nil {
				below, place = n.fields[key], at.Child(key)
			}
			if below != nil {
				was := old.Get(key)
				w.node(below, place, member, was, nearest.below(below.schema, member, was))
			}
		}
	case doc.List:
		if n.items == nil {
			return
		}
		older := olderItems(n.schema, old)
		for i, item := range v.Elements() {
			was := older[itemKey(n.schema, item)]
			w.node(n.items, at.Index(i), item, was, nearest.below(n.items.schema, item, was))
		}
	}
}

// rules evaluates the rules of one place. It converts self once for all of them, and the older value only for a
// transition rule.
func (w *walk) rules(n *node, at *status.Path, v, old doc.Value, nearest *pair) {
	if len(n.rules) == 0 {
		return
	}
	if w.budget == 0 {
		w.stop(invalid(at, n.schema.Type, outOfBudget))
		return
	}
	if w.ctx.Err() != nil {
		w.stop(invalid(at, n.schema.Type, outOfTime))
		return
	}
	self := valueOf(n.schema, v)
	var older ref.Val
	for _, r := range n.rules {
		if r.transition && old.IsAbsent() && !r.OptionalOldSelf {
			continue
		}
		if r.transition && older == nil && !old.IsAbsent() {
			older = valueOf(n.schema, old)
		}
		if w.rule(n, r, at, v, variables(r, self, older), nearest); w.over() {
			return
		}
	}
}

// variables returns the variables of a rule. Pass nil as older to evaluate a rule without oldSelf.
func variables(r *rule, self, older ref.Val) map[string]any {
	vars := map[string]any{selfName: self}
	switch {
	case !r.transition:
	case !r.OptionalOldSelf:
		vars[oldSelfName] = older
	case older == nil:
		vars[oldSelfName] = types.OptionalNone
	default:
		vars[oldSelfName] = types.OptionalOf(older)
	}
	return vars
}

func (w *walk) rule(n *node, r *rule, at *status.Path, v doc.Value, vars map[string]any, nearest *pair) {
	fault := func(format string, args ...any) *status.FieldError {
		return invalid(at, n.schema.Type, fmt.Sprintf(format, args...))
	}
	result, err := w.evaluate(r.program, vars)
	switch {
	case w.budget < 0:
		w.stop(fault(outOfBudget))
	case err == nil && result == types.True:
	case err == nil:
		w.fail(n, r, at, v, vars, nearest)
	case strings.HasPrefix(err.Error(), "no such overload"):
		w.refuse(fault("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v",
			err, name(r)))
	case errors.Is(err, interpreter.InterruptError{}):
		w.stop(fault(outOfTime))
	case isTooExpensive(err):
		w.stop(fault("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", err,
			name(r)))
	default:
		w.refuse(fault("%v evaluating rule: %v", err, name(r)))
	}
}

// evaluate runs an expression and takes its cost out of the budget.
func (w *walk) evaluate(p cel.Program, vars map[string]any) (ref.Val, error) {
	result, details, err := p.ContextEval(w.ctx, vars)
	cost := uint64(math.MaxUint64)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if cost > uint64(w.budget) {
		w.budget = -1
		return nil, err
	}
	w.budget -= int64(cost)
	return result, err
}

// stop reports a fault and stops the evaluation.
func (w *walk) stop(e *status.FieldError) {
	w.refuse(e)
	w.budget = -1
}

// fail reports that a rule is broken. If the older value broke the rule too and the write does not change it, the
// report is only a warning.
func (w *walk) fail(n *node, r *rule, at *status.Path, v doc.Value, vars map[string]any, nearest *pair) {
	at = r.at.below(at)
	message, tooMuch := w.message(r, vars)
	e := faultOf(r.Reason, at, n.schema, v, message)
	if tooMuch != "" {
		e = invalid(at, n.schema.Type, tooMuch)
		w.budget = -1
	}
	if !r.transition && nearest.unchanged() {
		if len(w.before) < maxNamed {
			w.before = append(w.before, e)
		}
	} else {
		w.refuse(e)
	}
}

// message returns the text for a broken rule, or tooMuch if computing the text costs too much.
func (w *walk) message(r *rule, vars map[string]any) (message, tooMuch string) {
	if r.message != nil {
		result, err := w.evaluate(r.message, vars)
		switch text, ok := result.(types.String); {
		case w.budget < 0:
			return "", "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
		case err != nil && isTooExpensive(err):
			return "", fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", r.MessageExpression)
		case errors.Is(err, interpreter.InterruptError{}):
			return "", outOfTime
		case err == nil && ok:
			message = strings.TrimSpace(string(text))
			if message != "" && len(message) <= maxMessage && !strings.Contains(message, "\n") {
				return message, ""
			}
		}
	}
	if r.Message != "" {
		return strings.TrimSpace(r.Message), ""
	}
	return "failed rule: " + name(r), ""
}

func isTooExpensive(err error) bool {
	return strings.HasPrefix(err.Error(), "operation cancelled: actual cost limit exceeded")
}

// name returns the name of a rule in messages.
func name(r *rule) string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return strings.TrimSpace(r.Rule.Rule)
}

func faultOf(reason status.CauseType, at *status.Path, s *schema.Schema, v doc.Value,
	detail string) *status.FieldError {
	var e *status.FieldError
	switch {
	case reason == status.CauseForbidden:
		e = status.ForbiddenField(at, detail)
	case reason == status.CauseRequired:
		e = status.RequiredField(at, detail)
	case s.Type == schema.ObjectType || s.Type == schema.ArrayType:
		e = status.BrokenRuleField(at, detail)
	default:
		e = status.InvalidField(at, plain(v), detail)
	}
	if reason == status.CauseDuplicate {
		e.Type, e.Detail = status.CauseDuplicate, ""
	}
	return ofObject(e)
}

// invalid returns a fault of a rule itself. It names the type of the value instead of the value.
func invalid(at *status.Path, typ, detail string) *status.FieldError {
	return ofObject(status.InvalidField(at, typ, detail))
}

// ofObject replaces the empty path of the object itself by the one that API servers use in faults of rules.
func ofObject(e *status.FieldError) *status.FieldError {
	if e.Field == "" {
		e.Field = "<nil>"
	}
	return e
}

// plain returns a scalar as messages show it.
func plain(v doc.Value) any {
	switch v.Kind() {
	case doc.Bool:
		return v.Bool()
	case doc.Number:
		if i, ok := v.Int(); ok {
			return i
		}
		f, _ := v.Float()
		return f
	}
	return v.Text()
}
