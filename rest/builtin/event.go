package builtin

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// The types of an event.
const (
	EventTypeNormal  = "Normal"  // informs about normal operation
	EventTypeWarning = "Warning" // may need attention
)

// Event reports what happened to an object, in the form of the group events.k8s.io. [CoreEvent] is its form in the core
// group.
type Event struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`

	EventTime           apimeta.MicroTime `json:"eventTime" protobuf:"bytes,2,opt,name=eventTime" api:"publishRequired,doc='When it first happened. A new event must have it.'"`
	Series              *EventSeries      `json:"series,omitempty" protobuf:"bytes,3,opt,name=series" api:"doc='How often it happened, if more than once.'"`
	ReportingController string            `json:"reportingController,omitempty" protobuf:"bytes,4,opt,name=reportingController" api:"doc='The controller that reports the event, such as example.com/size. A new event must have it.'"`
	ReportingInstance   string            `json:"reportingInstance,omitempty" protobuf:"bytes,5,opt,name=reportingInstance" api:"doc='The instance of the controller, 128 bytes at most. A new event must have it.'"`
	Action              string            `json:"action,omitempty" protobuf:"bytes,6,opt,name=action" api:"doc='What was done or failed, as one word in CamelCase, 128 bytes at most. A new event must have it.'"`
	Reason              string            `json:"reason,omitempty" protobuf:"bytes,7,opt,name=reason" api:"doc='Why it was done, as one word in CamelCase, 128 bytes at most. A new event must have it.'"`
	Regarding           ObjectReference   `json:"regarding,omitempty" protobuf:"bytes,8,opt,name=regarding" api:"doc='The object to which it happened.'"`
	Related             *ObjectReference  `json:"related,omitempty" protobuf:"bytes,9,opt,name=related" api:"doc='A second object that the event concerns.'"`
	Note                string            `json:"note,omitempty" protobuf:"bytes,10,opt,name=note" api:"doc='What happened, for people, 1 KiB at most.'"`
	Type                string            `json:"type,omitempty" protobuf:"bytes,11,opt,name=type" api:"doc='Normal or Warning. A new event must have it.'"`

	DeprecatedSource         EventSource  `json:"deprecatedSource,omitempty" protobuf:"bytes,12,opt,name=deprecatedSource" api:"doc='The source of an event that was written in the core group.'"`
	DeprecatedFirstTimestamp apimeta.Time `json:"deprecatedFirstTimestamp,omitempty" protobuf:"bytes,13,opt,name=deprecatedFirstTimestamp" api:"doc='The firstTimestamp of an event that was written in the core group.'"`
	DeprecatedLastTimestamp  apimeta.Time `json:"deprecatedLastTimestamp,omitempty" protobuf:"bytes,14,opt,name=deprecatedLastTimestamp" api:"doc='The lastTimestamp of an event that was written in the core group.'"`
	DeprecatedCount          int32        `json:"deprecatedCount,omitempty" protobuf:"varint,15,opt,name=deprecatedCount" api:"doc='The count of an event that was written in the core group.'"`
}

// EventSeries counts how often an event happened, if more than once. [CoreEventSeries] is its form in the core group.
type EventSeries struct {
	Count            int32             `json:"count" protobuf:"varint,1,opt,name=count" api:"doc='How often it happened up to lastObservedTime, at least 2.'"`
	LastObservedTime apimeta.MicroTime `json:"lastObservedTime" protobuf:"bytes,2,opt,name=lastObservedTime" api:"doc='When it last happened.'"`
}

// modernEvents declares the events of the group events.k8s.io.
func modernEvents() rest.Resource[Event] {
	return rest.Resource[Event]{
		Group: "events.k8s.io", Version: "v1",
		Description: "Event reports what happened to an object.",
		Overlay:     eventOverlay(),
		Columns:     eventColumns(coreOf),
		SelectableFields: []string{
			"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid", "regarding.apiVersion",
			"regarding.resourceVersion",
			"regarding.fieldPath", "reason", "reportingController", "type",
		},
		Hooks: rest.Hooks[Event]{
			Validate: func(_ context.Context, e, old *Event) (status.FieldErrors, error) { return e.validate(old), nil },
		},
	}
}

// coreOf returns an event in the form of the core group.
func coreOf(e *Event) *CoreEvent {
	core := &CoreEvent{ObjectMeta: e.ObjectMeta}
	core.fill(e)
	return core
}

// toCore converts an event to its form in the core group, and fromCore converts it back. Package rest has already
// copied the metadata. Both always return nil.
func toCore(in *Event, out *CoreEvent) error {
	out.fill(in)
	return nil
}

func fromCore(in *CoreEvent, out *Event) error {
	out.EventTime, out.ReportingController, out.ReportingInstance = in.EventTime, in.ReportingController,
		in.ReportingInstance
	out.Action, out.Reason, out.Regarding, out.Related, out.Note, out.Type = in.Action, in.Reason, in.InvolvedObject,
		in.Related, in.Message, in.Type
	out.DeprecatedSource, out.DeprecatedFirstTimestamp = in.Source, in.FirstTimestamp
	out.DeprecatedLastTimestamp, out.DeprecatedCount = in.LastTimestamp, in.Count
	if in.Series != nil {
		out.Series = &EventSeries{Count: in.Series.Count, LastObservedTime: in.Series.LastObservedTime}
	}
	return nil
}

// fill copies all fields of in except the metadata.
func (e *CoreEvent) fill(in *Event) {
	e.EventTime, e.ReportingController, e.ReportingInstance = in.EventTime, in.ReportingController, in.ReportingInstance
	e.Action, e.Reason, e.InvolvedObject, e.Related, e.Message, e.Type = in.Action, in.Reason, in.Regarding, in.Related,
		in.Note, in.Type
	e.Source, e.FirstTimestamp = in.DeprecatedSource, in.DeprecatedFirstTimestamp
	e.LastTimestamp, e.Count = in.DeprecatedLastTimestamp, in.DeprecatedCount
	if in.Series != nil {
		e.Series = &CoreEventSeries{Count: in.Series.Count, LastObservedTime: in.Series.LastObservedTime}
	}
}
