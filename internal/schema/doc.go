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
// # The api tag
//
// Options are separated by commas; a value with commas stands in single quotes. What is unknown, does not fit the type or
// contradicts itself is an error of [Derive].
//
//	required, optional               must or need not be present; the rule without them is below
//	default=red, default='{"a":1}'   what an absent value becomes: JSON, or the bare text of a string
//	enum=red|green|blue              the allowed values
//	min=1, max=100                   bounds of a number; exclusiveMin and exclusiveMax shut them out
//	multipleOf=5                     what a number is a multiple of
//	minLength=, maxLength=           bounds of a string, in characters
//	pattern='^[a-z]+$'               a regular expression (RE2) that must match
//	format=date-time                 what a string or number means
//	minItems=, maxItems=             bounds of a list
//	minProperties=, maxProperties=   bounds of a map
//	list=map, list=set, list=atomic  how elements belong together; key=name, once or more, identifies those of a map
//	duplicates                       lets them repeat: list= then steers patches and apply only, as in Kubernetes' own kinds
//	map=granular, map=atomic         how members belong together
//	items.maxLength=10               any option, for the elements of a list
//	values.maxLength=10              any option, for the values of a map
//	safeInteger                      bounds an integer to ±2^53, which every JSON parser can tell apart
//	discriminator                    the string that says which member of a union is set
//	member, member=FrontProxy        a member of a union, and the discriminator's value for it: by default its name in CamelCase
//	union=name                       which union, in a struct that has several
//	nullable                         keeps an explicit null
//	immutable                        cannot change after creation
//	preserveUnknown                  keeps what no field describes, where the Go type can
//	intOrString, type=string         what a json.RawMessage or any may hold
//	doc='...'                        documentation, in the OpenAPI document and kubectl explain
//
// A field is required if its tag says so, or if it is no pointer and has neither omitempty, omitzero, a default nor
// optional. In the built-in dialect only the tag counts.
//
// # The way of a document
//
// The write pipeline walks a document several times, each time for one question:
//
//	Prune           drops what the schema does not know, and names it
//	Default         fills in what is absent
//	CheckTypes      refuses what the Go type could not hold
//	CheckRules      refuses what breaks a rule: required, enum, bounds, patterns; on an update lets through what was so before
//	CheckRepeats    refuses what stands twice in a set or keyed list
//	CheckFixed      refuses changes of what must not change
//	Reconcile       before all that, carries over what an update leaves open
//
// Members of documents and properties of schemas are both sorted by name, so each walk goes through them side by side,
// and a walk that finds nothing to say allocates nothing.
package schema
