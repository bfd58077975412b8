package managed

import (
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Names of the types of values without a schema. As in the API server, either the whole value has one owner, or each
// member of its maps has.
const (
	wholeName   = "whole"
	deducedName = "deduced"
	rootName    = "root"
)

// typeOf returns a kind's schema in the form of structured-merge-diff.
func typeOf(s *schema.Schema) typed.ParseableType {
	c := typeConversion{names: map[*schema.Object]int{}}
	root := smd.TypeDef{Name: rootName, Atom: c.atom(s)}
	whole, deduced := wholeName, deducedName
	c.types = append(c.types, root,
		smd.TypeDef{Name: wholeName, Atom: anything(smd.TypeRef{NamedType: &whole}, smd.Atomic)},
		smd.TypeDef{Name: deducedName, Atom: anything(smd.TypeRef{NamedType: &deduced}, smd.Separable)})
	parser := typed.Parser{Schema: smd.Schema{Types: c.types}}
	return parser.Type(rootName)
}

// typeConversion is the state of one conversion. Each struct becomes a named type, so that it may contain itself;
// other types are inlined.
type typeConversion struct {
	types []smd.TypeDef
	names map[*schema.Object]int
}

// anything returns the type of a value of any form. Its lists always have one owner.
func anything(values smd.TypeRef, members smd.ElementRelationship) smd.Atom {
	whole := wholeName
	return smd.Atom{
		Scalar: scalar(smd.Untyped),
		List:   &smd.List{ElementType: smd.TypeRef{NamedType: &whole}, ElementRelationship: smd.Atomic},
		Map:    &smd.Map{ElementType: values, ElementRelationship: members},
	}
}

func scalar(s smd.Scalar) *smd.Scalar { return &s }

func named(name string) smd.TypeRef { return smd.TypeRef{NamedType: &name} }

func (c *typeConversion) ref(s *schema.Schema) smd.TypeRef {
	switch {
	case s.Object != nil && s.Type == schema.ObjectType:
		return named(c.object(s))
	case s.Anything() && s.MapType == schema.AtomicMap:
		return named(wholeName)
	case s.Anything(), s.IntOrString: // upstream does not pass int-or-string of a custom resource to structured-merge-diff either
		return named(deducedName)
	}
	return smd.TypeRef{Inlined: c.atom(s), Nullable: s.Nullable}
}

func (c *typeConversion) atom(s *schema.Schema) smd.Atom {
	switch s.Type {
	case schema.ObjectType:
		return smd.Atom{Map: c.mapType(s)}
	case schema.ArrayType:
		return smd.Atom{List: c.list(s)}
	case schema.StringType:
		if s.Format == "" || s.Format == "byte" {
			return smd.Atom{Scalar: scalar(smd.String)}
		}
		return smd.Atom{Scalar: scalar(smd.Untyped)}
	case schema.IntegerType, schema.NumberType:
		return smd.Atom{Scalar: scalar(smd.Numeric)}
	case schema.BooleanType:
		return smd.Atom{Scalar: scalar(smd.Boolean)}
	}
	types := s.Types()
	if len(types) > 0 && !slices.Contains(types, schema.ObjectType) && !slices.Contains(types, schema.ArrayType) {
		return smd.Atom{Scalar: scalar(smd.Untyped)}
	}
	return anything(named(deducedName), smd.Separable)
}

// object returns the name of a struct's type. The atomic form of a struct is another type.
func (c *typeConversion) object(s *schema.Schema) string {
	i, known := c.names[s.Object]
	if !known {
		i = len(c.names)
		c.names[s.Object] = i // set before the members, which may refer to it
		m := &smd.Map{}
		c.fields(s, m)
		whole := &smd.Map{Fields: m.Fields, ElementType: m.ElementType, ElementRelationship: smd.Atomic}
		c.types = append(c.types,
			smd.TypeDef{Name: objectName(i, false), Atom: smd.Atom{Map: m}},
			smd.TypeDef{Name: objectName(i, true), Atom: smd.Atom{Map: whole}})
	}
	return objectName(i, s.MapType == schema.AtomicMap)
}

func objectName(i int, atomic bool) string {
	if atomic {
		return "atomic " + strconv.Itoa(i)
	}
	return "object " + strconv.Itoa(i)
}

func (c *typeConversion) mapType(s *schema.Schema) *smd.Map {
	m := &smd.Map{ElementRelationship: smd.Separable}
	if s.MapType == schema.AtomicMap {
		m.ElementRelationship = smd.Atomic
	}
	c.fields(s, m)
	return m
}

func (c *typeConversion) fields(s *schema.Schema, m *smd.Map) {
	if s.Object != nil {
		m.Fields = make([]smd.StructField, 0, len(s.Object.Properties))
		for i := range s.Object.Properties {
			p := &s.Object.Properties[i]
			field := smd.StructField{Name: p.Name, Type: c.ref(p.Schema)}
			if v := absentKey(p); !v.IsAbsent() {
				field.Default = v.Plain()
			}
			m.Fields = append(m.Fields, field)
		}
	}
	switch {
	case s.Additional != nil:
		m.ElementType = c.ref(s.Additional)
	case s.PreserveUnknown || s.Object == nil:
		m.ElementType = named(deducedName)
	}
}

// absentKey returns the key of a list element that lacks the key member.
func absentKey(p *schema.Property) doc.Value {
	if !p.Schema.DefaultValue.IsAbsent() || !p.Schema.ZeroKey {
		return p.Schema.DefaultValue
	}
	switch p.Schema.Type {
	case schema.IntegerType, schema.NumberType:
		return doc.OfInt(0)
	case schema.BooleanType:
		return doc.OfBool(false)
	}
	return doc.Of("")
}

func (c *typeConversion) list(s *schema.Schema) *smd.List {
	l := &smd.List{ElementRelationship: smd.Atomic, ElementType: named(wholeName)}
	if s.Items != nil {
		l.ElementType = c.ref(s.Items)
	}
	switch s.ListType {
	case schema.SetList:
		l.ElementRelationship = smd.Associative
	case schema.MapList:
		l.ElementRelationship, l.Keys = smd.Associative, s.ListMapKeys
	}
	return l
}
