package storage

// Limited is a [Store] that cannot make every change, for example because the objects live elsewhere. The API then
// refuses these changes with 405 MethodNotAllowed, and does not offer them in discovery.
type Limited interface {
	// Limits returns what the store cannot do with a resource. It returns false if the store has no such limits.
	Limits(resource string) (Limits, bool)
}

// Limits are what a [Limited] store cannot do with a resource. Besides, such a resource keeps no managedFields.
type Limits struct {
	NoCreate, NoUpdate, NoDelete bool
}
