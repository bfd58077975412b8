// Package migration shows the same tests of the same controller in three ways: with controller-runtime's fake client, with
// envtest, and with resttest. It has tests only, which docs/testing.md quotes; they live in a module of their own, so that
// nothing of Kubernetes' is in the one that hosts import.
package migration
