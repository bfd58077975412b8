// Package follow reports the objects of a resource and then their changes: for a watch, for a reader that lists again
// when it has lost its position, and for a reader of several resources. A position in the store's log is all that a
// waiting reader costs.
//
// Package resource says what a reader selects, and converts what it shows. It does not know who follows it.
package follow
