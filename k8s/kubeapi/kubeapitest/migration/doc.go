// Package migration shows how the suite of an operator moves from envtest to kubeapitest. Packages before and after
// hold the same suite; the difference between them is the diff in docs/testing.md. The executables of kubeapi serve the
// first one, which is the other way to use kubeapi: it changes nothing in the project.
//
// The suite is a module of its own, so that module kubeapi does not depend on controller-runtime and Ginkgo.
package migration
