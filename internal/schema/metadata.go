package schema

import "reflect"

// ownMeta is the package of this module with the shared API types.
const ownMeta = "github.com/decorum-go/decorum/apimeta"

// isMeta reports whether a type belongs to object metadata or the other shared API types, of this module or of the
// Kubernetes package that has the same types under the same names.
func isMeta(t reflect.Type) bool {
	switch t.PkgPath() {
	case ownMeta, "github.com/decorum-go/decorum/status",
		"k8s.io/apimachinery/pkg/apis/meta/v1":
		return true
	}
	return false
}

// metaOverlay returns the api tag of a metadata type, or of one of its members: what the API conventions require and
// the Go tags cannot say.
func metaOverlay(typ, field string) (text string, ok bool) {
	switch typ + "." + field {
	case "ObjectMeta.managedFields", "LabelSelector.matchExpressions", "LabelSelectorRequirement.values",
		"DeleteOptions.dryRun":
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

// conditionOverlay returns the api tag with the rules for a member of Condition (API conventions, Typical status
// properties). They are the rules that a CustomResourceDefinition made from the Kubernetes type has.
func conditionOverlay(field string) string {
	switch field {
	case "type":
		return `maxLength=316,pattern='^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?` +
			`(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$'`
	case "status":
		return "enum=True|False|Unknown"
	case "observedGeneration":
		return "min=0"
	case "reason":
		return "minLength=1,maxLength=1024,pattern='^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'"
	case "message":
		return "maxLength=32768"
	}
	return ""
}

// metaDocs returns the documentation of a metadata type: of its members by name, and of the type itself.
func metaDocs(typ string) (fields map[string]string, text string) {
	switch typ {
	case "TypeMeta":
		return map[string]string{"apiVersion": docAPIVersion, "kind": docKind}, ""
	case "ObjectMeta":
		return objectMetaDocs(), "Standard object's metadata, which every stored object has."
	case "ListMeta":
		return listMetaDocs(), "ListMeta is the metadata of a list, and of an answer that is not stored."
	case "OwnerReference":
		return ownerReferenceDocs(),
			"OwnerReference names an object that this one depends on, in the same namespace or without one."
	case "ShardInfo":
		return map[string]string{"selector": "The shardSelector of the request."},
			"ShardInfo says which shard of the objects a list contains."
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
		return deleteOptionsDocs(), "DeleteOptions say how to delete an object."
	case "Preconditions":
		return preconditionsDocs(), "Preconditions must hold for the object. Otherwise the request fails and changes nothing."
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

// Official tests of Kubernetes look for the first words of these descriptions in the output of kubectl explain: those
// of apiVersion, of metadata and of its creationTimestamp.
const (
	docAPIVersion = "APIVersion defines the version in which the object is written: group and version, or the version alone for the core group."
	docKind       = "The kind of the object, in CamelCase. It is the kind that the endpoint serves, and cannot change."
)

func objectMetaDocs() map[string]string {
	return map[string]string{
		"name":                       "The name of the object, unique among those of its resource in its namespace. It cannot change.",
		"generateName":               "A prefix from which the server makes a unique name if the client creates the object without a name.",
		"namespace":                  "The namespace of the object. It cannot change. Cluster-scoped objects have no namespace.",
		"selfLink":                   "Deprecated: the server leaves it empty.",
		"uid":                        "An identifier that the server sets on creation. No two objects ever share it, so it distinguishes an object from a later one of the same name.",
		"resourceVersion":            "An opaque text that changes with each change of the object. An update that sends it fails if the object has changed since. Clients may only compare it for equality, and only within one resource.",
		"generation":                 "A number that the server increases with each change of the desired state.",
		"creationTimestamp":          "CreationTimestamp is a timestamp that the server sets when it stores the object.",
		"deletionTimestamp":          "When the object will be removed. The server sets it when a client deletes an object that a finalizer or a grace period still keeps.",
		"deletionGracePeriodSeconds": "How many seconds the object has to shut down. The server sets it together with deletionTimestamp. It can only become shorter.",
		"labels":                     "Names and values that organise objects, and by which clients select them.",
		"annotations":                "Names and values that tools keep with the object. Clients cannot select by them.",
		"ownerReferences":            "The objects that this object depends on. When all of them are gone, the garbage collector may delete it. At most one is the managing controller.",
		"finalizers":                 "The parties that must act before the object can be removed. A deleted object stays until the list is empty. Each party removes its own entry, in any order.",
		"managedFields":              "Which manager wrote which fields. The server keeps this record for server-side apply; users seldom need it.",
	}
}

func listMetaDocs() map[string]string {
	return map[string]string{
		"selfLink":           "Deprecated: the server leaves it empty.",
		"resourceVersion":    "The state that the list shows, in an opaque text from which a watch can begin.",
		"continue":           "An opaque text that continues the list, if there are more objects than the limit. Send it with the same other parameters to get the next ones.",
		"remainingItemCount": "How many objects follow this page, if the server knows.",
		"shardInfo":          "Which shard of the objects the list contains. Absent if it contains all of them.",
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
		"dryRun":             "With All, the server processes the request and stores nothing.",
		"gracePeriodSeconds": "How many seconds the object has to shut down; 0 deletes it at once. Default: the default of the kind.",
		"preconditions":      "What must hold for the object. Otherwise the server deletes nothing and answers 409 Conflict.",
		"propagationPolicy":  "What happens to dependents: Orphan keeps them, Background deletes them after the object, Foreground deletes them before it.",
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
		"object": "The object after the change. For DELETED it is the last state, for BOOKMARK only a resourceVersion, and for ERROR a Status.",
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
		"uid":               "The uid of the object, if it exists.",
		"causes":            "Everything that is wrong, if there is more than one fault.",
		"retryAfterSeconds": "After how many seconds the client may try again.",
	}
}

func statusCauseDocs() map[string]string {
	return map[string]string{
		"reason":  "What is wrong, in one CamelCase word for programs.",
		"message": "What is wrong, for people.",
		"field":   "Where it is wrong, e.g. spec.ports[0].name.",
	}
}
