package storage

// PartialStore is a [Store] that does not support every change, for example because the objects live elsewhere. The API
// refuses unsupported changes with 405 MethodNotAllowed, and does not list them in discovery.
type PartialStore interface {
	// Unsupported returns the changes that the store does not support for a resource, or false if it supports all.
	Unsupported(resource string) (Unsupported, bool)
}

// Unsupported lists the changes that a [PartialStore] does not support for a resource. Such a resource also keeps no
// managedFields.
type Unsupported struct {
	Create, Update, Delete bool
}
