package cel

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

const (
	requestTypeName   = "kubernetes.AdmissionRequest"
	namespaceTypeName = "kubernetes.Namespace"
	variablesTypeName = "kubernetes.variables"
)

// newAdmissionTypes returns the types of the variables request, namespaceObject and variables. The last one has no
// fields yet.
func newAdmissionTypes(p types.Provider) *declarations {
	d := newDeclarations(p)
	declare := func(name string, fields map[string]*cel.Type) *cel.Type {
		d.structs[name] = map[string]*types.FieldType{}
		for field, t := range fields {
			d.structs[name][field] = &types.FieldType{Type: t}
		}
		return cel.ObjectType(name)
	}
	text, texts := cel.StringType, cel.ListType(cel.StringType)
	labels := cel.MapType(text, text)

	kind := declare("kubernetes.GroupVersionKind", map[string]*cel.Type{"group": text, "version": text, "kind": text})
	resource := declare("kubernetes.GroupVersionResource",
		map[string]*cel.Type{"group": text, "version": text, "resource": text})
	user := declare("kubernetes.UserInfo",
		map[string]*cel.Type{"username": text, "uid": text, "groups": texts, "extra": cel.MapType(text, texts)})
	declare(requestTypeName, map[string]*cel.Type{
		"kind": kind, "resource": resource, "subResource": text, "requestKind": kind, "requestResource": resource,
		"requestSubResource": text,
		"name":               text, "namespace": text, "operation": text, "userInfo": user, "dryRun": cel.BoolType, "options": cel.DynType,
	})

	metadata := declare("kubernetes.NamespaceMetadata", map[string]*cel.Type{
		"name": text, "generateName": text, "namespace": text, "labels": labels, "annotations": labels, "UID": text,
		"creationTimestamp":          cel.TimestampType,
		"deletionGracePeriodSeconds": cel.IntType, "deletionTimestamp": cel.TimestampType, "generation": cel.IntType,
		"resourceVersion": text, "finalizers": texts,
	})
	condition := declare("kubernetes.NamespaceCondition", map[string]*cel.Type{
		"status": text, "type": text, "lastTransitionTime": cel.TimestampType, "message": text, "reason": text,
	})
	declare(namespaceTypeName, map[string]*cel.Type{
		"metadata": metadata,
		"spec":     declare("kubernetes.NamespaceSpec", map[string]*cel.Type{"finalizers": texts}),
		"status": declare("kubernetes.NamespaceStatus",
			map[string]*cel.Type{"conditions": cel.ListType(condition), "phase": text}),
	})
	declare(variablesTypeName, nil)
	return d
}
