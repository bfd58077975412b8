package admissionregistration

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// ValidatingAdmissionPolicy refuses writes by expressions in the Common Expression Language. It has no effect without a
// [ValidatingAdmissionPolicyBinding].
type ValidatingAdmissionPolicy struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   ValidatingAdmissionPolicySpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status ValidatingAdmissionPolicyStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// ValidatingAdmissionPolicySpec says which writes a policy sees, and what must be true of them.
type ValidatingAdmissionPolicySpec struct {
	ParamKind        *ParamKind         `json:"paramKind,omitempty" protobuf:"bytes,1,rep,name=paramKind" api:"map=atomic,doc='The kind of the objects that configure the policy, as the variable params. Bindings choose the objects.'"`
	MatchConstraints *MatchResources    `json:"matchConstraints,omitempty" protobuf:"bytes,2,rep,name=matchConstraints" api:"map=atomic,doc='The writes that the policy sees. Required.'"`
	Validations      []Validation       `json:"validations,omitempty" protobuf:"bytes,3,rep,name=validations" api:"list=atomic,doc='What must be true of a write. Required without auditAnnotations.'"`
	FailurePolicy    *FailurePolicyType `json:"failurePolicy,omitempty" protobuf:"bytes,4,opt,name=failurePolicy" api:"default=Fail,doc='What happens if the policy cannot be evaluated: Fail (the default) refuses the write, and Ignore lets it pass.'"`
	AuditAnnotations []AuditAnnotation  `json:"auditAnnotations,omitempty" protobuf:"bytes,5,rep,name=auditAnnotations" api:"list=atomic,doc='Annotations of the audit event of a write.'"`
	MatchConditions  []MatchCondition   `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,6,rep,name=matchConditions" api:"list=map,key=name,doc='Expressions that must all be true for the policy to be evaluated. At most 64.'"`
	Variables        []Variable         `json:"variables,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,7,rep,name=variables" api:"list=map,key=name,doc='Variables of the other expressions except matchConditions: variables.NAME. A variable sees those before it.'"`
}

// ParamKind is the kind of the objects that configure a policy.
type ParamKind struct {
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,1,rep,name=apiVersion" api:"doc='The group and version of the kind. Required.'"`
	Kind       string `json:"kind,omitempty" protobuf:"bytes,2,rep,name=kind" api:"doc='The kind. Required.'"`
}

// Validation is an expression that must be true of a write.
type Validation struct {
	Expression        string         `json:"expression" protobuf:"bytes,1,opt,name=Expression" api:"doc='An expression in the Common Expression Language that evaluates to a bool. It sees object, oldObject, request, params, namespaceObject, variables, authorizer and authorizer.requestResource.'"`
	Message           string         `json:"message,omitempty" protobuf:"bytes,2,opt,name=message" api:"doc='The message if the expression is false, on one line.'"`
	Reason            *status.Reason `json:"reason,omitempty" protobuf:"bytes,3,opt,name=reason" api:"doc='The reason of the refusal: Invalid (the default), Forbidden or RequestEntityTooLarge.'"`
	MessageExpression string         `json:"messageExpression,omitempty" protobuf:"bytes,4,opt,name=messageExpression" api:"doc='An expression that computes the message. If it fails, or if its result is empty or has several lines, message counts.'"`
}

// Variable is a named expression that others use.
type Variable struct {
	Name       string `json:"name" protobuf:"bytes,1,opt,name=Name" api:"doc='An identifier, unique in the list.'"`
	Expression string `json:"expression" protobuf:"bytes,2,opt,name=Expression" api:"doc='The expression. It is evaluated at most once for a write, when another expression uses the variable.'"`
}

// AuditAnnotation is an annotation of the audit event of a write.
type AuditAnnotation struct {
	Key             string `json:"key" protobuf:"bytes,1,opt,name=key" api:"doc='The key below the name of the policy: POLICY/KEY.'"`
	ValueExpression string `json:"valueExpression" protobuf:"bytes,2,opt,name=valueExpression" api:"doc='An expression that evaluates to a string, or to null for no annotation. At most 5 KiB.'"`
}

// ValidatingAdmissionPolicyStatus says what the server has found out about a policy.
type ValidatingAdmissionPolicyStatus struct {
	ObservedGeneration int64               `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration" api:"doc='The generation to which the status refers.'"`
	TypeChecking       *TypeChecking       `json:"typeChecking,omitempty" protobuf:"bytes,2,opt,name=typeChecking" api:"doc='The outcome of checking the types of the expressions.'"`
	Conditions         []apimeta.Condition `json:"conditions,omitempty" protobuf:"bytes,3,rep,name=conditions" api:"list=map,key=type,doc='Conditions of the policy.'"`
}

