// Package doc holds documents: JSON values as the write pipeline sees them.
//
// A document is exact. It keeps a number as text, so that no patch rounds an integer, and it tells null from an absent
// member. A document is immutable: every function that changes one returns a new document that shares the unchanged
// parts. A patch of a large object therefore costs only the path it touches, and a host's hook can receive the stored
// object without a copy.
//
// A map keeps its members sorted by key, whatever their order in the text. Equal documents therefore encode to equal
// bytes, by which the store recognizes a write that changes nothing.
//
// Only this package knows how a document is represented. All other code uses the methods of [Value].
package doc
