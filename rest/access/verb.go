package access

// Verb is what a client may ask of a resource. Discovery lists the verbs of each resource. An [Authorizer] decides
// about further ones: see [Access].
type Verb string

// The verbs of the API conventions (API conventions, Verbs on Resources).
const (
	VerbGet              Verb = "get"
	VerbList             Verb = "list"
	VerbWatch            Verb = "watch"
	VerbCreate           Verb = "create"
	VerbUpdate           Verb = "update"
	VerbPatch            Verb = "patch"
	VerbDelete           Verb = "delete"
	VerbDeleteCollection Verb = "deletecollection"
)
