// Package e2e tests the examples and conformhost with real clients: client-go with its typed clients, kubectl of the
// release that this module's go.mod pins, and kubectl of two older releases, which the modules kubectl-1.33 and
// kubectl-1.30 pin. It is a separate module, so that its dependencies do not become those of the library.
//
// TestMain builds the programs. The first build of the three kubectls takes some minutes; later builds use the cache of
// the go command. To add a command, write a function in kubectl_test.go if it works on every kind, or in
// kubernetes_test.go if it needs certain kinds, and add it to the table in that file. To add a kind, describe it in
// exampletargets_test.go or conformtargets_test.go.
package e2e
