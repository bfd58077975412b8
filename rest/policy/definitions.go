package policy

import (
	"context"

	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/status"
)

// definitions returns the kinds ValidatingAdmissionPolicy, MutatingAdmissionPolicy and their bindings.
func (p *policies) definitions() []rest.Definition {
	return []rest.Definition{
		ar.ValidatingAdmissionPolicies(p.validateValidating),
		ar.ValidatingAdmissionPolicyBindings(p.validateValidatingBinding),
		ar.MutatingAdmissionPolicies(p.validateMutating),
		ar.MutatingAdmissionPolicyBindings(p.validateMutatingBinding),
	}
}

func (p *policies) validateValidating(ctx context.Context, v,
	old *ar.ValidatingAdmissionPolicy) (status.FieldErrors, error) {
	if access.AccessFrom(ctx).Subresource == "status" {
		return v.Status.Validate(), nil
	}
	x, err := p.checker(v.Spec.ParamKind, len(v.Spec.Variables) > 0)
	if err != nil {
		return nil, err
	}
	errs := v.Validate(old, x)
	if len(errs) == 0 && (old == nil || !sameValue(v.Spec.ParamKind, old.Spec.ParamKind)) {
		errs = p.mayReadKind(ctx, v.Spec.ParamKind)
	}
	return errs, nil
}

func (p *policies) validateMutating(ctx context.Context, m,
	old *ar.MutatingAdmissionPolicy) (status.FieldErrors, error) {
	x, err := p.checker(m.Spec.ParamKind, true)
	if err != nil {
		return nil, err
	}
	errs := m.Validate(old, x)
	if len(errs) == 0 && (old == nil || !sameValue(m.Spec.ParamKind, old.Spec.ParamKind)) {
		errs = p.mayReadKind(ctx, m.Spec.ParamKind)
	}
	return errs, nil
}

// checker implements admissionregistration.Expressions.
type checker struct {
	rules.Scope
	params, variables bool
}

func (p *policies) checker(params *ar.ParamKind, variables bool) (*checker, error) {
	scope, err := p.language.Scope()
	return &checker{scope, params != nil, variables}, err
}

// Define implements admissionregistration.Expressions.
func (c *checker) Define(name, expression string) error {
	return c.Scope.Define(name, expression, c.visible(ar.ForValidation))
}

// Check implements admissionregistration.Expressions.
func (c *checker) Check(expression string, purpose ar.Purpose) error {
	_, err := c.Compile(expression, resultOf(purpose), c.visible(purpose))
	return err
}

// visible says what an expression sees. The variable variables does not exist in a validating policy without any.
func (c *checker) visible(purpose ar.Purpose) rules.Visible {
	v := visible(purpose, c.params)
	v.Variables = v.Variables && c.variables
	return v
}

// sameValue reports whether two pointers are both nil or refer to equal values.
func sameValue[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
