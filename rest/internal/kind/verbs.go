package kind

import "cmp"

// The verbs of a resource (API conventions, Verbs on Resources). Package access has them for plug-ins.
const (
	Get              = "get"
	List             = "list"
	Watch            = "watch"
	Create           = "create"
	Update           = "update"
	Patch            = "patch"
	Delete           = "delete"
	DeleteCollection = "deletecollection"
)

// Verb describes the HTTP requests for a verb.
type Verb struct {
	Name, Method string
	// OfMany is true for verbs of a collection, and false for verbs of one object.
	OfMany bool
	// Flag is the parameter that distinguishes the verb from others with the same method, or "".
	Flag string
}

// Verbs are all verbs, in the order in which discovery shows them for custom resources. A new verb begins with a
// row here; docs/design-of-rest.md has the recipe.
var Verbs = [...]Verb{
	{Name: Delete, Method: "DELETE"},
	{Name: DeleteCollection, Method: "DELETE", OfMany: true},
	{Name: Get, Method: "GET"},
	{Name: List, Method: "GET", OfMany: true},
	{Name: Patch, Method: "PATCH"},
	{Name: Create, Method: "POST", OfMany: true},
	{Name: Update, Method: "PUT"},
	{Name: Watch, Method: "GET", OfMany: true, Flag: "watch"},
}

// VerbOfObject returns the verb of a method on an object or on one of its subresources, where POST creates something.
func VerbOfObject(method string) string {
	return cmp.Or(VerbOf(method, false, nil), VerbOf(method, true, nil))
}

// VerbOf returns the verb of a method on one object or on a collection, or "" if the method has no verb. has reports
// whether the request has a flag; nil means that it has none.
func VerbOf(method string, ofMany bool, has func(flag string) bool) (verb string) {
	for i := range Verbs {
		v := &Verbs[i]
		if v.Method == method && v.OfMany == ofMany && (v.Flag == "" || has != nil && has(v.Flag)) {
			verb = v.Name // the verb with a flag follows the one without it
		}
	}
	return verb
}

// VerbNames returns the names of all verbs, in the order of the table.
func VerbNames() []string {
	names := make([]string, len(Verbs))
	for i, v := range Verbs {
		names[i] = v.Name
	}
	return names
}
