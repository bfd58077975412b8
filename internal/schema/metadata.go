package schema

import "reflect"

// isMeta reports whether a type belongs to object metadata or the other shared API types, of this module or of the Kubernetes package that
// has the same types under the same names.
func isMeta(t reflect.Type) bool {
	switch t.PkgPath() {
	case "github.com/decorum-go/decorum/apimeta", "github.com/decorum-go/decorum/status", "k8s.io/apimachinery/pkg/apis/meta/v1":
		return true
	}
	return false
}

// metaOverlay returns the api tag of a metadata type, or of one of its members: what the API conventions require and the Go tags cannot
// say.
func metaOverlay(typ, field string) (text string, ok bool) {
	switch typ + "." + field {
	case "ObjectMeta.managedFields", "LabelSelector.matchExpressions", "LabelSelectorRequirement.values", "DeleteOptions.dryRun":
		text = "list=atomic"
	case "OwnerReference.", "LabelSelector.":
		text = "map=atomic"
	case "OwnerReference.uid", "Condition.type":
		text = "required,zeroKey"
	case "OwnerReference.apiVersion", "OwnerReference.kind", "OwnerReference.name",
		"Condition.status", "Condition.reason", "Condition.message", "Condition.lastTransitionTime",
		"LabelSelectorRequirement.key", "LabelSelectorRequirement.operator", "WatchEvent.type", "WatchEvent.object":
		text = "required"
	default:
		return "", false
	}
	return text, true
}

// metaDocs returns the documentation of a metadata type: of its members by name, and of the type itself.
func metaDocs(typ string) (fields map[string]string, text string) {
	switch typ {
	case "TypeMeta":
		return map[string]string{"apiVersion": docAPIVersion, "kind": docKind}, ""
	case "ObjectMeta":
		return objectMetaDocs(), "ObjectMeta is the metadata that every stored object has."
	case "ListMeta":
		return listMetaDocs(), "ListMeta is the metadata of a list and of answers that are no stored objects."
	case "OwnerReference":
		return ownerReferenceDocs(), "OwnerReference names an object that this one depends on, in the same namespace or without one."
	case "ManagedFieldsEntry":
		return managedFieldsDocs(), "ManagedFieldsEntry says which fields one manager wrote last through one operation."
	case "FieldsV1":
		return nil, "FieldsV1 is a set of fields as a tree: f: before a member's name, k: before an element's keys, v: before an element's value."
	case "Condition":
		return conditionDocs(), "Condition is one aspect of the observed state of an object."
	case "LabelSelector":
		return labelSelectorDocs(), "LabelSelector selects objects by their labels. All its parts must hold; an empty one selects every object."
	case "LabelSelectorRequirement":
		return labelRequirementDocs(), "LabelSelectorRequirement relates one label to values."
	case "DeleteOptions":
		return deleteOptionsDocs(), "DeleteOptions say how an object is to be deleted."
	case "Preconditions":
		return preconditionsDocs(), "Preconditions must hold for the object, else the request fails and changes nothing."
	case "Status":
		return statusDocs(), "Status is the answer of a request that returns no object: why it failed, or that it succeeded."
	case "Details", "StatusDetails":
		return statusDetailsDocs(), "StatusDetails are the facts that belong to the reason of a Status."
	case "Cause", "StatusCause":
		return statusCauseDocs(), "StatusCause is one of the faults behind a failure."
	case "WatchEvent":
		return watchEventDocs(), "WatchEvent is one change in the stream of a watch."
	}
	return nil, ""
}

const (
	docAPIVersion = "The version in which the object is written: group and version, or the version alone for the core group."
	docKind       = "The kind of the object, in CamelCase. The server infers it from the endpoint. It cannot change."
)

func objectMetaDocs() map[string]string {
	return map[string]string{
		"name":                       "The name of the object, unique among those of its resource in its namespace. It cannot change.",
		"generateName":               "A prefix from which the server makes a unique name where no name is given on creation.",
		"namespace":                  "The namespace that the name belongs to. It cannot change; objects of the whole cluster have none.",
		"selfLink":                   "Deprecated: the server leaves it empty.",
		"uid":                        "An identifier that the server gives on creation: no two objects ever share one, and it tells an object from a later one of the same name.",
		"resourceVersion":            "An opaque text that changes with each change of the object. Sent with an update, it makes the update fail where someone else was faster. Only equality means anything, and only for one resource.",
		"generation":                 "A number that grows with each change of the desired state. The server counts it.",
		"creationTimestamp":          "When the server stored the object. Set by the server.",
		"deletionTimestamp":          "When the object is to be gone. The server sets it when a deletion is asked for and something, a finalizer or a grace period, still keeps the object.",
		"deletionGracePeriodSeconds": "How many seconds the object has to end gracefully. The server sets it together with deletionTimestamp; it can only become shorter.",
		"labels":                     "Names and values by which objects are organised and selected.",
		"annotations":                "Names and values that tools keep with the object; they cannot be selected by.",
		"ownerReferences":            "The objects that this one depends on. When all of them are gone it may be deleted. At most one is the managing controller.",
		"finalizers":                 "Who still has something to do before the object may go. A deleted object stays until the list is empty; each party removes its own entry, in any order.",
		"managedFields":              "Which manager wrote which fields. The server keeps it, for server-side apply; users seldom need to look at it.",
	}
}

