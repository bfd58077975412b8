package apitest

// Media types of bodies and answers.
const (
	TypeJSON       = "application/json"
	TypeYAML       = "application/yaml"
	TypeProtobuf   = "application/vnd.kubernetes.protobuf"
	TypeJSONPatch  = "application/json-patch+json"
	TypeMergePatch = "application/merge-patch+json"
	TypeApply      = "application/apply-patch+yaml"

	AcceptTable    = "application/json;as=Table;v=v1;g=meta.k8s.io"
	AcceptPartial  = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	AcceptPartials = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)
