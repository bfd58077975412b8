package resource

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// index describes by which values the store finds objects.
type index struct {
	fields        []string // the names of the selectable fields
	numeric       []bool   // whether a selectable field is an integer
	indexedLabels []string
	extract       storage.Extractor
}

// indexOf returns the index of a selectable field.
func (i *index) indexOf(field int) watch.Index {
	return watch.Index{Field: field, Numeric: i.numeric[field]}
}

// Each selectable field and each indexed label costs an index that every write updates.
const maxSelectableFields, maxIndexedLabels = 16, 8

// checkSelectable checks the declared selectable fields, names them, and builds the function that extracts their
// values.
func (res *Resource) checkSelectable(declared []string) error {
	if len(declared) > maxSelectableFields {
		return fmt.Errorf("SelectableFields: %d fields, at most %d are allowed", len(declared), maxSelectableFields)
	}
	var found places
	for i, field := range declared {
		name, paths := kind.Selectable(field)
		if slices.Contains(res.fields, name) {
			return fmt.Errorf("SelectableFields: duplicate field %q", name)
		}
		absent, numeric := "", true
		for _, path := range paths {
			s, err := res.selectableAt(path)
			if err != nil {
				return err
			}
			numeric = numeric && s.Type == schema.IntegerType
			if res.Dialect.ZeroSelectable {
				absent = map[string]string{"boolean": "false", "integer": "0"}[s.Type]
			}
			found.paths, found.field = append(found.paths, strings.Split(path, ".")), append(found.field, i)
		}
		if name == "" || strings.HasPrefix(name, "metadata.") {
			return fmt.Errorf("SelectableFields: %q: needs a name outside of metadata", field)
		}
		res.fields, found.absent = append(res.fields, name), append(found.absent, absent)
		res.numeric = append(res.numeric, numeric)
	}
	res.extract = found.extractor()
	return nil
}

// selectableAt returns the schema of a field by which clients may select.
func (res *Resource) selectableAt(field string) (*schema.Schema, error) {
	s, path := res.Schema, strings.Split(field, ".")
	for _, name := range path {
		if s = s.Member(name); s == nil {
			return nil, fmt.Errorf("SelectableFields: %q: unknown field", field)
		}
	}
	// Lists and maps have no single value to index. Metadata has its own selectors.
	if path[0] == "metadata" || !slices.Contains([]string{"string", "boolean", "integer"}, s.Type) {
		return nil, fmt.Errorf("SelectableFields: %q: must be a string, boolean or integer outside of metadata", field)
	}
	return s, nil
}

// places says where the values of the selectable fields stand. The paths of one field follow each other.
type places struct {
	paths  [][]string
	field  []int    // the index of the selectable field of each path
	absent []string // the value of each field for an object that has none
}

// extractor returns a function that finds the value of each selectable field, at the first path that has one.
func (p places) extractor() storage.Extractor {
	extract := storage.NewExtractor(p.paths...)
	if len(p.paths) == len(p.absent) && strings.Join(p.absent, "") == "" {
		return extract
	}
	return func(json []byte) (storage.Extracted, error) {
		parts, err := extract(json)
		if err != nil {
			return parts, err
		}
		fields := make([]string, len(p.absent))
		for i, value := range parts.Fields {
			fields[p.field[i]] = cmp.Or(fields[p.field[i]], value)
		}
		for i, value := range fields {
			fields[i] = cmp.Or(value, p.absent[i])
		}
		parts.Fields = fields
		return parts, nil
	}
}

// checkIndexedLabels checks the indexed labels.
func (res *Resource) checkIndexedLabels() error {
	if len(res.indexedLabels) > maxIndexedLabels {
		return fmt.Errorf("IndexedLabels: %d labels, at most %d are allowed", len(res.indexedLabels), maxIndexedLabels)
	}
	for i, label := range res.indexedLabels {
		if msgs := apimeta.ValidateLabelKey(label); len(msgs) > 0 {
			return fmt.Errorf("IndexedLabels: %q: %s", label, msgs[0])
		}
		if slices.Contains(res.indexedLabels[:i], label) {
			return fmt.Errorf("IndexedLabels: duplicate label %q", label)
		}
	}
	return nil
}
