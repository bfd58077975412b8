package apiextensions

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// shown is a value as an error message shows it: as JSON whose members have the Go names of the fields. kube-apiserver
// validates a form of the definition that has no JSON names, and its messages show this form.
type shown struct{ value any }

// MarshalJSON implements [encoding/json.Marshaler].
func (s shown) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := writeShown(&b, reflect.ValueOf(s.value))
	return b.Bytes(), err
}

func writeShown(b *bytes.Buffer, v reflect.Value) error {
	if j, ok := jsonOf(v); ok {
		return writeJSON(b, j)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return writeShown(b, v.Elem())
		}
	case reflect.Struct:
		fields := slices.DeleteFunc(reflect.VisibleFields(v.Type()),
			func(f reflect.StructField) bool { return !f.IsExported() || len(f.Index) > 1 })
		return writeMembers(b, '{', '}', len(fields), func(i int) error {
			b.WriteString(`"` + fields[i].Name + `":`)
			return writeShown(b, v.FieldByIndex(fields[i].Index))
		})
	case reflect.Slice:
		if !v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8 {
			return writeMembers(b, '[', ']', v.Len(), func(i int) error { return writeShown(b, v.Index(i)) })
		}
	case reflect.Map:
		if !v.IsNil() {
			keys := sortedKeys(v)
			return writeMembers(b, '{', '}', len(keys), func(i int) error {
				if err := writeJSON(b, keys[i]); err != nil {
					return err
				}
				b.WriteByte(':')
				return writeShown(b, v.MapIndex(reflect.ValueOf(keys[i])))
			})
		}
	}
	return writeJSON(b, v.Interface())
}

// jsonOf returns a value that is JSON in itself.
func jsonOf(v reflect.Value) (j JSON, ok bool) {
	if v.Kind() == reflect.Struct {
		j, ok = v.Interface().(JSON)
	}
	return j, ok
}

func writeMembers(b *bytes.Buffer, begin, end byte, n int, member func(i int) error) error {
	b.WriteByte(begin)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := member(i); err != nil {
			return err
		}
	}
	b.WriteByte(end)
	return nil
}

func writeJSON(b *bytes.Buffer, value any) error {
	data, err := json.Marshal(value)
	b.Write(data)
	return err
}
