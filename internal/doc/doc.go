// Package doc holds documents: JSON values as the write pipeline sees them.
//
// A document is exact. A number is kept as the text it was written with, so that no integer is rounded on its way
// through a patch, and a null is a value of its own, different from an absent member. A document is immutable: every
// function that changes one returns a new document that shares what did not change, so a patch of a large object costs
// the path it touches, and the stored object can be handed to a host's hook without a copy.
//
// Members of a map are kept in one order, sorted by key, whatever order they were written in. Two documents that are
// equal therefore encode to equal bytes, which is how the store tells a no-op from a change.
//
// Only this package knows how a document is represented. Everything else asks through the methods of [Value].
package doc
