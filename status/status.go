package status

import "github.com/decorum-go/decorum/apimeta"

// Values of [Status.Status].
const (
	Success = "Success"
	Failure = "Failure"
)

// Status is the answer of a request that returns no object: every failure, and
// the success of a delete (API conventions, Response Status Kind). The constructors
// of [Error] fill in kind, apiVersion and status; of the members only metadata is
// written when empty.
type Status struct {
	apimeta.TypeMeta `json:",inline"`
	apimeta.ListMeta `json:"metadata"`
	// Status is [Success] or [Failure].
	Status string `json:"status,omitempty"`
	// Message is text for people.
	Message string `json:"message,omitempty"`
	// Reason is what programs distinguish by, empty where upstream has none.
	Reason Reason `json:"reason,omitempty"`
	// Details are the facts that belong to the reason.
	Details *Details `json:"details,omitempty"`
	// Code is the HTTP status code.
	Code int32 `json:"code,omitempty"`
}

// Details are the facts of a [Status].
type Details struct {
	// Name is the name of the object, or of what the reason says.
	Name string `json:"name,omitempty"`
	// Group is the group of the resource or kind.
	Group string `json:"group,omitempty"`
	// Kind is the lower-case plural of the resource, despite its name; the kind
	// itself for [ReasonInvalid].
	Kind string `json:"kind,omitempty"`
	// UID is that of the object, where one object was meant.
	UID string `json:"uid,omitempty"`
	// Causes are the single faults behind a failure.
	Causes []Cause `json:"causes,omitempty"`
	// RetryAfterSeconds, when above 0, is when to try again. It is sent as the
	// Retry-After header too.
	RetryAfterSeconds int32 `json:"retryAfterSeconds,omitempty"`
}

// Cause is one fault among the [Details].
type Cause struct {
	// Type is what programs distinguish by.
	Type CauseType `json:"reason,omitempty"`
	// Message is text for people.
	Message string `json:"message,omitempty"`
	// Field is the path of the member at fault, as a [Path] prints it.
	Field string `json:"field,omitempty"`
}

// Deleted is the Status that answers a delete whose object is gone at once, with
// HTTP code 200. It has neither message nor code.
func Deleted(gr apimeta.GroupResource, name, uid string) Status {
	s := newStatus(Success)
	s.Details = about(gr, name)
	s.Details.UID = uid
	return s
}

func newStatus(outcome string) Status {
	return Status{TypeMeta: apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: outcome}
}
