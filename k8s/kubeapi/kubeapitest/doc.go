// Package kubeapitest runs the Kubernetes API inside a test, without a process, a port or a download:
//
//	func TestReconcile(t *testing.T) {
//		t.Parallel()
//		api := kubeapitest.New(t, kubeapitest.Options{CRDs: []string{"../config/crd/bases"}})
//		mgr, err := ctrl.NewManager(api.Config(), ctrl.Options{})
//		…
//	}
//
// Each test has an API of its own, which ends with the test. The kinds are declared once in a process, so a further API
// takes a fraction of the time of the first one. Clients in the same process, such as those of client-go and
// controller-runtime, need no socket. For other processes, [Server.Kubeconfig] opens one.
//
// Webhooks come from manifests too (see [Options.Webhooks]).
//
// The API is that of the program kubeapi: no controller acts on the objects unless the test wants it (see
// [Options.Controllers]).
package kubeapitest
