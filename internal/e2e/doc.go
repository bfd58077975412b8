// Package e2e runs the examples and conformhost under real clients: kubectl of
// the release that this module's go.mod pins and of the two older ones in the
// modules kubectl-1.33 and kubectl-1.30, and client-go with its typed clients.
// It is a module of its own, so that what it needs stays out of the library's.
//
// TestMain builds the programs; a cold build of the three kubectls takes some
// minutes and the go command keeps what it compiled. To add a command, write a
// function in kubectl_test.go if it works on every kind, in kubernetes_test.go
// if it knows certain kinds, and name it in the table of its file. To add a
// kind, describe it in exampletargets_test.go or conformtargets_test.go.
package e2e
