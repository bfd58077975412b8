// Package programs runs controllers of other projects against the API of k8s/kubeapi. Each is built unmodified from the
// module proxy, in the release that its test names, has the manifests of its project, and has only the rights of its
// ServiceAccount. Each does one real thing from end to end. `make suites` runs the tests. docs/testing.md lists the
// programs.
package programs
