// Package objectmeta holds the rules of an object's metadata (API conventions, Metadata) as functions of documents.
// They say what the server fills in, what an update may not change, and which metadata is invalid. The package knows no
// store, no request and no resource. Its callers pass the few facts about a kind that a rule depends on.
package objectmeta
