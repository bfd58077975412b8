// Package kinds declares the kinds of Kubernetes: each GA kind of the API groups of Kubernetes 1.37.
//
// A declaration begins with k8s.Resource, which states the names, columns and list types. Package defaults adds the
// defaults. What a kind does beyond that is stated here, in a file for each group.
package kinds
