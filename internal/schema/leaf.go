package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
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
	bound := func(i int64) doc.Value { return doc.OfNumber(strconv.FormatInt(i, 10)) }
	signed := func(format string, low, high int64) *Schema {
		return &Schema{Type: IntegerType, Format: format, goType: goLimits{set: true, low: low, high: uint64(high)}}
	}
	unsigned := func(format string, high uint64) *Schema {
		s := &Schema{Type: IntegerType, Format: format, Minimum: bound(0), goType: goLimits{set: true, high: high}}
		if high < math.MaxUint64 {
			s.Maximum = bound(int64(high))
		}
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		return &Schema{Type: BooleanType}
	case reflect.String:
		return &Schema{Type: StringType}
	case reflect.Int8:
		s := signed("int32", math.MinInt8, math.MaxInt8)
		s.Minimum, s.Maximum = bound(math.MinInt8), bound(math.MaxInt8)
		return s
	case reflect.Int16:
		s := signed("int32", math.MinInt16, math.MaxInt16)
		s.Minimum, s.Maximum = bound(math.MinInt16), bound(math.MaxInt16)
		return s
	case reflect.Int32:
		return signed("int32", math.MinInt32, math.MaxInt32)
	case reflect.Int64, reflect.Int:
		return signed("int64", math.MinInt64, math.MaxInt64)
	case reflect.Uint8:
		return unsigned("int32", math.MaxUint8)
	case reflect.Uint16:
		return unsigned("int32", math.MaxUint16)
	case reflect.Uint32:
		return unsigned("int64", math.MaxUint32)
	case reflect.Uint64, reflect.Uint, reflect.Uintptr:
		return unsigned("", math.MaxUint64)
	case reflect.Float32:
		return &Schema{Type: NumberType, Format: "float", goType: goLimits{singleFP: true}}
	case reflect.Float64:
		return &Schema{Type: NumberType, Format: "double"}
	}
	return nil
}
