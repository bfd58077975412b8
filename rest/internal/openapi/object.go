package openapi

import "github.com/decorum-go/decorum/internal/doc"

// object gathers the members of a JSON object. What is empty is left out: OpenAPI's members are all optional but for
// the few that are never empty.
type object []doc.Member

// set adds a member, unless its value is absent. It is not inlined: about eighty places call it, its speed does not
// matter, and each copy would contain the code that grows the slice.
//
//go:noinline
func (o *object) set(key string, v doc.Value) {
	if !v.IsAbsent() {
		*o = append(*o, doc.Member{Key: key, Value: v})
	}
}

func (o *object) text(key, text string) {
	if text != "" {
		o.set(key, doc.Of(text))
	}
}

func (o *object) flag(key string, on bool) {
	if on {
		o.set(key, doc.OfBool(true))
	}
}

func (o *object) count(key string, n *int64) {
	if n != nil {
		o.set(key, doc.OfInt(*n))
	}
}

func (o *object) list(key string, values []doc.Value) {
	if len(values) > 0 {
		o.set(key, doc.ListOf(values...))
	}
}

func (o *object) texts(key string, values []string) { o.list(key, texts(values)) }

func (o *object) object(key string, members object) {
	if len(members) > 0 {
		o.set(key, members.value())
	}
}

func (o object) value() doc.Value { return doc.MapOf(o...) }

func texts(values []string) []doc.Value {
	list := make([]doc.Value, 0, len(values))
	for _, v := range values {
		list = append(list, doc.Of(v))
	}
	return list
}
