package admissionregistration

import "github.com/decorum-go/decorum/apimeta"

// Group is the API group of the kinds, and Version their version.
const (
	Group   = "admissionregistration.k8s.io"
	Version = "v1"
)

// FailurePolicyType says what becomes of a write if a webhook cannot be called, or an expression fails.
type FailurePolicyType string

// The failure policies.
const (
	Ignore FailurePolicyType = "Ignore" // the write continues without the webhook
	Fail   FailurePolicyType = "Fail"   // the write fails
)

// MatchPolicyType says whether a rule matches only the version that it names.
type MatchPolicyType string

// The match policies.
const (
	Exact      MatchPolicyType = "Exact"      // writes in a version that the rule names
	Equivalent MatchPolicyType = "Equivalent" // writes in any version, if the rule names one of them
)

// ScopeType restricts a rule to resources of one scope.
type ScopeType string

// The scopes.
const (
	ClusterScope    ScopeType = "Cluster"    // cluster-scoped resources, including namespaces
	NamespacedScope ScopeType = "Namespaced" // resources in namespaces
	AllScopes       ScopeType = "*"
)

// OperationType is an operation on an object that a rule matches.
type OperationType string

// The operations.
const (
	OperationAll OperationType = "*"
	Create       OperationType = "CREATE"
	Update       OperationType = "UPDATE"
	Delete       OperationType = "DELETE"
	Connect      OperationType = "CONNECT"
)

// SideEffectClass says what a webhook does besides answering.
type SideEffectClass string

// The side effects that a webhook may have.
const (
	SideEffectClassNone         SideEffectClass = "None"
	SideEffectClassNoneOnDryRun SideEffectClass = "NoneOnDryRun" // none if the request is a dry run
)

// ReinvocationPolicyType says how often a mutating webhook may be called for one write.
type ReinvocationPolicyType string

// The reinvocation policies.
const (
	NeverReinvocationPolicy    ReinvocationPolicyType = "Never"    // once
	IfNeededReinvocationPolicy ReinvocationPolicyType = "IfNeeded" // once more if the object has changed since
)

// Rule selects resources. Each list must contain the value of the request, or "*".
type Rule struct {
	APIGroups   []string   `json:"apiGroups,omitempty" protobuf:"bytes,1,rep,name=apiGroups" api:"list=atomic,doc='The API groups of the resources; an empty name for the core group, * for all.'"`
	APIVersions []string   `json:"apiVersions,omitempty" protobuf:"bytes,2,rep,name=apiVersions" api:"list=atomic,doc='The API versions of the resources; * for all.'"`
	Resources   []string   `json:"resources,omitempty" protobuf:"bytes,3,rep,name=resources" api:"list=atomic,doc='The resources, such as pods, or pods/log for a subresource; * for all resources, */* for all subresources as well.'"`
	Scope       *ScopeType `json:"scope,omitempty" protobuf:"bytes,4,rep,name=scope" api:"default=*,doc='Cluster, Namespaced or *.'"`
}

// RuleWithOperations selects the operations, and the resources, for which a webhook is called.
type RuleWithOperations struct {
	Operations []OperationType `json:"operations,omitempty" protobuf:"bytes,1,rep,name=operations,casttype=OperationType" api:"list=atomic,doc='CREATE, UPDATE, DELETE and CONNECT; * for all.'"`
	Rule       `json:",inline" protobuf:"bytes,2,opt,name=rule"`
}

// MatchCondition is an expression that must be true of a write.
type MatchCondition struct {
	Name       string `json:"name" protobuf:"bytes,1,opt,name=name" api:"doc='The name of the condition.'"`
	Expression string `json:"expression" protobuf:"bytes,2,opt,name=expression" api:"doc='The expression in CEL. It sees object, oldObject, request and authorizer.'"`
}

// ServiceReference names a Service of the cluster.
type ServiceReference struct {
	Namespace string  `json:"namespace" protobuf:"bytes,1,opt,name=namespace" api:"doc='The namespace of the service.'"`
	Name      string  `json:"name" protobuf:"bytes,2,opt,name=name" api:"doc='The name of the service.'"`
	Path      *string `json:"path,omitempty" protobuf:"bytes,3,opt,name=path" api:"doc='The path of the webhook.'"`
	Port      *int32  `json:"port,omitempty" protobuf:"varint,4,opt,name=port" api:"default=443,doc='The port of the service.'"`
}

// WebhookClientConfig says where a webhook is. Either URL or Service is set.
type WebhookClientConfig struct {
	URL      *string           `json:"url,omitempty" protobuf:"bytes,3,opt,name=url" api:"doc='The URL of the webhook.'"`
	Service  *ServiceReference `json:"service,omitempty" protobuf:"bytes,1,opt,name=service" api:"doc='The service of the webhook.'"`
	CABundle []byte            `json:"caBundle,omitempty" protobuf:"bytes,2,opt,name=caBundle" api:"doc='The certificates that sign the certificate of the webhook, in PEM.'"`
}

