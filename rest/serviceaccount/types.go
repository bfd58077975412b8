package serviceaccount

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/builtin"
)

// ServiceAccount is the identity of a program. It has the fields and the JSON of the kind in k8s.io/api/core/v1.
type ServiceAccount struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Secrets                      []builtin.ObjectReference `json:"secrets,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep,name=secrets" api:"list=map,key=name,duplicates,doc='The secrets that programs with this identity may use. The server keeps only their names, and does not enforce the list.'"`
	ImagePullSecrets             []LocalObjectReference    `json:"imagePullSecrets,omitempty" protobuf:"bytes,3,rep,name=imagePullSecrets" api:"list=atomic,doc='The secrets for pulling images. The server does not use them.'"`
	AutomountServiceAccountToken *bool                     `json:"automountServiceAccountToken,omitempty" protobuf:"varint,4,opt,name=automountServiceAccountToken" api:"doc='Says whether programs with this identity should receive a token. The server does not use it.'"`
}

// LocalObjectReference names an object in the same namespace.
type LocalObjectReference struct {
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name" api:"doc='The name of the object.'"`
}

// TokenRequest asks for a token of a service account: the spec is the request, and the status is the token. It has the
// fields and the JSON of the kind in k8s.io/api/authentication/v1.
type TokenRequest struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   TokenRequestSpec   `json:"spec" protobuf:"bytes,2,opt,name=spec" api:"optional,doc='What the token should be.'"`
	Status TokenRequestStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The token.'"`
}

// TokenRequestSpec says for whom a token is, and how long it lives.
type TokenRequestSpec struct {
	Audiences         []string              `json:"audiences" protobuf:"bytes,1,rep,name=audiences" api:"optional,list=atomic,doc='Who is meant to accept the token. Default: this API.'"`
	ExpirationSeconds *int64                `json:"expirationSeconds" protobuf:"varint,4,opt,name=expirationSeconds" api:"optional,default=3600,doc='For how long the token is valid, in seconds. At least 600; default 3600. The server may shorten it.'"`
	BoundObjectRef    *BoundObjectReference `json:"boundObjectRef" protobuf:"bytes,3,opt,name=boundObjectRef" api:"optional,nullable,doc='An object with whose deletion the token becomes invalid.'"`
}

// BoundObjectReference names the object with whose deletion a token becomes invalid.
type BoundObjectReference struct {
	Kind       string `json:"kind,omitempty" protobuf:"bytes,1,opt,name=kind" api:"doc='Pod, Secret or Node.'"`
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,2,opt,name=apiVersion" api:"doc='v1.'"`
	Name       string `json:"name,omitempty" protobuf:"bytes,3,opt,name=name" api:"doc='The name of the object, in the namespace of the service account or cluster-scoped.'"`
	UID        string `json:"uid,omitempty" protobuf:"bytes,4,opt,name=uid" api:"doc='The uid that the object must have. Empty for any.'"`
}

// TokenRequestStatus holds the token that the server has made, and when it expires.
type TokenRequestStatus struct {
	Token               string       `json:"token" protobuf:"bytes,1,opt,name=token" api:"optional,doc='The token.'"`
	ExpirationTimestamp apimeta.Time `json:"expirationTimestamp" protobuf:"bytes,2,opt,name=expirationTimestamp" api:"optional,nullable,doc='When the token expires.'"`
}
