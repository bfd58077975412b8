// Package managed keeps metadata.managedFields: which manager wrote which fields of an object (API concepts, Server-Side
// Apply). It computes the entries that a write leaves behind, and the object that comes of applying a configuration.
// Both are pure functions on documents.
//
// The arithmetic of field sets is that of sigs.k8s.io/structured-merge-diff, and it is told no more than it has to know. A
// walk over the two documents finds the fields that a write changes; of the entries, what lies there is read, computed
// with and written, and the rest stays as it is. A configuration is merged, and what it drops is pruned, on documents.
//
// Two writes need no sets at all: the creation of an object, whose entry follows from the object alone, and the change of
// values that the same manager alone has written before, as a controller does that writes its status again and again.
//
// Whatever is out of the ordinary (list elements that repeat or change their order, values that turn into lists or maps, entries
// of other versions or of an older schema, conflicts) goes the general way: structured-merge-diff is lent the documents
// as they are, and does all of it. Each other way gives up on what it does not understand, and otherwise says the same.
package managed
