package gotype

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// read stores a document in a zero Go value. It returns false if the document must go through JSON text, for example
// because it does not fit the type. Then the value is undefined.
func (p *plan) read(v doc.Value, into reflect.Value) bool {
	switch p.form {
	case textForm:
		return codec.ToGo(v, into.Addr().Interface()) == nil
	case anyForm:
		x, ok := readAny(v)
		if ok && x != nil {
			into.Set(reflect.ValueOf(x))
		}
		return ok
	case pointerForm:
		if v.IsNull() {
			return true
		}
		pointed := reflect.New(p.typ.Elem())
		into.Set(pointed)
		return p.elem.read(v, pointed.Elem())
	case ownForm:
		return codec.ToUnmarshaler(v, into.Addr().Interface().(json.Unmarshaler)) == nil
	}
	if v.IsNull() { // encoding/json leaves the value as it is
		return true
	}
	switch p.form {
	case structForm:
		return v.Kind() == doc.Map && p.readFields(v, into)
	case listForm:
		return v.Kind() == doc.List && p.readElements(v, into)
	case textsForm:
		return v.Kind() == doc.List && readTexts(v, into.Addr().Interface().(*[]string))
	case mapForm:
		return v.Kind() == doc.Map && p.readMembers(v, into)
	case labelsForm:
		return v.Kind() == doc.Map && readLabels(v, into.Addr().Interface().(*map[string]string))
	case timeForm:
		return v.Kind() == doc.String && into.Addr().Interface().(*apimeta.Time).UnmarshalText([]byte(v.Text())) == nil
	}
	return p.readScalar(v, into)
}

// readScalar stores a text, a boolean or a number.
func (p *plan) readScalar(v doc.Value, into reflect.Value) bool {
	switch p.form {
	case stringForm:
		into.SetString(v.Text())
		return v.Kind() == doc.String
	case boolForm:
		into.SetBool(v.Bool())
		return v.Kind() == doc.Bool
	}
	if v.Kind() != doc.Number {
		return false
	}
	switch p.form {
	case integerForm:
		i, err := strconv.ParseInt(v.Literal(), 10, p.typ.Bits())
		into.SetInt(i)
		return err == nil
	case unsignedForm:
		u, err := strconv.ParseUint(v.Literal(), 10, p.typ.Bits())
		into.SetUint(u)
		return err == nil
	default:
		f, err := strconv.ParseFloat(v.Literal(), p.typ.Bits())
		into.SetFloat(f)
		return err == nil
	}
}

// readFields walks the members and the fields side by side. Both are sorted. It ignores members without a field.
func (p *plan) readFields(v doc.Value, into reflect.Value) bool {
	j := 0
	for i := range v.Len() {
		key := v.KeyAt(i)
		for j < len(p.fields) && p.fields[j].name != key && p.fields[j].name < key {
			j++
		}
		if j == len(p.fields) {
			break
		}
		if f := &p.fields[j]; f.name == key && !f.plan.read(v.At(i), f.in(into)) {
			return false
		}
	}
	return true
}

// in returns the field of a struct.
func (f *plannedField) in(of reflect.Value) reflect.Value {
	for _, i := range f.index {
		of = of.Field(i)
	}
	return of
}

func (p *plan) readElements(v doc.Value, into reflect.Value) bool {
	n := v.Len()
	if n == 0 {
		into.Set(reflect.MakeSlice(p.typ, 0, 0))
		return true
	}
	into.Grow(n)
	into.SetLen(n)
	for i := range n {
		if !p.elem.read(v.At(i), into.Index(i)) {
			return false
		}
	}
	return true
}

func readTexts(v doc.Value, into *[]string) bool {
	texts := make([]string, v.Len())
	for i := range texts {
		e := v.At(i)
		if e.Kind() != doc.String && !e.IsNull() {
			return false
		}
		texts[i] = e.Text()
	}
	*into = texts
	return true
}

func (p *plan) readMembers(v doc.Value, into reflect.Value) bool {
	into.Set(reflect.MakeMapWithSize(p.typ, v.Len()))
	key, value := reflect.New(p.typ.Key()).Elem(), reflect.New(p.typ.Elem()).Elem()
	for i := range v.Len() {
		key.SetString(v.KeyAt(i))
		value.SetZero()
		if !p.elem.read(v.At(i), value) {
			return false
		}
		into.SetMapIndex(key, value)
	}
	return true
}

func readLabels(v doc.Value, into *map[string]string) bool {
	labels := make(map[string]string, v.Len())
	for i := range v.Len() {
		value := v.At(i)
		if value.Kind() != doc.String && !value.IsNull() {
			return false
		}
		labels[v.KeyAt(i)] = value.Text()
	}
	*into = labels
	return true
}

// readAny returns the value that encoding/json stores in an empty interface.
func readAny(v doc.Value) (x any, ok bool) {
	switch v.Kind() {
	case doc.Null:
		return nil, true
	case doc.Bool:
		return v.Bool(), true
	case doc.String:
		return v.Text(), true
	case doc.Number:
		return v.Float()
	case doc.List:
		list := make([]any, v.Len())
		for i := range list {
			if list[i], ok = readAny(v.At(i)); !ok {
				return nil, false
			}
		}
		return list, true
	case doc.Map:
		m := make(map[string]any, v.Len())
		for i := range v.Len() {
			if m[v.KeyAt(i)], ok = readAny(v.At(i)); !ok {
				return nil, false
			}
		}
		return m, true
	}
	return nil, false
}
