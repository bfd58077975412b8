package schema

import "github.com/decorum-go/decorum/internal/doc"

// Prune drops the fields that the schema does not know, and returns the first thousand of them in the form that
// warnings and errors use: spec.foo, spec.containers[0].foo. It returns a document without unknown fields unchanged. It
// keeps values of a wrong type for [Schema.CheckTypes] to reject, but empties a map that stands in the place of another
// type.
func (s *Schema) Prune(v doc.Value) (pruned doc.Value, unknown []string) {
	p := pruner{}
	pruned = p.value(s, v, false, &trail{})
	return pruned, p.unknown
}

type pruner struct {
	unknown []string
	named   int // total bytes of their names
}

// value prunes the value of one place. Under a nil schema, every field is unknown. preserve keeps unknown fields even
// if the schema does not, as in the elements of a list that keeps them.
func (p *pruner) value(s *Schema, v doc.Value, preserve bool, at *trail) doc.Value {
	preserve = preserve || s != nil && s.PreserveUnknown
	isPlain := s == nil || s.Object == nil && s.Additional == nil
	if preserve && isPlain && (s == nil || s.Items == nil) {
		return v
	}
	switch v.Kind() {
	case doc.Map:
		if isPlain {
			if preserve {
				return v
			}
			return p.dropAll(v, at)
		}
		step := trail{up: at, index: member}
		b := s.beside()
		return v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			below := b.schema(key)
			step.key = key
			switch {
			case below != nil:
				return p.value(below, child, false, &step)
			case preserve:
				return child
			}
			p.unknownAt(&step)
			return doc.Value{}
		})
	case doc.List:
		var items *Schema
		if s != nil {
			items = s.Items
		}
		step := trail{up: at}
		return v.Rewrite(func(i int, _ string, child doc.Value) doc.Value {
			step.index = i
			return p.value(items, child, preserve, &step)
		})
	}
	return v
}

// dropAll empties a map in which the schema knows no member, because it expects another type.
func (p *pruner) dropAll(v doc.Value, at *trail) doc.Value {
	step := trail{up: at, index: member}
	for key := range v.Members() {
		step.key = key
		p.unknownAt(&step)
	}
	return doc.MapOf()
}

func (p *pruner) unknownAt(at *trail) {
	if len(p.unknown) < maxUnknown && p.named < maxNamedBytes {
		path := string(at.appendTo(nil))
		p.unknown = append(p.unknown, path)
		p.named += len(path)
	}
}
