package admissionregistration

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// Purpose says what an expression of a policy is for. It decides about the type of the result and the variables.
type Purpose int

// The purposes.
const (
	ForMatchCondition Purpose = iota
	ForValidation
	ForMessage
	ForAuditAnnotation
	ForJSONPatch
	ForApplyConfiguration
)

// Expressions compiles the expressions of one policy, to check them. An error describes the fault of an expression.
type Expressions interface {
	// Define compiles a variable for the expressions after it.
	Define(name, expression string) error
	// Check compiles any other expression.
	Check(expression string, p Purpose) error
}

const (
	maxAuditAnnotations = 20
	// maxAuditExpression bounds a valueExpression, in bytes.
	maxAuditExpression = 5 << 10
)

// Validate checks a policy. old is nil on create; then all parts are checked. Match conditions that an update does not
// change are not checked again.
func (p *ValidatingAdmissionPolicy) Validate(old *ValidatingAdmissionPolicy, x Expressions) (errs status.FieldErrors) {
	at, s := status.NewPath("spec"), &p.Spec
	errs = append(errs, validateFailurePolicy(s.FailurePolicy, at.Child("failurePolicy"))...)
	errs = append(errs, s.ParamKind.validate(at.Child("paramKind"))...)
	errs = append(errs, validateMatchConstraints(s.MatchConstraints, at.Child("matchConstraints"))...)
	if old == nil || !reflect.DeepEqual(s.ParamKind, old.Spec.ParamKind) ||
		!slices.Equal(s.MatchConditions, old.Spec.MatchConditions) {
		errs = append(errs, checkMatchConditions(s.MatchConditions, at.Child("matchConditions"), x)...)
	}
	errs = append(errs, validateVariables(s.Variables, at.Child("variables"), x)...)
	validations, annotations := at.Child("validations"), at.Child("auditAnnotations")
	if len(s.Validations)+len(s.AuditAnnotations) == 0 {
		const detail = "validations or auditAnnotations must contain at least one item"
		return append(errs, status.RequiredField(validations, detail), status.RequiredField(annotations, detail))
	}
	for i := range s.Validations {
		errs = append(errs, s.Validations[i].validate(validations.Index(i), x)...)
	}
	if len(s.AuditAnnotations) > maxAuditAnnotations {
		errs = append(errs, status.InvalidField(annotations, s.AuditAnnotations,
			fmt.Sprintf("must not have more than %d auditAnnotations", maxAuditAnnotations)))
	}
	keys := map[string]bool{}
	for i, a := range s.AuditAnnotations {
		errs = append(errs, a.validate(annotations.Index(i), p.Name, x)...)
		if keys[a.Key] {
			errs = append(errs, status.DuplicateField(annotations.Index(i).Child("key"), a.Key))
		}
		keys[a.Key] = true
	}
	return errs
}

// Validate returns the faults of the status of a policy, in the words of kube-apiserver. The schema checks the
// conditions.
func (s *ValidatingAdmissionPolicyStatus) Validate() (errs status.FieldErrors) {
	if s.TypeChecking == nil {
		return nil
	}
	for i, w := range s.TypeChecking.ExpressionWarnings {
		at := status.NewPath("status", "typeChecking", "expressionWarnings").Index(i)
		if w.Warning == "" {
			errs = append(errs, status.RequiredField(at.Child("warning"), ""))
		}
		if strings.TrimSpace(w.FieldRef) == "" {
			errs = append(errs, status.RequiredField(at.Child("fieldRef"), ""))
		}
	}
	return errs
}

// Validate returns the faults of a binding, in the words of kube-apiserver.
func (b *ValidatingAdmissionPolicyBinding) Validate() (errs status.FieldErrors) {
	at := status.NewPath("spec")
	errs = append(errs, validateBinding(b.Spec.PolicyName, b.Spec.ParamRef, b.Spec.MatchResources)...)
	actions, seen := at.Child("validationActions"), map[ValidationAction]bool{}
	for i, action := range b.Spec.ValidationActions {
		errs = append(errs, unsupported(actions.Index(i), action, Audit, Deny, Warn)...)
		if seen[action] {
			errs = append(errs, status.DuplicateField(actions.Index(i), action))
		}
		seen[action] = true
	}
	if seen[Deny] && seen[Warn] {
		errs = append(errs, status.InvalidField(actions, b.Spec.ValidationActions,
			"must not contain both Deny and Warn (repeating the same validation failure information in the API response and "+
				"headers serves no purpose)"))
	}
	if len(seen) == 0 {
		errs = append(errs, status.RequiredField(actions, ""))
	}
	return errs
}

