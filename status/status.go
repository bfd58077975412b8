package status

import "github.com/decorum-go/decorum/apimeta"

// Values of [Status.Status].
const (
	Success = "Success"
	Failure = "Failure"
)

// Status is the answer to a request that returns no object: every failure, and
// the success of a delete (API conventions, Response Status Kind). The
// constructors of [Error] fill in kind, apiVersion and status. JSON omits empty
// members except metadata.
type Status struct {
	apimeta.TypeMeta `json:",inline"`
	apimeta.ListMeta `json:"metadata"`
	// Status is [Success] or [Failure].
	Status string `json:"status,omitempty"`
	// Message is text for people.
	Message string `json:"message,omitempty"`
	// Reason tells programs why the request failed. It is empty where upstream
	// states none.
	Reason Reason `json:"reason,omitempty"`
	// Details are the facts that belong to the reason.
	Details *Details `json:"details,omitempty"`
	// Code is the HTTP status code.
	Code int32 `json:"code,omitempty"`
}

// Details are the facts of a [Status], for programs that act on an error.
type Details struct {
	// Name is the name of the object, or of another thing that depends on the
	// reason, such as the operation of a [ServerTimeout].
	Name string `json:"name,omitempty"`
	// Group is the group of the resource or kind.
	Group string `json:"group,omitempty"`
	// Kind is the lower-case plural of the resource, despite its name. For
	// [ReasonInvalid] it is the kind.
	Kind string `json:"kind,omitempty"`
	// UID is that of the object, if the Status is about one.
	UID string `json:"uid,omitempty"`
	// Causes are the individual faults behind a failure.
	Causes []Cause `json:"causes,omitempty"`
	// RetryAfterSeconds, if above 0, is after how many seconds to try again. The
	// server sends it as the Retry-After header too.
	RetryAfterSeconds int32 `json:"retryAfterSeconds,omitempty"`
}

// Cause is one fault among the [Details], such as an invalid field.
type Cause struct {
	// Type tells programs what is wrong.
	Type CauseType `json:"reason,omitempty"`
	// Message is text for people.
	Message string `json:"message,omitempty"`
	// Field is the path of the member at fault, as a [Path] prints it.
	Field string `json:"field,omitempty"`
}

// Deleted returns the Status that answers a delete whose object is gone at once,
// with HTTP code 200. The Status has neither message nor code.
func Deleted(gr apimeta.GroupResource, name, uid string) Status {
	s := newStatus(Success)
	s.Details = about(gr, name)
	s.Details.UID = uid
	return s
}

func newStatus(outcome string) Status {
	return Status{TypeMeta: apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: outcome}
}
