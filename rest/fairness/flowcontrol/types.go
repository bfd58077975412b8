package flowcontrol

import "github.com/decorum-go/decorum/apimeta"

// Group is the API group of the kinds, and Version their version.
const (
	Group   = "flowcontrol.apiserver.k8s.io"
	Version = "v1"
)

// The objects that always exist.
const (
	Exempt   = "exempt"
	CatchAll = "catch-all"
)

// all stands for everything in a list of a rule, and for all names in a [Subject].
const all = "*"

// FlowSchema assigns requests to a priority level, and says which of them belong to the same flow.
type FlowSchema struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   FlowSchemaSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec" api:"doc='The requests, and their priority level.'"`
	Status FlowSchemaStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The observed state of the FlowSchema.'"`
}

// FlowSchemaSpec says which requests a FlowSchema is about.
type FlowSchemaSpec struct {
	PriorityLevelConfiguration PriorityLevelConfigurationReference `json:"priorityLevelConfiguration" protobuf:"bytes,1,opt,name=priorityLevelConfiguration" api:"doc='The priority level of the requests. A FlowSchema whose level does not exist matches nothing.'"`
	MatchingPrecedence         int32                               `json:"matchingPrecedence" protobuf:"varint,2,opt,name=matchingPrecedence" api:"default=1000,doc='From 1 to 10000. Of several FlowSchemas that match a request, the one with the lowest number decides, and then the one whose name comes first.'"`
	DistinguisherMethod        *FlowDistinguisherMethod            `json:"distinguisherMethod,omitempty" protobuf:"bytes,3,opt,name=distinguisherMethod" api:"doc='How the requests are told apart. Absent: all of them are one flow.'"`
	Rules                      []PolicyRulesWithSubjects           `json:"rules,omitempty" protobuf:"bytes,4,rep,name=rules" api:"list=atomic,doc='The FlowSchema matches a request that one of the rules matches.'"`
}

// PriorityLevelConfigurationReference names the priority level to which a FlowSchema assigns requests.
type PriorityLevelConfigurationReference struct {
	Name string `json:"name" protobuf:"bytes,1,opt,name=name" api:"doc='The name of a PriorityLevelConfiguration.'"`
}

// The types of a [FlowDistinguisherMethod].
const (
	ByUser      = "ByUser"
	ByNamespace = "ByNamespace"
)

// FlowDistinguisherMethod says what distinguishes the flows of a FlowSchema.
type FlowDistinguisherMethod struct {
	Type string `json:"type" protobuf:"bytes,1,opt,name=type" api:"doc='ByUser or ByNamespace.'"`
}

// PolicyRulesWithSubjects matches requests by who sends them, and by what they are about.
type PolicyRulesWithSubjects struct {
	Subjects         []Subject               `json:"subjects" protobuf:"bytes,1,rep,name=subjects" api:"list=atomic,doc='Who sends the requests: one of these.'"`
	ResourceRules    []ResourcePolicyRule    `json:"resourceRules,omitempty" protobuf:"bytes,2,opt,name=resourceRules" api:"list=atomic,doc='Which requests for resources match: those that one of the rules matches.'"`
	NonResourceRules []NonResourcePolicyRule `json:"nonResourceRules,omitempty" protobuf:"bytes,3,opt,name=nonResourceRules" api:"list=atomic,doc='Which requests for other paths match.'"`
}

// The kinds of a [Subject].
const (
	UserKind           = "User"
	GroupKind          = "Group"
	ServiceAccountKind = "ServiceAccount"
)

// Subject is a user, a group or a service account.
type Subject struct {
	Kind           string                 `json:"kind" protobuf:"bytes,1,opt,name=kind" api:"doc='User, Group or ServiceAccount.'"`
	User           *UserSubject           `json:"user,omitempty" protobuf:"bytes,2,opt,name=user" api:"doc='Only if the kind is User.'"`
	Group          *GroupSubject          `json:"group,omitempty" protobuf:"bytes,3,opt,name=group" api:"doc='Only if the kind is Group.'"`
	ServiceAccount *ServiceAccountSubject `json:"serviceAccount,omitempty" protobuf:"bytes,4,opt,name=serviceAccount" api:"doc='Only if the kind is ServiceAccount.'"`
}