// Validate checks a policy. old is nil on create; then all parts are checked. Match conditions that an update does not
// change are not checked again.
func (p *MutatingAdmissionPolicy) Validate(old *MutatingAdmissionPolicy, x Expressions) (errs status.FieldErrors) {
	at, s := status.NewPath("spec"), &p.Spec
	errs = append(errs, validateFailurePolicy(s.FailurePolicy, at.Child("failurePolicy"))...)
	errs = append(errs, s.ParamKind.validate(at.Child("paramKind"))...)
	errs = append(errs, validateMatchConstraints(s.MatchConstraints, at.Child("matchConstraints"))...)
	errs = append(errs, s.MatchConstraints.validateMutating(at.Child("matchConstraints"))...)
	if old == nil || !reflect.DeepEqual(s.ParamKind, old.Spec.ParamKind) ||
		!slices.Equal(s.MatchConditions, old.Spec.MatchConditions) {
		errs = append(errs, checkMatchConditions(s.MatchConditions, at.Child("matchConditions"), x)...)
	}
	errs = append(errs, validateVariables(s.Variables, at.Child("variables"), x)...)
	if len(s.Mutations) == 0 {
		errs = append(errs, status.RequiredField(at.Child("mutations"), "mutations must contain at least one item"))
	}
	for i := range s.Mutations {
		errs = append(errs, s.Mutations[i].validate(at.Child("mutations").Index(i), x)...)
	}
	if s.ReinvocationPolicy == "" {
		return append(errs, status.RequiredField(at.Child("reinvocationPolicy"), ""))
	}
	return append(errs, unsupported(at.Child("reinvocationPolicy"), s.ReinvocationPolicy, IfNeededReinvocationPolicy,
		NeverReinvocationPolicy)...)
}

// Validate returns the faults of a binding, in the words of kube-apiserver.
func (b *MutatingAdmissionPolicyBinding) Validate() status.FieldErrors {
	errs := validateBinding(b.Spec.PolicyName, b.Spec.ParamRef, b.Spec.MatchResources)
	return append(errs, b.Spec.MatchResources.validateMutating(status.NewPath("spec", "matchResources"))...)
}

func validateFailurePolicy(p *FailurePolicyType, at *status.Path) status.FieldErrors {
	if p == nil {
		return status.FieldErrors{status.RequiredField(at, "")}
	}
	return unsupported(at, *p, Fail, Ignore)
}

func (k *ParamKind) validate(at *status.Path) (errs status.FieldErrors) {
	if k == nil {
		return nil
	}
	invalid := func(at *status.Path, value string, before string, faults []string) {
		if len(faults) > 0 {
			errs = append(errs, status.InvalidField(at, value, before+strings.Join(faults, ",")))
		}
	}
	version := at.Child("apiVersion")
	gv, err := apimeta.ParseGroupVersion(k.APIVersion)
	switch {
	case k.APIVersion == "":
		errs = append(errs, status.RequiredField(version, ""))
	case err != nil:
		errs = append(errs, status.InvalidField(version, k.APIVersion, "unexpected GroupVersion string: "+k.APIVersion))
	default:
		if gv.Group != "" {
			invalid(version, gv.Group, "", apimeta.ValidateDNS1123Subdomain(gv.Group))
		}
		if gv.Version == "" {
			errs = append(errs, status.InvalidField(version, k.APIVersion, "version must be specified"))
		} else {
			invalid(version, gv.Version, "", apimeta.ValidateDNS1035Label(gv.Version))
		}
	}
	if k.Kind == "" {
		return append(errs, status.RequiredField(at.Child("kind"), ""))
	}
	invalid(at.Child("kind"), k.Kind, "may have mixed case, but should otherwise match: ",
		apimeta.ValidateDNS1035Label(strings.ToLower(k.Kind)))
	return errs
}

func validateMatchConstraints(m *MatchResources, at *status.Path) status.FieldErrors {
	if m == nil {
		return status.FieldErrors{status.RequiredField(at, "")}
	}
	errs := m.validate(at)
	if len(m.ResourceRules) == 0 {
		errs = append(errs, status.RequiredField(at.Child("resourceRules"), ""))
	}
	return errs
}

