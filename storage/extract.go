package storage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage/internal/intern"
)

// ExtractMetadata is the [Extractor] for a resource without selectable fields. A resource with many objects should use
// [NewExtractor] instead, because its extractor lets objects share equal strings.
func ExtractMetadata(json []byte) (Extracted, error) {
	return extract(json, nil, 0, nil)
}

// NewExtractor returns an extractor that finds the metadata and the values at the given paths, which it stores in
// Extracted.Fields. A path is a list of member names such as {"spec", "nodeName"}. A string value is stored as it is, a
// number or boolean as it is written, and everything else, including a missing value, as "".
//
// The extractor accepts JSON as this module's encoder writes it, with the members in any order. It returns [ErrJSON] if
// the structure is broken. It does not validate values that it skips.
func NewExtractor(fields ...[]string) Extractor {
	var root *field
	for i, path := range fields {
		root = root.with(path, i)
	}
	in := intern.New()
	return func(json []byte) (Extracted, error) {
		return extract(json, root, len(fields), in)
	}
}

// field is a node in the tree of paths to the selectable fields. Nil means that the tree has no selectable field there.
type field struct {
	name   string
	below  []*field
	wanted []int // indexes into Extracted.Fields
}

// with adds a path. Lookups are linear, because the tree is small.
func (f *field) with(path []string, index int) *field {
	if f == nil {
		f = &field{}
	}
	if len(path) == 0 {
		f.wanted = append(f.wanted, index)
		return f
	}
	for _, child := range f.below {
		if child.name == path[0] {
			child.with(path[1:], index)
			return f
		}
	}
	f.below = append(f.below, (&field{name: strings.Clone(path[0])}).with(path[1:], index))
	return f
}

func (f *field) child(name []byte) *field {
	if f != nil {
		for _, child := range f.below {
			if child.name == string(name) {
				return child
			}
		}
	}
	return nil
}

// extraction is one run over one object.
type extraction struct {
	scanner
	in    *intern.Table
	parts Extracted
}

func extract(json []byte, fields *field, count int, in *intern.Table) (Extracted, error) {
	e := extraction{scanner: scanner{data: json}, in: in}
	if count > 0 {
		e.parts.Fields = make([]string, count)
	}
	for e.begin('{'); e.more('}'); {
		name := e.key()
		if string(name) == "metadata" {
			e.metadata(fields.child(name))
		} else {
			e.field(fields.child(name))
		}
	}
	e.end()
	if e.failed {
		return Extracted{}, fmt.Errorf("%w: the JSON is damaged at or before byte %d", ErrJSON, e.pos)
	}
	e.parts.Fields = in.Fields(e.parts.Fields)
	return e.parts, nil
}

// field skips a value, records it if a selectable field lies there, and returns its text.
func (e *extraction) field(f *field) []byte {
	e.peek()
	if f == nil {
		return e.value()
	}
	start := e.pos
	if len(f.below) > 0 && e.peek() == '{' {
		for e.begin('{'); e.more('}'); {
			e.field(f.child(e.key()))
		}
	} else {
		e.value()
	}
	if e.failed {
		return nil
	}
	text := e.data[start:e.pos]
	for _, i := range f.wanted {
		e.parts.Fields[i] = e.scalar(text)
	}
	return text
}

// scalar returns the value of a selectable field.
func (e *extraction) scalar(text []byte) string {
	switch text[0] {
	case '"':
		return e.in.String(e.text(text))
	case '{', '[', 'n':
		return ""
	default:
		return e.in.String(text)
	}
}

// metadata reads the metadata object. A member that is null counts as absent.
func (e *extraction) metadata(fields *field) {
	e.peek()
	start := e.pos
	previous := start // the end of the previous member
	for e.begin('{'); e.more('}'); previous = e.pos {
		e.peek()
		begin := e.pos
		name := e.key()
		f := fields.child(name)
		e.peek()
		at := e.pos
		text := e.field(f)
		if e.failed {
			return
		}
		if text[0] == 'n' { // null
			continue
		}
		switch string(name) {
		case "uid":
			e.parts.UID = string(e.text(text))
		case "labels":
			e.parts.Labels = e.in.Labels(text,
				func(known apimeta.Labels) bool { return isTextOf(text, known) },
				func() apimeta.Labels { return e.labels(text) })
		case "ownerReferences":
			e.owners(text)
		case "managedFields":
			e.parts.ManagedFields = e.member(start, previous, begin)
		case "deletionTimestamp":
			e.parts.Deleting = true
		case "resourceVersion":
			e.text(text)
			e.parts.Version = Span{uint32(at + 1), uint32(e.pos - 1)}
		}
	}
	e.parts.Metadata = Span{uint32(start), uint32(e.pos)}
}

// member returns the span of the member that was just read. The span includes the comma before the member or, for the
// first member, the comma after it. The member begins at begin, the object at start. previous is the end of the
// previous member.
func (e *extraction) member(start, previous, begin int) Span {
	if previous > start {
		return Span{uint32(previous), uint32(e.pos)}
	}
	end := e.pos
	if e.peek() == ',' {
		end = e.pos + 1
	}
	return Span{uint32(begin), uint32(end)}
}

func (e *extraction) labels(text []byte) (labels apimeta.Labels) {
	s := scanner{data: text}
	sorted := true
	for s.begin('{'); s.more('}'); {
		if labels == nil {
			labels = make(apimeta.Labels, 0, labelCount(text))
		}
		key := e.in.String(s.key())
		value := e.in.String(s.text(s.value()))
		sorted = sorted && (len(labels) == 0 || labels[len(labels)-1].Key < key)
		labels = append(labels, apimeta.Label{Key: key, Value: value})
	}
	if !sorted {
		slices.SortFunc(labels, func(a, b apimeta.Label) int { return strings.Compare(a.Key, b.Key) })
	}
	e.failed = e.failed || s.failed
	return labels
}

// isTextOf reports whether a text contains just these labels, in their order.
func isTextOf(text []byte, labels apimeta.Labels) bool {
	s := scanner{data: text}
	n := 0
	for s.begin('{'); s.more('}'); n++ {
		key, value := s.key(), s.text(s.value())
		if n == len(labels) || string(key) != labels[n].Key || string(value) != labels[n].Value {
			return false
		}
	}
	return !s.failed && n == len(labels)
}

// labelCount estimates the number of labels from the quotes. It is exact unless a label contains an escaped quote.
func labelCount(text []byte) int {
	quotes := 0
	for _, c := range text {
		if c == '"' {
			quotes++
		}
	}
	return max(1, quotes/4)
}

func (e *extraction) owners(text []byte) {
	s := scanner{data: text}
	for s.begin('['); s.more(']'); {
		for s.begin('{'); s.more('}'); {
			name := s.key()
			value := s.value()
			if string(name) == "uid" {
				e.parts.Owners = append(e.parts.Owners, e.in.String(s.text(value)))
			}
		}
	}
	e.failed = e.failed || s.failed
}
