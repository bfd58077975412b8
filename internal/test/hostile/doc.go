// Package hostile attacks an API as a network would: a host with roles, service accounts and filters serves it over
// HTTP/1.1 and HTTP/2.
//
// The attackers use tricks in paths, headers and bodies that are too large, connections that read or write slowly,
// resets of HTTP/2 streams, a thousand connections at once, guessed tokens, impersonation, other users' namespaces, and
// the border of a filter. They fill the places of the API while an identity provider or webhooks hang, keep a watch
// after they have lost the right to it, continue on another replica what a filter has restricted, and send requests
// under a host name of their own. After each attack, the tests check three things:
//
//   - The attacker received the expected response, and nothing of another user's secret.
//   - A well-behaved client received correct responses throughout.
//   - When the attack is over, the memory and the goroutines of the process return to what they were.
//
// Random definitions, with names that are parts of paths, columns, patterns and defaults, attack an API of their own.
// DECORUM_ROUNDS sets how long they do ("1m"), and DECORUM_SEED repeats a run.
//
// The package contains only tests. DECORUM_CONNECTIONS sets how many connections the test of connections opens
// ("10000").
package hostile
