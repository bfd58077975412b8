// Package managed keeps metadata.managedFields: which manager wrote which fields of an object (API concepts,
// Server-Side Apply). It computes the entries after a write, and the object that results from applying a configuration.
// Both are pure functions on documents.
//
// sigs.k8s.io/structured-merge-diff computes with the sets of fields, and this package passes it only what a write
// changes. A walk over the old and the new document finds the changed fields. Of each entry, only the part on the way
// to these fields is read into a set, computed with and written back; the rest of the entry stays as it is.
// Configurations are merged and pruned as documents.
//
// Two writes need no sets: the creation of an object, whose entry follows from the object alone, and a write that
// changes only values of the writer's own, such as those of a controller that keeps updating a status.
//
// These are shortcuts. Unusual cases (list elements that repeat or change their order, values that turn into lists or
// maps, entries of other versions or of an older schema, conflicts) take the general path, in which
// structured-merge-diff reads the whole documents. A shortcut gives up if it meets such a case; otherwise its result
// equals that of the general path. docs/decisions/0011 holds the measurements.
//
// The files applied.go, configuration.go, created.go, difference.go, fits.go, merged.go, moved.go, owners.go, pruned.go
// and reach.go hold only the shortcuts. To do without them, delete these files, their tests, and the calls of
// applyDirectly, fieldsOfNew, keptOwners and movedOwners in apply.go and update.go.
package managed
