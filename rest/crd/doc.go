// Package crd exports a kind of the host as the manifest of a CustomResourceDefinition, for those who also serve the kind in a
// Kubernetes cluster.
//
//	yaml, losses, err := crd.Manifest(widgets)
//
// The manifest says what a cluster does without the host's program: the schema with its types, defaults, bounds and rules, the
// versions, names, columns, selectable fields, and the subresources status and scale. The losses say what only the host's program
// does, such as its hooks. A kind that a cluster would serve in another way altogether is an error.
package crd
