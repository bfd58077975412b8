package conformance

import (
	"errors"
	"fmt"
	"slices"
)

// kind is what the suite knows about a kind whose objects it creates.
type kind struct {
	short            string // the key that names it in the short form
	apiVersion, name string
	root, resource   string
	cluster          bool
}

// kinds returns the kinds of README.md, Kinds to host.
func kinds() []kind {
	return []kind{
		{short: "cm", apiVersion: "v1", name: "ConfigMap", root: "/api/v1", resource: "configmaps"},
		{short: "sa", apiVersion: "v1", name: "ServiceAccount", root: "/api/v1", resource: "serviceaccounts"},
		{short: "lease", apiVersion: "coordination.k8s.io/v1", name: "Lease", root: "/apis/coordination.k8s.io/v1",
			resource: "leases"},
		{short: "wd", apiVersion: "example.com/v1", name: "Widget", root: "/apis/example.com/v1", resource: "widgets"},
		{short: "node", apiVersion: "v1", name: "Node", root: "/api/v1", resource: "nodes", cluster: true},
		{short: "ns", apiVersion: "v1", name: "Namespace", root: "/api/v1", resource: "namespaces", cluster: true},
		{short: "crd", apiVersion: "apiextensions.k8s.io/v1", name: "CustomResourceDefinition",
			root: "/apis/apiextensions.k8s.io/v1", resource: "customresourcedefinitions", cluster: true},
		{short: "cr", apiVersion: thingGroup + "/v1", name: "Thing", root: "/apis/" + thingGroup + "/v1", resource: "things"},
	}
}

// collection returns the path at which objects of the kind are created.
func (k kind) collection(namespace string) string {
	if k.cluster {
		return k.root + "/" + k.resource
	}
	return fmt.Sprintf("%s/namespaces/%s/%s", k.root, namespace, k.resource)
}

// kindOf returns the kind that a short form names.
func kindOf(short map[string]any) (kind, error) {
	for _, k := range kinds() {
		if _, ok := short[k.short]; ok {
			return k, nil
		}
	}
	return kind{}, errors.New("an object needs one of cm, sa, lease, wd, node, ns, crd, cr")
}

// metadataKeys returns the keys of the short form that belong in metadata.
func metadataKeys() []string {
	return []string{
		"namespace", "labels", "annotations", "finalizers", "generateName", "ownerReferences", "resourceVersion", "uid",
		"managedFields",
		"generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
	}
}

// expand turns the short form {cm: NAME, labels: {...}, data: {...}} into an object.
func expand(short map[string]any) (map[string]any, error) {
	k, err := kindOf(short)
	if err != nil {
		return nil, err
	}
	if k.short == "crd" {
		return definition(short)
	}
	metadata := map[string]any{}
	object := map[string]any{"apiVersion": k.apiVersion, "kind": k.name, "metadata": metadata}
	inMetadata := metadataKeys()
	for key, v := range short {
		switch {
		case key == k.short:
			if v != nil {
				metadata["name"] = v
			}
		case k.short == "cr" && key == "version":
			object["apiVersion"] = thingGroup + "/" + text(v)
		case slices.Contains(inMetadata, key):
			metadata[key] = v
		default:
			object[key] = v
		}
	}
	return object, nil
}
