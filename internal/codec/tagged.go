package codec

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// metadataField is the Go field whose tag shows that a type has a message.
const metadataField = "ObjectMeta"

// MessageOf returns the message that the tags of a Go type describe, in the form of the types of k8s.io/api:
//
//	Spec WidgetSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`
//
// MessageOf takes the name of a member from its json tag, and only the encoding and the number from its protobuf tag. It returns nil
// if the metadata has no protobuf tag. If the metadata has one, every other field must have one too, because Protobuf would lose a
// field without a tag.
func MessageOf(t reflect.Type) (*Message, error) {
	if t.Kind() != reflect.Struct {
		return nil, nil
	}
	if metadata, ok := t.FieldByName(metadataField); !ok || metadata.Tag.Get("protobuf") == "" {
		return nil, nil
	}
	return describer{}.message(t)
}

// describer derives messages from Go types. It holds the types that enclose the current one, to detect a type that contains itself.
type describer []reflect.Type

func (d describer) message(t reflect.Type) (*Message, error) {
	if t == reflect.TypeFor[apimeta.ObjectMeta]() {
		return ObjectMetaMessage(), nil
	}
	if slices.Contains(d, t) {
		return nil, fmt.Errorf("%s contains itself", t)
	}
	d = append(slices.Clip(d), t)
	fields, err := d.fields(t)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(fields, func(a, b MessageField) int { return a.Number - b.Number })
	for i := range fields {
		if i > 0 && fields[i].Number == fields[i-1].Number {
			return nil, fmt.Errorf("%s: %s and %s have the number %d", t, fields[i-1].Name, fields[i].Name, fields[i].Number)
		}
	}
	return NewMessage(fields...), nil
}

// fields describes the fields of a struct and of its inlined structs.
func (d describer) fields(t reflect.Type) (fields []MessageField, err error) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inlined := f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct
		switch {
		case inlined && f.Type.Name() == "TypeMeta": // the envelope contains the kind
		case inlined:
			more, err := d.fields(f.Type)
			if err != nil {
				return nil, err
			}
			fields = append(fields, more...)
		case f.IsExported() && name != "-":
			field, err := d.field(f)
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
			}
			field.Name = cmp.Or(name, f.Name)
			fields = append(fields, field)
		}
	}
	return fields, nil
}

// field describes a field by its tag and its type.
func (d describer) field(f reflect.StructField) (MessageField, error) {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if parts[0] == "" {
		return MessageField{}, errors.New("missing tag such as `protobuf:\"bytes,2,opt,name=spec\"`, which every field needs if the metadata has one")
	}
	out, err := d.typed(f.Type)
	if err != nil {
		return out, err
	}
	if len(parts) > 1 {
		out.Number, err = strconv.Atoi(parts[1])
	}
	if err != nil || out.Number < 1 {
		return out, fmt.Errorf("the tag %q has no field number", f.Tag.Get("protobuf"))
	}
	if wire := wireOf(out.Type); parts[0] != wire {
		return out, fmt.Errorf("the tag %q must begin with %s", f.Tag.Get("protobuf"), wire)
	}
	return out, nil
}

func wireOf(t FieldType) string {
	if t == BoolType || t == IntType {
		return "varint"
	}
	return "bytes"
}

// typed describes the values of a Go type. Its caller sets the number and the name.
func (d describer) typed(t reflect.Type) (f MessageField, err error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[apimeta.Time]():
		f.Type = TimeType
	case t == reflect.TypeFor[apimeta.MicroTime]():
		f.Type = MicroTimeType
	case encodesItself(t):
		return f, fmt.Errorf("%s cannot be encoded in Protobuf, because it has its own JSON encoding", t)
	case t.Kind() == reflect.String:
		f.Type = StringType
	case t.Kind() == reflect.Bool:
		f.Type = BoolType
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		f.Type = IntType
	case t.Kind() == reflect.Struct:
		f.Type = MessageType
		f.Of, err = d.message(t)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		f.Type = BytesType
	case t.Kind() == reflect.Slice:
		if f, err = d.typed(t.Elem()); f.Repeated || f.Type == MapType {
			err = fmt.Errorf("%s cannot be encoded in Protobuf", t)
		}
		f.Repeated = true
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		f, err = d.typed(t.Elem())
		if err == nil && f.Type != StringType && (f.Type != MessageType || f.Repeated) {
			err = fmt.Errorf("%s cannot be encoded in Protobuf", t)
		}
		if f.Repeated { // a message that holds only the list
			f.Of, f.Bare = NewMessage(MessageField{Number: 1, Name: BareList, Repeated: true}), true
		}
		f.Type, f.Repeated = MapType, false
	default:
		err = fmt.Errorf("%s cannot be encoded in Protobuf", t)
	}
	return f, err
}

// encodesItself reports whether the type implements its JSON encoding with its own methods.
func encodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]())
}
