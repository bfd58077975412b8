package gotype

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// maxDepth limits how deep write follows a Go value. A host's value may contain itself, and the encoder of JSON text
// returns an error for it.
const maxDepth = 200

// write returns the document of a Go value. Where the value equals near, it returns near, so that both share memory. It
// returns false if the value must go through JSON text.
func (p *plan) write(from reflect.Value, near doc.Value, depth int) (doc.Value, bool) {
	if depth++; depth > maxDepth {
		return doc.Value{}, false
	}
	switch p.form {
	case structForm:
		return p.writeFields(from, near, depth)
	case pointerForm:
		if from.IsNil() {
			return doc.NullValue(), true
		}
		return p.elem.write(from.Elem(), near, depth)
	case listForm:
		return p.writeElements(from, near, depth)
	case textsForm:
		return writeTexts(*from.Addr().Interface().(*[]string), near)
	case mapForm:
		return p.writeMembers(from, near, depth)
	case labelsForm:
		return writeLabels(*from.Addr().Interface().(*map[string]string), near)
	case stringForm:
		return writeText(from.String(), near)
	case boolForm:
		return doc.OfBool(from.Bool()), true
	case integerForm:
		return writeNumber(strconv.AppendInt(make([]byte, 0, 20), from.Int(), 10), near), true
	case unsignedForm:
		return writeNumber(strconv.AppendUint(make([]byte, 0, 20), from.Uint(), 10), near), true
	case timeForm:
		return writeTime(from.Addr().Interface().(*apimeta.Time), near)
	case anyForm:
		return writeAny(from.Interface(), near, depth)
	case ownForm:
		text, err := from.Addr().Interface().(json.Marshaler).MarshalJSON()
		if err != nil || !utf8.Valid(text) {
			return doc.Value{}, false
		}
		v, _, err := codec.DecodeJSON(text)
		return nearest(v, near), err == nil
	}
	v, err := codec.FromGo(from.Addr().Interface())
	return nearest(v, near), err == nil
}

// nearest returns near if it equals v, and v otherwise.
func nearest(v, near doc.Value) doc.Value {
	if same(v, near) {
		return near
	}
	return v
}

