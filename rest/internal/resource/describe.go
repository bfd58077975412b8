package resource

import (
	"slices"
	"sort"

	"github.com/decorum-go/decorum/rest/internal/kind"
)

// describe completes the kind's description, from which packages front and openapi make discovery and OpenAPI.
func (res *Resource) describe() {
	k := res.Kind
	k.Stored, k.Schema = res.Stored.GVK, res.Schema
	if !res.Schema.FromOpenAPI() {
		k.GoType = res.GoType.ObjectType()
	}
	k.PatchTypes = res.PatchTypes(nil)
	for _, s := range res.Subresources {
		k.Subresources = append(k.Subresources, s.describe())
	}
	k.Builtin, k.RouteChecks, k.BriefDiscovery = !res.Dialect.RequiredByTag, res.Dialect.MediaRefusedByRoute,
		res.Dialect.BriefDiscovery
	if !k.BriefDiscovery {
		return
	}
	k.Verbs = slices.Sorted(slices.Values(k.Verbs))
	sort.Slice(k.Subresources, func(i, j int) bool { return k.Subresources[i].Name < k.Subresources[j].Name })
	for i := range k.Subresources {
		k.Subresources[i].Verbs = slices.Sorted(slices.Values(k.Subresources[i].Verbs))
	}
}

// describe returns the description of a subresource.
func (s *Subresource) describe() kind.Subresource {
	out := kind.Subresource{GroupVersionKind: s.Kind, Name: s.Name, Verbs: s.Verbs, OfObject: s.OfItself, Schema: s.Schema,
		History: s.History, Undo: s.Undo, Stream: s.Stream}
	if !s.KindImplied { // the host has declared it
		out.GoType = s.GoType
	}
	return out
}

// PatchTypes returns the media types that a PATCH of the object accepts or, if sub is not nil, a PATCH of the
// subresource. The view of a subresource with its own kind has no managedFields. So a client can apply through it only
// if the view maps a field of the object, as /scale does.
func (res *Resource) PatchTypes(sub *Subresource) []string {
	types := []string{kind.JSONPatch, kind.MergePatch}
	if res.Dialect.StrategicMerge {
		types = append(types, kind.StrategicPatch)
	}
	if res.Managed != nil && (sub == nil || sub.OfItself || sub.Applied != nil) {
		types = append(types, kind.ApplyPatch)
	}
	return types
}
