package rest

import "github.com/decorum-go/decorum/rest/internal/upstream"

// Dialect names one of the two ways in which Kubernetes' own servers answer: one for the kinds that are built into
// them, one for custom resources. Clients know both and the transcripts hold both, so a resource states which of the
// two it speaks. A kind has one dialect.
type Dialect int

const (
	// Custom is the dialect of custom resources and the default: what a host declares with structs of its own.
	Custom Dialect = iota
	// Builtin is the dialect of the kinds that Kubernetes itself brings, for structs of k8s.io/api.
	Builtin
)

// rules are the dialect's choices.
func (d Dialect) rules() upstream.Dialect {
	if d == Builtin {
		return upstream.Builtin
	}
	return upstream.Custom
}
