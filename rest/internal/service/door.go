package service

import "reflect"

// Door is embedded in the clients of package rest. Through it, packages of this module reach what a client does not
// export.
type Door struct {
	inside func(client any) Inside
	note   func(Written)
}

// NewDoor returns the door of a client. inside looks into a client that has this door.
func NewDoor(inside func(client any) Inside) Door { return Door{inside: inside} }

// door is promoted to the clients, and only this package can call it.
func (d *Door) door() *Door { return d }

// Inside holds what a client does not export.
type Inside struct {
	// Namespace is the namespace of the client, or empty for all namespaces.
	Namespace string
	// Records are the objects as the store keeps them. They are nil if no store of this process holds the objects in the
	// version of the client.
	Records *Records
}

// InsideOf looks into a client of package rest. The zero client has nothing inside.
func InsideOf(client any) Inside {
	if reflect.ValueOf(client).IsZero() {
		return Inside{}
	}
	return client.(interface{ door() *Door }).door().inside(client)
}

// Written is what a client has written.
type Written struct {
	Address
	// JSON is the object after the write, or nil. Gone says that the write has removed the object.
	JSON []byte
	Gone bool
	// Decode returns JSON as a pointer to the Go type of the client.
	Decode func() (any, error)
}

// NoteWrites makes a client call note in the goroutine of its caller, after each successful write of an object or of its
// status. The copies that the client makes later do the same. The caller must have made the client with one of its
// methods that copy, because other users of the client would be noted too.
func NoteWrites(client any, note func(Written)) {
	client.(interface{ door() *Door }).door().note = note
}

// NotesOf returns the function that notes the writes of the client with this door, or nil.
func NotesOf(d *Door) func(Written) { return d.note }
