package apiextensions

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

var ruleReasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

func hasLineBreak(s string) bool { return strings.ContainsAny(s, "\r\n") }

// ruleFaults checks everything about rules but their expressions.
func (c *schemaChecker) ruleFaults(s *JSONSchemaProps, parent *status.Path) {
	fail := func(e *status.FieldError) { c.schema.fail(e) }
	for i, r := range s.XValidations {
		if c.schema.full() {
			return
		}
		at := parent.Index(i)
		rule, message := strings.TrimSpace(r.Rule), strings.TrimSpace(r.Message)
		switch {
		case rule == "":
			fail(status.RequiredField(at.Child("rule"), "rule is not specified"))
		case r.Message != "" && message == "":
			fail(status.InvalidField(at.Child("message"), r.Message, "must be non-empty if specified"))
		case hasLineBreak(message):
			fail(status.InvalidField(at.Child("message"), r.Message, "must not contain line breaks"))
		case hasLineBreak(rule) && message == "":
			fail(status.RequiredField(at.Child("message"), "message must be specified if rule contains line breaks"))
		}
		if r.MessageExpression != "" && strings.TrimSpace(r.MessageExpression) == "" {
			fail(status.RequiredField(at.Child("messageExpression"), "messageExpression must be non-empty if specified"))
		}
		if r.Reason != nil && !known(ruleReasons, *r.Reason) {
			fail(status.NotSupportedField(at.Child("reason"), *r.Reason, ruleReasons))
		}
		if r.FieldPath == "" {
			continue
		}
		place := at.Child("fieldPath")
		if strings.TrimSpace(r.FieldPath) == "" {
			fail(status.InvalidField(place, r.FieldPath, "must be non-empty if specified"))
		}
		if hasLineBreak(r.FieldPath) {
			fail(status.InvalidField(place, r.FieldPath, "must not contain line breaks"))
		}
		if unsupported(s) == "" {
			if _, _, err := memberAt(s, r.FieldPath, true); err != nil {
				fail(status.InvalidField(place, r.FieldPath, "must be a valid path"))
			}
		}
	}
}

// The limits of the estimated costs of rules: of one expression in all places of an object, and of all expressions of a
// schema.
const (
	maxRuleCost   = 10_000_000
	maxSchemaCost = 100_000_000
)

// ruleChecker checks the expressions of the rules of one schema.
type ruleChecker struct {
	verdicts  map[*schema.Schema][]rules.Verdict
	unchanged bool // the stored definition has the same schema, so single rules may cost too much
	total     uint64
	most      []costly
}

// costly is an expression that contributes notably to the total.
type costly struct {
	at   *status.Path
	cost uint64
}

// rulesOf compiles the rules of a structural schema. It returns nil if the schema has none.
func (c *checker) rulesOf(s *JSONSchemaProps, compiled *schema.Schema, where validationAt) (*ruleChecker, error) {
	language := rules.LanguageOf(c.checks.CEL)
	if language == nil || compiled == nil || !s.any(func(s *JSONSchemaProps) bool { return len(s.XValidations) > 0 }) {
		return nil, nil
	}
	verdicts, err := language.Judge(compiled)
	return &ruleChecker{verdicts: verdicts, unchanged: where.unchanged}, err
}

// at checks the expressions of the rules of one place.
func (r *ruleChecker) at(s *JSONSchemaProps, p schemaPlace) (errs status.FieldErrors) {
	parent := p.at.Child("x-kubernetes-validations")
	verdicts, ok := r.verdicts[p.compiled]
	if !ok {
		return status.FieldErrors{status.InternalField(parent, errors.New(
			"internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations"))}
	}
	for i, v := range verdicts {
		errs = append(errs, r.rule(&s.XValidations[i], v, p, parent.Index(i))...)
	}
	return errs
}

func (r *ruleChecker) rule(rule *ValidationRule, v rules.Verdict, p schemaPlace,
	at *status.Path) (errs status.FieldErrors) {
	cost := multiply(v.Cost, p.count)
	if p.unbounded {
		cost = multiply(v.Cost, v.Most)
	}
	errs = append(errs, r.cost(at.Child("rule"), "estimated rule cost", cost)...)
	if v.Fault != "" {
		errs = append(errs, status.InvalidField(at.Child("rule"), shown{*rule}, v.Fault))
	}
	if v.MessageFault != "" {
		errs = append(errs, status.InvalidField(at.Child("messageExpression"), shown{*rule}, v.MessageFault))
	} else if rule.MessageExpression != "" {
		errs = append(errs, r.cost(at.Child("messageExpression"), "estimated messageExpression cost", v.MessageCost)...)
	}
	switch {
	case v.UsesOldSelf && p.uncorrelated != nil:
		errs = append(errs, status.InvalidField(at.Child("rule"), rule.Rule,
			"oldSelf cannot be used on the uncorrelatable portion of the schema within "+p.uncorrelated.String()))
	case !v.UsesOldSelf && rule.OptionalOldSelf != nil:
		errs = append(errs, status.InvalidField(at.Child("optionalOldSelf"), *rule.OptionalOldSelf,
			"may not be set if oldSelf is not used in rule"))
	}
	return errs
}

// cost adds the cost of an expression to the total, and checks it.
func (r *ruleChecker) cost(at *status.Path, what string, cost uint64) (errs status.FieldErrors) {
	if cost > maxRuleCost && !r.unchanged {
		errs = append(errs, status.ForbiddenField(at, costText(what, cost, maxRuleCost)))
	}
	if r.total += cost; r.total < cost {
		r.total = math.MaxUint64
	}
	if cost >= maxSchemaCost/100 {
		r.most = append(r.most, costly{at, cost})
		slices.SortFunc(r.most, func(a, b costly) int { return cmp.Compare(b.cost, a.cost) })
		r.most = r.most[:min(len(r.most), 4)]
	}
	return errs
}

// tooCostly reports that all rules of a schema together cost too much.
func (r *ruleChecker) tooCostly(at *status.Path) (errs status.FieldErrors) {
	if r == nil || r.total <= maxSchemaCost {
		return nil
	}
	for _, e := range r.most {
		errs = append(errs, status.ForbiddenField(e.at,
			"contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
	}
	return append(errs, status.ForbiddenField(at,
		costText("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", r.total, maxSchemaCost)))
}

func costText(what string, cost, limit uint64) string {
	factor := "more than 100x"
	switch times := float64(cost) / float64(limit); {
	case times < 1.5:
		factor = fmt.Sprintf("%fx", times)
	case times <= 100:
		factor = fmt.Sprintf("%.1fx", times)
	}
	return fmt.Sprintf("%s exceeds budget by factor of %s (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, "+
		"maps, and strings are declared)", what, factor)
}

func multiply(a, b uint64) uint64 {
	if high, low := bits.Mul64(a, b); high == 0 {
		return low
	}
	return math.MaxUint64
}
