package codec

// The messages of the kinds that the library decodes itself. The field numbers are those of the published .proto files
// of the Kubernetes API.

func text(number int, name string) MessageField { return MessageField{Number: number, Name: name} }

func texts(number int, name string) MessageField {
	return MessageField{Number: number, Name: name, Repeated: true}
}

func flag(number int, name string) MessageField {
	return MessageField{Number: number, Name: name, Type: BoolType}
}

func integer(number int, name string) MessageField {
	return MessageField{Number: number, Name: name, Type: IntType}
}

func moment(number int, name string) MessageField {
	return MessageField{Number: number, Name: name, Type: TimeType}
}

func message(number int, name string, of *Message) MessageField {
	return MessageField{Number: number, Name: name, Type: MessageType, Of: of}
}

func messages(number int, name string, of *Message) MessageField {
	return MessageField{Number: number, Name: name, Type: MessageType, Of: of, Repeated: true}
}

func stringMap(number int, name string) MessageField {
	return MessageField{Number: number, Name: name, Type: MapType}
}

// ObjectMetaMessage is metadata.
func ObjectMetaMessage() *Message {
	owner := NewMessage(text(1, "kind"), text(3, "name"), text(4, "uid"), text(5, "apiVersion"), flag(6, "controller"),
		flag(7, "blockOwnerDeletion"))
	managed := NewMessage(text(1, "manager"), text(2, "operation"), text(3, "apiVersion"), moment(4, "time"),
		text(6, "fieldsType"), MessageField{Number: 7, Name: "fieldsV1", Type: JSONType}, text(8, "subresource"))
	return NewMessage(text(1, "name"), text(2, "generateName"), text(3, "namespace"), text(4, "selfLink"), text(5, "uid"),
		text(6, "resourceVersion"), integer(7, "generation"), moment(8, "creationTimestamp"), moment(9, "deletionTimestamp"),
		integer(10, "deletionGracePeriodSeconds"),
		stringMap(11, "labels"), stringMap(12, "annotations"), messages(13, "ownerReferences", owner),
		texts(14, "finalizers"), messages(17, "managedFields", managed))
}

// PartialObjectMetadataMessage is the kind PartialObjectMetadata.
func PartialObjectMetadataMessage() *Message {
	return NewMessage(message(1, "metadata", ObjectMetaMessage()))
}

// ListMetaMessage is the metadata of a list.
func ListMetaMessage() *Message {
	return NewMessage(text(1, "selfLink"), text(2, "resourceVersion"), text(3, "continue"),
		integer(4, "remainingItemCount"), message(5, "shardInfo", NewMessage(text(1, "selector"))))
}

// StatusMessage is the kind Status.
func StatusMessage() *Message {
	cause := NewMessage(text(1, "reason"), text(2, "message"), text(3, "field"))
	details := NewMessage(text(1, "name"), text(2, "group"), text(3, "kind"), messages(4, "causes", cause),
		integer(5, "retryAfterSeconds"), text(6, "uid"))
	return NewMessage(message(1, "metadata", ListMetaMessage()), text(2, "status"), text(3, "message"), text(4, "reason"),
		message(5, "details", details), integer(6, "code"))
}

// DeleteOptionsMessage is the kind DeleteOptions.
func DeleteOptionsMessage() *Message {
	preconditions := NewMessage(text(1, "uid"), text(2, "resourceVersion"))
	return NewMessage(integer(1, "gracePeriodSeconds"), message(2, "preconditions", preconditions),
		flag(3, "orphanDependents"), text(4, "propagationPolicy"), texts(5, "dryRun"),
		flag(6, "ignoreStoreReadErrorWithClusterBreakingPotential"))
}

// The kinds of discovery.

func servers(number int) MessageField {
	return messages(number, "serverAddressByClientCIDRs", NewMessage(text(1, "clientCIDR"), text(2, "serverAddress")))
}

// APIVersionsMessage is the kind APIVersions.
func APIVersionsMessage() *Message { return NewMessage(texts(1, "versions"), servers(2)) }

// APIGroupMessage is the kind APIGroup.
func APIGroupMessage() *Message {
	version := NewMessage(text(1, "groupVersion"), text(2, "version"))
	return NewMessage(text(1, "name"), messages(2, "versions", version), message(3, "preferredVersion", version),
		servers(4))
}

// APIGroupListMessage is the kind APIGroupList.
func APIGroupListMessage() *Message { return NewMessage(messages(1, "groups", APIGroupMessage())) }

// APIResourceListMessage is the kind APIResourceList.
func APIResourceListMessage() *Message {
	verbs := message(4, "verbs", NewUnion(texts(1, "items")))
	resource := NewMessage(text(1, "name"), flag(2, "namespaced"), text(3, "kind"), verbs, texts(5, "shortNames"),
		text(6, "singularName"), texts(7, "categories"), text(8, "group"), text(9, "version"), text(10, "storageVersionHash"))
	return NewMessage(text(1, "groupVersion"), messages(2, "resources", resource))
}

// APIGroupDiscoveryListMessage is the kind APIGroupDiscoveryList of apidiscovery.k8s.io/v2.
func APIGroupDiscoveryListMessage() *Message {
	kind := message(2, "responseKind", NewMessage(text(1, "group"), text(2, "version"), text(3, "kind")))
	subresource := NewMessage(text(1, "subresource"), kind, texts(4, "verbs"))
	resource := NewMessage(text(1, "resource"), kind, text(3, "scope"), text(4, "singularResource"), texts(5, "verbs"),
		texts(6, "shortNames"), texts(7, "categories"), messages(8, "subresources", subresource))
	version := NewMessage(text(1, "version"), messages(2, "resources", resource), text(3, "freshness"))
	group := NewMessage(message(1, "metadata", ObjectMetaMessage()), messages(2, "versions", version))
	return NewMessage(message(1, "metadata", ListMetaMessage()), messages(2, "items", group))
}

// ScaleMessage is autoscaling/v1 Scale.
func ScaleMessage() *Message {
	return NewMessage(message(1, "metadata", ObjectMetaMessage()), message(2, "spec", NewMessage(integer(1, "replicas"))),
		message(3, "status", NewMessage(integer(1, "replicas"), text(2, "selector"))))
}
