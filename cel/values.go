package cel

import (
	"encoding/base64"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// valueOf returns a document as expressions see it. It omits members without a schema. It omits a null member if the
// member may be null, because expressions see null as absence.
func valueOf(s *schema.Schema, v doc.Value) ref.Val {
	switch v.Kind() {
	case doc.Null:
		return types.NullValue
	case doc.Bool:
		return types.Bool(v.Bool())
	case doc.String:
		return textOf(s, v.Text())
	case doc.Number:
		return numberOf(s, v)
	case doc.List:
		return listOf(s, v)
	case doc.Map:
		if s.Additional != nil {
			return mapOf(s.Additional, v)
		}
		return structOf(s.Seen(), v)
	}
	return types.NewErr("the value is missing")
}

func textOf(s *schema.Schema, text string) ref.Val {
	if s.Type != schema.StringType {
		return types.String(text)
	}
	switch s.Format {
	case "byte":
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return types.NewErr("Invalid byte formatted string %s: %v", text, err)
		}
		return types.Bytes(data)
	case "duration":
		d, ok := schema.ParseDuration(text)
		if !ok {
			return types.NewErr("Invalid duration %s: unable to parse %s as duration", text, text)
		}
		return types.Duration{Duration: d}
	case "date":
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return types.NewErr("Invalid date formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: at}
	case "date-time":
		at, err := schema.ParseDateTime(text)
		if err != nil {
			return types.NewErr("Invalid date-time formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: at}
	}
	return types.String(text)
}

func numberOf(s *schema.Schema, v doc.Value) ref.Val {
	if i, ok := v.Int(); ok && s.Type != schema.NumberType {
		return types.Int(i)
	}
	f, ok := v.Float()
	if !ok {
		return types.NewErr("%s is not a number that expressions can represent", v.Literal())
	}
	return types.Double(f)
}

func listOf(s *schema.Schema, v doc.Value) ref.Val {
	list := lazyListOf(func() traits.Lister {
		elements := make([]ref.Val, 0, v.Len())
		if s.Items != nil { // expressions cannot see elements that may be anything
			for _, e := range v.Elements() {
				elements = append(elements, valueOf(s.Items, e))
			}
		}
		return types.NewRefValList(types.DefaultTypeAdapter, elements)
	})
	switch s.ListType {
	case schema.SetList:
		return &associativeList{list, nil}
	case schema.MapList:
		return &associativeList{list, escapedKeys(s)}
	}
	return list
}

func mapOf(values *schema.Schema, v doc.Value) ref.Val {
	return lazyMapOf(func() traits.Mapper {
		entries := make(map[ref.Val]ref.Val, v.Len())
		for key, member := range v.Members() {
			if !member.IsNull() || !values.Nullable {
				entries[types.String(key)] = valueOf(values, member)
			}
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, entries)
	})
}

// structOf returns a struct as expressions see it: without unknown members, members of unknown type, and nulls.
func structOf(s *schema.Schema, v doc.Value) ref.Val {
	return &lazyStruct{*lazyMapOf(func() traits.Mapper {
		entries := make(map[ref.Val]ref.Val, v.Len())
		for key, member := range v.Members() {
			p := s.Property(key)
			if p == nil || !visible(p.Schema) || member.IsNull() {
				continue
			}
			if name, ok := escape(key); ok {
				entries[types.String(name)] = valueOf(p.Schema, member)
			}
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, entries)
	}), s, v}
}

// visible reports whether expressions see the values of a schema.
func visible(s *schema.Schema) bool {
	switch {
	case s == nil || s.Anything():
		return false
	case s.Type == schema.ArrayType:
		return visible(s.Items)
	case s.Additional != nil:
		return visible(s.Additional)
	}
	return true
}

// hidden returns the members of a struct that expressions cannot name, although they belong to its value.
func hidden(s *schema.Schema, v doc.Value) doc.Value {
	var members []doc.Member
	for key, member := range v.Members() {
		p := s.Property(key)
		if p == nil && s.PreserveUnknown || p != nil && !visible(p.Schema) && !member.IsNull() {
			members = append(members, doc.Member{Key: key, Value: member})
		}
	}
	return doc.MapOf(members...)
}
