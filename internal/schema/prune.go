package schema

import "github.com/decorum-go/decorum/internal/doc"

// Prune drops the fields that the schema does not know, and names the first thousand of them in the form in which
// warnings and errors do: spec.foo, spec.containers[0].foo. A document without unknown fields is returned as it is.
// Values of a wrong type are left for [Schema.CheckTypes], but no member of a map where there should be none.
func (s *Schema) Prune(v doc.Value) (pruned doc.Value, unknown []string) {
	p := pruner{}
	pruned = p.value(s, v, &trail{})
	return pruned, p.unknown
}

type pruner struct {
	unknown []string
	named   int // bytes of them
}

// value prunes what stands at one place. A schema that is nil knows nothing.
func (p *pruner) value(s *Schema, v doc.Value, at *trail) doc.Value {
	if s != nil && s.PreserveUnknown && s.Object == nil && s.Additional == nil {
		return v
	}
	switch v.Kind() {
	case doc.Map:
		if s == nil || s.Object == nil && s.Additional == nil {
			return p.dropAll(v, at)
		}
		step := trail{up: at, index: member}
		b := s.beside()
		return v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			below := b.schema(key)
			step.key = key
			switch {
			case below != nil:
				return p.value(below, child, &step)
			case s.PreserveUnknown:
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
			return p.value(items, child, &step)
		})
	}
	return v
}

// dropAll empties a map of which the schema knows no member: one in the place of something else.
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
