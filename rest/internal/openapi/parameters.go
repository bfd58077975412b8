package openapi

import "github.com/decorum-go/decorum/rest/internal/kind"

// parameter is a query or path parameter of an operation.
type parameter struct {
	name, in, typ, description string
}

// The lists of parameters are literals, because functions that build them would make the program larger. They have no
// spare capacity, so append copies them.

func query(name, typ, description string) parameter {
	return parameter{name, "query", typ, description}
}

// pathParameters are those that stand in the path itself.
func pathParameters(namespaced, named bool, kind string) []parameter {
	var all []parameter
	if named {
		all = append(all, parameter{"name", "path", "string", "The name of the " + kind + "."})
	}
	if namespaced {
		all = append(all, parameter{"namespace", "path", "string", "The namespace to look in."})
	}
	return append(all, query("pretty", "string", "If 'true', the answer is indented."))
}

// writeParameters are those of create, update and patch.
var writeParameters = []parameter{
	{"dryRun", "query", "string", "With the value All the request goes all the way, but stores nothing."},
	{"fieldManager", "query", "string",
		"The name of who makes the change, at most 128 printable characters: it becomes the owner of the fields. Apply patches need it."},
	{"fieldValidation", "query", "string",
		"How the server handles unknown and duplicate fields: Ignore drops them, Warn (the default) drops them and warns, Strict refuses the request and names them all."},
}

func patchParameters() []parameter {
	return append(writeParameters,
		query("force", "boolean", "For apply patches: takes over fields that others own, instead of answering with a conflict."))
}

var deleteParameters = []parameter{
	{"dryRun", "query", "string", "With the value All the request goes all the way, but stores nothing."},
	{"gracePeriodSeconds", "query", "integer",
		"How many seconds the object has to end gracefully; 0 deletes at once. Without it the kind's own default counts."},
	{"ignoreStoreReadErrorWithClusterBreakingPotential", "query", "boolean",
		"Deletes an object that cannot be read from the store, without its finalizers and preconditions."},
	{"orphanDependents", "query", "boolean", "Deprecated: use propagationPolicy."},
	{"propagationPolicy", "query", "string",
		"What becomes of dependents: Orphan leaves them, Background deletes them later, Foreground before the object itself."},
}

// selectParameters are those that say which objects are meant, and in which state.
func selectParameters(k *kind.Kind) []parameter {
	var all []parameter
	if k.Queried {
		all = append(all, query("fieldQuery", "string",
			"An extension: selects objects by their fields, e.g. spec.size>=3,spec.color in (red,blue),metadata.name^=web-."))
	}
	all = append(all, listingParameters...)
	if k.Sharded {
		all = append(all, query("shardSelector", "string",
			"Selects objects by the hash of their uid or namespace, e.g. shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')."))
	}
	return all
}

// listingParameters are the selectParameters that all kinds have.
var listingParameters = []parameter{
	{"continue", "query", "string", "The text that the previous page of the list ended with: asks for the next page, with the same other parameters."},
	{"fieldSelector", "query", "string", "Selects objects by their fields, e.g. metadata.name=x."},
	{"labelSelector", "query", "string", "Selects objects by their labels, e.g. app=x,tier in (a,b)."},
	{"limit", "query", "integer", "The most objects to answer with. If there are more, the list's metadata.continue is set."},
	{"resourceVersion", "query", "string",
		"The state to read or to begin from; what it means depends on resourceVersionMatch."},
	{"resourceVersionMatch", "query", "string", "How resourceVersion is meant: NotOlderThan or Exact."},
	{"sendInitialEvents", "query", "boolean",
		"For watches: begins with an event for each object there is, and a bookmark after the last. Needs resourceVersionMatch=NotOlderThan."},
	{"timeoutSeconds", "query", "integer", "How long the request may take, however much is going on."},
}

func listParameters(k *kind.Kind) []parameter {
	all := selectParameters(k)
	if k.Queried {
		all = append(all,
			query("facets", "string", "An extension: answers with the number of objects for each value of these fields, e.g. spec.color,status.phase, instead of a list."),
			query("sortBy", "string", "An extension: sorts the list by these fields, e.g. spec.size,-metadata.creationTimestamp, and then by namespace and name."))
	}
	return append(all,
		query("allowWatchBookmarks", "boolean", "For watches: asks for events that only say how far the watch has come."),
		query("watch", "boolean", "Answers with a stream of changes, beginning at resourceVersion, instead of a list."))
}