// same reports whether two documents are the same, including the literals of their numbers.
func same(a, b doc.Value) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() || a.Len() != b.Len() || a.Len() == 0 {
		return false
	}
	for i := range a.Len() {
		if a.Kind() == doc.Map && a.KeyAt(i) != b.KeyAt(i) || !same(a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}

func writeText(s string, near doc.Value) (doc.Value, bool) {
	if v := doc.Of(s); v != near {
		return v, utf8.ValidString(s)
	}
	return near, true
}

func writeNumber(literal []byte, near doc.Value) doc.Value {
	if near.Kind() == doc.Number && near.Literal() == string(literal) {
		return near
	}
	return doc.OfLiteral(string(literal))
}

func writeTime(t *apimeta.Time, near doc.Value) (doc.Value, bool) {
	if t.IsZero() {
		return doc.NullValue(), true
	}
	text, err := t.AppendText(make([]byte, 0, 32))
	if err == nil && near.Kind() == doc.String && near.Text() == string(text) {
		return near, true
	}
	return doc.Of(string(text)), err == nil
}

// usualFields is the number of fields that few structs exceed.
const usualFields = 8

// writeFields walks the fields and the members of near side by side. Both are sorted.
func (p *plan) writeFields(from reflect.Value, near doc.Value, depth int) (doc.Value, bool) {
	beside := sharing{near: near, kind: doc.Map, room: min(len(p.fields), usualFields)}
	i := 0
	for j := range p.fields {
		f := &p.fields[j]
		for i < near.Len() && near.Kind() == doc.Map && near.KeyAt(i) != f.name && near.KeyAt(i) < f.name {
			i++
		}
		field := f.in(from)
		if f.omits(field) {
			continue
		}
		was := doc.Value{}
		if near.Kind() == doc.Map && i < near.Len() && near.KeyAt(i) == f.name {
			was = near.At(i)
		}
		v, ok := f.plan.write(field, was, depth)
		if !ok {
			return doc.Value{}, false
		}
		beside.add(f.name, v)
	}
	return beside.value(), true
}

// omits reports whether encoding/json omits the value of a field.
func (f *plannedField) omits(field reflect.Value) bool {
	return f.omitEmpty && isEmpty(field) || f.omitZero && f.isZero(field)
}

// isEmpty reports whether omitempty considers a value empty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Map, reflect.Slice, reflect.Array:
		return v.Len() == 0
	case reflect.Float32, reflect.Float64:
		return v.Float() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func (f *plannedField) isZero(field reflect.Value) bool {
	switch {
	case !f.tellsZero:
		return field.IsZero()
	case field.Kind() == reflect.Pointer:
		if !field.Type().Implements(zeroTeller) {
			return field.IsNil()
		}
		return field.IsNil() || field.Interface().(interface{ IsZero() bool }).IsZero()
	}
	return field.Addr().Interface().(interface{ IsZero() bool }).IsZero()
}

// sharing collects the members of a map or the elements of a list, and copies nothing as long as they equal the members
// or elements of near.
type sharing struct {
	near    doc.Value
	kind    doc.Kind
	room    int // the approximate number of members or elements
	shared  int // the number of leading members or elements that equal those in near
	differs bool
	members []doc.Member
	values  []doc.Value
}

// add adds a member, or an element if kind is doc.List. Callers add members in the order of their keys.
func (s *sharing) add(key string, v doc.Value) {
	if !s.differs {
		if s.near.Kind() == s.kind && s.shared < s.near.Len() && s.near.At(s.shared) == v &&
			(s.kind == doc.List || s.near.KeyAt(s.shared) == key) {
			s.shared++
			return
		}
		s.diverge()
	}
	if s.kind == doc.List {
		s.values = append(s.values, v)
	} else {
		s.members = append(s.members, doc.Member{Key: key, Value: v})
	}
}

// diverge copies the members or elements that have been shared so far.
func (s *sharing) diverge() {
	s.differs = true
	if s.kind == doc.List {
		s.values = make([]doc.Value, 0, s.room)
	} else {
		s.members = make([]doc.Member, 0, max(s.room, s.near.Len()+1))
	}
	for i := range s.shared {
		if s.kind == doc.List {
			s.values = append(s.values, s.near.At(i))
		} else {
			s.members = append(s.members, doc.Member{Key: s.near.KeyAt(i), Value: s.near.At(i)})
		}
	}
}

// value returns the map or list.
func (s *sharing) value() doc.Value {
	if !s.differs && s.near.Kind() == s.kind && s.shared == s.near.Len() {
		return s.near
	}
	if !s.differs {
		s.diverge()
	}
	if s.kind == doc.List {
		return doc.ListOf(s.values...)
	}
	return doc.MapOf(s.members...)
}

func (p *plan) writeElements(from reflect.Value, near doc.Value, depth int) (doc.Value, bool) {
	if from.IsNil() {
		return doc.NullValue(), true
	}
	beside := sharing{near: near, kind: doc.List, room: from.Len()}
	for i := range from.Len() {
		was := doc.Value{}
		if near.Kind() == doc.List && i < near.Len() {
			was = near.At(i)
		}
		v, ok := p.elem.write(from.Index(i), was, depth)
		if !ok {
			return doc.Value{}, false
		}
		beside.add("", v)
	}
	return beside.value(), true
}

func writeTexts(texts []string, near doc.Value) (doc.Value, bool) {
	if texts == nil {
		return doc.NullValue(), true
	}
	beside := sharing{near: near, kind: doc.List, room: len(texts)}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return doc.Value{}, false
		}
		beside.add("", doc.Of(s))
	}
	return beside.value(), true
}

