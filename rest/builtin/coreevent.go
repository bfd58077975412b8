package builtin

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// CoreEvent is the kind Event of the core group. It reports what happened to an object. The store keeps events in this
// form; [Event] is the form of the same objects in the group events.k8s.io.
type CoreEvent struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata" api:"publishRequired"`

	InvolvedObject      ObjectReference   `json:"involvedObject" protobuf:"bytes,2,opt,name=involvedObject" api:"publishRequired,doc='The object to which it happened.'"`
	Reason              string            `json:"reason,omitempty" protobuf:"bytes,3,opt,name=reason" api:"doc='Why it happened, as one word in CamelCase.'"`
	Message             string            `json:"message,omitempty" protobuf:"bytes,4,opt,name=message" api:"doc='What happened, for people.'"`
	Source              EventSource       `json:"source,omitempty" protobuf:"bytes,5,opt,name=source" api:"doc='The component that reports the event.'"`
	FirstTimestamp      apimeta.Time      `json:"firstTimestamp,omitempty" protobuf:"bytes,6,opt,name=firstTimestamp" api:"doc='When it first happened.'"`
	LastTimestamp       apimeta.Time      `json:"lastTimestamp,omitempty" protobuf:"bytes,7,opt,name=lastTimestamp" api:"doc='When it last happened.'"`
	Count               int32             `json:"count,omitempty" protobuf:"varint,8,opt,name=count" api:"doc='How often it happened.'"`
	Type                string            `json:"type,omitempty" protobuf:"bytes,9,opt,name=type" api:"doc='Normal or Warning.'"`
	EventTime           apimeta.MicroTime `json:"eventTime,omitempty" protobuf:"bytes,10,opt,name=eventTime" api:"doc='When it first happened, in microseconds. If it is set, the rules for new events apply.'"`
	Series              *CoreEventSeries  `json:"series,omitempty" protobuf:"bytes,11,opt,name=series" api:"doc='How often it happened, if eventTime is set and it happened more than once.'"`
	Action              string            `json:"action,omitempty" protobuf:"bytes,12,opt,name=action" api:"doc='What was done or failed, as one word in CamelCase.'"`
	Related             *ObjectReference  `json:"related,omitempty" protobuf:"bytes,13,opt,name=related" api:"doc='A second object that the event concerns.'"`
	ReportingController string            `json:"reportingComponent" protobuf:"bytes,14,opt,name=reportingComponent" api:"doc='The controller that reports the event, such as example.com/size.'"`
	ReportingInstance   string            `json:"reportingInstance" protobuf:"bytes,15,opt,name=reportingInstance" api:"doc='The instance of the controller.'"`
}

// CoreEventSeries is the [EventSeries] of the core group, whose JSON omits a count of 0.
type CoreEventSeries struct {
	Count            int32             `json:"count,omitempty" protobuf:"varint,1,opt,name=count" api:"doc='How often it happened up to lastObservedTime.'"`
	LastObservedTime apimeta.MicroTime `json:"lastObservedTime,omitempty" protobuf:"bytes,2,opt,name=lastObservedTime" api:"doc='When it last happened.'"`
}

// EventSource is the component that reports an event of the core group.
type EventSource struct {
	Component string `json:"component,omitempty" protobuf:"bytes,1,opt,name=component" api:"doc='The name of the component.'"`
	Host      string `json:"host,omitempty" protobuf:"bytes,2,opt,name=host" api:"doc='The host on which the component runs.'"`
}

// ObjectReference names an object. A single field manager owns the whole reference.
type ObjectReference struct {
	Kind            string `json:"kind,omitempty" protobuf:"bytes,1,opt,name=kind" api:"doc='The kind of the object.'"`
	Namespace       string `json:"namespace,omitempty" protobuf:"bytes,2,opt,name=namespace" api:"doc='The namespace of the object. Empty for a cluster-scoped object.'"`
	Name            string `json:"name,omitempty" protobuf:"bytes,3,opt,name=name" api:"doc='The name of the object.'"`
	UID             string `json:"uid,omitempty" protobuf:"bytes,4,opt,name=uid" api:"doc='The uid of the object.'"`
	APIVersion      string `json:"apiVersion,omitempty" protobuf:"bytes,5,opt,name=apiVersion" api:"doc='The group and version of the object.'"`
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,6,opt,name=resourceVersion" api:"doc='The resourceVersion of the object to which it happened.'"`
	FieldPath       string `json:"fieldPath,omitempty" protobuf:"bytes,7,opt,name=fieldPath" api:"doc='The part of the object to which it happened, such as spec.containers{web}.'"`
}

