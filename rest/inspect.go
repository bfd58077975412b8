package rest

import (
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/internal/inspect"
)

// Inspect is the door through which package resttest looks at a definition, to vet it against the API conventions. What
// it returns is internal to this module. The error is the one that New would return.
func Inspect(d Definition) (inspect.Resource, error) {
	res, err := d.resource()
	if err != nil {
		return inspect.Resource{}, err
	}
	out := res.inspect()
	for _, version := range res.versions {
		out.Versions = append(out.Versions, version.inspect())
	}
	return out, nil
}

func (res *resource) inspect() inspect.Resource {
	out := inspect.Resource{
		Group: res.gvk.Group, Version: res.gvk.Version,
		Kind: res.gvk.Kind, ListKind: res.listKind, Plural: res.gr.Resource, Singular: res.singular,
		ShortNames: slices.Clone(res.shortNames),
		Namespaced: res.namespaced, Virtual: res.virtual, Builtin: !res.requiredByTag,
		Object: inspect.Type{Schema: res.schema},
	}
	if t, ok := res.goType.(interface{ objectType() reflect.Type }); ok {
		out.Object.Go = t.objectType()
	}
	if t, ok := res.goType.(interface {
		subresourceTypes() map[string]reflect.Type
	}); ok {
		types := t.subresourceTypes()
		for _, sub := range res.subresources {
			if goType := types[sub.name]; goType != nil {
				out.Subresources = append(out.Subresources, inspect.Subresource{
					Name: sub.name, Kind: sub.kind.Kind, Type: inspect.Type{Go: goType, Schema: sub.schema}})
			}
		}
	}
	return out
}

func (t *typed[T]) objectType() reflect.Type { return reflect.TypeFor[T]() }

// subresourceTypes are the Go types of the host's own subresources, by name.
func (t *typed[T]) subresourceTypes() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, s := range t.Subresources {
		if named, ok := s.(interface{ named() (string, reflect.Type) }); ok {
			name, goType := named.named()
			types[name] = goType
		}
	}
	return types
}

func (s Subresource[T, S]) named() (string, reflect.Type) { return s.Name, reflect.TypeFor[S]() }
