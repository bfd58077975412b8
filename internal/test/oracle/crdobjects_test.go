package oracle

import (
	"maps"
	"math/rand"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// objects makes random objects of a schema.
type objects struct {
	*rand.Rand
	schema *apiextensions.JSONSchemaProps // nil if it is not known
}

// object returns an object of a kind that the schema mostly allows.
func (g *objects) object(of schema.GroupVersionKind) map[string]any {
	obj, _ := g.value(g.schema, 0).(map[string]any)
	if obj == nil {
		obj = map[string]any{}
	}
	obj["apiVersion"], obj["kind"] = of.GroupVersion().String(), of.Kind
	return obj
}

// value returns a value of a schema. Deep objects have required members only.
func (g *objects) value(p *apiextensions.JSONSchemaProps, depth int) any {
	switch {
	case p == nil:
		return anything(g.Rand)
	case len(p.Enum) > 0:
		return plain(p.Enum[g.Intn(len(p.Enum))])
	case p.XIntOrString:
		return []any{int64(g.Intn(100)), "80%", "http", "1Gi"}[g.Intn(4)]
	case p.XEmbeddedResource:
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": g.metadata()}
	}
	switch p.Type {
	case "object":
		return g.members(p, depth)
	case "array":
		list, n := []any{}, g.count(p.MinItems, p.MaxItems)
		for range n {
			list = append(list, g.value(p.Items.Schema, depth+1))
		}
		return list
	case "string":
		return g.text(p)
	case "integer":
		return int64(g.number(p))
	case "number":
		return g.number(p) + float64(g.Intn(2))/2
	case "boolean":
		return oneIn(g.Rand, 2)
	}
	return anything(g.Rand)
}

// metadata returns the metadata of an embedded resource. It has no owners, about which Kubernetes 1.37 has other words
// than 1.36.
func (g *objects) metadata() any {
	texts := func() any {
		return []any{map[string]any{"a": "b"}, map[string]any{}, map[string]any{"a": nil}, map[string]any{"a b": "c"},
			nil}[g.Intn(5)]
	}
	all := map[string]any{
		"name": pickText(g.Rand, "a", "A/B", ""), "namespace": pickText(g.Rand, "b", ""), "labels": texts(),
		"annotations": texts(),
		"finalizers":  []any{}, "generation": int64(g.Intn(2)), "unknown": int64(1),
		"creationTimestamp": []any{nil, "2024-01-02T03:04:05+01:00"}[g.Intn(2)],
	}
	m := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if oneIn(g.Rand, 3) {
			m[name] = all[name]
		}
	}
	return m
}

func (g *objects) members(p *apiextensions.JSONSchemaProps, depth int) map[string]any {
	obj := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		if slices.Contains(p.Required, name) || depth < 8 && oneIn(g.Rand, 2+depth) {
			member := p.Properties[name]
			obj[name] = g.value(&member, depth+1)
		}
	}
	if more := p.AdditionalProperties; more != nil && more.Schema != nil {
		for range g.count(p.MinProperties, p.MaxProperties) {
			obj[pickText(g.Rand, "a", "b", "example.com/c", "d-e")] = g.value(more.Schema, depth+1)
		}
	}
	return obj
}

// count returns a number within bounds.
func (g *objects) count(least, most *int64) int {
	n := g.Intn(3)
	if least != nil {
		n += int(*least)
	}
	if most != nil {
		n = min(n, int(*most))
	}
	return n
}

func (g *objects) number(p *apiextensions.JSONSchemaProps) float64 {
	n := float64(g.Intn(4))
	if p.Minimum != nil {
		n += *p.Minimum
	}
	if p.Maximum != nil && (oneIn(g.Rand, 4) || n > *p.Maximum) {
		n = *p.Maximum
	}
	return n
}

// words are texts, chosen so that most patterns and formats allow at least one.
var words = []string{"a", "abc", "b-c", "example.com", "*.example.com", "/", "/a/b", "Name", "10s", "1h30m", "500m",
	"1Gi", "80%", "2024-01-02T03:04:05Z", "https://example.com/x", "example.com/controller", "GET", "10.0.0.1", "aGk=",
	"0", ""}

