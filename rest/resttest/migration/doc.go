// Package migration shows the same tests of the same controller in three ways: with controller-runtime's fake client,
// with envtest, and with resttest. It contains only tests, which docs/testing.md quotes. They are a module of their
// own, so that the module that hosts import does not depend on Kubernetes.
package migration