// UserSubject is a user whose requests a rule matches.
type UserSubject struct {
	Name string `json:"name" protobuf:"bytes,1,opt,name=name" api:"doc='The name of the user, or * for all users.'"`
}

// GroupSubject is a group of users whose requests a rule matches.
type GroupSubject struct {
	Name string `json:"name" protobuf:"bytes,1,opt,name=name" api:"doc='The name of the group, or * for all users.'"`
}

// ServiceAccountSubject is a service account whose requests a rule matches.
type ServiceAccountSubject struct {
	Namespace string `json:"namespace" protobuf:"bytes,1,opt,name=namespace" api:"doc='The namespace of the service account.'"`
	Name      string `json:"name" protobuf:"bytes,2,opt,name=name" api:"doc='The name of the service account, or * for all of the namespace.'"`
}

// ResourcePolicyRule matches requests for resources. "*" alone in a list means everything.
type ResourcePolicyRule struct {
	Verbs        []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs" api:"list=set,doc='The verbs of the requests; * for all.'"`
	APIGroups    []string `json:"apiGroups" protobuf:"bytes,2,rep,name=apiGroups" api:"list=set,doc='The API groups of the resources; an empty name for the core group, * for all.'"`
	Resources    []string `json:"resources" protobuf:"bytes,3,rep,name=resources" api:"list=set,doc='The resources, such as pods, or pods/log for a subresource; * for all.'"`
	ClusterScope bool     `json:"clusterScope,omitempty" protobuf:"varint,4,opt,name=clusterScope" api:"doc='Whether requests without a namespace match.'"`
	Namespaces   []string `json:"namespaces" protobuf:"bytes,5,rep,name=namespaces" api:"list=set,optional,doc='The namespaces of the requests that match; * for all.'"`
}

// NonResourcePolicyRule matches requests for paths outside of all resources. "*" alone in a list means everything.
type NonResourcePolicyRule struct {
	Verbs           []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs" api:"list=set,doc='The verbs of the requests; * for all.'"`
	NonResourceURLs []string `json:"nonResourceURLs" protobuf:"bytes,6,rep,name=nonResourceURLs" api:"list=set,doc='Paths. Each covers the paths below it too, with or without /* at its end.'"`
}

// Dangling is the type of the condition of a FlowSchema whose priority level does not exist.
const Dangling = "Dangling"

// FlowSchemaStatus is the observed state of a FlowSchema.
type FlowSchemaStatus struct {
	Conditions []Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions" api:"list=map,key=type,doc='Dangling says whether the priority level of the FlowSchema is missing.'"`
}

// Condition is one aspect of the observed state of an object.
type Condition struct {
	Type               string                  `json:"type,omitempty" protobuf:"bytes,1,opt,name=type" api:"doc='The type of the condition.'"`
	Status             apimeta.ConditionStatus `json:"status,omitempty" protobuf:"bytes,2,opt,name=status" api:"doc='True, False or Unknown.'"`
	LastTransitionTime apimeta.Time            `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt,name=lastTransitionTime" api:"doc='When the status last changed.'"`
	Reason             string                  `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason" api:"doc='A word for the reason of the status.'"`
	Message            string                  `json:"message,omitempty" protobuf:"bytes,5,opt,name=message" api:"doc='The reason for people.'"`
}

// PriorityLevelConfiguration is a kind of requests with a part of the capacity of the API.
type PriorityLevelConfiguration struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   PriorityLevelConfigurationSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec" api:"doc='How much of the capacity the level has.'"`
	Status PriorityLevelConfigurationStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The observed state of the level.'"`
}

