package rbac

import "github.com/decorum-go/decorum/apimeta"

// Group is the API group of the kinds.
const Group = "rbac.authorization.k8s.io"

// The kinds of a [Subject].
const (
	UserKind           = "User"
	GroupKind          = "Group"
	ServiceAccountKind = "ServiceAccount"
)

// all stands for everything in a list of a [PolicyRule].
const all = "*"

// PolicyRule allows verbs, either on resources or on paths outside all resources. "*" in a list means everything.
type PolicyRule struct {
	Verbs           []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs" api:"list=atomic,doc='The verbs that the rule allows; * for all.'"`
	APIGroups       []string `json:"apiGroups,omitempty" protobuf:"bytes,2,rep,name=apiGroups" api:"list=atomic,doc='The API groups of the resources; an empty name for the core group, * for all.'"`
	Resources       []string `json:"resources,omitempty" protobuf:"bytes,3,rep,name=resources" api:"list=atomic,doc='The resources, such as pods, or pods/log for a subresource; * for all.'"`
	ResourceNames   []string `json:"resourceNames,omitempty" protobuf:"bytes,4,rep,name=resourceNames" api:"list=atomic,doc='The names of the objects. Empty for all.'"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty" protobuf:"bytes,5,rep,name=nonResourceURLs" api:"list=atomic,doc='Paths outside of all resources. A path that ends with * covers all paths that begin with the rest of it. Only in a ClusterRole.'"`
}

// Subject is a user, a group or a service account to which a binding gives the rights of a role.
type Subject struct {
	Kind      string `json:"kind" protobuf:"bytes,1,opt,name=kind" api:"doc='User, Group or ServiceAccount.'"`
	APIGroup  string `json:"apiGroup,omitempty" protobuf:"bytes,2,opt,name=apiGroup" api:"doc='Empty for a ServiceAccount, else rbac.authorization.k8s.io, which is the default.'"`
	Name      string `json:"name" protobuf:"bytes,3,opt,name=name" api:"doc='The name of the user, the group or the service account.'"`
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,4,opt,name=namespace" api:"doc='The namespace of a ServiceAccount. In a RoleBinding, it defaults to the namespace of the binding.'"`
}

// RoleRef names the role that a binding gives to its subjects.
type RoleRef struct {
	APIGroup string `json:"apiGroup" protobuf:"bytes,1,opt,name=apiGroup" api:"doc='rbac.authorization.k8s.io, which is the default.'"`
	Kind     string `json:"kind" protobuf:"bytes,2,opt,name=kind" api:"doc='Role or ClusterRole.'"`
	Name     string `json:"name" protobuf:"bytes,3,opt,name=name" api:"doc='The name of the role.'"`
}

// Role is a set of rights in its namespace.
type Role struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Rules []PolicyRule `json:"rules" protobuf:"bytes,2,rep,name=rules" api:"list=atomic,optional,doc='The rights of the role.'"`
}

// ClusterRole is a set of rights in all namespaces, on cluster-scoped resources, and on paths. A RoleBinding gives them
// in one namespace.
type ClusterRole struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Rules           []PolicyRule     `json:"rules" protobuf:"bytes,2,rep,name=rules" api:"list=atomic,optional,doc='The rights of the role. Ignored if there is an aggregationRule.'"`
	AggregationRule *AggregationRule `json:"aggregationRule,omitempty" protobuf:"bytes,3,opt,name=aggregationRule" api:"doc='Selects other ClusterRoles, whose rights this one has.'"`
}

// AggregationRule selects the ClusterRoles from which another one gets its rights.
type AggregationRule struct {
	ClusterRoleSelectors []apimeta.LabelSelector `json:"clusterRoleSelectors,omitempty" protobuf:"bytes,1,rep,name=clusterRoleSelectors" api:"list=atomic,doc='The rights of a ClusterRole count if one of the selectors matches its labels.'"`
}

// RoleBinding gives subjects the rights of a role in its namespace.
type RoleBinding struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Subjects []Subject `json:"subjects,omitempty" protobuf:"bytes,2,rep,name=subjects" api:"list=atomic,doc='Who gets the rights.'"`
	RoleRef  RoleRef   `json:"roleRef" protobuf:"bytes,3,opt,name=roleRef" api:"publishRequired,doc='The role: a Role in the namespace of the binding, or a ClusterRole. It cannot change.'"`
}

// ClusterRoleBinding gives subjects the rights of a ClusterRole everywhere.
type ClusterRoleBinding struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Subjects []Subject `json:"subjects,omitempty" protobuf:"bytes,2,rep,name=subjects" api:"list=atomic,doc='Who gets the rights.'"`
	RoleRef  RoleRef   `json:"roleRef" protobuf:"bytes,3,opt,name=roleRef" api:"publishRequired,doc='The ClusterRole. It cannot change.'"`
}
