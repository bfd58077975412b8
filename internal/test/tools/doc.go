// Package tools runs popular tools against a plain host (examples/quickstart) and against k8s/kubeapi. Each
// tool is fetched unmodified, in the release that releases_test.go pins, through the Go module proxy or npm. `make tools`
// runs the tests. docs/tools.md lists the tools, and a test compares its releases with the pinned ones.
package tools
