package storage

// PartialStore is a [Store] that cannot make every change, for example because the objects live elsewhere. The API then
// refuses these changes with 405 MethodNotAllowed, and does not offer them in discovery.
type PartialStore interface {
	// Unsupported returns what the store cannot do with a resource. It returns false if the store can do everything.
	Unsupported(resource string) (Unsupported, bool)
}

// Unsupported is what a [PartialStore] cannot do with a resource. Besides, such a resource keeps no managedFields.
type Unsupported struct {
	Create, Update, Delete bool
}
