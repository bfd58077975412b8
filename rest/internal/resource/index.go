package resource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
)

// index describes by which values the store finds objects.
type index struct {
	fields        []string // the selectable fields, as the host wrote them
	indexedLabels []string
	extract       storage.Extractor
}

// Each selectable field and each indexed label costs an index that every write updates.
const maxSelectableFields, maxIndexedLabels = 16, 8

// checkSelectable checks the selectable fields and builds the function that extracts their values.
func (res *Resource) checkSelectable() error {
	if len(res.fields) > maxSelectableFields {
		return fmt.Errorf("SelectableFields: %d fields, at most %d are allowed", len(res.fields), maxSelectableFields)
	}
	var paths [][]string
	absent := make([]string, len(res.fields))
	for i, field := range res.fields {
		if slices.Contains(res.fields[:i], field) {
			return fmt.Errorf("SelectableFields: duplicate field %q", field)
		}
		s := res.Schema
		path := strings.Split(field, ".")
		for _, name := range path {
			if s = s.Member(name); s == nil {
				return fmt.Errorf("SelectableFields: %q: unknown field", field)
			}
		}
		// Lists and maps have no single value to index. Metadata has its own selectors.
		if path[0] == "metadata" || !slices.Contains([]string{"string", "boolean", "integer"}, s.Type) {
			return fmt.Errorf("SelectableFields: %q: must be a string, boolean or integer outside of metadata", field)
		}
		if res.Dialect.ZeroSelectable {
			absent[i] = map[string]string{"boolean": "false", "integer": "0"}[s.Type]
		}
		paths = append(paths, path)
	}
	res.extract = extractor(paths, absent)
	return nil
}

// extractor returns a function that finds the values at the paths. If an object lacks a field, its value is the one in absent.
func extractor(paths [][]string, absent []string) storage.Extractor {
	extract := storage.NewExtractor(paths...)
	if strings.Join(absent, "") == "" {
		return extract
	}
	return func(json []byte) (storage.Parts, error) {
		parts, err := extract(json)
		for i, value := range parts.Fields {
			if value == "" {
				parts.Fields[i] = absent[i]
			}
		}
		return parts, err
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
