package policy

import (
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/rules"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/internal/matching"
)

// policy is a policy as it is stored. It is compiled when a write first needs it, and again when it changes.
type policy struct {
	name       string
	paramKind  *apimeta.GroupVersionKind // nil without params
	criteria   criteria
	ignore     bool // the failure policy
	variables  []ar.Variable
	conditions []ar.MatchCondition
	validating *ar.ValidatingAdmissionPolicySpec // nil for a mutating policy
	mutating   *ar.MutatingAdmissionPolicySpec   // nil for a validating policy

	compile  sync.Once
	compiled *program
	fault    error // the error of the compilation; compiled is then nil
}

// binding is a binding of either kind.
type binding struct {
	name, policy string
	params       *ar.ParamRef
	criteria     *criteria // nil if the binding does not restrict its policy
	actions      []ar.ValidationAction
}

func newValidatingPolicy(p *ar.ValidatingAdmissionPolicy) *policy {
	s := &p.Spec
	return &policy{name: p.Name, paramKind: kindOf(s.ParamKind), criteria: criteriaOf(s.MatchConstraints),
		ignore: ignores(s.FailurePolicy), variables: s.Variables, conditions: s.MatchConditions, validating: s}
}

func newMutatingPolicy(p *ar.MutatingAdmissionPolicy) *policy {
	s := &p.Spec
	return &policy{name: p.Name, paramKind: kindOf(s.ParamKind), criteria: criteriaOf(s.MatchConstraints),
		ignore: ignores(s.FailurePolicy), variables: s.Variables, conditions: s.MatchConditions, mutating: s}
}

func newValidatingBinding(b *ar.ValidatingAdmissionPolicyBinding) *binding {
	return &binding{name: b.Name, policy: b.Spec.PolicyName, params: b.Spec.ParamRef,
		criteria: restrictionOf(b.Spec.MatchResources), actions: b.Spec.ValidationActions}
}

func newMutatingBinding(b *ar.MutatingAdmissionPolicyBinding) *binding {
	return &binding{name: b.Name, policy: b.Spec.PolicyName, params: b.Spec.ParamRef,
		criteria: restrictionOf(b.Spec.MatchResources)}
}

func ignores(p *ar.FailurePolicyType) bool { return p != nil && *p == ar.Ignore }

func kindOf(k *ar.ParamKind) *apimeta.GroupVersionKind {
	if k == nil {
		return nil
	}
	gv, err := apimeta.ParseGroupVersion(k.APIVersion)
	if err != nil { // validation refuses it; no API serves such a kind
		return &apimeta.GroupVersionKind{Kind: k.Kind}
	}
	kind := gv.WithKind(k.Kind)
	return &kind
}

// criteria are the criteria of a policy or a binding, or their fault.
type criteria struct {
	matching.Criteria
	fault error
}

func restrictionOf(m *ar.MatchResources) *criteria {
	if m == nil {
		return nil
	}
	c := criteriaOf(m)
	return &c
}

// criteriaOf returns the criteria of a policy or a binding. Only the criteria of a binding may have no rules.
func criteriaOf(m *ar.MatchResources) (c criteria) {
	if m == nil {
		return c
	}
	c.AllResources = len(m.ResourceRules) == 0
	c.Equivalent = m.MatchPolicy == nil || *m.MatchPolicy == ar.Equivalent
	c.Rules, c.Exclude = rulesOf(m.ResourceRules), rulesOf(m.ExcludeResourceRules)
	if c.Namespaces, c.fault = selectorOf(m.NamespaceSelector); c.fault == nil {
		c.Objects, c.fault = selectorOf(m.ObjectSelector)
	}
	return c
}

func selectorOf(s *apimeta.LabelSelector) (apimeta.LabelMatcher, error) {
	if s == nil {
		return apimeta.LabelMatcher{}, nil
	}
	return s.Matcher()
}

