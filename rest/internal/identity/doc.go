// Package identity holds the names of users and groups that have a meaning in Kubernetes.
package identity
