package review

import "github.com/decorum-go/decorum/apimeta"

// Self is a SelfSubjectReview, about the client.
type Self struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Status             SelfStatus `json:"status,omitempty" protobuf:"bytes,2,opt,name=status" api:"doc='The answer.'"`
}

// SelfStatus is the answer of a Self.
type SelfStatus struct {
	UserInfo UserInfo `json:"userInfo,omitempty" protobuf:"bytes,1,opt,name=userInfo" api:"doc='Who the client is.'"`
}

// UserInfo is a user in an answer.
type UserInfo struct {
	Username string              `json:"username,omitempty" protobuf:"bytes,1,opt,name=username" api:"doc='The name that identifies the user among all users.'"`
	UID      string              `json:"uid,omitempty" protobuf:"bytes,2,opt,name=uid" api:"doc='Distinguishes users who had the same name at different times.'"`
	Groups   []string            `json:"groups,omitempty" protobuf:"bytes,3,rep,name=groups" api:"list=atomic,doc='The groups that the user is a member of.'"`
	Extra    map[string][]string `json:"extra,omitempty" protobuf:"bytes,4,rep,name=extra" api:"doc='Further attributes of the user, from the authenticator.'"`
}

// SelfAccess is a SelfSubjectAccessReview, about the user who asks.
type SelfAccess struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec               Question     `json:"spec" protobuf:"bytes,2,opt,name=spec" api:"publishRequired,doc='The question: exactly one of a resource and a path.'"`
	Status             AccessStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The answer.'"`
}

// Access is a SubjectAccessReview or a LocalSubjectAccessReview, about the user in its spec.
type Access struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec               AccessSpec   `json:"spec" protobuf:"bytes,2,opt,name=spec" api:"publishRequired,doc='The question: exactly one of a resource and a path.'"`
	Status             AccessStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The answer.'"`
}

// AccessSpec is a question about any user.
type AccessSpec struct {
	Question `json:",inline"`
	User     string              `json:"user,omitempty" protobuf:"bytes,3,opt,name=user" api:"doc='The name of the user who would act.'"`
	Groups   []string            `json:"groups,omitempty" protobuf:"bytes,4,rep,name=groups" api:"list=atomic,doc='The groups of the user who would act.'"`
	Extra    map[string][]string `json:"extra,omitempty" protobuf:"bytes,5,rep,name=extra" api:"doc='Further attributes of the user who would act.'"`
	UID      string              `json:"uid,omitempty" protobuf:"bytes,6,opt,name=uid" api:"doc='The uid of the user who would act.'"`
}

// Question asks whether a user may act. The enclosing kind determines the user.
type Question struct {
	ResourceAttributes    *ResourceAttributes    `json:"resourceAttributes,omitempty" protobuf:"bytes,1,opt,name=resourceAttributes" api:"doc='The action on a resource.'"`
	NonResourceAttributes *NonResourceAttributes `json:"nonResourceAttributes,omitempty" protobuf:"bytes,2,opt,name=nonResourceAttributes" api:"doc='The action on a path outside of all resources.'"`
}

// ResourceAttributes are an action on a resource.
type ResourceAttributes struct {
	Namespace     string             `json:"namespace,omitempty" protobuf:"bytes,1,opt,name=namespace" api:"doc='The namespace; empty for all of them, or for a cluster-scoped resource.'"`
	Verb          string             `json:"verb,omitempty" protobuf:"bytes,2,opt,name=verb" api:"doc='get, list, watch, create, update, patch, delete, deletecollection, or *.'"`
	Group         string             `json:"group,omitempty" protobuf:"bytes,3,opt,name=group" api:"doc='The API group, or *.'"`
	Version       string             `json:"version,omitempty" protobuf:"bytes,4,opt,name=version" api:"doc='The version, or *.'"`
	Resource      string             `json:"resource,omitempty" protobuf:"bytes,5,opt,name=resource" api:"doc='The plural, or *.'"`
	Subresource   string             `json:"subresource,omitempty" protobuf:"bytes,6,opt,name=subresource" api:"doc='The subresource; empty for none.'"`
	Name          string             `json:"name,omitempty" protobuf:"bytes,7,opt,name=name" api:"doc='The name; empty for all.'"`
	FieldSelector *selectorAttribute `json:"fieldSelector,omitempty" protobuf:"bytes,8,opt,name=fieldSelector" api:"doc='A field selector that narrows the action.'"`
	LabelSelector *selectorAttribute `json:"labelSelector,omitempty" protobuf:"bytes,9,opt,name=labelSelector" api:"doc='A label selector that narrows the action.'"`
}

