package codec

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
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
// MessageOf takes the name of a member from its json tag, and only the encoding and the number from its protobuf tag.
// It returns nil if the metadata has no protobuf tag. If the metadata has one, every other field must have one too,
// because Protobuf would lose a field without a tag. A struct with its own JSON encoding is JSON text if bytes are its
// only field. Otherwise it is a union.
func MessageOf(t reflect.Type) (*Message, error) {
	if t.Kind() != reflect.Struct {
		return nil, nil
	}
	if metadata, ok := t.FieldByName(metadataField); !ok || metadata.Tag.Get("protobuf") == "" {
		return nil, nil
	}
	return describer{}.message(t)
}

// describer derives messages from Go types. It holds the messages of all types that it has met, because a type may
// contain itself.
type describer map[reflect.Type]*Message

func (d describer) message(t reflect.Type) (*Message, error) {
	if t == reflect.TypeFor[apimeta.ObjectMeta]() {
		return ObjectMetaMessage(), nil
	}
	if known, ok := d[t]; ok {
		return known, nil
	}
	m := &Message{union: encodesItself(t)}
	d[t] = m
	fields, err := d.fields(t)
	if err != nil {
		return nil, err
	}
	sort.Slice(fields, func(i, j int) bool { return fields[i].Number < fields[j].Number })
	for i := range fields {
		if i > 0 && fields[i].Number == fields[i-1].Number {
			return nil, fmt.Errorf("%s: %s and %s have the number %d", t, fields[i-1].Name, fields[i].Name, fields[i].Number)
		}
	}
	m.fields = fields
	return m, nil
}

// fields describes the fields of a struct and of its inlined structs. If an inlined struct has a protobuf tag, its
// fields are a message of their own, as in the rules of webhooks.
func (d describer) fields(t reflect.Type) (fields []MessageField, err error) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inlined := f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct
		switch {
		case inlined && f.Type.Name() == "TypeMeta": // the envelope contains the kind
		case inlined && f.Tag.Get("protobuf") == "":
			more, err := d.fields(f.Type)
			if err != nil {
				return nil, err
			}
			fields = append(fields, more...)
		case (inlined || f.IsExported()) && name != "-":
			field, err := d.field(f)
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
			}
			if !inlined {
				field.Name = cmp.Or(name, f.Name)
			}
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
	if wire := map[int]string{wireVarint: "varint", wire64: "fixed64",
		wireBytes: "bytes"}[out.Type.wire()]; parts[0] != wire {
		return out, fmt.Errorf("the tag %q must begin with %s", f.Tag.Get("protobuf"), wire)
	}
	return out, nil
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
	case encodesItself(t) && isJSONText(t):
		f.Type = JSONType
	case encodesItself(t) && !isUnion(t):
		return f, fmt.Errorf("%s cannot be encoded in Protobuf, because it has its own JSON encoding", t)
	case t.Kind() == reflect.String:
		f.Type = StringType
	case t.Kind() == reflect.Bool:
		f.Type = BoolType
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		f.Type = IntType
	case t.Kind() == reflect.Float64:
		f.Type = DoubleType
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
			f.Of = &itemsMessage
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
	return p.Implements(reflect.TypeFor[json.Marshaler]()) ||
		p.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]())
}

// isJSONText reports whether bytes with the number of [JSONType] are the only field of a struct.
func isJSONText(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Type == reflect.TypeFor[[]byte]() &&
		strings.HasPrefix(t.Field(0).Tag.Get("protobuf"), "bytes,1,")
}

// isUnion reports whether all fields of a struct have a protobuf tag, so that it can be described although it encodes
// its own JSON.
func isUnion(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 &&
		!slices.ContainsFunc(reflect.VisibleFields(t),
			func(f reflect.StructField) bool { return f.Tag.Get("protobuf") == "" })
}
