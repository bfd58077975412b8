// Package apiserver measures what it costs a test to start the API server of Kubernetes: k8s.io/apiserver with custom
// resources, on an etcd in the same process. docs/testing.md compares resttest with it. The package contains one
// benchmark. It is a module of its own, because it builds half of Kubernetes.
package apiserver
