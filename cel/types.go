package cel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/decorum-go/decorum/internal/schema"
)

// declarations holds the types of a kind for expressions. It is the type provider of an environment.
type declarations struct {
	types.Provider
	names   map[*schema.Object]string
	structs map[string]map[string]*types.FieldType // the keys are a type and a property
}

func newDeclarations(p types.Provider) *declarations {
	return &declarations{Provider: p, names: map[*schema.Object]string{},
		structs: map[string]map[string]*types.FieldType{}}
}

// typeOf returns the type of the values of a schema. It is nil if a value may be anything, because expressions cannot
// see such values.
func (d *declarations) typeOf(s *schema.Schema) *cel.Type {
	if s == nil {
		return nil
	}
	if s.IntOrString {
		return cel.DynType
	}
	switch s.Type {
	case schema.StringType:
		switch s.Format {
		case "byte":
			return cel.BytesType
		case "duration":
			return cel.DurationType
		case "date", "date-time":
			return cel.TimestampType
		}
		return cel.StringType
	case schema.IntegerType:
		return cel.IntType
	case schema.NumberType:
		return cel.DoubleType
	case schema.BooleanType:
		return cel.BoolType
	case schema.ArrayType:
		if items := d.typeOf(s.Items); items != nil {
			return cel.ListType(items)
		}
	case schema.ObjectType:
		if s.Additional != nil {
			if values := d.typeOf(s.Additional); values != nil {
				return cel.MapType(cel.StringType, values)
			}
			return nil
		}
		return d.structType(s.Seen().Object)
	}
	return nil
}

// structType returns the type of a struct. It declares the type before its properties, because they may refer to it.
func (d *declarations) structType(o *schema.Object) *cel.Type {
	if name, ok := d.names[o]; ok {
		return cel.ObjectType(name)
	}
	name := "object"
	if o != nil && o.Name != "" {
		name = o.Name[strings.LastIndexByte(o.Name, '.')+1:]
	}
	if _, taken := d.structs[name]; taken {
		name += "_" + strconv.Itoa(len(d.structs))
	}
	d.names[o] = name
	fields := map[string]*types.FieldType{}
	d.structs[name] = fields
	if o != nil {
		for i := range o.Properties {
			p := &o.Properties[i]
			if escaped, ok := escape(p.Name); ok {
				if t := d.typeOf(p.Schema); t != nil {
					fields[escaped] = &types.FieldType{Type: t}
				}
			}
		}
	}
	return cel.ObjectType(name)
}

// FindStructType implements types.Provider.
func (d *declarations) FindStructType(name string) (*types.Type, bool) {
	if _, ok := d.structs[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return d.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (d *declarations) FindStructFieldNames(name string) ([]string, bool) {
	fields, ok := d.structs[name]
	if !ok {
		return d.Provider.FindStructFieldNames(name)
	}
	var names []string
	for field := range fields {
		names = append(names, field)
	}
	slices.Sort(names)
	return names, true
}

// FindStructFieldType implements types.Provider.
func (d *declarations) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if fields, ok := d.structs[name]; ok {
		t, ok := fields[field] // types that are not of a schema have the plain words
		if !ok {
			t, ok = fields[escapedWord(field)]
		}
		return t, ok
	}
	return d.Provider.FindStructFieldType(name, field)
}

// rootOf returns the schema of a kind as its rules see it. The metadata of a Go type has only the names.
func rootOf(s *schema.Schema) *schema.Schema {
	if s.FromOpenAPI() || s.Object == nil {
		root := *s.Seen()
		root.Type = s.Type // the check of a definition removes the type of a root that declares none
		return &root
	}
	object := *s.Object
	object.Properties = slices.Clone(object.Properties)
	for i := range object.Properties {
		p := &object.Properties[i]
		if p.Name != "metadata" || p.Schema.Object == nil {
			continue
		}
		seen := *p.Schema.Object
		seen.Properties = slices.DeleteFunc(slices.Clone(seen.Properties), func(p schema.Property) bool {
			return p.Name != "name" && p.Name != "generateName"
		})
		metadata := *p.Schema
		metadata.Object, p.Schema = &seen, &metadata
	}
	root := *s
	root.Object = &object
	return &root
}
