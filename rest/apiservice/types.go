package apiservice

import "github.com/decorum-go/decorum/apimeta"

// Group is the API group of the kind.
const Group = "apiregistration.k8s.io"

// APIService describes a version of a group. Its name is VERSION.GROUP.
type APIService struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   APIServiceSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status APIServiceStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// APIServiceSpec names a version of a group, and the server that serves it.
type APIServiceSpec struct {
	Service               *ServiceReference `json:"service,omitempty" protobuf:"bytes,1,opt,name=service" api:"doc='The service of another server; empty if this server serves the version.'"`
	Group                 string            `json:"group,omitempty" protobuf:"bytes,2,opt,name=group" api:"doc='The name of the group.'"`
	Version               string            `json:"version,omitempty" protobuf:"bytes,3,opt,name=version" api:"doc='The name of the version.'"`
	InsecureSkipTLSVerify bool              `json:"insecureSkipTLSVerify,omitempty" protobuf:"varint,4,opt,name=insecureSkipTLSVerify"`
	CABundle              []byte            `json:"caBundle,omitempty" protobuf:"bytes,5,opt,name=caBundle"`
	GroupPriorityMinimum  int32             `json:"groupPriorityMinimum" protobuf:"varint,7,opt,name=groupPriorityMinimum" api:"doc='The order of the groups: clients prefer the highest.'"`
	VersionPriority       int32             `json:"versionPriority" protobuf:"varint,8,opt,name=versionPriority" api:"doc='The order of the versions in the group.'"`
}

// ServiceReference names the Service through which a cluster reaches an aggregated server.
type ServiceReference struct {
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt,name=namespace"`
	Name      string `json:"name,omitempty" protobuf:"bytes,2,opt,name=name"`
	Port      *int32 `json:"port,omitempty" protobuf:"varint,3,opt,name=port"`
}

// APIServiceStatus says in its conditions whether the version is available.
type APIServiceStatus struct {
	Conditions []APIServiceCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions" api:"list=map,key=type"`
}

// APIServiceCondition is one aspect of the state of a version.
type APIServiceCondition struct {
	Type               string       `json:"type" protobuf:"bytes,1,opt,name=type"`
	Status             string       `json:"status" protobuf:"bytes,2,opt,name=status"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt,name=lastTransitionTime"`
	Reason             string       `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason"`
	Message            string       `json:"message,omitempty" protobuf:"bytes,5,opt,name=message"`
}