func (p *plan) writeMembers(from reflect.Value, near doc.Value, depth int) (doc.Value, bool) {
	if from.IsNil() {
		return doc.NullValue(), true
	}
	// The values of a map have no address, so the loop copies each of them to an
	// addressable value.
	key, value := reflect.New(p.typ.Key()).Elem(), reflect.New(p.typ.Elem()).Elem()
	members := make([]doc.Member, 0, from.Len())
	for at := from.MapRange(); at.Next(); {
		key.SetIterKey(at)
		value.SetIterValue(at)
		name := key.String()
		v, ok := p.elem.write(value, near.Get(name), depth)
		if !ok || !utf8.ValidString(name) {
			return doc.Value{}, false
		}
		members = append(members, doc.Member{Key: name, Value: v})
	}
	return mapBeside(members, near), true
}

// mapBeside returns near if it has exactly these members, in any order.
func mapBeside(members []doc.Member, near doc.Value) doc.Value {
	if near.Kind() == doc.Map && near.Len() == len(members) {
		shared := 0
		for _, m := range members {
			if near.Get(m.Key) != m.Value {
				break
			}
			shared++
		}
		if shared == len(members) {
			return near
		}
	}
	return doc.MapOf(members...)
}

func writeLabels(labels map[string]string, near doc.Value) (doc.Value, bool) {
	if labels == nil {
		return doc.NullValue(), true
	}
	if near.Kind() == doc.Map && near.Len() == len(labels) && holdsLabels(labels, near) {
		return near, true
	}
	members := make([]doc.Member, 0, len(labels))
	for key, value := range labels {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return doc.Value{}, false
		}
		members = append(members, doc.Member{Key: key, Value: doc.Of(value)})
	}
	return doc.MapOf(members...), true
}

// holdsLabels reports whether labels has all members of near.
func holdsLabels(labels map[string]string, near doc.Value) bool {
	for i := range near.Len() {
		value, ok := labels[near.KeyAt(i)]
		if v := near.At(i); !ok || v.Kind() != doc.String || v.Text() != value {
			return false
		}
	}
	return true
}

// writeAny writes the values that readAny returns. All other values go through JSON text.
func writeAny(x any, near doc.Value, depth int) (doc.Value, bool) {
	if depth++; depth > maxDepth {
		return doc.Value{}, false
	}
	switch x := x.(type) {
	case nil:
		return doc.NullValue(), true
	case bool:
		return doc.OfBool(x), true
	case string:
		return writeText(x, near)
	case float64:
		if whole := int64(x); isWhole(x) {
			return writeNumber(strconv.AppendInt(make([]byte, 0, 20), whole, 10), near), true
		}
	case []any:
		if x == nil {
			return doc.NullValue(), true
		}
		beside := sharing{near: near, kind: doc.List, room: len(x)}
		for i, e := range x {
			was := doc.Value{}
			if near.Kind() == doc.List && i < near.Len() {
				was = near.At(i)
			}
			v, ok := writeAny(e, was, depth)
			if !ok {
				return doc.Value{}, false
			}
			beside.add("", v)
		}
		return beside.value(), true
	case map[string]any:
		if x == nil {
			return doc.NullValue(), true
		}
		members := make([]doc.Member, 0, len(x))
		for key, e := range x {
			v, ok := writeAny(e, near.Get(key), depth)
			if !ok || !utf8.ValidString(key) {
				return doc.Value{}, false
			}
			members = append(members, doc.Member{Key: key, Value: v})
		}
		return mapBeside(members, near), true
	}
	v, err := codec.FromGo(x)
	return nearest(v, near), err == nil
}

// maxExact is the bound below which a float64 represents every integer exactly.
const maxExact = 1 << 53

// isWhole reports whether f is written like the integer of the same value. It returns false for negative zero.
func isWhole(f float64) bool {
	return math.Abs(f) < maxExact && f == math.Trunc(f) && (f != 0 || !math.Signbit(f))
}
