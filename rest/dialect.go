package rest

import "github.com/decorum-go/decorum/rest/internal/upstream"

// Dialect is one of the two ways in which Kubernetes' own servers answer: one for the kinds that are built into them,
// one for custom resources. Clients know both, and the recorded transcripts contain both. docs/protocol.md lists the
// differences. All versions of a kind have one dialect.
type Dialect int

const (
	// DialectCustom is the dialect of custom resources, for kinds that a host declares with structs of its own. It is the
	// default.
	DialectCustom Dialect = iota
	// DialectBuiltin is the dialect of the kinds that are built into Kubernetes, for structs of k8s.io/api.
	DialectBuiltin
)

// rules returns the choices of the dialect, one for each difference.
func (d Dialect) rules() upstream.Dialect {
	if d == DialectBuiltin {
		return upstream.Builtin
	}
	return upstream.Custom
}
