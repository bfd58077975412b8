package codec

// The messages of the kinds that the library decodes itself. The field numbers are those of the published .proto files
// of the Kubernetes API. They are composite literals, which the compiler writes into the program as data: functions
// that make them would have three times as many bytes.
var (
	objectMetaMessage = Message{fields: []MessageField{
		{Number: 1, Name: "name"},
		{Number: 2, Name: "generateName"},
		{Number: 3, Name: "namespace"},
		{Number: 4, Name: "selfLink"},
		{Number: 5, Name: "uid"},
		{Number: 6, Name: "resourceVersion"},
		{Number: 7, Name: "generation", Type: IntType},
		{Number: 8, Name: "creationTimestamp", Type: TimeType},
		{Number: 9, Name: "deletionTimestamp", Type: TimeType},
		{Number: 10, Name: "deletionGracePeriodSeconds", Type: IntType},
		{Number: 11, Name: "labels", Type: MapType},
		{Number: 12, Name: "annotations", Type: MapType},
		{Number: 13, Name: "ownerReferences", Type: MessageType, Of: &ownerMessage, Repeated: true},
		{Number: 14, Name: "finalizers", Repeated: true},
		{Number: 17, Name: "managedFields", Type: MessageType, Of: &managedFieldsMessage, Repeated: true},
	}}
	ownerMessage = Message{fields: []MessageField{
		{Number: 1, Name: "kind"},
		{Number: 3, Name: "name"},
		{Number: 4, Name: "uid"},
		{Number: 5, Name: "apiVersion"},
		{Number: 6, Name: "controller", Type: BoolType},
		{Number: 7, Name: "blockOwnerDeletion", Type: BoolType},
	}}
	managedFieldsMessage = Message{fields: []MessageField{
		{Number: 1, Name: "manager"},
		{Number: 2, Name: "operation"},
		{Number: 3, Name: "apiVersion"},
		{Number: 4, Name: "time", Type: TimeType},
		{Number: 6, Name: "fieldsType"},
		{Number: 7, Name: "fieldsV1", Type: JSONType},
		{Number: 8, Name: "subresource"},
	}}
	partialObjectMetadataMessage = Message{fields: []MessageField{
		{Number: 1, Name: "metadata", Type: MessageType, Of: &objectMetaMessage},
	}}
	listMetaMessage = Message{fields: []MessageField{
		{Number: 1, Name: "selfLink"},
		{Number: 2, Name: "resourceVersion"},
		{Number: 3, Name: "continue"},
		{Number: 4, Name: "remainingItemCount", Type: IntType},
		{Number: 5, Name: "shardInfo", Type: MessageType, Of: &shardInfoMessage},
	}}
	shardInfoMessage = Message{fields: []MessageField{
		{Number: 1, Name: "selector"},
	}}
	statusMessage = Message{fields: []MessageField{
		{Number: 1, Name: "metadata", Type: MessageType, Of: &listMetaMessage},
		{Number: 2, Name: "status"},
		{Number: 3, Name: "message"},
		{Number: 4, Name: "reason"},
		{Number: 5, Name: "details", Type: MessageType, Of: &detailsMessage},
		{Number: 6, Name: "code", Type: IntType},
	}}
	detailsMessage = Message{fields: []MessageField{
		{Number: 1, Name: "name"},
		{Number: 2, Name: "group"},
		{Number: 3, Name: "kind"},
		{Number: 4, Name: "causes", Type: MessageType, Of: &causeMessage, Repeated: true},
		{Number: 5, Name: "retryAfterSeconds", Type: IntType},
		{Number: 6, Name: "uid"},
	}}
	causeMessage = Message{fields: []MessageField{
		{Number: 1, Name: "reason"},
		{Number: 2, Name: "message"},
		{Number: 3, Name: "field"},
	}}
	deleteOptionsMessage = Message{fields: []MessageField{
		{Number: 1, Name: "gracePeriodSeconds", Type: IntType},
		{Number: 2, Name: "preconditions", Type: MessageType, Of: &preconditionsMessage},
		{Number: 3, Name: "orphanDependents", Type: BoolType},
		{Number: 4, Name: "propagationPolicy"},
		{Number: 5, Name: "dryRun", Repeated: true},
		{Number: 6, Name: "ignoreStoreReadErrorWithClusterBreakingPotential", Type: BoolType},
	}}
	preconditionsMessage = Message{fields: []MessageField{
		{Number: 1, Name: "uid"},
		{Number: 2, Name: "resourceVersion"},
	}}
	scaleMessage = Message{fields: []MessageField{
		{Number: 1, Name: "metadata", Type: MessageType, Of: &objectMetaMessage},
		{Number: 2, Name: "spec", Type: MessageType, Of: &scaleSpecMessage},
		{Number: 3, Name: "status", Type: MessageType, Of: &scaleStatusMessage},
	}}
	scaleSpecMessage = Message{fields: []MessageField{
		{Number: 1, Name: "replicas", Type: IntType},
	}}
	scaleStatusMessage = Message{fields: []MessageField{
		{Number: 1, Name: "replicas", Type: IntType},
		{Number: 2, Name: "selector"},
	}}
)