// The types of a [PriorityLevelConfigurationSpec].
const (
	TypeExempt  = "Exempt"
	TypeLimited = "Limited"
)

// PriorityLevelConfigurationSpec says how much of the capacity a priority level has.
type PriorityLevelConfigurationSpec struct {
	Type    string                             `json:"type" protobuf:"bytes,1,opt,name=type" api:"doc='Exempt for the level named exempt, whose requests never wait; Limited for all others.'"`
	Limited *LimitedPriorityLevelConfiguration `json:"limited,omitempty" protobuf:"bytes,2,opt,name=limited" api:"doc='Only if the type is Limited.'"`
	Exempt  *ExemptPriorityLevelConfiguration  `json:"exempt,omitempty" protobuf:"bytes,3,opt,name=exempt" api:"doc='Only if the type is Exempt.'"`
}

// LimitedPriorityLevelConfiguration describes a level whose requests share a limited number of seats.
type LimitedPriorityLevelConfiguration struct {
	NominalConcurrencyShares *int32        `json:"nominalConcurrencyShares" protobuf:"varint,1,opt,name=nominalConcurrencyShares" api:"default=30,doc='The part of the seats that the level gets, in proportion to those of the other levels.'"`
	LimitResponse            LimitResponse `json:"limitResponse,omitempty" protobuf:"bytes,2,opt,name=limitResponse" api:"doc='What becomes of a request that finds no seat.'"`
	LendablePercent          *int32        `json:"lendablePercent,omitempty" protobuf:"varint,3,opt,name=lendablePercent" api:"default=0,doc='The part of its seats that other levels may use while the level does not need them. From 0 to 100.'"`
	BorrowingLimitPercent    *int32        `json:"borrowingLimitPercent,omitempty" protobuf:"varint,4,opt,name=borrowingLimitPercent" api:"doc='How many seats of others the level may use, in percent of its own. Absent: without a limit.'"`
}

// ExemptPriorityLevelConfiguration describes a level whose requests never wait.
type ExemptPriorityLevelConfiguration struct {
	NominalConcurrencyShares *int32 `json:"nominalConcurrencyShares,omitempty" protobuf:"varint,1,opt,name=nominalConcurrencyShares" api:"default=0,doc='The part of the seats that is kept for the level, in proportion to those of the other levels.'"`
	LendablePercent          *int32 `json:"lendablePercent,omitempty" protobuf:"varint,2,opt,name=lendablePercent" api:"default=0,doc='The part of its seats that other levels may use while the level does not need them. From 0 to 100.'"`
}

// The types of a [LimitResponse].
const (
	TypeQueue  = "Queue"
	TypeReject = "Reject"
)

// LimitResponse says what becomes of a request that finds no seat.
type LimitResponse struct {
	Type    string                `json:"type" protobuf:"bytes,1,opt,name=type" api:"doc='Queue or Reject.'"`
	Queuing *QueuingConfiguration `json:"queuing,omitempty" protobuf:"bytes,2,opt,name=queuing" api:"doc='Only if the type is Queue.'"`
}

// QueuingConfiguration describes the queues in which the requests of a level wait.
type QueuingConfiguration struct {
	Queues           int32 `json:"queues" protobuf:"varint,1,opt,name=queues" api:"default=64,doc='How many queues the level has.'"`
	HandSize         int32 `json:"handSize" protobuf:"varint,2,opt,name=handSize" api:"default=8,doc='How many of the queues one flow may use.'"`
	QueueLengthLimit int32 `json:"queueLengthLimit" protobuf:"varint,3,opt,name=queueLengthLimit" api:"default=50,doc='How many requests wait in one queue.'"`
}

// PriorityLevelConfigurationStatus is the observed state of a priority level.
type PriorityLevelConfigurationStatus struct {
	Conditions []Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions" api:"list=map,key=type,doc='No condition has a meaning yet.'"`
}
