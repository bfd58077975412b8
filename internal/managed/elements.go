package managed

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// elementOf returns the list element as an element of a path, or false if nothing identifies it.
func elementOf(s *schema.Schema, how relationship, element doc.Value) (fieldpath.PathElement, bool) {
	if how == byValue {
		v := valueOf(element)
		return fieldpath.PathElement{Value: &v}, isScalar(element)
	}
	if element.Kind() != doc.Map {
		return fieldpath.PathElement{}, false
	}
	fields := keyFields(s, element)
	return fieldpath.PathElement{Key: &fields}, len(fields) > 0
}

func isScalar(v doc.Value) bool {
	return v.Kind() == doc.String || v.Kind() == doc.Number || v.Kind() == doc.Bool
}

// keyFields returns the keys that identify a list element.
func keyFields(s *schema.Schema, element doc.Value) value.FieldList {
	var fields value.FieldList
	for _, key := range s.ListMapKeys {
		if v := keyOf(s, element, key); !v.IsAbsent() {
			fields = append(fields, value.Field{Name: key, Value: valueOf(v)})
		}
	}
	fields.Sort()
	return fields
}

// keyOf returns a key of a list element. If the element lacks the key, its default counts.
func keyOf(s *schema.Schema, element doc.Value, key string) doc.Value {
	if v := element.Get(key); !v.IsAbsent() {
		return v
	}
	if p := s.Items.Property(key); p != nil {
		return absentKey(p)
	}
	return doc.Value{}
}

// elementKey returns the name of a list element in a fieldsV1.
func elementKey(s *schema.Schema, how relationship, element doc.Value) (string, bool) {
	if text, ok := plainName(s, how, element); ok && isPlainASCII(text) {
		if how == byValue {
			return `v:"` + text + `"`, true
		}
		return `k:{"` + s.ListMapKeys[0] + `":"` + text + `"}`, true
	}
	path, ok := elementOf(s, how, element)
	if !ok {
		return "", false
	}
	key, err := fieldpath.SerializePathElement(path)
	return key, err == nil
}

// plainName returns the text that identifies a list element if it is a single text, which is the usual case.
func plainName(s *schema.Schema, how relationship, element doc.Value) (string, bool) {
	if how == byKey {
		if len(s.ListMapKeys) != 1 {
			return "", false
		}
		element = keyOf(s, element, s.ListMapKeys[0])
	}
	return element.Text(), element.Kind() == doc.String
}

// isPlainASCII reports whether JSON writes a string between quotes without escapes.
func isPlainASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) })
}

// namesOf returns a name for each element of a list. Elements of two lists with one schema are the same element if
// their names are equal. It gives up, and returns false, if elements repeat or have no name.
func namesOf(s *schema.Schema, how relationship, list doc.Value) ([]string, bool) {
	names := make([]string, list.Len())
	for i := range names {
		name, ok := plainName(s, how, list.At(i))
		if !ok || strings.HasPrefix(name, "k:") || strings.HasPrefix(name, "v:") { // as only an elementKey begins
			if name, ok = elementKey(s, how, list.At(i)); !ok {
				return nil, false
			}
		}
		names[i] = name
	}
	return names, !repeats(names)
}

// fewElements is the length up to which a search scans a list.
const fewElements = 16

func repeats(names []string) bool {
	if len(names) <= fewElements {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return true
			}
		}
		return false
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// positions finds elements by their names.
type positions struct {
	names []string
	index map[string]int // only long lists have an index
}

func positionsOf(names []string) positions {
	p := positions{names: names}
	if len(names) > fewElements {
		p.index = make(map[string]int, len(names))
		for i, name := range names {
			p.index[name] = i
		}
	}
	return p
}

// of returns the position of a name, or -1. hint is its most likely position.
func (p positions) of(name string, hint int) int {
	if hint < len(p.names) && p.names[hint] == name {
		return hint
	}
	if p.index == nil {
		return slices.Index(p.names, name)
	}
	if i, ok := p.index[name]; ok {
		return i
	}
	return -1
}