func (m *MatchResources) validate(at *status.Path) (errs status.FieldErrors) {
	if m == nil {
		return nil
	}
	if m.MatchPolicy == nil {
		errs = append(errs, status.RequiredField(at.Child("matchPolicy"), ""))
	} else {
		errs = append(errs, unsupported(at.Child("matchPolicy"), *m.MatchPolicy, Equivalent, Exact)...)
	}
	selector := func(name string, s *apimeta.LabelSelector) {
		if s == nil {
			errs = append(errs, status.RequiredField(at.Child(name), ""))
		} else {
			errs = append(errs, validateBoundedSelector(at.Child(name), s)...)
		}
	}
	selector("namespaceSelector", m.NamespaceSelector)
	selector("objectSelector", m.ObjectSelector)
	for i := range m.ResourceRules {
		errs = append(errs, m.ResourceRules[i].validate(at.Child("resourceRules").Index(i))...)
	}
	for i := range m.ExcludeResourceRules {
		errs = append(errs, m.ExcludeResourceRules[i].validate(at.Child("excludeResourceRules").Index(i))...)
	}
	return errs
}

// validateMutating refuses the operation DELETE, which has no object to mutate.
func (m *MatchResources) validateMutating(at *status.Path) (errs status.FieldErrors) {
	if m == nil {
		return nil
	}
	for _, r := range m.ResourceRules {
		for _, operation := range r.Operations {
			errs = append(errs, unsupported(at.Child("resourceRules").Child("operations"), operation, OperationAll, Connect,
				Create, Update)...)
		}
	}
	return errs
}

func (r *NamedRuleWithOperations) validate(at *status.Path) (errs status.FieldErrors) {
	for i, name := range r.ResourceNames {
		at := at.Child("resourceNames").Index(i)
		for _, fault := range apimeta.ValidatePathSegmentName(name) {
			errs = append(errs, status.InvalidField(at, name, fault))
		}
		if slices.Contains(r.ResourceNames[:i], name) {
			errs = append(errs, status.DuplicateField(at, name))
		}
	}
	return append(errs, r.RuleWithOperations.validate(at)...)
}

func checkMatchConditions(conditions []MatchCondition, at *status.Path, x Expressions) status.FieldErrors {
	return validateMatchConditions(conditions, at, func(text string) error { return x.Check(text, ForMatchCondition) })
}

func validateVariables(variables []Variable, at *status.Path, x Expressions) (errs status.FieldErrors) {
	for i, v := range variables {
		at := at.Index(i)
		if strings.TrimSpace(v.Name) == "" {
			errs = append(errs, status.RequiredField(at.Child("name"), "name is not specified"))
		} else if !isIdentifier(v.Name) {
			errs = append(errs, status.InvalidField(at.Child("name"), v.Name, "must be a valid CEL identifier"))
		}
		if strings.TrimSpace(v.Expression) == "" {
			errs = append(errs, status.RequiredField(at.Child("expression"), "expression is not specified"))
		} else if err := x.Define(v.Name, v.Expression); err != nil {
			errs = append(errs, status.InvalidField(at.Child("expression"), v.Expression, err.Error()))
		}
	}
	return errs
}

