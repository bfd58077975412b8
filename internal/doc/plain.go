package doc

// Plain returns the value as Go's own maps, slices and scalars: integers are int64, other numbers, and integers beyond
// that, the nearest float64, null and absent are nil.
func (v Value) Plain() any {
	switch v.kind {
	case Bool:
		return v.Bool()
	case Number:
		if i, ok := v.Int(); ok {
			return i
		}
		f, _ := v.Float()
		return f
	case String:
		return v.text
	case List:
		list := make([]any, v.Len())
		for i, e := range v.Elements() {
			list[i] = e.Plain()
		}
		return list
	case Map:
		m := make(map[string]any, v.Len())
		for key, e := range v.Members() {
			m[key] = e.Plain()
		}
		return m
	default:
		return nil
	}
}

// GoType names the Go type of what [Value.Plain] returns. Upstream shows it in some of its texts.
func (v Value) GoType() string {
	switch v.kind {
	case Bool:
		return "bool"
	case Number:
		if _, ok := v.Int(); ok {
			return "int64"
		}
		return "float64"
	case String:
		return "string"
	case List:
		return "[]interface {}"
	case Map:
		return "map[string]interface {}"
	default:
		return "<nil>"
	}
}

// FromPlain is the inverse of [Value.Plain]. A value of a type that Plain never returns becomes null.
func FromPlain(x any) Value {
	switch x := x.(type) {
	case bool:
		return OfBool(x)
	case int64:
		return OfInt(x)
	case float64:
		return OfFloat(x)
	case string:
		return Of(x)
	case []any:
		values := make([]Value, len(x))
		for i, e := range x {
			values[i] = FromPlain(e)
		}
		return ListOf(values...)
	case map[string]any:
		members := make([]Member, 0, len(x))
		for key, e := range x {
			members = append(members, Member{Key: key, Value: FromPlain(e)})
		}
		return MapOf(members...)
	default:
		return NullValue()
	}
}
