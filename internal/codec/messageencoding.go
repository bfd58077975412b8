package codec

import (
	"encoding/base64"
	"fmt"
	"sort"
	"time"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
)

// Append appends the message for a document. It ignores members without a description.
func (m *Message) Append(dst []byte, v doc.Value) ([]byte, error) {
	var a assembly
	if err := m.encode(&a, v); err != nil {
		return dst, err
	}
	return a.appendTo(dst), nil
}

func (m *Message) encode(a *assembly, v doc.Value) error {
	if m.union {
		v = m.wrapped(v)
	}
	fields := m.fields
	if !sort.SliceIsSorted(fields, func(i, j int) bool { return fields[i].Number < fields[j].Number }) {
		return fmt.Errorf("the fields of a message are not in order of their numbers")
	}
	for _, f := range fields {
		value := v
		if f.Name != "" {
			value = v.Get(f.Name)
		}
		if value.IsAbsent() || value.IsNull() {
			continue
		}
		var err error
		switch {
		case f.Type == MapType:
			err = f.encodeMap(a, value)
		case f.Repeated:
			for _, e := range value.Elements() {
				if err = f.encode(a, e); err != nil {
					break
				}
			}
		default:
			err = f.encode(a, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f MessageField) encodeMap(a *assembly, v doc.Value) error {
	for key, entry := range v.Members() {
		err := a.nested(f.Number, func() error {
			a.bytes = AppendField(a.bytes, entryKey, []byte(key))
			if f.Of == nil {
				a.bytes = AppendField(a.bytes, entryValue, []byte(entry.Text()))
				return nil
			}
			return a.nested(entryValue, func() error { return f.Of.encode(a, entry) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f MessageField) encode(a *assembly, v doc.Value) (err error) {
	switch f.Type {
	case BoolType:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		a.bytes = AppendVarintField(a.bytes, f.Number, n)
	case IntType:
		n, ok := v.Int()
		if !ok {
			return fmt.Errorf("%q is not an integer", f.Name)
		}
		a.bytes = AppendVarintField(a.bytes, f.Number, uint64(n))
	case DoubleType:
		n, ok := v.Float()
		if !ok {
			return fmt.Errorf("%q is not a number", f.Name)
		}
		a.bytes = AppendDoubleField(a.bytes, f.Number, n)
	case BytesType:
		decoded, err := base64.StdEncoding.DecodeString(v.Text())
		if err != nil {
			return fmt.Errorf("%q: %w", f.Name, err)
		}
		a.bytes = AppendField(a.bytes, f.Number, decoded)
	case TimeType, MicroTimeType:
		a.bytes, err = f.appendTime(a.bytes, v.Text())
	case MessageType:
		err = a.nested(f.Number, func() error { return f.Of.encode(a, v) })
	case JSONType:
		var text []byte
		if !v.IsNull() { // null may be an element of a list
			text = AppendField(nil, rawJSON, AppendJSON(nil, v))
		}
		a.bytes = AppendField(a.bytes, f.Number, text)
	default:
		a.bytes = AppendField(a.bytes, f.Number, []byte(v.Text()))
	}
	return err
}

func (f MessageField) appendTime(dst []byte, text string) ([]byte, error) {
	t, err := time.Parse(f.layout(), text)
	if err != nil {
		told := words.NotATime(text)
		if f.Type == MicroTimeType {
			told = words.NotAMicroTime(text)
		}
		return dst, fmt.Errorf("%q: %s", f.Name, told)
	}
	encoded := AppendVarintField(nil, timeSeconds, uint64(t.Unix()))
	if f.Type == MicroTimeType {
		encoded = AppendVarintField(encoded, timeNanos, uint64(t.Nanosecond()))
	}
	return AppendField(dst, f.Number, encoded), nil
}