func rulesOf(named []ar.NamedRuleWithOperations) []matching.Rule {
	out := make([]matching.Rule, len(named))
	for i, r := range named {
		out[i] = matching.Rule{APIGroups: r.APIGroups, APIVersions: r.APIVersions, Resources: r.Resources,
			Names: r.ResourceNames}
		for _, operation := range r.Operations {
			out[i].Operations = append(out[i].Operations, string(operation))
		}
		if r.Scope != nil {
			out[i].Scope = string(*r.Scope)
		}
	}
	return out
}

// program is a compiled policy.
type program struct {
	scope       rules.Scope
	conditions  *rules.Conditions
	validations []expression
	messages    []expression // one for each validation
	annotations []expression
	mutations   []expression
}

// expression is a compiled expression or its fault. It is empty if the policy omits the expression.
type expression struct {
	rules.Expression
	fault error
}

// program compiles the policy. Expressions that do not compile fail when they are evaluated.
func (p *policy) program(language rules.Admission) (*program, error) {
	p.compile.Do(func() { p.compiled, p.fault = p.newProgram(language) })
	return p.compiled, p.fault
}

func (p *policy) newProgram(language rules.Admission) (*program, error) {
	scope, err := language.Scope()
	if err != nil {
		return nil, err
	}
	see := p.visible(ar.ForValidation)
	for _, v := range p.variables {
		_ = scope.Define(v.Name, v.Expression, see) // an expression that uses the variable fails
	}
	out := &program{scope: scope}
	compile := func(text string, purpose ar.Purpose) expression {
		e, err := scope.Compile(text, resultOf(purpose), p.visible(purpose))
		return expression{e, err}
	}
	conditions := make([]rules.Condition, len(p.conditions))
	for i, c := range p.conditions {
		conditions[i] = rules.Condition(c)
	}
	out.conditions = rules.CompileConditions(scope, conditions, p.visible(ar.ForMatchCondition))
	if p.validating != nil {
		for _, v := range p.validating.Validations {
			out.validations = append(out.validations, compile(v.Expression, ar.ForValidation))
			var message expression
			if v.MessageExpression != "" {
				message = compile(v.MessageExpression, ar.ForMessage)
			}
			out.messages = append(out.messages, message)
		}
		for _, a := range p.validating.AuditAnnotations {
			out.annotations = append(out.annotations, compile(a.ValueExpression, ar.ForAuditAnnotation))
		}
		return out, nil
	}
	for _, m := range p.mutating.Mutations {
		switch {
		case m.PatchType == ar.PatchTypeJSONPatch && m.JSONPatch != nil:
			out.mutations = append(out.mutations, compile(m.JSONPatch.Expression, ar.ForJSONPatch))
		case m.PatchType == ar.PatchTypeApplyConfiguration && m.ApplyConfiguration != nil:
			out.mutations = append(out.mutations, compile(m.ApplyConfiguration.Expression, ar.ForApplyConfiguration))
		default:
			out.mutations = append(out.mutations, expression{}) // validation refuses such a policy
		}
	}
	return out, nil
}

// visible says what an expression of the policy sees.
func (p *policy) visible(purpose ar.Purpose) rules.Visible {
	return visible(purpose, p.paramKind != nil)
}

func visible(purpose ar.Purpose, params bool) rules.Visible {
	v := rules.Visible{Variables: true, Params: params, Authorizer: true}
	switch purpose {
	case ar.ForMatchCondition:
		v.Variables = false
	case ar.ForMessage:
		v.Authorizer = false
	case ar.ForJSONPatch, ar.ForApplyConfiguration:
		v.Patches = true
	}
	return v
}

// resultOf returns the type of the results of expressions.
func resultOf(purpose ar.Purpose) rules.Type {
	switch purpose {
	case ar.ForMessage:
		return rules.Text
	case ar.ForAuditAnnotation:
		return rules.TextOrNull
	case ar.ForJSONPatch:
		return rules.JSONPatch
	case ar.ForApplyConfiguration:
		return rules.ApplyConfiguration
	}
	return rules.Bool
}
