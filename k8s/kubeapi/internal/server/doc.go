// Package server puts the Kubernetes API together: its kinds, its users and their rights, CustomResourceDefinitions,
// and the objects that a cluster has from the start.
package server
