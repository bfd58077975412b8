// Package managed keeps metadata.managedFields: which manager wrote which fields of an object (API concepts, Server-Side
// Apply). It computes the entries that a write leaves behind, and the object that comes of applying a configuration.
// Both are pure functions on documents.
//
// The arithmetic of field sets is that of sigs.k8s.io/structured-merge-diff, to which documents are lent as they are.
// Three writes that are by far the most frequent go without it: the creation of an object, whose entry follows from the
// object alone; the change of values that the same manager alone has written before, as a controller does that writes its
// status again and again; and the apply of a configuration that has been applied already.
package managed
