package schema

import (
	"fmt"
	"math"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// openValue validates a value by a schema from OpenAPI, in kube-apiserver's order. It includes the checks of types,
// which an update ratchets like all others. It counts the steps that kube-apiserver counts: among alternatives, the
// errors of the one with the most steps are reported.
func (w *validator) openValue(s *Schema, v, old doc.Value, at *trail) {
	if !old.IsAbsent() && w.depth < maxRatchetDepth && s.keepsFault(v, old) {
		return
	}
	if v.IsNull() {
		if w.openType(s, v, at) {
			w.steps++
		}
		w.openEnum(s, v, at)
		return
	}
	w.steps += 4 // the value, alternatives (twice), enumeration
	if len(s.Types()) > 0 || s.checkedFormat() != "" {
		w.steps++
		if w.openType(s, v, at) {
			w.steps++
		}
	}
	if s.open != nil {
		w.alternatives(s.open, v, at)
	}
	switch v.Kind() {
	case doc.String:
		w.steps++
		w.length(s, v.Text(), at)
		if format := s.checkedFormat(); format != "" {
			w.steps++
			if !s.wellFormed(v.Text()) {
				w.badType(at, v.Text(), format, v.Text())
			}
		}
	case doc.Number:
		w.steps += 2
		w.openNumber(s, v, at)
	case doc.List:
		w.steps += 2
		w.depth++
		w.list(s, v, old, at)
		w.depth--
	}
	w.openEnum(s, v, at)
	if v.Kind() == doc.Map {
		w.steps++
		w.depth++
		w.openObject(s, v, old, at)
		w.depth--
	}
}

// openType checks the type of a value, and reports whether it is right.
func (f *findings) openType(s *Schema, v doc.Value, at *trail) bool {
	types, format := s.Types(), s.checkedFormat()
	if len(types) == 0 && format == "" {
		return true
	}
	has := func(t string) bool {
		for _, one := range types {
			if one == t {
				return true
			}
		}
		return false
	}
	name, form := v.Kind().String(), ""
	whole := false // a number that a decoder reads as a float, although it is an integer
	if v.Kind() == doc.Number {
		if _, isInt := v.Int(); isInt {
			name, form = IntegerType, "int64"
		} else {
			form, whole = "float64", has(IntegerType) && isWhole(float(v))
		}
	}
	fits := has(name) || whole || name == IntegerType && has(NumberType)
	isText := v.Kind() == doc.String || v.Kind() == doc.List
	switch {
	case v.IsNull():
		if len(types) == 0 || s.Nullable {
			return true
		}
	case !isText && format != "" && !fits && form != format:
		f.badType(at, form, format, form)
		return false
	case fits, len(types) == 0 && isText, format != "" && v.Kind() == doc.String && !has(NumberType) && !has(IntegerType):
		return true
	}
	f.badType(at, name, strings.Join(types, ","), name)
	return false
}

// openTypes adds errors for values of wrong types, except for those that an update leaves as they were.
func (c *checker) openTypes(s *Schema, v, old doc.Value, at *trail) {
	if c.full() || !old.IsAbsent() && s.keepsFault(v, old) || !c.openType(s, v, at) {
		return
	}
	switch v.Kind() {
	case doc.Map:
		step := trail{up: at, index: member}
		b := s.beside()
		for i := range v.Len() {
			step.key, step.inMap = v.KeyAt(i), false
			below := s.Additional
			if p := b.property(step.key); p != nil {
				if below = p.Schema; p.unchecked {
					continue
				}
			} else {
				step.inMap = true
			}
			if below != nil {
				c.openTypes(below, v.At(i), old.Get(step.key), &step)
			}
		}
	case doc.List:
		if s.Items == nil {
			return
		}
		before, step := s.correlate(old), trail{up: at}
		for i := range v.Len() {
			step.index = i
			c.openTypes(s.Items, v.At(i), before(v.At(i)), &step)
		}
	}
}

// isWhole reports whether JavaScript could represent the number as an integer.
func isWhole(f float64) bool {
	const largest = 1<<53 - 1
	if math.IsNaN(f) || math.Abs(f) > largest {
		return false
	}
	rounded := math.Round(f)
	return f == rounded || rounded != 0 && math.Abs(f-rounded) < 1e-9*math.Abs(rounded)
}

// openEnum checks a value against the enumeration. Like kube-apiserver, it compares numbers after it has converted the
// value to the type of the allowed one, so 1.5 is allowed where 1 is.
func (w *validator) openEnum(s *Schema, v doc.Value, at *trail) {
	for _, allowed := range s.Constraints().Enum {
		if allowed.IsNull() || v.IsNull() {
			continue
		}
		if doc.Equal(v, allowed) {
			return
		}
		if v.Kind() != doc.Number {
			continue
		}
		whole, isInt := v.Int()
		switch allowed.Kind() {
		case doc.Number:
			f := float(v)
			if want, ok := allowed.Int(); ok && !isInt && math.Abs(f) < 1<<63 && int64(f) == want {
				return
			}
		case doc.String:
			if isInt && string(rune(whole)) == allowed.Text() {
				return
			}
		}
	}
	w.enumerated(s, v, at)
}

// openObject checks the members of a map.
func (w *validator) openObject(s *Schema, v, old doc.Value, at *trail) {
	w.size(s, v, at)
	step := trail{up: at, index: member}
	b := s.beside()
	for i := range v.Len() {
		key := v.KeyAt(i)
		step.key, step.inMap = key, false
		below, before := s.Additional, old.Get(key)
		p := b.property(key)
		switch {
		case p != nil && p.unchecked:
			below = p.restricted
		case p != nil:
			below = p.Schema
		case s.open != nil && s.open.closed:
			w.forbidden(key, at)
			continue
		default:
			step.inMap = true
		}
		if at.up == nil && (key == "apiVersion" || key == "kind") {
			before = doc.Value{}
		}
		if below != nil {
			w.value(below, v.At(i), before, &step)
		}
	}
	if s.open == nil {
		return
	}
	for _, name := range s.open.required {
		if step.key = name; !v.Has(name) && !w.full() {
			w.add(status.RequiredField(step.below(w.root), ""))
		}
	}
}

// forbidden adds an error for a member that the schema excludes.
func (w *validator) forbidden(key string, at *trail) {
	if !w.full() {
		w.add(status.InvalidField(at.below(w.root), key,
			fmt.Sprintf("%s.%s in body is a forbidden property", at.text(), key)))
	}
}

// keepsFault reports whether an update leaves a value as it was, so that its faults do not count. Like kube-apiserver,
// it treats a map as changed if the schema does not describe all its members, and a keyed list if an element has no
// counterpart with its keys.
func (s *Schema) keepsFault(v, old doc.Value) bool {
	if v.Kind() != old.Kind() || v.Len() != old.Len() {
		return false
	}
	switch v.Kind() {
	case doc.Map:
		for i := range v.Len() {
			key := v.KeyAt(i)
			below := s.Additional
			if p := s.Property(key); p != nil {
				if below = p.Schema; p.unchecked {
					below = p.restricted
				}
			}
			if below == nil || below.anyMember() || !below.keepsFault(v.At(i), old.Get(key)) {
				return false
			}
		}
		return true
	case doc.List:
		if s.ListType != MapList || s.Items == nil || len(s.ListMapKeys) == 0 {
			return doc.Equal(v, old)
		}
		before := s.firstKeyed(old)
		for _, e := range v.Elements() {
			if !s.Items.keepsFault(e, before(e)) {
				return false
			}
		}
		return true
	}
	return doc.Equal(v, old)
}

// anyMember reports whether the schema stands for additionalProperties: true, which has no schema.
func (s *Schema) anyMember() bool {
	return s.fromOpenAPI && s.Type == AnyType && !s.IntOrString && !s.PreserveUnknown && s.Nullable && s.Object == nil
}

// firstKeyed returns a function that finds the first element of a keyed list with the keys of an element. An element
// without a scalar for each key has no counterpart.
func (s *Schema) firstKeyed(list doc.Value) func(element doc.Value) doc.Value {
	first := make(map[string]int, list.Len())
	for i, e := range list.Elements() {
		key := string(s.appendIdentity(nil, e))
		if _, again := first[key]; !again && s.isKeyed(e) {
			first[key] = i
		}
	}
	return func(element doc.Value) doc.Value {
		if i, found := first[string(s.appendIdentity(nil, element))]; found && s.isKeyed(element) {
			return list.At(i)
		}
		return doc.Value{}
	}
}

// isKeyed reports whether an element of a keyed list has a scalar for each key.
func (s *Schema) isKeyed(element doc.Value) bool {
	for _, key := range s.ListMapKeys {
		switch element.Get(key).Kind() {
		case doc.Bool, doc.Number, doc.String:
		default:
			return false
		}
	}
	return element.Kind() == doc.Map
}
