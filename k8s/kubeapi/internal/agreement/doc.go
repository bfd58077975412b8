// Package agreement checks that the program k8s/kubeapi/validate and the API server of k8s/kubeapi say the same about
// the same document. It is a separate module because its tests import the conformance suite. The released modules must
// not depend on that suite.
package agreement
