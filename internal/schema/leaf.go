package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/decorum-go/decorum/internal/doc"
)

// With these methods, a type that encodes itself declares its schema, as the types of Kubernetes do.
type (
	typeTeller   interface{ OpenAPISchemaType() []string }
	formatTeller interface{ OpenAPISchemaFormat() string }
	oneOfTeller  interface{ OpenAPIV3OneOfTypes() []string }
)

// leaf returns the schema of a type that encodes itself, and nil for a type whose parts encoding/json encodes.
func leaf(t reflect.Type) (*Schema, error) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &Schema{Type: StringType, Format: "date-time", goType: goLimits{parsed: true}}, nil
	case reflect.TypeFor[json.Number]():
		return &Schema{Type: NumberType}, nil
	case reflect.TypeFor[json.RawMessage]():
		return anything(), nil
	}
	told, err := tell(t)
	if told != nil || err != nil {
		return told, err
	}
	switch {
	case isA[json.Marshaler](t), isA[json.Unmarshaler](t):
		return anything(), nil
	case isA[encoding.TextMarshaler](t), isA[encoding.TextUnmarshaler](t):
		return &Schema{Type: StringType}, nil
	}
	return nil, nil
}

func anything() *Schema { return &Schema{PreserveUnknown: true} }

// isA reports whether a type or its pointer implements an interface. It is false for interface types, whose methods
// cannot be called without a value.
func isA[I any](t reflect.Type) bool {
	return t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// tell calls a type's schema methods on a zero value. The methods are foreign code, so tell turns a panic into an
// error.
func tell(t reflect.Type) (s *Schema, err error) {
	if !isA[typeTeller](t) && !isA[oneOfTeller](t) {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("%s: its schema methods panicked: %v", t, p)
		}
	}()
	value := reflect.New(t).Interface()
	s = &Schema{goType: goLimits{parsed: true}}
	if f, ok := value.(formatTeller); ok {
		s.Format = f.OpenAPISchemaFormat()
	}
	if o, ok := value.(oneOfTeller); ok {
		s.OneOf = o.OpenAPIV3OneOfTypes()
	}
	switch teller, ok := value.(typeTeller); {
	case len(s.OneOf) == 2 && s.OneOf[0] == IntegerType && s.OneOf[1] == StringType:
		s.IntOrString, s.OneOf = true, nil
		if s.Format == "int-or-string" { // IntOrString already says this
			s.Format = ""
		}
	case len(s.OneOf) == 1:
		s.Type, s.OneOf = s.OneOf[0], nil
	case len(s.OneOf) == 0 && ok:
		switch types := teller.OpenAPISchemaType(); len(types) {
		case 0:
		case 1:
			s.Type = types[0]
		default:
			s.OneOf = types
		}
	}
	if s.Type == AnyType && len(s.OneOf) == 0 && !s.IntOrString || s.Type == ObjectType || s.Type == ArrayType {
		s.PreserveUnknown = true
	}
	return s, nil
}

// scalar returns the schema of Go's own scalar types, and nil for other types.
func scalar(t reflect.Type) *Schema {
	signed := func(format string, bits uint8) *Schema {
		return &Schema{Type: IntegerType, Format: format, goType: goLimits{bits: bits}}
	}
	unsigned := func(format string, bits uint8) *Schema {
		return &Schema{Type: IntegerType, Format: format, goType: goLimits{bits: bits, unsigned: true}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &Schema{Type: BooleanType}
	case reflect.String:
		return &Schema{Type: StringType}
	case reflect.Int8:
		return signed("int32", 8).publishRange()
	case reflect.Int16:
		return signed("int32", 16).publishRange()
	case reflect.Int32:
		return signed("int32", 32)
	case reflect.Int64, reflect.Int:
		return signed("int64", 64)
	case reflect.Uint8:
		return unsigned("int32", 8).publishRange()
	case reflect.Uint16:
		return unsigned("int32", 16).publishRange()
	case reflect.Uint32:
		return unsigned("int64", 32).publishRange()
	case reflect.Uint64, reflect.Uint, reflect.Uintptr:
		return unsigned("", 64).publishRange()
	case reflect.Float32:
		return &Schema{Type: NumberType, Format: "float", goType: goLimits{singleFP: true}}
	case reflect.Float64:
		return &Schema{Type: NumberType, Format: "double"}
	}
	return nil
}

// publishRange bounds an integer to the range of its Go type, which its format does not state.
func (s *Schema) publishRange() *Schema {
	low, high := s.integerLimits()
	c := s.constrain()
	if c.Minimum = doc.OfInt(low); high < math.MaxUint64 {
		c.Maximum = doc.OfInt(int64(high))
	}
	return s
}
