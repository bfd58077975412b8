package rest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
)

// Reviews are the kinds by which a client asks who it is and what it may do, as kubectl auth whoami and auth can-i do:
// SelfSubjectReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview and LocalSubjectAccessReview.
// They tell what is so: the user is the one in the request's context (see [WithUser]), and since the API itself refuses
// nobody, everything is allowed.
func Reviews() []Definition {
	return []Definition{
		Resource[selfSubjectReview]{
			Group: "authentication.k8s.io", Version: "v1", Plural: "selfsubjectreviews", Kind: "SelfSubjectReview",
			Description: "Tells the client who the server takes it for.",
			Scope:       Cluster, Dialect: Builtin, message: codec.SelfSubjectReviewMessage(),
			Call: func(ctx context.Context, r *selfSubjectReview) error {
				u := UserFrom(ctx)
				r.Status.UserInfo = userInfo{Username: u.Name, UID: u.UID, Groups: u.Groups, Extra: u.Extra}
				return nil
			},
		},
		accessReviewOf("SelfSubjectAccessReview", "selfsubjectaccessreviews", Cluster, "Tells the client whether it may do something."),
		accessReviewOf("SubjectAccessReview", "subjectaccessreviews", Cluster, "Tells whether some user may do something."),
		accessReviewOf("LocalSubjectAccessReview", "localsubjectaccessreviews", Namespaced, "Tells whether some user may do something in a namespace."),
		Resource[rulesReview]{
			Group: authorizationGroup, Version: "v1", Plural: "selfsubjectrulesreviews", Kind: "SelfSubjectRulesReview",
			Description: "Tells the client all that it may do in a namespace.",
			Scope:       Cluster, Dialect: Builtin, message: codec.RulesReviewMessage(),
			Call: func(_ context.Context, r *rulesReview) error {
				all := []string{"*"}
				r.Status = rulesReviewStatus{
					ResourceRules:    []resourceRule{{Verbs: all, APIGroups: all, Resources: all}},
					NonResourceRules: []nonResourceRule{{Verbs: all, NonResourceURLs: all}},
				}
				return nil
			},
		},
	}
}

const authorizationGroup = "authorization.k8s.io"

// nobodyRefuses is why everything is allowed.
const nobodyRefuses = "the server has no authorizer"

func accessReviewOf(kind, plural string, scope Scope, description string) Definition {
	return Resource[accessReview]{
		Group: authorizationGroup, Version: "v1", Plural: plural, Kind: kind, Description: description,
		Scope: scope, Dialect: Builtin, message: codec.AccessReviewMessage(),
		Call: func(_ context.Context, r *accessReview) error {
			r.Status = accessReviewStatus{Allowed: true, Reason: nobodyRefuses}
			return nil
		},
	}
}

type selfSubjectReview struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Status             selfSubjectReviewStatus `json:"status,omitempty" api:"doc='The answer.'"`
}

type selfSubjectReviewStatus struct {
	UserInfo userInfo `json:"userInfo,omitempty" api:"doc='Who the client is.'"`
}

type userInfo struct {
	Username string              `json:"username,omitempty" api:"doc='The name that tells this user from all others.'"`
	UID      string              `json:"uid,omitempty" api:"doc='Tells apart users who had one name at different times.'"`
	Groups   []string            `json:"groups,omitempty" api:"list=atomic,doc='The groups that the user is a member of.'"`
	Extra    map[string][]string `json:"extra,omitempty" api:"doc='What else whoever authenticated the user has to say.'"`
}

type accessReview struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               accessReviewSpec   `json:"spec" api:"doc='The question: either a resource or a path is asked for.'"`
	Status             accessReviewStatus `json:"status,omitempty" api:"doc='The answer.'"`
}

type accessReviewSpec struct {
	ResourceAttributes    *resourceAttributes    `json:"resourceAttributes,omitempty" api:"doc='What would be done to which resource.'"`
	NonResourceAttributes *nonResourceAttributes `json:"nonResourceAttributes,omitempty" api:"doc='What would be done to which other path.'"`
	User                  string                 `json:"user,omitempty" api:"doc='Who would do it.'"`
	Groups                []string               `json:"groups,omitempty" api:"list=atomic,doc='The groups of who would do it.'"`
	Extra                 map[string][]string    `json:"extra,omitempty" api:"doc='What else is known of who would do it.'"`
	UID                   string                 `json:"uid,omitempty" api:"doc='The uid of who would do it.'"`
}

