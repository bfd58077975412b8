package defaults

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// rule holds defaults of one Go type.
type rule struct {
	typ          reflect.Type
	values       values
	set          func(obj any) // obj is a pointer to the type
	canonicalize func(obj any)
	stop         bool
}

// values are the fixed defaults of a type: paths of JSON members, and values that encode to the JSON of the default.
type values map[string]any

// fixed returns the rule that sets each of these fields if it is absent. A pointer on the way must be set by another
// rule.
func fixed[T any](v values) rule { return rule{typ: reflect.TypeFor[T](), values: v} }

// when returns the rule for defaults of T that depend on other fields. set runs after the fixed defaults of T, and
// before the defaults of the values that T contains.
func when[T any](set func(obj *T)) rule {
	return rule{typ: reflect.TypeFor[T](), set: func(obj any) { set(obj.(*T)) }}
}

// rewrite returns the rule for values of T that are stored in another form than the client may send.
func rewrite[T any](canonicalize func(obj *T)) rule {
	return rule{typ: reflect.TypeFor[T](), canonicalize: func(obj any) { canonicalize(obj.(*T)) }}
}

// none returns the rule that T has no defaults, although it contains types that have some.
func none[T any]() rule { return rule{typ: reflect.TypeFor[T](), stop: true} }

// assignment sets one field of a struct if it is absent.
type assignment struct {
	steps []int
	value func() reflect.Value // a new value in each call
}

func (a assignment) apply(v reflect.Value) {
	for _, i := range a.steps {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	if v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		v.Set(a.value())
	}
}

// newAssignment panics if the table is wrong: t lacks the field, or the field cannot hold the value.
func newAssignment(t reflect.Type, path string, value any) assignment {
	a, at := assignment{}, t
	for name := range strings.SplitSeq(path, ".") {
		if at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		steps, f, ok := field(at, name)
		if !ok {
			panic(fmt.Sprintf("defaults of %s: no field %s", t, path))
		}
		a.steps, at = append(a.steps, steps...), f
	}
	first := reflect.New(at)
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, first.Interface())
	}
	if err != nil {
		panic(fmt.Sprintf("defaults of %s: %s: %v", t, path, err))
	}
	a.value = func() reflect.Value { return shallowCopy(first.Elem()) }
	return a
}

// shallowCopy copies a value so that a change of the copy does not change v: fixed defaults have no pointers within
// pointers.
func shallowCopy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(v.Elem())
		return out
	case reflect.Slice:
		return reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v)
	}
	return v
}

// field returns the field with this name in JSON, and the way to it through inlined structs.
func field(t reflect.Type, name string) (steps []int, of reflect.Type, ok bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		switch tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case tag == name:
			return []int{i}, f.Type, true
		case tag == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			if steps, of, ok = field(f.Type, name); ok {
				return append([]int{i}, steps...), of, true
			}
		}
	}
	return nil, nil, false
}
