// Package offline is the program that validates manifests against the Kubernetes API, without a cluster.
package offline
