package managed

import (
	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// KeptCount returns the managedFields after a write through /scale that sets the count at the path to its present
// value. As upstream, each entry with the operation Update that owns the count passes it to an entry with the same
// identity and no time. A repetition changes nothing. The next write that changes owners makes the two entries one
// again.
func (k *Kind) KeptCount(entries doc.Value, path []string) doc.Value {
	keys, names := make([]string, len(path)), make([]any, len(path))
	for i, name := range path {
		keys[i], names[i] = "f:"+name, name
	}
	count, only := fieldpath.NewSet(fieldpath.MakePathOrDie(names...)), doc.MapOf().WithAt(doc.MapOf(), keys...)
	list := make([]doc.Value, 0, entries.Len()+1)
	for _, e := range entries.Elements() {
		tree := e.Get(memberFieldsV1)
		if !identityOf(e).isUpdate() || e.Get(memberAPIVersion).Text() != k.apiVersion || tree.Lookup(keys...).IsAbsent() {
			list = append(list, e)
			continue
		}
		set, _, err := decodeSet(tree)
		if err != nil {
			return entries
		}
		if rest := set.Difference(count); !rest.Empty() {
			if tree, err = encodeSet(rest, false); err != nil {
				return entries
			}
			list = append(list, e.With(memberFieldsV1, tree))
		}
		list = append(list, e.With(memberFieldsV1, only).Without(memberTime))
	}
	return sorted(list)
}