// Events declares the resource events in the two groups that clients use. Each event is one object: the core group
// shows it as a [CoreEvent], and events.k8s.io as an [Event]. A PUT creates an event that does not exist.
//
// Middleware that restricts access to events must do so in both groups.
//
// If the host runs lifecycle.Expire or lifecycle.Run, events expire one hour after their last write.
//
// The group events.k8s.io has strict rules: a new event must set eventTime, reportingController, reportingInstance,
// action, reason and type, and an update can change only the series and the metadata. The core group checks only an
// event with an eventTime, and lets updates change all its fields.
func Events() rest.Resource[CoreEvent] {
	return rest.Resource[CoreEvent]{
		Version: "v1", Plural: "events",
		Names:       rest.Names{Kind: "Event", Short: []string{"ev"}, Rule: rest.NamePathSegment},
		Description: "Event reports what happened to an object.",
		TimeToLive:  time.Hour,
		Wire:        rest.Wire{Dialect: rest.DialectBuiltin, CreateOnUpdate: true, PlainMetadata: true},
		Overlay:     eventOverlay(),
		Columns:     eventColumns(func(e *CoreEvent) *CoreEvent { return e }),
		SelectableFields: []string{
			"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
			"involvedObject.apiVersion",
			"involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent",
			"source=source.component,reportingComponent", "type",
		},
		Hooks: rest.Hooks[CoreEvent]{
			Validate: func(_ context.Context, e, _ *CoreEvent) (status.FieldErrors, error) {
				return e.validate(status.NewPath("reportingComponent")), nil
			},
		},
		Versions: []rest.VersionOf[CoreEvent]{rest.Converted(modernEvents(), toCore, fromCore)},
	}
}

// eventOverlay makes each ObjectReference atomic (see [rest.Resource], Overlay).
func eventOverlay() map[string]string { return map[string]string{"ObjectReference": "map=atomic"} }

// eventColumns returns the columns of events. core returns an event in the form of the core group.
func eventColumns[T any](core func(*T) *CoreEvent) []rest.Column {
	text := func(name, description string, cell func(e *CoreEvent) any) rest.Column {
		return column(name, description, func(e *T) any { return cell(core(e)) })
	}
	name := wide(text("Name", "The name of the event.", func(e *CoreEvent) any { return e.Name }))
	name.Format = "name"
	return []rest.Column{
		text("Last Seen", "The time since it last happened.", func(e *CoreEvent) any { return e.lastSeen() }),
		text("Type", "Normal or Warning.", func(e *CoreEvent) any { return e.Type }),
		text("Reason", "Why it happened.", func(e *CoreEvent) any { return e.Reason }),
		text("Object", "The object to which it happened.", func(e *CoreEvent) any { return e.object() }),
		wide(text("Subobject", "The part of the object to which it happened.",
			func(e *CoreEvent) any { return e.InvolvedObject.FieldPath })),
		wide(text("Source", "The component that reports the event.", func(e *CoreEvent) any { return e.source() })),
		text("Message", "What happened.", func(e *CoreEvent) any { return strings.TrimSpace(e.Message) }),
		wide(text("First Seen", "The time since it first happened.", func(e *CoreEvent) any { return e.firstSeen() })),
		wide(text("Count", "How often it happened.", func(e *CoreEvent) any { return e.times() })),
		name,
	}
}

func (e *CoreEvent) lastSeen() time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	}
	return e.firstSeen()
}

func (e *CoreEvent) firstSeen() time.Time {
	if e.FirstTimestamp.IsZero() {
		return e.EventTime.Time
	}
	return e.FirstTimestamp.Time
}

func (e *CoreEvent) object() string {
	object := strings.ToLower(e.InvolvedObject.Kind)
	if e.InvolvedObject.Name != "" {
		object += "/" + e.InvolvedObject.Name
	}
	return object
}

func (e *CoreEvent) source() string {
	source := cmp.Or(e.Source.Component, e.ReportingController)
	if host := cmp.Or(e.Source.Host, e.ReportingInstance); host != "" {
		source += ", " + host
	}
	return source
}

// times returns how often the event happened. Events of events.k8s.io set no count until the event repeats.
func (e *CoreEvent) times() int32 {
	if e.Series != nil {
		return e.Series.Count
	}
	return max(e.Count, 1)
}
