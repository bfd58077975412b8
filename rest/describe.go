package rest

import (
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/kind"
)

// describe makes the description from which discovery, OpenAPI and inspection are made. stored is the version in which the
// objects are stored.
func (res *resource) describe(stored *resource) *kind.Kind {
	k := &kind.Kind{
		GroupVersionKind: res.gvk, Stored: stored.gvk, Plural: res.gr.Resource, Singular: res.singular, ListKind: res.listKind,
		ShortNames: slices.Clone(res.shortNames), Categories: res.categories, Description: res.description,
		Namespaced: res.namespaced, Virtual: res.virtual, Builtin: !res.dialect.RequiredByTag, RouteChecks: res.dialect.MediaRefusedByRoute, BriefDiscovery: res.dialect.BriefDiscovery,
		Verbs: res.inDiscoveryOrder(res.verbs), PatchTypes: res.patchTypes(), SelectableFields: res.fields,
		Schema: res.schema, GoType: res.goType.objectType(),
	}
	for _, s := range res.subresources {
		k.Subresources = append(k.Subresources, res.describeSubresource(s))
	}
	if res.dialect.BriefDiscovery {
		slices.SortFunc(k.Subresources, func(a, b kind.Subresource) int { return strings.Compare(a.Name, b.Name) })
	}
	return k
}

func (res *resource) describeSubresource(s *subresource) kind.Subresource {
	out := kind.Subresource{GroupVersionKind: s.kind, Name: s.name, Verbs: res.inDiscoveryOrder(s.verbs), OfObject: s.ofItself, Schema: s.schema}
	if !s.kindImplied { // the host has declared it
		out.GoType = s.goType
	}
	if s.bytes != nil {
		out.Stream = &kind.Stream{Options: s.bytes.options, Media: s.bytes.contentType, Below: s.bytes.way == serveWay}
	}
	return out
}

// inDiscoveryOrder returns the names of verbs as discovery lists them.
func (res *resource) inDiscoveryOrder(verbs []Verb) []string {
	out := make([]string, len(verbs))
	for i, v := range verbs {
		out[i] = string(v)
	}
	if res.dialect.BriefDiscovery {
		slices.Sort(out)
	}
	return out
}

func (t *typed[T]) objectType() reflect.Type { return reflect.TypeFor[T]() }
