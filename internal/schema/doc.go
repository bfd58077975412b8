// Package schema holds the schema of each kind, from which all other packages derive their behavior.
//
// [Derive] builds a [Schema] once, from the Go struct of a kind and version: from its json tags, from the patchStrategy
// and patchMergeKey tags of strategic merge patch, and from this module's own tag, api, which says what Go cannot
// (defaults, enumerations, bounds, how lists merge, documentation). A schema is immutable, so goroutines may share it.
// Unknown fields, defaults, validation, patches, apply and the OpenAPI documents all follow from it. [FromOpenAPI]
// builds a Schema from the OpenAPI v3 schema of a kind without a Go struct; such a schema prunes, defaults and
// validates as kube-apiserver does for custom resources.
//
// # From struct to schema
//
// An object has the members that encoding/json gives it, with its rules for embedding and for conflicting names. A type
// that encodes itself (json.Marshaler, encoding.TextMarshaler) is a leaf. It may declare its schema with the methods
// OpenAPISchemaType, OpenAPISchemaFormat and OpenAPIV3OneOfTypes, as the types of Kubernetes do. A type may be
// recursive: all places that use it share one [Object].
//
// # The api tag
//
// Commas separate the options. A value that contains a comma stands in single quotes. [Derive] returns an error for an
// unknown option, for one that does not fit the type, and for contradictory options.
//
//	required, optional               must or need not be present; the rule without them is below
//	default=red, default='{"a":1}'   what an absent value becomes: JSON, or the bare text of a string
//	enum=red|green|blue              the allowed values
//	min=1, max=100                   bounds of a number, inclusive unless exclusiveMin or exclusiveMax is set
//	multipleOf=5                     a number must be a multiple of this
//	minLength=, maxLength=           bounds of a string, in characters
//	pattern='^[a-z]+$'               a regular expression (RE2) that must match
//	format=date-time                 what a string or number means
//	minItems=, maxItems=             bounds of a list
//	minProperties=, maxProperties=   bounds of a map
//	list=map, list=set, list=atomic  how elements belong together; key=name, once or more, identifies those of a map
//	duplicates                       allows duplicate elements: list= then affects patches and apply only, as in built-in kinds
//	map=granular, map=atomic         how members belong together
//	items.maxLength=10               any option, for the elements of a list
//	values.maxLength=10              any option, for the values of a map
//	safeInteger                      bounds an integer to ±(2^53-1), which every JSON parser reads exactly
//	discriminator                    the string that says which member of a union is set
//	member, member=FrontProxy        a member of a union, and the discriminator's value for it: by default its name in CamelCase
//	atMostOne                        no member of the union need be set, if it has no discriminator
//	union=name                       selects the union, in a struct that has several
//	nullable                         keeps an explicit null
//	immutable                        cannot change after creation
//	preserveUnknown                  keeps unknown fields, if the Go type can hold them
//	intOrString, type=string         the types that a json.RawMessage or any may hold
//	doc='...'                        documentation, in the OpenAPI document and kubectl explain
//
// A field is required if its tag says so. It is also required if it is not a pointer and has none of omitempty,
// omitzero, a default and optional. In built-in kinds (see [Options]) only the tag counts.
//
// # The way of a document
//
// A write walks the document several times, each time to answer one question:
//
//	Prune           drops unknown fields and lists them
//	Default         sets absent values that have a default
//	CheckTypes      rejects values that the Go type cannot hold
//	CheckRules      rejects violations: required, enum, bounds, patterns; an update may keep a violation that existed before
//	CheckRepeats    rejects duplicates in a set or keyed list
//	CheckFixed      rejects changes of immutable fields
//	Reconcile       before all these, keeps old values that an update leaves out
//
// The members of documents and the properties of schemas are both sorted by name, so each walk goes through them side
// by side. A walk that finds nothing allocates nothing.
package schema
