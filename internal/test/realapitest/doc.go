// Package realapitest runs kube-apiserver and etcd for tests, and an aggregated server behind kube-apiserver. Only make
// real-conformance builds both programs, because compiling kube-apiserver takes minutes of CPU time.
package realapitest
