package vettags

import (
	"encoding/json"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
)

// checker checks one type and all types that it uses.
type checker struct {
	pkg     *types.Package
	tags    *schema.Tags
	objects map[types.Type]*schema.Object
	places  map[string]token.Pos // the types and fields of the package, by their names in faults
}

func newChecker(pkg *types.Package, builtin bool) *checker {
	return &checker{pkg: pkg, tags: schema.NewTags(builtin), objects: map[types.Type]*schema.Object{},
		places: map[string]token.Pos{}}
}

func (c *checker) faults(t types.Type) []*schema.Fault { return c.tags.Faults(c.schema(t)) }

// compiled are types with their own encoding that are also compiled into this program.
var compiled = []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[json.Number](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[apimeta.Time](), reflect.TypeFor[apimeta.MicroTime]()}

// schema returns the schema of one use of a type.
func (c *checker) schema(t types.Type) *schema.Schema {
	for {
		t = types.Unalias(t)
		p, ok := t.(*types.Pointer)
		if !ok {
			break
		}
		t = p.Elem()
	}
	name := types.TypeString(t, nil)
	for _, known := range compiled {
		if name == known.PkgPath()+"."+known.Name() {
			return c.tags.Of(known)
		}
	}
	if _, ok := t.(*types.TypeParam); ok {
		return c.tags.Unknown()
	}
	if !types.IsInterface(t) {
		switch methods := types.NewMethodSet(types.NewPointer(t)); {
		case has(methods, "OpenAPISchemaType", "OpenAPIV3OneOfTypes"):
			return c.tags.Unknown()
		case has(methods, "MarshalJSON", "UnmarshalJSON"):
			return c.tags.Of(reflect.TypeFor[any]())
		case has(methods, "MarshalText", "UnmarshalText"):
			return c.tags.Of(reflect.TypeFor[string]())
		}
	}
	return c.underlying(t)
}

func has(methods *types.MethodSet, names ...string) bool {
	for _, name := range names {
		if methods.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// scalars are the types of Go that JSON has, by the kinds of package types.
var scalars = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
	types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
	types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](),
	types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
}

// underlying returns the schema of a type that encoding/json encodes part by part.
func (c *checker) underlying(t types.Type) *schema.Schema {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if scalar := scalars[u.Kind()]; scalar != nil {
			return c.tags.Of(scalar)
		}
	case *types.Struct:
		return &schema.Schema{Type: schema.ObjectType, Object: c.object(t, u)}
	case *types.Map:
		return c.tags.Map(c.schema(u.Elem()))
	case *types.Slice:
		if element, ok := u.Elem().Underlying().(*types.Basic); ok && element.Kind() == types.Uint8 {
			return c.tags.Of(reflect.TypeFor[[]byte]())
		}
		return c.tags.List(c.schema(u.Elem()))
	case *types.Array:
		return c.tags.List(c.schema(u.Elem()))
	case *types.Interface:
		return c.tags.Of(reflect.TypeFor[any]())
	}
	return c.tags.Unknown() // JSON cannot represent it, but that is not a fault of a tag
}

// object returns the description of a struct.
func (c *checker) object(t types.Type, s *types.Struct) *schema.Object {
	if o := c.objects[t]; o != nil {
		return o
	}
	name := typeName(t)
	o := c.tags.Object(types.TypeString(t, nil))
	c.objects[t] = o
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() == c.pkg {
		c.places[name] = named.Obj().Pos()
	} else if !ok && s.NumFields() > 0 && s.Field(0).Pkg() == c.pkg {
		c.places[name] = s.Field(0).Pos()
	}
	var members []schema.TagMember
	for _, f := range fieldsOf(t, s) {
		where := typeName(f.owner) + "." + f.v.Name()
		if f.v.Pkg() == c.pkg {
			c.places[where] = f.v.Pos()
		}
		members = append(members, schema.TagMember{Name: f.name, Where: where, Schema: c.schema(f.v.Type()), Tag: f.tag,
			OmitEmpty: f.omitEmpty, OmitZero: f.omitZero, Pointer: f.pointer})
	}
	c.tags.Fill(o, name, members)
	return o
}

// typeName returns the name that package reflect gives a type.
func typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// field is a member of an object: a field of the struct, or of one that it embeds.
type field struct {
	name                string // in JSON
	v                   *types.Var
	owner               types.Type
	tag                 reflect.StructTag
	omitEmpty, omitZero bool
	pointer             bool // the field, or an embedded struct that it belongs to
}

// fieldsOf returns the members that encoding/json gives a struct. If several fields share a name, it takes the first of
// those with the least depth.
func fieldsOf(t types.Type, s *types.Struct) (out []field) {
	type level struct {
		t             types.Type
		s             *types.Struct
		behindPointer bool
	}
	seen, visited := map[string]bool{}, map[types.Type]bool{}
	for next := []level{{t, s, false}}; len(next) > 0; {
		now := next
		next = nil
		for _, l := range now {
			if visited[l.t] {
				continue
			}
			visited[l.t] = true
			for i := range l.s.NumFields() {
				v, tag := l.s.Field(i), reflect.StructTag(l.s.Tag(i))
				name, options, _ := strings.Cut(tag.Get("json"), ",")
				if tag.Get("json") == "-" {
					continue
				}
				inner := types.Unalias(v.Type())
				p, isPointer := inner.(*types.Pointer)
				if isPointer {
					inner = types.Unalias(p.Elem())
				}
				if below, ok := inner.Underlying().(*types.Struct); ok && v.Embedded() && name == "" {
					next = append(next, level{inner, below, l.behindPointer || isPointer})
					continue
				}
				if !v.Exported() {
					continue
				}
				if name == "" {
					name = v.Name()
				}
				if seen[name] {
					continue
				}
				seen[name] = true
				split := strings.Split(options, ",")
				out = append(out, field{name: name, v: v, owner: l.t, tag: tag, omitEmpty: slices.Contains(split, "omitempty"),
					omitZero: slices.Contains(split, "omitzero"), pointer: l.behindPointer || isPointer})
			}
		}
	}
	return out
}
