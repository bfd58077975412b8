// Package crdbench measures what CustomResourceDefinitions cost: how soon a kind answers after its definition arrives,
// how long a program takes to open the definitions of an earlier run, and how much memory a kind takes that no client
// uses.
//
//	cd internal/test/crdbench && go test -run '^$' -bench . .
//
// Command beside measures what hostile definitions, or hostile webhooks, cost the clients of other kinds:
//
//	cd internal/test/crdbench && go run ./cmd/beside
//	cd internal/test/crdbench && go run ./cmd/beside -attack webhooks
//
// It is a module of its own, because it needs module cel and the core.
package crdbench
