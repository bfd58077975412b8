package review

import "github.com/decorum-go/decorum/apimeta"

// Token is a TokenReview, about the user of a bearer token.
type Token struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec               TokenSpec   `json:"spec" protobuf:"bytes,2,opt,name=spec" api:"publishRequired,doc='The token.'"`
	Status             TokenStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The answer.'"`
}

// TokenSpec is the question of a [Token].
type TokenSpec struct {
	Token     string   `json:"token,omitempty" protobuf:"bytes,1,opt,name=token" api:"doc='The bearer token.'"`
	Audiences []string `json:"audiences,omitempty" protobuf:"bytes,2,rep,name=audiences" api:"list=atomic,doc='The accepted audiences. The token must name at least one of them. Default: this API.'"`
}

// TokenStatus is the answer of a [Token].
type TokenStatus struct {
	Authenticated bool     `json:"authenticated,omitempty" protobuf:"varint,1,opt,name=authenticated" api:"doc='Says whether the token is valid.'"`
	User          UserInfo `json:"user,omitempty" protobuf:"bytes,2,opt,name=user" api:"doc='Whose token it is.'"`
	Audiences     []string `json:"audiences,omitempty" protobuf:"bytes,4,rep,name=audiences" api:"list=atomic,doc='The audiences in the question that the token names.'"`
	Error         string   `json:"error,omitempty" protobuf:"bytes,3,opt,name=error" api:"doc='Why the token is not valid.'"`
}
