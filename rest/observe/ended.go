package observe

import (
	"time"

	"github.com/decorum-go/decorum/status"
)

// ObjectChange is a committed change of one object.
type ObjectChange struct {
	// Resource is the plural of the resource, and its group, such as "widgets.example.com".
	Resource string
	// Namespace, Name and UID are those of the object.
	Namespace, Name, UID string
	// Revision is the revision of the change, which the resourceVersion of the object shows.
	Revision uint64
	// Before and After are the object in the stored version, as JSON, which nobody may change. Before is nil if the write
	// created the object. After is nil if the write removed the object.
	Before, After []byte
}

// Ended is how an observed request ended. Later versions of this package may add fields.
type Ended struct {
	// Duration is the time from the arrival of the request to its end.
	Duration time.Duration
	// Code is the HTTP code of the answer. It is 101 for a WebSocket. It is 0 if the client left without an answer.
	Code int
	// Bytes is the number of bytes of the body of the answer, as they were sent. Those of a WebSocket do not count.
	Bytes int64
	// Status is the Status with which the API answered, after a failure or a deletion. Otherwise it is nil.
	Status *status.Status
	// Err is the error with which the request failed. It may say more than clients may know.
	Err error
	// Aborted says that the API broke off the answer.
	Aborted bool
	// Abandoned says that a hook still works on the request, which nobody observes any more.
	Abandoned bool
	// Panic is the value of a panic in the request, and Stack is where it happened. Panic is nil without one.
	Panic any
	Stack []byte
	// Body is what the metadata in the body of the request says, if the body is an object.
	Body ObjectMetadata
	// Request is the body of the request as JSON, and Answer is the object in the answer as JSON, if [Observation].Bodies
	// is set. A patch is as the client sent it, which is YAML for some applied configurations. They are nil if there are
	// none, such as after errors and in watches. Nobody may change them.
	Request, Answer []byte
	// LeftOut says that Answer is nil because it is larger than all observers want, see [Observation].MaxAnswer.
	LeftOut bool

	// Times are the times of the steps of kind [StepPipeline]. They are nil unless [Observation].Times is set.
	Times StepTimes
}

// ObjectMetadata is what identifies an object in the body of a request. Each field is empty if the body does not have
// it.
type ObjectMetadata struct {
	Namespace, Name, UID, ResourceVersion string
}