// isIdentifier reports whether expressions can use a name.
func isIdentifier(name string) bool {
	switch name {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import",
		"let",
		"loop", "package", "namespace", "return", "var", "void", "while":
		return false
	}
	return name != "" && !(name[0] >= '0' && name[0] <= '9') &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func (v *Validation) validate(at *status.Path, x Expressions) (errs status.FieldErrors) {
	if strings.TrimSpace(v.Expression) == "" {
		errs = append(errs, status.RequiredField(at.Child("expression"), "expression is not specified"))
	} else if err := x.Check(v.Expression, ForValidation); err != nil {
		errs = append(errs, status.InvalidField(at.Child("expression"), v.Expression, err.Error()))
	}
	const empty = "must be non-empty if specified"
	switch {
	case v.MessageExpression == "":
	case strings.TrimSpace(v.MessageExpression) == "":
		errs = append(errs, status.InvalidField(at.Child("messageExpression"), v.MessageExpression, empty))
	default:
		if err := x.Check(v.MessageExpression, ForMessage); err != nil {
			errs = append(errs, status.InvalidField(at.Child("messageExpression"), v.MessageExpression, err.Error()))
		}
	}
	switch message := strings.TrimSpace(v.Message); {
	case v.Message != "" && message == "":
		errs = append(errs, status.InvalidField(at.Child("message"), v.Message, empty))
	case strings.ContainsAny(message, "\r\n"):
		errs = append(errs, status.InvalidField(at.Child("message"), v.Message, "must not contain line breaks"))
	}
	if v.Reason != nil {
		errs = append(errs, unsupported(at.Child("reason"), *v.Reason, status.ReasonForbidden, status.ReasonInvalid,
			status.ReasonRequestEntityTooLarge)...)
	}
	return errs
}

func (a *AuditAnnotation) validate(at *status.Path, policy string, x Expressions) (errs status.FieldErrors) {
	if policy == "" {
		errs = append(errs, status.InvalidField(at.Child("key"), a.Key, "requires metadata.name be non-empty"))
	} else {
		key := policy + "/" + a.Key
		for _, fault := range apimeta.ValidateQualifiedName(key) {
			errs = append(errs, status.InvalidField(at.Child("key"), key, fault))
		}
	}
	at = at.Child("valueExpression")
	switch text := strings.TrimSpace(a.ValueExpression); {
	case text == "":
		errs = append(errs, status.RequiredField(at, "valueExpression is not specified"))
	case len(text) > maxAuditExpression:
		errs = append(errs, status.RequiredField(at, fmt.Sprintf("must not exceed %d bytes in length", maxAuditExpression)))
	default:
		if err := x.Check(text, ForAuditAnnotation); err != nil {
			errs = append(errs, status.InvalidField(at, a.ValueExpression, err.Error()))
		}
	}
	return errs
}

func (m *Mutation) validate(at *status.Path, x Expressions) (errs status.FieldErrors) {
	patch, apply := at.Child("jsonPatch"), at.Child("applyConfiguration")
	check := func(at *status.Path, expression string, p Purpose) {
		at = at.Child("expression")
		if text := strings.TrimSpace(expression); text == "" {
			errs = append(errs, status.RequiredField(at, ""))
		} else if err := x.Check(text, p); err != nil {
			errs = append(errs, status.InvalidField(at, text, err.Error()))
		}
	}
	switch m.PatchType {
	case "":
		return status.FieldErrors{status.RequiredField(at.Child("patchType"), "")}
	case PatchTypeJSONPatch:
		if m.JSONPatch == nil {
			errs = append(errs, status.RequiredField(patch, "must be specified when patchType is JSONPatch"))
		} else {
			check(patch, m.JSONPatch.Expression, ForJSONPatch)
		}
		if m.ApplyConfiguration != nil {
			errs = append(errs, status.InvalidField(apply, "{applyConfiguration}",
				"must not be specified when patchType is JSONPatch"))
		}
	case PatchTypeApplyConfiguration:
		if m.ApplyConfiguration == nil {
			errs = append(errs, status.RequiredField(apply, "must be specified when patchType is ApplyConfiguration"))
		} else {
			check(apply, m.ApplyConfiguration.Expression, ForApplyConfiguration)
		}
		if m.JSONPatch != nil {
			errs = append(errs, status.InvalidField(patch, "{jsonPatch}", "must not be specified when patchType is "+
				"ApplyConfiguration"))
		}
	default:
		errs = append(errs, unsupported(at.Child("patchType"), m.PatchType, PatchTypeApplyConfiguration,
			PatchTypeJSONPatch)...)
	}
	return errs
}

// validateBinding checks what the bindings of both kinds have.
func validateBinding(policy string, params *ParamRef, match *MatchResources) (errs status.FieldErrors) {
	at := status.NewPath("spec")
	if policy == "" {
		errs = append(errs, status.RequiredField(at.Child("policyName"), ""))
	} else {
		for _, fault := range apimeta.ValidateDNS1123Subdomain(policy) {
			errs = append(errs, status.InvalidField(at.Child("policyName"), policy, fault))
		}
	}
	errs = append(errs, params.validate(at.Child("paramRef"))...)
	return append(errs, match.validate(at.Child("matchResources"))...)
}

func (r *ParamRef) validate(at *status.Path) (errs status.FieldErrors) {
	if r == nil {
		return nil
	}
	const exclusive = "name and selector are mutually exclusive"
	if r.Name != "" {
		for _, fault := range apimeta.ValidatePathSegmentName(r.Name) {
			errs = append(errs, status.InvalidField(at.Child("name"), r.Name, fault))
		}
		if r.Selector != nil {
			errs = append(errs, status.ForbiddenField(at.Child("name"), exclusive))
		}
	}
	if r.Selector != nil {
		errs = append(errs, validateBoundedSelector(at.Child("selector"), r.Selector)...)
		if r.Name != "" {
			errs = append(errs, status.ForbiddenField(at.Child("selector"), exclusive))
		}
	}
	if r.Name == "" && r.Selector == nil {
		errs = append(errs, status.RequiredField(at, "one of name or selector must be specified"))
	}
	if r.ParameterNotFoundAction == nil || *r.ParameterNotFoundAction == "" {
		return append(errs, status.RequiredField(at.Child("parameterNotFoundAction"), ""))
	}
	return append(errs, unsupported(at.Child("parameterNotFoundAction"), *r.ParameterNotFoundAction, DenyAction,
		AllowAction)...)
}
