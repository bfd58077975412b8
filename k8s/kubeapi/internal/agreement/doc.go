// Package agreement checks that the program k8s/kubeapi/validate and the API server of k8s/kubeapi say the same about the same document.
// It is a module of its own, because its tests run the conformance suite, of which the released modules are independent.
package agreement