// TypeChecking is the outcome of checking the types of expressions.
type TypeChecking struct {
	ExpressionWarnings []ExpressionWarning `json:"expressionWarnings,omitempty" protobuf:"bytes,1,rep,name=expressionWarnings" api:"list=atomic,doc='The warnings, by expression.'"`
}

// ExpressionWarning warns about the types of an expression.
type ExpressionWarning struct {
	FieldRef string `json:"fieldRef" protobuf:"bytes,2,opt,name=fieldRef" api:"doc='The path of the expression.'"`
	Warning  string `json:"warning" protobuf:"bytes,3,opt,name=warning" api:"doc='The warning.'"`
}

// ValidatingAdmissionPolicyBinding puts a policy into effect for some objects, with its parameters and its actions.
type ValidatingAdmissionPolicyBinding struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec ValidatingAdmissionPolicyBindingSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec" api:"publishRequired"`
}

// ValidatingAdmissionPolicyBindingSpec says which policy is in effect for which writes.
type ValidatingAdmissionPolicyBindingSpec struct {
	PolicyName        string             `json:"policyName,omitempty" protobuf:"bytes,1,rep,name=policyName" api:"doc='The name of the policy. Required.'"`
	ParamRef          *ParamRef          `json:"paramRef,omitempty" protobuf:"bytes,2,rep,name=paramRef" api:"map=atomic,doc='The objects that configure the policy. The policy is evaluated once for each.'"`
	MatchResources    *MatchResources    `json:"matchResources,omitempty" protobuf:"bytes,3,rep,name=matchResources" api:"map=atomic,doc='Restricts the writes to which the binding applies.'"`
	ValidationActions []ValidationAction `json:"validationActions,omitempty" protobuf:"bytes,4,rep,name=validationActions" api:"list=set,doc='What happens if a validation fails: Deny, Warn or Audit. Required.'"`
}

// ValidationAction says what happens if a validation fails.
type ValidationAction string

// The actions.
const (
	// Deny refuses the write.
	Deny ValidationAction = "Deny"
	// Warn adds a warning to the answer.
	Warn ValidationAction = "Warn"
	// Audit adds an annotation to the audit event.
	Audit ValidationAction = "Audit"
)

// ParameterNotFoundActionType says what happens if a [ParamRef] refers to no object.
type ParameterNotFoundActionType string

// The actions. Allow lets the write pass, and Deny lets the failure policy decide.
const (
	AllowAction ParameterNotFoundActionType = "Allow"
	DenyAction  ParameterNotFoundActionType = "Deny"
)

// ParamRef chooses objects of a [ParamKind], which the expressions of a policy read.
type ParamRef struct {
	Name                    string                       `json:"name,omitempty" protobuf:"bytes,1,rep,name=name" api:"doc='The name of the object. Either name or selector is required.'"`
	Namespace               string                       `json:"namespace,omitempty" protobuf:"bytes,2,rep,name=namespace" api:"doc='The namespace of the objects, if their kind is namespaced. Default: the namespace of the write.'"`
	Selector                *apimeta.LabelSelector       `json:"selector,omitempty" protobuf:"bytes,3,rep,name=selector" api:"doc='Selects several objects.'"`
	ParameterNotFoundAction *ParameterNotFoundActionType `json:"parameterNotFoundAction,omitempty" protobuf:"bytes,4,rep,name=parameterNotFoundAction" api:"doc='What happens if there is no such object: Allow or Deny. Required.'"`
}

// MatchResources selects the writes to which a policy or a binding applies.
type MatchResources struct {
	NamespaceSelector    *apimeta.LabelSelector    `json:"namespaceSelector,omitempty" protobuf:"bytes,1,opt,name=namespaceSelector" api:"default={},doc='Selects by the labels of the namespace. Default: all. Cluster-scoped objects other than namespaces always match.'"`
	ObjectSelector       *apimeta.LabelSelector    `json:"objectSelector,omitempty" protobuf:"bytes,2,opt,name=objectSelector" api:"default={},doc='Selects by the labels of the object or the old object. Default: all.'"`
	ResourceRules        []NamedRuleWithOperations `json:"resourceRules,omitempty" protobuf:"bytes,3,rep,name=resourceRules" api:"list=atomic,doc='One of them must match.'"`
	ExcludeResourceRules []NamedRuleWithOperations `json:"excludeResourceRules,omitempty" protobuf:"bytes,4,rep,name=excludeResourceRules" api:"list=atomic,doc='None of them may match.'"`
	MatchPolicy          *MatchPolicyType          `json:"matchPolicy,omitempty" protobuf:"bytes,7,opt,name=matchPolicy" api:"default=Equivalent,doc='Exact matches the version of the request, and Equivalent (the default) all versions of the same resource.'"`
}

// NamedRuleWithOperations selects writes by operation, resource and name.
type NamedRuleWithOperations struct {
	ResourceNames      []string `json:"resourceNames,omitempty" protobuf:"bytes,1,rep,name=resourceNames" api:"list=atomic,doc='The names of the objects. Empty for all.'"`
	RuleWithOperations `json:",inline" protobuf:"bytes,2,opt,name=ruleWithOperations"`
}

