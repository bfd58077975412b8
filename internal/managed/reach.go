package managed

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// reach is the part of a fieldsV1 that a difference touches: on each level the members that it names, sorted by key.
// The rest of an entry is neither read nor written.
type reach []reached

type reached struct {
	key     string
	element fieldpath.PathElement
	below   reach
}

func reachOf(set *fieldpath.Set) (reach, error) {
	r := make(reach, 0, set.Members.Size())
	add := func(element fieldpath.PathElement, below reach) error {
		if element.FieldName != nil {
			r = append(r, reached{"f:" + *element.FieldName, element, below})
			return nil
		}
		key, err := fieldpath.SerializePathElement(element)
		r = append(r, reached{key, element, below})
		return err
	}
	for element := range set.Members.All() {
		if _, ok := set.Children.Get(element); ok {
			continue
		}
		if err := add(element, nil); err != nil {
			return nil, err
		}
	}
	for element := range set.Children.All() {
		children, _ := set.Children.Get(element)
		below, err := reachOf(children)
		if err != nil {
			return nil, err
		}
		if err := add(element, below); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r, func(a, b reached) int { return strings.Compare(a.key, b.key) })
	return r, nil
}

// in returns the part of the reach that a fieldsV1 has. Its cost is that of the smaller of the two.
func (r reach) in(tree doc.Value) reach {
	var near reach
	if tree.Len() < len(r) {
		for key, v := range tree.Members() {
			if i, ok := slices.BinarySearchFunc(r, key,
				func(n reached, key string) int { return strings.Compare(n.key, key) }); ok {
				near = append(near, reached{key, r[i].element, r[i].below.in(v)})
			}
		}
		return near
	}
	for _, n := range r {
		if v := tree.Get(n.key); !v.IsAbsent() {
			near = append(near, reached{n.key, n.element, n.below.in(v)})
		}
	}
	return near
}

// read returns the fields of a fieldsV1 that are within reach.
func (r reach) read(tree doc.Value) *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, n := range r {
		v := tree.Get(n.key)
		if v.IsAbsent() {
			continue
		}
		if isMember(v) {
			set.Members.Insert(n.element)
		}
		if n.below == nil {
			continue
		}
		if below := n.below.read(v); !below.Empty() {
			*set.Children.Descend(n.element) = *below
		}
	}
	return set
}

// write returns the fieldsV1 with the fields within reach replaced by a set.
func (r reach) write(tree doc.Value, set *fieldpath.Set) doc.Value {
	changes := make([]doc.Member, len(r))
	for i, n := range r {
		v := tree.Get(n.key)
		if n.below != nil {
			v = n.below.write(v, set.WithPrefix(n.element))
		}
		leaf := v.Len() == 0 || v.Len() == 1 && v.Has(".")
		switch member := set.Members.Has(n.element); {
		case leaf && member:
			v = doc.MapOf()
		case leaf:
			v = doc.Value{}
		case member:
			v = v.With(".", doc.MapOf())
		default:
			v = v.Without(".")
		}
		changes[i] = doc.Member{Key: n.key, Value: v}
	}
	return tree.WithAll(changes)
}
