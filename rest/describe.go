package rest

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/kind"
)

// describe completes the description from which discovery, OpenAPI and inspection are made.
func (res *resource) describe() {
	k := res.kind
	k.Stored, k.Schema, k.GoType = res.stored.gvk, res.schema, res.goType.objectType()
	k.PatchTypes = res.patchTypes()
	for _, s := range res.subresources {
		k.Subresources = append(k.Subresources, s.describe())
	}
	k.Builtin, k.RouteChecks, k.BriefDiscovery = !res.dialect.RequiredByTag, res.dialect.MediaRefusedByRoute, res.dialect.BriefDiscovery
	if !k.BriefDiscovery {
		return
	}
	k.Verbs = slices.Sorted(slices.Values(k.Verbs))
	slices.SortFunc(k.Subresources, func(a, b kind.Subresource) int { return strings.Compare(a.Name, b.Name) })
	for i := range k.Subresources {
		k.Subresources[i].Verbs = slices.Sorted(slices.Values(k.Subresources[i].Verbs))
	}
}

func (s *subresource) describe() kind.Subresource {
	out := kind.Subresource{GroupVersionKind: s.kind, Name: s.name, Verbs: s.verbs, OfObject: s.ofItself, Schema: s.schema, Stream: s.stream}
	if !s.kindImplied { // the host has declared it
		out.GoType = s.goType
	}
	return out
}
