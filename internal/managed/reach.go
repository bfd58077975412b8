package managed

import (
	"slices"
	"sort"
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
	member  bool // the difference names the field itself, and not only fields below it
	below   reach
}

func reachOf(set *fieldpath.Set) (reach, error) {
	r := make(reach, 0, set.Members.Size())
	add := func(element fieldpath.PathElement, member bool, below reach) error {
		if element.FieldName != nil {
			r = append(r, reached{"f:" + *element.FieldName, element, member, below})
			return nil
		}
		key, err := fieldpath.SerializePathElement(element)
		r = append(r, reached{key, element, member, below})
		return err
	}
	for element := range set.Members.All() {
		if _, ok := set.Children.Get(element); ok {
			continue
		}
		if err := add(element, true, nil); err != nil {
			return nil, err
		}
	}
	for element := range set.Children.All() {
		children, _ := set.Children.Get(element)
		below, err := reachOf(children)
		if err != nil {
			return nil, err
		}
		if err := add(element, set.Members.Has(element), below); err != nil {
			return nil, err
		}
	}
	if !slices.IsSortedFunc(r, func(a, b reached) int { return strings.Compare(a.key, b.key) }) {
		sort.Slice(r, func(i, j int) bool { return r[i].key < r[j].key })
	}
	return r, nil
}

// in returns the part of the reach that a fieldsV1 has. Its cost is that of the smaller of the two.
func (r reach) in(tree doc.Value) reach {
	var near reach
	if tree.Len() < len(r) {
		for key, v := range tree.Members() {
			if i, ok := slices.BinarySearchFunc(r, key,
				func(n reached, key string) int { return strings.Compare(n.key, key) }); ok {
				near = append(near, reached{key, r[i].element, r[i].member, r[i].below.in(v)})
			}
		}
		return near
	}
	for _, n := range r {
		if v := tree.Get(n.key); !v.IsAbsent() {
			near = append(near, reached{n.key, n.element, n.member, n.below.in(v)})
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

// without returns a fieldsV1 without the fields of the difference, or the fieldsV1 itself if it has none of them. r is
// the part of the reach that the fieldsV1 has, see [reach.in].
func (r reach) without(tree doc.Value) doc.Value {
	changes := make([]doc.Member, len(r))
	for i, n := range r {
		v := tree.Get(n.key)
		stays := isMember(v) && !n.member
		changes[i] = doc.Member{Key: n.key, Value: fieldOf(n.below.without(v), stays)}
	}
	return tree.WithAll(changes)
}

// write returns the fieldsV1 with the fields within reach replaced by a set.
func (r reach) write(tree doc.Value, set *fieldpath.Set) doc.Value {
	changes := make([]doc.Member, len(r))
	for i, n := range r {
		v := tree.Get(n.key)
		if n.below != nil {
			v = n.below.write(v, set.WithPrefix(n.element))
		}
		changes[i] = doc.Member{Key: n.key, Value: fieldOf(v, set.Members.Has(n.element))}
	}
	return tree.WithAll(changes)
}

// fieldOf returns the value of a field in a fieldsV1 that has these fields below it: as a member, or only as the path
// to them. It is absent if the field is neither.
func fieldOf(below doc.Value, member bool) doc.Value {
	switch leaf := below.Len() == 0 || below.Len() == 1 && below.Has("."); {
	case leaf && member:
		return doc.MapOf()
	case leaf:
		return doc.Value{}
	case member:
		return below.With(".", doc.MapOf())
	}
	return below.Without(".")
}