// MutatingAdmissionPolicy changes objects that are written, by expressions in the Common Expression Language. It has no
// effect without a [MutatingAdmissionPolicyBinding].
type MutatingAdmissionPolicy struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec MutatingAdmissionPolicySpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// MutatingAdmissionPolicySpec says which writes a policy sees, and how it changes the objects.
type MutatingAdmissionPolicySpec struct {
	ParamKind          *ParamKind             `json:"paramKind,omitempty" protobuf:"bytes,1,rep,name=paramKind" api:"map=atomic,doc='The kind of the objects that configure the policy, as the variable params. Bindings choose the objects.'"`
	MatchConstraints   *MatchResources        `json:"matchConstraints,omitempty" protobuf:"bytes,2,rep,name=matchConstraints" api:"map=atomic,doc='The writes that the policy sees: CREATE, UPDATE and CONNECT. Required.'"`
	Variables          []Variable             `json:"variables,omitempty" protobuf:"bytes,3,rep,name=variables" api:"list=atomic,doc='Variables of the mutations: variables.NAME. A variable sees those before it.'"`
	Mutations          []Mutation             `json:"mutations,omitempty" protobuf:"bytes,4,rep,name=mutations" api:"list=atomic,doc='The changes, one after another. Required.'"`
	FailurePolicy      *FailurePolicyType     `json:"failurePolicy,omitempty" protobuf:"bytes,5,opt,name=failurePolicy" api:"default=Fail,doc='What happens if the policy cannot be evaluated: Fail (the default) refuses the write, and Ignore leaves the object as it is.'"`
	MatchConditions    []MatchCondition       `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,6,rep,name=matchConditions" api:"list=map,key=name,doc='Expressions that must all be true for the policy to be evaluated. At most 64.'"`
	ReinvocationPolicy ReinvocationPolicyType `json:"reinvocationPolicy,omitempty" protobuf:"bytes,7,opt,name=reinvocationPolicy" api:"doc='Whether the policy mutates an object again that was changed after it: Never or IfNeeded. Required.'"`
}

// PatchType is the way in which a [Mutation] changes an object.
type PatchType string

// The patch types.
const (
	PatchTypeApplyConfiguration PatchType = "ApplyConfiguration"
	PatchTypeJSONPatch          PatchType = "JSONPatch"
)

// Mutation is one change that a MutatingAdmissionPolicy makes to an object.
type Mutation struct {
	PatchType          PatchType           `json:"patchType" protobuf:"bytes,2,opt,name=patchType" api:"doc='ApplyConfiguration or JSONPatch.'"`
	ApplyConfiguration *ApplyConfiguration `json:"applyConfiguration,omitempty" protobuf:"bytes,3,opt,name=applyConfiguration" api:"doc='The change if patchType is ApplyConfiguration.'"`
	JSONPatch          *JSONPatch          `json:"jsonPatch,omitempty" protobuf:"bytes,4,opt,name=jsonPatch" api:"doc='The change if patchType is JSONPatch.'"`
}

// ApplyConfiguration changes an object by merging a partial object into it, as server-side apply does.
type ApplyConfiguration struct {
	Expression string `json:"expression,omitempty" protobuf:"bytes,1,opt,name=expression" api:"doc='An expression that evaluates to an Object, such as Object{spec: Object.spec{replicas: 1}}. It cannot contain atomic lists, maps or structs.'"`
}

// JSONPatch changes an object by a JSON patch (RFC 6902).
type JSONPatch struct {
	Expression string `json:"expression,omitempty" protobuf:"bytes,1,opt,name=expression" api:"doc='An expression that evaluates to a list of JSONPatch, such as JSONPatch{op: \"add\", path: \"/spec/size\", value: 1}.'"`
}

// MutatingAdmissionPolicyBinding puts a policy into effect for some objects, with its parameters.
type MutatingAdmissionPolicyBinding struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec MutatingAdmissionPolicyBindingSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// MutatingAdmissionPolicyBindingSpec says which policy is in effect for which writes.
type MutatingAdmissionPolicyBindingSpec struct {
	PolicyName     string          `json:"policyName,omitempty" protobuf:"bytes,1,rep,name=policyName" api:"doc='The name of the policy. Required.'"`
	ParamRef       *ParamRef       `json:"paramRef,omitempty" protobuf:"bytes,2,rep,name=paramRef" api:"map=atomic,doc='The objects that configure the policy. The policy is evaluated once for each.'"`
	MatchResources *MatchResources `json:"matchResources,omitempty" protobuf:"bytes,3,rep,name=matchResources" api:"map=atomic,doc='Restricts the writes to which the binding applies.'"`
}
