// Package stream carries bytes between a client and a host: the output of a log, the terminal of a command, connections
// to ports, a request that the host proxies.
//
// It knows the request but no object. Package front finds the object, reads the parameters, binds the host's function to
// both, and hands over a [Call] with that function, which turns its own panics into errors.
//
//	Output   a body, or messages of a WebSocket; begins when the host first writes
//	Session  a WebSocket with channels for stdin, stdout, stderr, the outcome and the size of the terminal
//	Forward  a WebSocket with two channels for each port
//	Proxy    the request itself, for the path below the subresource
//
// It also has the two outputs of a watch, which package delivery paces: [Body] and [EventSocket].
//
// Everything that becomes a WebSocket, watches included, does so through [Upgrade], and every other stream begins with
// [Control]. [MoveBearer] finds the token that a browser hides among the subprotocols.
package stream
