// Package past keeps former versions of objects, and shows them.
//
// A write that changes an object outside of its status, labels and annotations included, commits two records in one
// group: an [Entry] with the state that it replaces, and then the object. The entries are records of a resource of
// their own, next to the notes of the server: see [resource.HistoryName]. An entry says who wrote the state and who
// replaced it. The entry of a new object holds no state, only who created the object; the next entry takes its place.
//
// The versions of an object are its entries and the present state. Revisions ascend in a group, so the states of one
// version are those after the revision of the entry before, up to the revision in the key of its own entry: every
// resourceVersion of an object belongs to one version.
package past
