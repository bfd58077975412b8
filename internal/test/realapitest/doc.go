// Package realapitest runs kube-apiserver itself for tests, with an etcd, and an aggregated server behind it. Both programs are
// built by make real-conformance, because kube-apiserver takes minutes of processor time to compile.
package realapitest
