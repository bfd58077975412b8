package managed

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Merge returns live with a configuration merged into it like an applied one, but without owners: it removes nothing.
// The configuration must not contain atomic lists, maps or structs, because it would replace them as a whole. The
// errors are in the words of API servers.
func (k *Kind) Merge(live, config doc.Value) (doc.Value, error) {
	patch, err := k.typeValue(config)
	if err != nil {
		return doc.Value{}, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if atomic := atomics(nil, patch.Schema(), patch.TypeRef(), patch.AsValue()); len(atomic) > 0 {
		return doc.Value{}, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %s",
			strings.Join(atomic, ", "))
	}
	before, err := k.of(live)
	if err != nil {
		return doc.Value{}, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	after, err := before.Merge(patch)
	if err != nil {
		return doc.Value{}, fmt.Errorf("failed to merge patch: %w", err)
	}
	return documentOf(after), nil
}

// atomics returns the paths of the atomic values in v.
func atomics(path fieldpath.Path, s *schema.Schema, t schema.TypeRef, v value.Value) (paths []string) {
	atom, ok := s.Resolve(t)
	switch {
	case !ok:
	case v.IsMap() && atom.Map != nil:
		if atom.Map.ElementRelationship == schema.Atomic {
			paths = append(paths, path.String())
		}
		v.AsMap().Iterate(func(key string, member value.Value) bool {
			if field, ok := atom.Map.FindField(key); ok {
				paths = append(paths, atomics(append(path[:len(path):len(path)], fieldpath.PathElement{FieldName: &key}), s,
					field.Type, member)...)
			}
			return true
		})
	case v.IsList() && atom.List != nil:
		if atom.List.ElementRelationship == schema.Atomic {
			paths = append(paths, path.String())
		}
		list := v.AsList()
		for i := range list.Length() {
			paths = append(paths, atomics(append(path[:len(path):len(path)], fieldpath.PathElement{Index: &i}), s,
				atom.List.ElementType, list.At(i))...)
		}
	}
	return paths
}
