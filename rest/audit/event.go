package audit

import (
	"encoding/json"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// Event records one stage of a request. It has the fields and the JSON of an Event of audit.k8s.io/v1. A [Sink] must
// not change an Event, because all sinks receive the same one.
type Event struct {
	apimeta.TypeMeta `json:",inline"`

	Level Level `json:"level"`
	// AuditID is the same in all events of a request. It is the value of the header Audit-ID of the answer.
	AuditID string `json:"auditID"`
	Stage   Stage  `json:"stage"`

	// RequestURI is the URI as the client sent it, at most 4096 bytes. If it is longer, the event has the annotation
	// audit.k8s.io/truncated.
	RequestURI string `json:"requestURI"`
	// Verb is the verb of a resource, or the HTTP method in lower case for a path outside all resources.
	Verb string `json:"verb"`
	// User is the client. It is empty if the credentials are invalid.
	User User `json:"user"`
	// ImpersonatedUser is the user that the client impersonates, or nil.
	ImpersonatedUser *User `json:"impersonatedUser,omitempty"`
	// SourceIPs are the addresses in X-Forwarded-For and X-Real-Ip, and then the address of the connection. The client can
	// choose all but the last one.
	SourceIPs []string `json:"sourceIPs,omitempty"`
	// UserAgent is what the client calls itself, at most 1024 bytes.
	UserAgent string `json:"userAgent,omitempty"`
	// ObjectRef is nil for a path outside all resources.
	ObjectRef *ObjectReference `json:"objectRef,omitempty"`
	// ResponseStatus has the code of the answer. If the answer is a Status, it has what the Status says.
	ResponseStatus *status.Status `json:"responseStatus,omitempty"`
	// RequestObject is the object or the patch that the client sent, as JSON, before the server changed it.
	RequestObject json.RawMessage `json:"requestObject,omitempty"`
	// ResponseObject is the object, list or Status in the answer, as JSON.
	ResponseObject json.RawMessage `json:"responseObject,omitempty"`

	RequestReceivedTimestamp apimeta.MicroTime `json:"requestReceivedTimestamp"`
	StageTimestamp           apimeta.MicroTime `json:"stageTimestamp"`

	// Annotations are what authorization and admission add, such as the decision about the request. See [Annotate].
	Annotations map[string]string `json:"annotations,omitempty"`
}

// User is a user as an [Event] shows it.
type User struct {
	Username string              `json:"username,omitempty"`
	UID      string              `json:"uid,omitempty"`
	Groups   []string            `json:"groups,omitempty"`
	Extra    map[string][]string `json:"extra,omitempty"`
}

func userOf(u access.User) User {
	return User{Username: u.Name, UID: u.UID, Groups: u.Groups, Extra: u.Extra}
}

// ObjectReference names the object or the collection that a request is about.
type ObjectReference struct {
	// Resource is the plural of the resource.
	Resource  string `json:"resource,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	// Name is, for a create, the name that the client sent.
	Name string `json:"name,omitempty"`
	// UID and ResourceVersion are those that the client sent in an object.
	UID             string `json:"uid,omitempty"`
	APIGroup        string `json:"apiGroup,omitempty"`
	APIVersion      string `json:"apiVersion,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Subresource     string `json:"subresource,omitempty"`
}

func referenceOf(a access.Access) ObjectReference {
	return ObjectReference{Resource: a.Resource, Namespace: a.Namespace, Name: a.Name, APIGroup: a.Group,
		APIVersion: a.Version, Subresource: a.Subresource}
}

// clone returns the reference with texts of its own.
func (r ObjectReference) clone() ObjectReference {
	for _, text := range []*string{&r.Resource, &r.Namespace, &r.Name, &r.UID, &r.APIGroup, &r.APIVersion, &r.ResourceVersion,
		&r.Subresource} {
		*text = strings.Clone(*text)
	}
	return r
}

// EventList is the body of a call of a [Webhook].
type EventList struct {
	apimeta.TypeMeta `json:",inline"`
	apimeta.ListMeta `json:"metadata"`
	Items            []*Event `json:"items"`
}
