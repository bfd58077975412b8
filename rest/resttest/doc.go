// Package resttest tests what lives on an API of package rest: controllers, clients, and the kinds themselves.
//
// [New] starts a real API in memory, in well under a millisecond, as often and as parallel as tests like:
//
//	s := resttest.New(t, databases())
//	dbs := rest.ClientFor[Database](s.API).Namespace("default")
//
// There is no second implementation that only looks like the first: defaults, validation, conflicts, watches and status
// codes are those of production. What differs is what a test wants to decide. The clock stands still until it is told to
// move, uids are counted, and revisions start at 1, so that whole answers can be compared with files.
//
// # Three ways in
//
// The typed client of the API is the test's own hand. It arranges and inspects, is never disturbed by a fault and is never
// recorded. What is under test comes in by one of the others:
//
//   - [Server.RoundTripper], a transport without a socket: for client-go, controller-runtime and plain HTTP clients.
//   - [Server.URL] and [Server.Kubeconfig], a server on the loopback interface that is started when first asked for: for
//     other processes, like kubectl.
//   - The typed client once more, under a context that [Server.UnderTest] has marked: for controllers of the host's own.
//
// Requests that come in by these are recorded ([Server.Requests]) and meet the faults that the test has prepared
// ([Server.Inject]): conflicts, throttling, errors, latency, broken connections, ended and expired watches.
//
// # Waiting
//
// [WaitFor], [WaitForGone] and [WaitForAll] wait on a watch until the state of the objects is as the test wants it. They
// never poll and never sleep, and they see every state in between, because a watch skips none that the server still has.
//
// A Server also works in a bubble of testing/synctest, where time is fake: everything but [Server.URL] and
// [Server.Kubeconfig], for a bubble has no network.
//
// # Vetting the kinds
//
// [Vet] checks the host's own Go types against the API conventions, as a reviewer who knows them by heart would do.
package resttest