type selectorAttribute struct {
	RawSelector  string                `json:"rawSelector,omitempty" protobuf:"bytes,1,opt,name=rawSelector" api:"doc='The selector in the form of a query parameter.'"`
	Requirements []selectorRequirement `json:"requirements,omitempty" protobuf:"bytes,2,rep,name=requirements" api:"list=atomic,doc='The parsed requirements of the selector.'"`
}

type selectorRequirement struct {
	Key      string   `json:"key" protobuf:"bytes,1,opt,name=key" api:"doc='The label or field.'"`
	Operator string   `json:"operator" protobuf:"bytes,2,opt,name=operator" api:"doc='In, NotIn, Exists or DoesNotExist.'"`
	Values   []string `json:"values,omitempty" protobuf:"bytes,3,rep,name=values" api:"list=atomic,doc='The values.'"`
}

// NonResourceAttributes are an action on a path outside of all resources.
type NonResourceAttributes struct {
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt,name=path" api:"doc='The path.'"`
	Verb string `json:"verb,omitempty" protobuf:"bytes,2,opt,name=verb" api:"doc='The HTTP method in lower case.'"`
}

// AccessStatus is the answer to a question.
type AccessStatus struct {
	Allowed         bool   `json:"allowed" protobuf:"varint,1,opt,name=allowed" api:"doc='Whether the action is allowed.'"`
	Denied          bool   `json:"denied,omitempty" protobuf:"varint,4,opt,name=denied" api:"doc='Whether the action is denied even if another authorizer would allow it.'"`
	Reason          string `json:"reason,omitempty" protobuf:"bytes,2,opt,name=reason" api:"doc='The reason for the answer.'"`
	EvaluationError string `json:"evaluationError,omitempty" protobuf:"bytes,3,opt,name=evaluationError" api:"doc='An error that occurred while the server looked for the answer.'"`
}

// Rules is a SelfSubjectRulesReview, a list of what the client may do.
type Rules struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec               RulesSpec   `json:"spec" protobuf:"bytes,2,opt,name=spec" api:"publishRequired,doc='The question.'"`
	Status             RulesStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The answer.'"`
}

// RulesSpec says where the client would act.
type RulesSpec struct {
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt,name=namespace" api:"doc='The namespace in question.'"`
}

// RulesStatus lists what the client may do.
type RulesStatus struct {
	ResourceRules    []ResourceRule    `json:"resourceRules" protobuf:"bytes,1,rep,name=resourceRules" api:"list=atomic,doc='The actions that the user may take on resources.'"`
	NonResourceRules []NonResourceRule `json:"nonResourceRules" protobuf:"bytes,2,rep,name=nonResourceRules" api:"list=atomic,doc='The actions that the user may take on paths outside of all resources.'"`
	Incomplete       bool              `json:"incomplete" protobuf:"varint,3,opt,name=incomplete" api:"doc='Whether the lists are incomplete.'"`
	EvaluationError  string            `json:"evaluationError,omitempty" protobuf:"bytes,4,opt,name=evaluationError" api:"doc='An error that occurred while the server looked for the answer.'"`
}

// ResourceRule allows actions on resources.
type ResourceRule struct {
	Verbs         []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs" api:"list=atomic,doc='The allowed verbs.'"`
	APIGroups     []string `json:"apiGroups,omitempty" protobuf:"bytes,2,rep,name=apiGroups" api:"list=atomic,doc='The API groups.'"`
	Resources     []string `json:"resources,omitempty" protobuf:"bytes,3,rep,name=resources" api:"list=atomic,doc='The resources.'"`
	ResourceNames []string `json:"resourceNames,omitempty" protobuf:"bytes,4,rep,name=resourceNames" api:"list=atomic,doc='The names of the objects; empty for all.'"`
}

// NonResourceRule allows actions on paths outside of all resources.
type NonResourceRule struct {
	Verbs           []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs" api:"list=atomic,doc='The allowed verbs.'"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty" protobuf:"bytes,2,rep,name=nonResourceURLs" api:"list=atomic,doc='The paths.'"`
}