// ValidatingWebhook is a webhook that allows or refuses writes.
type ValidatingWebhook struct {
	Name                    string                 `json:"name" protobuf:"bytes,1,opt,name=name" api:"doc='The name of the webhook, with at least three parts: policy.example.com.'"`
	ClientConfig            WebhookClientConfig    `json:"clientConfig" protobuf:"bytes,2,opt,name=clientConfig" api:"doc='Where the webhook is.'"`
	Rules                   []RuleWithOperations   `json:"rules,omitempty" protobuf:"bytes,3,rep,name=rules" api:"list=atomic,doc='The writes that the webhook sees. One matching rule is enough.'"`
	FailurePolicy           *FailurePolicyType     `json:"failurePolicy,omitempty" protobuf:"bytes,4,opt,name=failurePolicy,casttype=FailurePolicyType" api:"default=Fail,doc='What becomes of the write if the call fails: Ignore or Fail.'"`
	MatchPolicy             *MatchPolicyType       `json:"matchPolicy,omitempty" protobuf:"bytes,9,opt,name=matchPolicy,casttype=MatchPolicyType" api:"default=Equivalent,doc='Exact or Equivalent. Equivalent rules match a write in any version of a resource.'"`
	NamespaceSelector       *apimeta.LabelSelector `json:"namespaceSelector,omitempty" protobuf:"bytes,5,opt,name=namespaceSelector" api:"default={},doc='Selects by the labels of the namespace.'"`
	ObjectSelector          *apimeta.LabelSelector `json:"objectSelector,omitempty" protobuf:"bytes,10,opt,name=objectSelector" api:"default={},doc='Selects by the labels of the object, before or after the write.'"`
	SideEffects             *SideEffectClass       `json:"sideEffects" protobuf:"bytes,6,opt,name=sideEffects,casttype=SideEffectClass" api:"doc='None or NoneOnDryRun.'"`
	TimeoutSeconds          *int32                 `json:"timeoutSeconds,omitempty" protobuf:"varint,7,opt,name=timeoutSeconds" api:"default=10,doc='How long a call may take, from 1 to 30 seconds.'"`
	AdmissionReviewVersions []string               `json:"admissionReviewVersions" protobuf:"bytes,8,rep,name=admissionReviewVersions" api:"list=atomic,doc='The versions of AdmissionReview that the webhook understands, in order of preference.'"`
	MatchConditions         []MatchCondition       `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,11,opt,name=matchConditions" api:"list=map,key=name,doc='Conditions that must all be true of the write.'"`
}

// MutatingWebhook is a webhook that may also change the object of a write.
type MutatingWebhook struct {
	Name                    string                  `json:"name" protobuf:"bytes,1,opt,name=name" api:"doc='The name of the webhook, with at least three parts: defaults.example.com.'"`
	ClientConfig            WebhookClientConfig     `json:"clientConfig" protobuf:"bytes,2,opt,name=clientConfig" api:"doc='Where the webhook is.'"`
	Rules                   []RuleWithOperations    `json:"rules,omitempty" protobuf:"bytes,3,rep,name=rules" api:"list=atomic,doc='The writes that the webhook sees. One matching rule is enough.'"`
	FailurePolicy           *FailurePolicyType      `json:"failurePolicy,omitempty" protobuf:"bytes,4,opt,name=failurePolicy,casttype=FailurePolicyType" api:"default=Fail,doc='What becomes of the write if the call fails: Ignore or Fail.'"`
	MatchPolicy             *MatchPolicyType        `json:"matchPolicy,omitempty" protobuf:"bytes,9,opt,name=matchPolicy,casttype=MatchPolicyType" api:"default=Equivalent,doc='Exact or Equivalent. Equivalent rules match a write in any version of a resource.'"`
	NamespaceSelector       *apimeta.LabelSelector  `json:"namespaceSelector,omitempty" protobuf:"bytes,5,opt,name=namespaceSelector" api:"default={},doc='Selects by the labels of the namespace.'"`
	ObjectSelector          *apimeta.LabelSelector  `json:"objectSelector,omitempty" protobuf:"bytes,11,opt,name=objectSelector" api:"default={},doc='Selects by the labels of the object, before or after the write.'"`
	SideEffects             *SideEffectClass        `json:"sideEffects" protobuf:"bytes,6,opt,name=sideEffects,casttype=SideEffectClass" api:"doc='None or NoneOnDryRun.'"`
	TimeoutSeconds          *int32                  `json:"timeoutSeconds,omitempty" protobuf:"varint,7,opt,name=timeoutSeconds" api:"default=10,doc='How long a call may take, from 1 to 30 seconds.'"`
	AdmissionReviewVersions []string                `json:"admissionReviewVersions" protobuf:"bytes,8,rep,name=admissionReviewVersions" api:"list=atomic,doc='The versions of AdmissionReview that the webhook understands, in order of preference.'"`
	ReinvocationPolicy      *ReinvocationPolicyType `json:"reinvocationPolicy,omitempty" protobuf:"bytes,10,opt,name=reinvocationPolicy,casttype=ReinvocationPolicyType" api:"default=Never,doc='Never or IfNeeded: whether the webhook is called once more if the object has changed since.'"`
	MatchConditions         []MatchCondition        `json:"matchConditions,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,12,opt,name=matchConditions" api:"list=map,key=name,doc='Conditions that must all be true of the write.'"`
}

// ValidatingWebhookConfiguration registers webhooks that allow or refuse writes.
type ValidatingWebhookConfiguration struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Webhooks []ValidatingWebhook `json:"webhooks,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep,name=Webhooks" api:"list=map,key=name,doc='The webhooks.'"`
}

// MutatingWebhookConfiguration registers webhooks that may change the object of a write before it is validated.
type MutatingWebhookConfiguration struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Webhooks []MutatingWebhook `json:"webhooks,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep,name=Webhooks" api:"list=map,key=name,doc='The webhooks.'"`
}
