// Package crd exports a kind as the manifest of a CustomResourceDefinition, so that a Kubernetes cluster can serve the same kind.
//
//	yaml, losses, err := crd.Manifest(widgets)
//
// The manifest contains everything that a cluster can do without the host's program: the schema with its types, defaults, bounds
// and rules, the versions, names, columns and selectable fields, and the subresources status and scale. The losses list the
// features that only the host's program provides, such as hooks. [Manifest] returns an error for a kind that a cluster would
// serve differently.
package crd
