package apiextensions

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// compile returns the schema by which objects are pruned, defaulted and validated. It leaves uniqueItems out: another
// check refuses it, and the defaults and rules are checked even so.
func compile(s *JSONSchemaProps) (*schema.Schema, error) {
	source, err := codec.FromGo(s)
	if err == nil && s.any(func(s *JSONSchemaProps) bool { return s.UniqueItems }) {
		without := &JSONSchemaProps{}
		if err := codec.ToGo(source, without); err != nil {
			return nil, err
		}
		without.change(func(s *JSONSchemaProps) { s.UniqueItems = false })
		source, err = codec.FromGo(without)
	}
	if err != nil {
		return nil, err
	}
	return schema.FromOpenAPI(source)
}

// defaultChecker checks the defaults of a schema.
type defaultChecker struct {
	faults
	unpruned bool // defaults may have unknown fields
	matching schema.Matching
}

// place checks the defaults of a place and of those below it. embedded says that the values are objects with their own
// metadata. Defaults in metadata are forbidden at the root, and not checked elsewhere.
func (c *defaultChecker) place(s *JSONSchemaProps, compiled *schema.Schema, at *status.Path, embedded bool) {
	if s == nil || compiled == nil || c.full() {
		return
	}
	if v, ok := s.defaultValue(); ok {
		c.value(v, compiled, at.Child("default"), embedded)
	}
	if items := s.items(); items != nil {
		c.place(items, compiled.Items, at.Child("items"), items.XEmbeddedResource)
	}
	for _, name := range names(s.Properties) {
		if embedded && (name == "metadata" || name == "kind" || name == "apiVersion") {
			continue
		}
		below := s.Properties[name]
		c.place(&below, compiled.Member(name), at.Child("properties").Key(name), below.XEmbeddedResource)
	}
}

func (c *defaultChecker) value(v doc.Value, compiled *schema.Schema, at *status.Path, embedded bool) {
	if pruned, _ := compiled.Prune(v); !c.unpruned && !doc.Equal(pruned, v) {
		c.fail(status.InvalidField(at, JSON{codec.AppendJSON(nil, v)}, "must not have unknown fields"))
	}
	if embedded && v.Kind() == doc.Map {
		before := c.found
		for _, name := range []string{"apiVersion", "kind"} {
			if !v.Has(name) {
				c.fail(status.RequiredField(at.Child(name), ""))
			}
		}
		if c.found > before {
			return
		}
	}
	for _, e := range compiled.CheckTypesAndRulesWithin(&c.matching, nil, v, doc.Value{}) {
		below := *e
		if below.Field = at.String(); e.Field != "" && e.Field != "<nil>" {
			below.Field += "." + e.Field // kube-apiserver has this dot even in front of an index
		}
		c.fail(&below)
	}
}

// unpruned reports whether a default of a structural schema has unknown fields.
func unpruned(s *JSONSchemaProps) bool {
	if !s.any(func(s *JSONSchemaProps) bool { return s.Default != nil }) {
		return false
	}
	if v, ok := s.defaultValue(); ok && v.Kind() != doc.Map {
		return false // no object has this default, so kube-apiserver cannot prune it
	}
	compiled, err := compile(s)
	return err == nil && hasUnprunedDefaults(s, compiled)
}

// hasUnprunedDefaults reports whether a default of a schema has unknown fields.
func hasUnprunedDefaults(s *JSONSchemaProps, compiled *schema.Schema) bool {
	if s == nil || compiled == nil {
		return false
	}
	if v, ok := s.defaultValue(); ok {
		if pruned, _ := compiled.Prune(v); !doc.Equal(pruned, v) {
			return true
		}
	}
	for name, below := range s.Properties {
		if hasUnprunedDefaults(&below, compiled.Member(name)) {
			return true
		}
	}
	return hasUnprunedDefaults(s.items(), compiled.Items)
}

// defaultValue returns the default of a schema. ok is false if it has none.
func (s *JSONSchemaProps) defaultValue() (v doc.Value, ok bool) {
	if s.Default == nil || len(s.Default.Raw) == 0 {
		return v, false
	}
	v, _, err := codec.DecodeJSON(s.Default.Raw)
	return v, err == nil
}
