package gotype

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Field is one member of an object as encoding/json sees it: a field of the struct, or of a struct embedded in it.
type Field struct {
	Name                string // the name in JSON
	Go                  reflect.StructField
	Owner               reflect.Type // the struct that declares the field
	Index               []int        // the index path, for reflect.Value.FieldByIndex
	BehindPointer       bool         // the path contains an embedded pointer, so the field may not exist
	OmitEmpty, OmitZero bool

	depth  int
	tagged bool // the name comes from the tag
}

// embedded is a struct whose fields count as fields of the struct around it.
type embedded struct {
	typ           reflect.Type
	index         []int
	depth         int
	behindPointer bool
}

// below returns the index path of one of its fields.
func (e embedded) below(f reflect.StructField) []int {
	return append(slices.Clip(e.index), f.Index...)
}

// Fields returns the members that encoding/json gives a struct, sorted by name. Fields of embedded structs count. Of
// several fields with one name, encoding/json takes the one at the least depth, then the one named by its tag,
// otherwise none.
func Fields(t reflect.Type) ([]Field, error) {
	var all []Field
	next := []embedded{{typ: t}}
	visited := map[reflect.Type]bool{}
	for len(next) > 0 {
		level := next
		next = nil
		count := map[reflect.Type]int{}
		for _, e := range level {
			count[e.typ]++
		}
		for _, e := range level {
			if visited[e.typ] {
				continue
			}
			visited[e.typ] = true
			for i := range e.typ.NumField() {
				f := e.typ.Field(i)
				j, inner, err := readField(e, f)
				switch {
				case err != nil:
					return nil, fmt.Errorf("%s.%s: %w", e.typ, f.Name, err)
				case inner != nil:
					next = append(next, *inner)
				case j != nil:
					all = append(all, *j)
					if count[e.typ] > 1 { // embedded twice at one depth: its fields hide each other
						all = append(all, *j)
					}
				}
			}
		}
	}
	return dominant(all), nil
}

// readField classifies one field of a struct: a member, an embedded struct, or neither.
func readField(e embedded, f reflect.StructField) (*Field, *embedded, error) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return nil, nil, nil
	}
	inner := f.Type
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	if !f.IsExported() && (!f.Anonymous || inner.Kind() != reflect.Struct) {
		return nil, nil, nil
	}
	name, options, _ := strings.Cut(tag, ",")
	if name != "" && !isName(name) {
		return nil, nil, fmt.Errorf("encoding/json does not accept the name %q", name)
	}
	j := &Field{
		Name: name, Go: f, Owner: e.typ, Index: e.below(f), BehindPointer: e.behindPointer,
		depth: e.depth, tagged: name != "",
	}
	inline := false
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			j.OmitEmpty = true
		case "omitzero":
			j.OmitZero = true
		case "inline":
			inline = true
		case "string":
			return nil, nil, fmt.Errorf("the json option string is not supported, because the API conventions do not quote " +
				"numbers")
		}
	}
	if f.Anonymous && name == "" && inner.Kind() == reflect.Struct {
		if !f.IsExported() && f.Type.Kind() == reflect.Pointer {
			return nil, nil, fmt.Errorf("encoding/json cannot set fields behind an embedded pointer to an unexported struct")
		}
		return nil, &embedded{typ: inner, index: e.below(f), depth: e.depth + 1,
			behindPointer: e.behindPointer || f.Type.Kind() == reflect.Pointer}, nil
	}
	if !f.IsExported() {
		return nil, nil, fmt.Errorf("an unexported embedded struct cannot have a json name")
	}
	if inline {
		return nil, nil, fmt.Errorf("the json option inline needs an embedded struct without a json name")
	}
	if j.Name == "" {
		j.Name = f.Name
	}
	return j, nil, nil
}

// dominant keeps, of the fields with one name, the one that encoding/json takes, if any.
func dominant(all []Field) []Field {
	rank := func(f Field) int {
		if f.tagged {
			return 2 * f.depth
		}
		return 2*f.depth + 1
	}
	sort.SliceStable(all, func(i, j int) bool {
		return cmp.Or(strings.Compare(all[i].Name, all[j].Name), cmp.Compare(rank(all[i]), rank(all[j]))) < 0
	})
	kept := all[:0]
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].Name == all[i].Name {
			end++
		}
		if end == i+1 || rank(all[i]) < rank(all[i+1]) {
			kept = append(kept, all[i])
		}
		i = end
	}
	return kept
}

// isName reports whether encoding/json accepts a name from a tag.
func isName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}
