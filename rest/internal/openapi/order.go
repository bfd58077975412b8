package openapi

import (
	"cmp"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/kind"
)

// sorted returns the kinds in the order in which they are written.
func sorted(kinds []*kind.Kind) []*kind.Kind {
	kinds = slices.Clone(kinds)
	slices.SortFunc(kinds, func(a, b *kind.Kind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Plural, b.Plural))
	})
	return kinds
}
