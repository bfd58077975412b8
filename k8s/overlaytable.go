package k8s

import (
	_ "embed"
	"hash/fnv"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// overlaysText is what overlayOf finds out about the kinds of Kubernetes, because the schema of client-go takes long to
// parse. A line at the margin names a struct type and its form. A line below it has a member of the type, or nothing
// for the type itself, and an api tag.
//
//go:embed overlays.txt
var overlaysText string

// tabledType is a struct type of the table.
type tabledType struct {
	form string
	tags [][2]string // a member of the type, or "", and an api tag
}

// overlayTable is the table by the names of the types.
var overlayTable = sync.OnceValue(func() map[string]*tabledType {
	table := map[string]*tabledType{}
	var t *tabledType
	readTable(overlaysText, func(name, form string) {
		t = &tabledType{form: form}
		table[name] = t
	}, func(member, tag string) { t.tags = append(t.tags, [2]string{member, tag}) })
	return table
})

// readTable reads a table of types: it calls named for each type, and tagged for each of the lines below it. Both get
// the words of the line.
func readTable(text string, named, tagged func(word, rest string)) {
	for line := range strings.Lines(text) {
		words, isMember := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "\t")
		take := named
		if isMember {
			take = tagged
		}
		word, rest, _ := strings.Cut(words, " ")
		take(word, rest)
	}
}

// tabledOverlay returns the overlay of a kind from the table. ok is false if the table lacks a type of the kind, or has
// it in another form, because the program uses another release of k8s.io/api.
func tabledOverlay(t reflect.Type) (overlay map[string]string, ok bool) {
	overlay, table := map[string]string{}, overlayTable()
	return overlay, eachStruct(t, map[reflect.Type]bool{}, func(t reflect.Type) bool {
		name := typeName(t)
		known := table[name]
		if known == nil || known.form != formOf(t) {
			return false
		}
		for _, tag := range known.tags {
			key := name
			if tag[0] != "" {
				key += "." + tag[0]
			}
			overlay[key] = tag[1]
		}
		return true
	})
}

// eachStruct calls visit with each struct type that t contains, as far as JSON shows its members, until visit returns
// false.
func eachStruct(t reflect.Type, seen map[reflect.Type]bool, visit func(reflect.Type) bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return encodesItself(t) || eachStruct(t.Elem(), seen, visit)
	case reflect.Struct:
		if isMeta(t) || encodesItself(t) {
			return true
		}
		if !visit(t) {
			return false
		}
		for i := range t.NumField() {
			if !eachStruct(t.Field(i).Type, seen, visit) {
				return false
			}
		}
	}
	return true
}

// formOf returns a text that changes with the fields of a struct type.
func formOf(t reflect.Type) string {
	h := fnv.New64a()
	for i := range t.NumField() {
		f := t.Field(i)
		for _, s := range [...]string{f.Name, f.Type.String(), string(f.Tag)} {
			_, _ = io.WriteString(h, s+"\n") // cannot fail
		}
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
