package docpatch

import (
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// The patch strategies of fields. The strategy retainKeys, alone or beside one of the others, is for clients: it makes
// them send $retainKeys.
const (
	strategyMerge   = "merge"
	strategyReplace = "replace"
	strategyRetain  = "retainKeys"
)

// field is what the schema says about how to patch a field.
type field struct {
	schema   *schema.Schema // the schema of the field, or of the elements of a list
	strategy string
	key      string // the merge key of a list
}

// fieldOf looks up a field whose value is to be merged. As upstream, it knows the fields of structs only: a map below a
// map without declared fields can be replaced, but not merged.
func fieldOf(s *schema.Schema, name string) (field, error) {
	if s.Object == nil {
		return field{}, notAStruct(s)
	}
	p := s.Property(name)
	if p == nil {
		return field{}, noSuchField(s, name)
	}
	strategy, err := strategyOf(p.Schema.PatchStrategy)
	return field{schema: p.Schema, strategy: strategy, key: p.Schema.PatchMergeKey}, err
}

// listFieldOf looks up a field whose lists are to be merged. Its schema is that of the elements.
func listFieldOf(s *schema.Schema, name string) (field, error) {
	f, err := fieldOf(s, name)
	switch {
	case err != nil:
		return field{}, err
	case f.schema.Items == nil:
		return field{}, notAList()
	case f.schema.Items.Type == schema.ArrayType:
		return field{}, unmergeable("unexpected slice of slice")
	}
	f.schema = f.schema.Items
	return f, nil
}

// strategyOf reads the tag patchStrategy.
func strategyOf(tag string) (string, error) {
	first, second, two := strings.Cut(tag, ",")
	switch {
	case !two:
		return first, nil
	case first == strategyRetain && !strings.Contains(second, ","):
		return second, nil
	case second == strategyRetain:
		return first, nil
	}
	return "", unmergeable("unexpected patch strategy: %v", strings.Split(tag, ","))
}