// Discovery answers with these messages.
var (
	apiVersionsMessage = Message{fields: []MessageField{
		{Number: 1, Name: "versions", Repeated: true},
		{Number: 2, Name: "serverAddressByClientCIDRs", Type: MessageType, Of: &serverMessage, Repeated: true},
	}}
	serverMessage = Message{fields: []MessageField{
		{Number: 1, Name: "clientCIDR"},
		{Number: 2, Name: "serverAddress"},
	}}
	apiGroupMessage = Message{fields: []MessageField{
		{Number: 1, Name: "name"},
		{Number: 2, Name: "versions", Type: MessageType, Of: &groupVersionMessage, Repeated: true},
		{Number: 3, Name: "preferredVersion", Type: MessageType, Of: &groupVersionMessage},
		{Number: 4, Name: "serverAddressByClientCIDRs", Type: MessageType, Of: &serverMessage, Repeated: true},
	}}
	groupVersionMessage = Message{fields: []MessageField{
		{Number: 1, Name: "groupVersion"},
		{Number: 2, Name: "version"},
	}}
	apiGroupListMessage = Message{fields: []MessageField{
		{Number: 1, Name: "groups", Type: MessageType, Of: &apiGroupMessage, Repeated: true},
	}}
	apiResourceListMessage = Message{fields: []MessageField{
		{Number: 1, Name: "groupVersion"},
		{Number: 2, Name: "resources", Type: MessageType, Of: &apiResourceMessage, Repeated: true},
	}}
	apiResourceMessage = Message{fields: []MessageField{
		{Number: 1, Name: "name"},
		{Number: 2, Name: "namespaced", Type: BoolType},
		{Number: 3, Name: "kind"},
		{Number: 4, Name: "verbs", Type: MessageType, Of: &itemsMessage},
		{Number: 5, Name: "shortNames", Repeated: true},
		{Number: 6, Name: "singularName"},
		{Number: 7, Name: "categories", Repeated: true},
		{Number: 8, Name: "group"},
		{Number: 9, Name: "version"},
		{Number: 10, Name: "storageVersionHash"},
	}}
	itemsMessage = Message{union: true, fields: []MessageField{
		{Number: 1, Name: "items", Repeated: true},
	}}
	apiGroupDiscoveryListMessage = Message{fields: []MessageField{
		{Number: 1, Name: "metadata", Type: MessageType, Of: &listMetaMessage},
		{Number: 2, Name: "items", Type: MessageType, Of: &groupDiscoveryMessage, Repeated: true},
	}}
	groupDiscoveryMessage = Message{fields: []MessageField{
		{Number: 1, Name: "metadata", Type: MessageType, Of: &objectMetaMessage},
		{Number: 2, Name: "versions", Type: MessageType, Of: &versionDiscoveryMessage, Repeated: true},
	}}
	versionDiscoveryMessage = Message{fields: []MessageField{
		{Number: 1, Name: "version"},
		{Number: 2, Name: "resources", Type: MessageType, Of: &resourceDiscoveryMessage, Repeated: true},
		{Number: 3, Name: "freshness"},
	}}
	resourceDiscoveryMessage = Message{fields: []MessageField{
		{Number: 1, Name: "resource"},
		{Number: 2, Name: "responseKind", Type: MessageType, Of: &responseKindMessage},
		{Number: 3, Name: "scope"},
		{Number: 4, Name: "singularResource"},
		{Number: 5, Name: "verbs", Repeated: true},
		{Number: 6, Name: "shortNames", Repeated: true},
		{Number: 7, Name: "categories", Repeated: true},
		{Number: 8, Name: "subresources", Type: MessageType, Of: &subresourceDiscoveryMessage, Repeated: true},
	}}
	subresourceDiscoveryMessage = Message{fields: []MessageField{
		{Number: 1, Name: "subresource"},
		{Number: 2, Name: "responseKind", Type: MessageType, Of: &responseKindMessage},
		{Number: 4, Name: "verbs", Repeated: true},
	}}
	responseKindMessage = Message{fields: []MessageField{
		{Number: 1, Name: "group"},
		{Number: 2, Name: "version"},
		{Number: 3, Name: "kind"},
	}}
)

// ObjectMetaMessage is metadata.
func ObjectMetaMessage() *Message { return &objectMetaMessage }

// PartialObjectMetadataMessage is the kind PartialObjectMetadata.
func PartialObjectMetadataMessage() *Message { return &partialObjectMetadataMessage }

// ListMetaMessage is the metadata of a list.
func ListMetaMessage() *Message { return &listMetaMessage }

// StatusMessage is the kind Status.
func StatusMessage() *Message { return &statusMessage }

// DeleteOptionsMessage is the kind DeleteOptions.
func DeleteOptionsMessage() *Message { return &deleteOptionsMessage }

// ScaleMessage is autoscaling/v1 Scale.
func ScaleMessage() *Message { return &scaleMessage }

// APIVersionsMessage is the kind APIVersions.
func APIVersionsMessage() *Message { return &apiVersionsMessage }

// APIGroupMessage is the kind APIGroup.
func APIGroupMessage() *Message { return &apiGroupMessage }

// APIGroupListMessage is the kind APIGroupList.
func APIGroupListMessage() *Message { return &apiGroupListMessage }

// APIResourceListMessage is the kind APIResourceList.
func APIResourceListMessage() *Message { return &apiResourceListMessage }

// APIGroupDiscoveryListMessage is the kind APIGroupDiscoveryList of apidiscovery.k8s.io/v2.
func APIGroupDiscoveryListMessage() *Message { return &apiGroupDiscoveryListMessage }