func listMetaDocs() map[string]string {
	return map[string]string{
		"selfLink":           "Deprecated: the server leaves it empty.",
		"resourceVersion":    "The state that the list shows, in an opaque text from which a watch can begin.",
		"continue":           "Set where there are more objects than were asked for: the opaque text with which to ask for the next ones, with the same other parameters.",
		"remainingItemCount": "How many objects follow this page, where the server knows.",
	}
}

func ownerReferenceDocs() map[string]string {
	return map[string]string{
		"apiVersion":         "The group and version of the owner.",
		"kind":               "The kind of the owner.",
		"name":               "The name of the owner.",
		"uid":                "The uid of the owner.",
		"controller":         "Whether the owner is the managing controller.",
		"blockOwnerDeletion": "Whether the owner, deleted in the foreground, must wait for this object to go first.",
	}
}

func managedFieldsDocs() map[string]string {
	return map[string]string{
		"manager":     "Who wrote the fields.",
		"operation":   "Through which operation: Apply or Update.",
		"apiVersion":  "The version in which the fields were written.",
		"time":        "When the entry was last changed.",
		"fieldsType":  "The form of the set of fields. There is one: FieldsV1.",
		"fieldsV1":    "The fields.",
		"subresource": "The subresource through which the fields were written; empty for the object itself.",
	}
}

func conditionDocs() map[string]string {
	return map[string]string{
		"type":               "The aspect, in CamelCase.",
		"status":             "Whether it holds: True, False or Unknown.",
		"observedGeneration": "The metadata.generation that the condition was set for. One below the current generation says that it is out of date.",
		"lastTransitionTime": "When status last changed from one value to another.",
		"reason":             "Why it changed last, in one CamelCase word for programs.",
		"message":            "Why it changed last, for people.",
	}
}

func labelSelectorDocs() map[string]string {
	return map[string]string{
		"matchLabels":      "Labels that must be there with these values.",
		"matchExpressions": "Requirements that must all hold.",
	}
}

func labelRequirementDocs() map[string]string {
	return map[string]string{
		"key":      "The label that the requirement is for.",
		"operator": "How the label relates to the values: In, NotIn, Exists or DoesNotExist.",
		"values":   "The values: some for In and NotIn, none for Exists and DoesNotExist.",
	}
}

func deleteOptionsDocs() map[string]string {
	return map[string]string{
		"apiVersion":         docAPIVersion,
		"kind":               docKind,
		"dryRun":             "All makes the server go through the request without storing anything.",
		"gracePeriodSeconds": "How many seconds the object has to end gracefully; 0 deletes at once. Without it the kind's own default counts.",
		"preconditions":      "What must hold of the object for it to be deleted, else the answer is 409 Conflict.",
		"propagationPolicy":  "What becomes of dependents: Orphan leaves them, Background deletes them later, Foreground before the object itself.",
		"orphanDependents":   "Deprecated: use propagationPolicy.",
		"ignoreStoreReadErrorWithClusterBreakingPotential": "Deletes an object that cannot be read from the store, without its finalizers and preconditions.",
	}
}

func preconditionsDocs() map[string]string {
	return map[string]string{
		"uid":             "The uid that the object must have.",
		"resourceVersion": "The resourceVersion that the object must have.",
	}
}

func watchEventDocs() map[string]string {
	return map[string]string{
		"type":   "What happened: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.",
		"object": "The object after the change; for DELETED as it was last, for BOOKMARK only its resourceVersion, for ERROR a Status.",
	}
}

func statusDocs() map[string]string {
	return map[string]string{
		"apiVersion": docAPIVersion,
		"kind":       docKind,
		"metadata":   "The metadata that answers have: here only the continue text of a list that expired.",
		"status":     "Success or Failure.",
		"message":    "What happened, for people.",
		"reason":     "Why it failed, in one CamelCase word for programs.",
		"details":    "The facts that belong to the reason.",
		"code":       "The code of the HTTP answer.",
	}
}

func statusDetailsDocs() map[string]string {
	return map[string]string{
		"name":              "The name of the object that the request was about.",
		"group":             "The group of the object.",
		"kind":              "The kind or the resource that the request was about.",
		"uid":               "The uid of the object, where there was one.",
		"causes":            "All that is wrong, where it is more than one thing.",
		"retryAfterSeconds": "After how many seconds it may be worth while to try again.",
	}
}

func statusCauseDocs() map[string]string {
	return map[string]string{
		"reason":  "What is wrong, in one CamelCase word for programs.",
		"message": "What is wrong, for people.",
		"field":   "Where it is wrong, e.g. spec.ports[0].name.",
	}
}
