// Package requestlog writes one line of log/slog for each request: who asked for what, which answer it got, and how
// long it took.
//
//	lines := requestlog.New(requestlog.Options{Slow: time.Second})
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{lines}}, definitions...)
//
// At every level, a line omits bodies, queries and credentials. It has what the path names, such as the name of an
// object. What a client chooses is escaped and cut, so that it cannot forge a line or fill the disk.
//
// The Logger of rest.Options gets the causes of errors, and panics with their stacks. A line here has the same auditID,
// and does not repeat them. docs/operations.md lists the lines and their attributes.
package requestlog
