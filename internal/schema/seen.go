package schema

import (
	"slices"
	"strings"
)

// Seen returns the schema of an object as rules see it. Rules see apiVersion, kind, metadata.name and
// metadata.generateName of a whole object and of an embedded resource. If the schema declares these four as texts,
// rules see the metadata as declared, else no further metadata. Seen returns s for other values, and for Go types.
func (s *Schema) Seen() *Schema {
	if s.open != nil && s.open.seen != nil {
		return s.open.seen
	}
	return s
}

// longestName is the length of a name, in characters, from which API servers estimate the costs of rules.
const longestName = 253

// see sets what [Schema.Seen] returns for an object. The object must not have its head yet.
func (s *Schema) see() {
	object := Object{}
	if s.Object != nil {
		object = *s.Object
		object.Properties = slices.Clone(object.Properties)
	}
	var metadata Schema
	declared := object.Property("metadata")
	if object.declaresNames() {
		metadata = *declared.Schema
	} else {
		metadata = seenNames(declared)
		for _, name := range []string{"apiVersion", "kind"} {
			object.put(name, seenText(object.Property(name), 0))
		}
	}
	// The other metadata of an embedded resource exists, although rules cannot name it.
	metadata.PreserveUnknown = s.IsEmbedded()
	object.put("metadata", &metadata)
	seen, open := *s, openRules{}
	if s.open != nil {
		open = *s.open
	}
	object.prepare(&open)
	seen.Object, seen.open = &object, &open
	s.more().seen = &seen
}

// declaresNames reports whether the schema of an object declares all that rules see of every object.
func (o *Object) declaresNames() bool {
	metadata := o.Property("metadata")
	return o.declaresText("apiVersion") && o.declaresText("kind") && metadata != nil &&
		metadata.Schema.Type == ObjectType && metadata.Schema.Object != nil &&
		metadata.Schema.Object.declaresText("name") && metadata.Schema.Object.declaresText("generateName")
}

func (o *Object) declaresText(name string) bool {
	p := o.Property(name)
	return p != nil && p.Schema.Type == StringType
}

// seenNames returns the schema of metadata with the names only.
func seenNames(declared *Property) Schema {
	names := &Object{}
	metadata := Schema{Type: ObjectType, Object: names, fromOpenAPI: true}
	var inside *Schema
	if declared != nil {
		inside, metadata.constraints = declared.Schema, declared.rulesAlone()
	}
	names.put("generateName", seenText(inside.Property("generateName"), longestName-1)) // a suffix follows
	names.put("name", seenText(inside.Property("name"), longestName))
	names.prepare(nil)
	return metadata
}

// seenText returns the schema of a text with the rules of a property, which may be nil. A most of 0 means no bound.
func seenText(declared *Property, most int64) *Schema {
	text := &Schema{Type: StringType, fromOpenAPI: true}
	if declared != nil {
		text.constraints = declared.rulesAlone()
		if shorter := declared.Schema.Constraints().MaxLength; shorter != nil {
			most = min(most, *shorter)
		}
	}
	if most > 0 {
		text.constrain().MaxLength = &most
	}
	return text
}

// rulesAlone returns the constraints of a property that are rules, or nil.
func (p *Property) rulesAlone() *Constraints {
	if rules := p.Schema.Constraints().Rules; len(rules) > 0 {
		return &Constraints{Rules: rules}
	}
	return nil
}

// put sets the schema of a property.
func (o *Object) put(name string, s *Schema) {
	i, found := slices.BinarySearchFunc(o.Properties, name,
		func(p Property, name string) int { return strings.Compare(p.Name, name) })
	if !found {
		o.Properties = slices.Insert(o.Properties, i, Property{Name: name, OmitEmpty: true})
	}
	o.Properties[i].Schema = s
}
