package cel

import (
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/decorum-go/decorum/internal/doc"
)

// dynamicOf returns a document as expressions of admission see it: without a schema, so nulls are members, and names
// need no escaping. An absent value is null.
func dynamicOf(v doc.Value) ref.Val {
	switch v.Kind() {
	case doc.Bool:
		return types.Bool(v.Bool())
	case doc.String:
		return types.String(v.Text())
	case doc.Number:
		if i, ok := v.Int(); ok && !strings.ContainsAny(v.Literal(), ".eE") {
			return types.Int(i)
		}
		f, _ := v.Float()
		return types.Double(f)
	case doc.List:
		return lazyListOf(func() traits.Lister {
			elements := make([]ref.Val, 0, v.Len())
			for _, e := range v.Elements() {
				elements = append(elements, dynamicOf(e))
			}
			return types.NewRefValList(types.DefaultTypeAdapter, elements)
		})
	case doc.Map:
		return lazyMapOf(func() traits.Mapper {
			entries := make(map[ref.Val]ref.Val, v.Len())
			for key, member := range v.Members() {
				entries[types.String(key)] = dynamicOf(member)
			}
			return types.NewRefValMap(types.DefaultTypeAdapter, entries)
		})
	}
	return types.NullValue
}
