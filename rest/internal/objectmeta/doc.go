// Package objectmeta holds the rules of an object's metadata (API conventions, Metadata) as functions of documents: what the
// server fills in, what an update may not change, and what makes metadata invalid. It knows no store, no request and no
// resource; a caller passes the few facts about a kind that a rule depends on.
package objectmeta