// text returns a text that the schema allows, if one of the words is.
func (g *objects) text(p *apiextensions.JSONSchemaProps) string {
	pattern, err := regexp.Compile(p.Pattern)
	fits := func(word string) bool {
		size := int64(len(word))
		return (err != nil || pattern.MatchString(word)) && (p.MinLength == nil || size >= *p.MinLength) &&
			(p.MaxLength == nil || size <= *p.MaxLength)
	}
	for range 30 {
		if word := pickText(g.Rand, words...); fits(word) {
			return word
		}
	}
	return pickText(g.Rand, words...)
}

// plain returns a value of the definition as decoded JSON has it.
func plain(v any) any {
	if n, ok := v.(float64); ok && n == float64(int64(n)) {
		return int64(n)
	}
	return v
}

// spot is a place of an object. The schema of a place that the kind does not know is nil.
type spot struct {
	schema *apiextensions.JSONSchemaProps
	value  any
	put    func(v any)
	remove func() // nil for an element of a list
}

// edited returns an object with one to three changes. Most changes keep most of the object valid.
func (g *objects) edited(obj map[string]any) map[string]any {
	obj = runtime.DeepCopyJSON(obj)
	for range 1 + g.Intn(3) {
		spots := spotsOf(nil, obj, g.schema, true)
		if len(spots) == 0 {
			break
		}
		g.edit(spots[g.Intn(len(spots))])
	}
	return obj
}

// spotsOf appends the places below a value. Those in the root's metadata do not count.
func spotsOf(spots []spot, v any, p *apiextensions.JSONSchemaProps, root bool) []spot {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if root && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
				continue
			}
			schema := memberSchema(p, name)
			spots = append(spots, spot{schema, v[name], func(value any) { v[name] = value }, func() { delete(v, name) }})
			spots = spotsOf(spots, v[name], schema, false)
		}
	case []any:
		for i := range v {
			var schema *apiextensions.JSONSchemaProps
			if p != nil && p.Items != nil {
				schema = p.Items.Schema
			}
			spots = append(spots, spot{schema, v[i], func(value any) { v[i] = value }, nil})
			spots = spotsOf(spots, v[i], schema, false)
		}
	}
	return spots
}

func memberSchema(p *apiextensions.JSONSchemaProps, name string) *apiextensions.JSONSchemaProps {
	if p == nil {
		return nil
	}
	if member, ok := p.Properties[name]; ok {
		return &member
	}
	if p.AdditionalProperties != nil {
		return p.AdditionalProperties.Schema
	}
	return nil
}

// edit changes a place.
func (g *objects) edit(s spot) {
	switch g.Intn(8) {
	case 0:
		if s.remove != nil {
			s.remove()
		}
		return
	case 1:
		s.put(anything(g.Rand))
		return
	case 2, 3:
		s.put(g.value(s.schema, 0))
		return
	}
	switch v := s.value.(type) {
	case map[string]any:
		name := "unknown"
		if s.schema != nil && len(s.schema.Properties) > 0 && !oneIn(g.Rand, 5) {
			name = pickText(g.Rand, slices.Sorted(maps.Keys(s.schema.Properties))...)
		}
		v[name] = g.value(memberSchema(s.schema, name), 3)
	case []any:
		more := anything(g.Rand)
		if len(v) > 0 {
			more = runtime.DeepCopyJSONValue(v[g.Intn(len(v))])
		}
		if oneIn(g.Rand, 3) && s.schema != nil && s.schema.Items != nil {
			more = g.value(s.schema.Items.Schema, 3)
		}
		s.put(append(slices.Clip(v), more))
	case string:
		s.put(pickText(g.Rand, v+"x", v+" ", "", strings.ToUpper(v), "*."+v, strings.Repeat(v+"y", 300),
			pickText(g.Rand, words...)))
	case int64:
		s.put([]any{v + 1, -v, int64(0), int64(1) << 40, float64(v) + 0.5}[g.Intn(5)])
	case float64:
		s.put([]any{v / 2, -v, int64(3)}[g.Intn(3)])
	case bool:
		s.put(!v)
	}
}
