package service

import "reflect"

// Door is the struct that the clients of package rest embed. It gives packages of this module access to the parts that
// a client does not export.
type Door struct {
	inside func(client any) Inside
	note   func(Written)
}

// NewDoor returns the door of a client. inside returns the unexported parts of a client with this door.
func NewDoor(inside func(client any) Inside) Door { return Door{inside: inside} }

// door is promoted to the clients. Only this package can call it.
func (d *Door) door() *Door { return d }

// Inside holds the parts that a client does not export.
type Inside struct {
	// Namespace is the namespace of the client, or empty for all namespaces.
	Namespace string
	// Records are the objects as the store keeps them. They are nil if no store of this process holds the objects in the
	// version of the client.
	Records *Records
}

// InsideOf returns the unexported parts of a client of package rest. They are empty
// for the zero client.
func InsideOf(client any) Inside {
	if reflect.ValueOf(client).IsZero() {
		return Inside{}
	}
	return client.(interface{ door() *Door }).door().inside(client)
}

// Written describes a write by a client.
type Written struct {
	Address
	// JSON is the object after the write, or nil. Gone says that the write has removed the object.
	JSON []byte
	Gone bool
	// Decode returns JSON as a pointer to the Go type of the client.
	Decode func() (any, error)
}

// NoteWrites makes a client call note in the goroutine of its caller, after each successful write of an object or of
// its status. Later copies of the client do the same. The caller must have made client with one of the methods that
// return a copy. Otherwise note would also receive the writes of other users of the client.
func NoteWrites(client any, note func(Written)) {
	client.(interface{ door() *Door }).door().note = note
}

// NotesOf returns the function that [NoteWrites] has set for the client with this door, or nil.
func NotesOf(d *Door) func(Written) { return d.note }
