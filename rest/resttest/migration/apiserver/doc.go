// Package apiserver measures what it costs a test to start Kubernetes' own API server: k8s.io/apiserver with custom
// resources, on an etcd in the same process. It is the yardstick beside which docs/testing.md puts the start of resttest,
// and a module of its own, because it builds half of Kubernetes. It has one benchmark and nothing else.
package apiserver
