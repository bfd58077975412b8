// Package schema holds the one description of a kind that everything else reads.
//
// A [Schema] is derived once, by [Derive], from the Go struct of a kind and version: from its json tags, from the
// patchStrategy and patchMergeKey tags that strategic merge uses, and from one tag of ours, api, for what Go cannot say
// (defaults, enumerations, bounds, how lists merge, documentation). It never changes afterwards and may be shared between
// goroutines. Unknown fields, defaults, validation, patches, apply and the OpenAPI documents all follow from it.
//
// # From struct to schema
//
// The members of an object are those that encoding/json sees, with its rules for embedding and for names that collide.
// Types that encode themselves (json.Marshaler, encoding.TextMarshaler) are leaves: their schema comes from the methods
// OpenAPISchemaType, OpenAPISchemaFormat and OpenAPIV3OneOfTypes where they have them, as the types of Kubernetes do. A
// type may be recursive: all places that use it share one [Object].
//
// # The way of a document
//
// The write pipeline walks a document several times, each time for one question:
//
//	Prune           drops what the schema does not know, and names it
//	Default         fills in what is absent
//	CheckTypes      refuses what the Go type could not hold
//	Validate        refuses what breaks a rule: required, enum, bounds, patterns, uniqueness
//	ValidateUpdate  refuses changes of what must not change
//
// Members of documents and properties of schemas are both sorted by name, so each walk goes through them side by side,
// and a walk that finds nothing to say allocates nothing.
package schema
