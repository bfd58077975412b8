package apimeta

import "encoding/json"

// EventType is the type of an event of a watch (API concepts, Efficient detection of changes).
type EventType string

// The types of events.
const (
	// EventAdded carries an object that is new to the watch.
	EventAdded EventType = "ADDED"
	// EventModified carries the new state of an object.
	EventModified EventType = "MODIFIED"
	// EventDeleted carries the last state of an object that is gone, or that the
	// selector no longer matches.
	EventDeleted EventType = "DELETED"
	// EventBookmark carries nothing but a resourceVersion to resume from.
	EventBookmark EventType = "BOOKMARK"
	// EventError carries a Status and ends the watch.
	EventError EventType = "ERROR"
)

// InitialEventsAnnotation is set to "true" on the bookmark that follows the
// initial events of a watch that asked for them.
const InitialEventsAnnotation = "k8s.io/initial-events-end"

// WatchEvent is one message of a watch. Object is the object, or the Status of an
// error, as it stands on the wire.
type WatchEvent struct {
	Type   EventType       `json:"type"`
	Object json.RawMessage `json:"object"`
}
