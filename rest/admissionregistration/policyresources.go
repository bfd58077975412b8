package admissionregistration

import (
	"cmp"
	"time"

	"github.com/decorum-go/decorum/rest"
)

// ValidatingAdmissionPolicies declares the resource validatingadmissionpolicies, without evaluating the policies.
// Hosts use package policy instead.
func ValidatingAdmissionPolicies(
	validate Validator[ValidatingAdmissionPolicy],
) rest.Resource[ValidatingAdmissionPolicy] {
	columns := policyColumns("Validations", "The number of validations of the policy.",
		func(p *ValidatingAdmissionPolicy) (int, *ParamKind, time.Time) {
			return len(p.Spec.Validations), p.Spec.ParamKind, p.CreationTimestamp.Time
		})
	r := declare("validatingadmissionpolicies", "ValidatingAdmissionPolicy refuses writes by expressions. It has no "+
		"effect without a binding.", columns, validate)
	r.Overlay["Variable"] = "map=atomic"
	return r
}

// ValidatingAdmissionPolicyBindings declares the resource validatingadmissionpolicybindings. Hosts use package policy
// instead.
func ValidatingAdmissionPolicyBindings(
	validate Validator[ValidatingAdmissionPolicyBinding],
) rest.Resource[ValidatingAdmissionPolicyBinding] {
	columns := bindingColumns(func(b *ValidatingAdmissionPolicyBinding) (string, *ParamRef, time.Time) {
		return b.Spec.PolicyName, b.Spec.ParamRef, b.CreationTimestamp.Time
	})
	return declare("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding puts a policy into effect.",
		columns, validate)
}

// MutatingAdmissionPolicies declares the resource mutatingadmissionpolicies, without evaluating the policies. Hosts
// use package policy instead.
func MutatingAdmissionPolicies(validate Validator[MutatingAdmissionPolicy]) rest.Resource[MutatingAdmissionPolicy] {
	columns := policyColumns("Mutations", "The number of mutations of the policy.",
		func(p *MutatingAdmissionPolicy) (int, *ParamKind, time.Time) {
			return len(p.Spec.Mutations), p.Spec.ParamKind, p.CreationTimestamp.Time
		})
	r := declare("mutatingadmissionpolicies", "MutatingAdmissionPolicy changes objects by expressions. It has no "+
		"effect without a binding.", columns, validate)
	r.Overlay["Variable"] = "map=atomic"
	return r
}

// MutatingAdmissionPolicyBindings declares the resource mutatingadmissionpolicybindings. Hosts use package policy
// instead.
func MutatingAdmissionPolicyBindings(
	validate Validator[MutatingAdmissionPolicyBinding],
) rest.Resource[MutatingAdmissionPolicyBinding] {
	columns := bindingColumns(func(b *MutatingAdmissionPolicyBinding) (string, *ParamRef, time.Time) {
		return b.Spec.PolicyName, b.Spec.ParamRef, b.CreationTimestamp.Time
	})
	return declare("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding puts a policy into effect.", columns,
		validate)
}

// unset is the text of a column without a value.
const unset = "<unset>"

// policyColumns returns the columns of policies. name and description belong to the first column, and of returns the
// contents of the cells.
func policyColumns[T any](
	name, description string, of func(*T) (count int, params *ParamKind, created time.Time),
) []rest.Column {
	return []rest.Column{
		rest.ColumnFunc(rest.Column{Name: name, Type: "integer", Description: description}, func(p *T) any {
			n, _, _ := of(p)
			return int64(n)
		}),
		rest.ColumnFunc(rest.Column{Name: "ParamKind", Description: "The kind of the objects that configure the policy."},
			func(p *T) any {
				if _, kind, _ := of(p); kind != nil {
					return kind.APIVersion + "/" + kind.Kind
				}
				return unset
			}),
		rest.ColumnFunc(rest.Column{Name: "Age", Description: "The time since the object was created."}, func(p *T) any {
			_, _, created := of(p)
			return created
		}),
	}
}

// bindingColumns returns the columns of bindings. of returns what they show.
func bindingColumns[T any](of func(*T) (policy string, params *ParamRef, created time.Time)) []rest.Column {
	return []rest.Column{
		rest.ColumnFunc(rest.Column{Name: "PolicyName", Description: "The policy that the binding puts into effect."},
			func(b *T) any {
				policy, _, _ := of(b)
				return policy
			}),
		rest.ColumnFunc(rest.Column{Name: "ParamRef", Description: "The objects that configure the policy."}, func(b *T) any {
			_, ref, _ := of(b)
			switch {
			case ref != nil && ref.Name != "":
				return cmp.Or(ref.Namespace, "*") + "/" + ref.Name
			case ref != nil && ref.Selector != nil:
				if s, err := ref.Selector.Matcher(); err == nil {
					return s.String()
				}
			}
			return unset
		}),
		rest.ColumnFunc(rest.Column{Name: "Age", Description: "The time since the object was created."}, func(b *T) any {
			_, _, created := of(b)
			return created
		}),
	}
}
