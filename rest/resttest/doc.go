// Package resttest helps to test code that uses an API of package rest: controllers and clients.
//
// [New] starts a real API in memory in well under a millisecond. Each test can start its own, and tests can run in
// parallel:
//
//	s := resttest.New(t, databases())
//	dbs := resttest.Client[Database](t, s.API).Namespace("default")
//
// The API is not a second implementation that imitates the first: defaults, validation, conflicts, watches and status
// codes are those of production. A test controls what production leaves to chance. The clock stands still until the
// test moves it, uids are counted, and revisions start at 1, so that a test can compare whole answers with files.
//
// # Ways to send requests
//
// The typed client of the API ([Client]) belongs to the test itself, which arranges and inspects objects with it. It
// never meets a fault, and its calls are never recorded. The code under test uses one of the other ways:
//
//   - [Server.RoundTripper], a transport without a socket: for client-go, controller-runtime and plain HTTP clients.
//   - [Server.URL] and [Server.Kubeconfig], a server on the loopback interface that the first call starts: for other
//     processes, such as kubectl.
//   - The typed client under a context from [Server.UnderTest]: for the host's own controllers.
//
// The server records these requests ([Server.Requests]), and they meet the faults that the test has injected
// ([Server.Inject]): conflicts, throttling, errors, latency, broken connections, ended and expired watches.
//
// # Waiting
//
// [WaitFor], [WaitForGone] and [WaitForAll] wait on a watch until the objects are in the state that the test wants.
// They never poll or sleep, and they see every state in between, because a watch skips none that the server still has.
//
// A Server also works in a testing/synctest bubble, where time is fake, except for [Server.URL] and
// [Server.Kubeconfig], because a bubble has no network.
package resttest
