// Package keys has the keys under which the context of a hook carries what belongs to its request. They are here because
// the public packages access and observe read what the API puts there.
package keys

type (
	// User is the key of the user that a host's middleware or the API has set.
	User struct{}
	// HostUser is the key of the user of calls whose context names no other.
	HostUser struct{}
	// Call is the key of the request or the call that runs a hook.
	Call struct{}
	// Write is the key of the write that runs a hook, and Environment that of what runs a hook outside of a write.
	Write       struct{}
	Environment struct{}
	// Observer is the key of what reports the steps of a request to its observers.
	Observer struct{}
)