type resourceAttributes struct {
	Namespace     string             `json:"namespace,omitempty" api:"doc='The namespace; empty for all of them, or for a cluster-scoped resource.'"`
	Verb          string             `json:"verb,omitempty" api:"doc='get, list, watch, create, update, patch, delete, deletecollection, or *.'"`
	Group         string             `json:"group,omitempty" api:"doc='The API group, or *.'"`
	Version       string             `json:"version,omitempty" api:"doc='The version, or *.'"`
	Resource      string             `json:"resource,omitempty" api:"doc='The plural, or *.'"`
	Subresource   string             `json:"subresource,omitempty" api:"doc='The subresource; empty for none.'"`
	Name          string             `json:"name,omitempty" api:"doc='The name; empty for all.'"`
	FieldSelector *selectorAttribute `json:"fieldSelector,omitempty" api:"doc='A field selector that narrows it down.'"`
	LabelSelector *selectorAttribute `json:"labelSelector,omitempty" api:"doc='A label selector that narrows it down.'"`
}

type selectorAttribute struct {
	RawSelector  string                `json:"rawSelector,omitempty" api:"doc='The selector as a request has it.'"`
	Requirements []selectorRequirement `json:"requirements,omitempty" api:"list=atomic,doc='The selector taken apart.'"`
}

type selectorRequirement struct {
	Key      string   `json:"key" api:"doc='The label or field.'"`
	Operator string   `json:"operator" api:"doc='In, NotIn, Exists or DoesNotExist.'"`
	Values   []string `json:"values,omitempty" api:"list=atomic,doc='The values.'"`
}

type nonResourceAttributes struct {
	Path string `json:"path,omitempty" api:"doc='The path.'"`
	Verb string `json:"verb,omitempty" api:"doc='The HTTP method in lower case.'"`
}

type accessReviewStatus struct {
	Allowed         bool   `json:"allowed" api:"doc='Whether it would be allowed.'"`
	Denied          bool   `json:"denied,omitempty" api:"doc='Whether it would be refused whatever else allows it.'"`
	Reason          string `json:"reason,omitempty" api:"doc='Why.'"`
	EvaluationError string `json:"evaluationError,omitempty" api:"doc='What went wrong while the answer was found.'"`
}

type rulesReview struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               rulesReviewSpec   `json:"spec" api:"doc='The question.'"`
	Status             rulesReviewStatus `json:"status,omitempty" api:"doc='The answer.'"`
}

type rulesReviewSpec struct {
	Namespace string `json:"namespace,omitempty" api:"doc='The namespace that is asked about.'"`
}

type rulesReviewStatus struct {
	ResourceRules    []resourceRule    `json:"resourceRules" api:"list=atomic,doc='What may be done to resources.'"`
	NonResourceRules []nonResourceRule `json:"nonResourceRules" api:"list=atomic,doc='What may be done to other paths.'"`
	Incomplete       bool              `json:"incomplete" api:"doc='Whether there is more that is not told.'"`
	EvaluationError  string            `json:"evaluationError,omitempty" api:"doc='What went wrong while the answer was found.'"`
}

type resourceRule struct {
	Verbs         []string `json:"verbs" api:"list=atomic,doc='What may be done.'"`
	APIGroups     []string `json:"apiGroups,omitempty" api:"list=atomic,doc='In which groups.'"`
	Resources     []string `json:"resources,omitempty" api:"list=atomic,doc='To which resources.'"`
	ResourceNames []string `json:"resourceNames,omitempty" api:"list=atomic,doc='To which objects; empty for all.'"`
}

type nonResourceRule struct {
	Verbs           []string `json:"verbs" api:"list=atomic,doc='What may be done.'"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty" api:"list=atomic,doc='To which paths.'"`
}
