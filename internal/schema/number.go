package schema

import (
	"cmp"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// goLimits describes what a Go type can hold beyond what the schema's type and format say.
type goLimits struct {
	// bits is the size of an integer type, and 0 for all other types.
	bits     uint8
	unsigned bool
	singleFP bool // float32
	// nullElements allows null elements in a list and null values in a map. Go decodes them as zero values, and built-in
	// kinds accept them.
	nullElements bool
	// bytes and parsed say that Go reads the text, as []byte or with a type that encodes itself.
	bytes, parsed bool
	// foreign has the types whose own code reads a value. It is nil if the rest of the schema decides, and for built-in
	// kinds, whose objects are decoded anyway.
	foreign *foreignTypes
}

// foreignTypes are types that encode themselves and may reject values: one for a value, one for the keys of a map, or
// nil.
type foreignTypes struct{ value, key reflect.Type }

// integerLimits returns the range of integers that this place can hold.
func (s *Schema) integerLimits() (low int64, high uint64) {
	switch {
	case s.goType.bits > 0 && s.goType.unsigned:
		return 0, 1<<s.goType.bits - 1
	case s.goType.bits > 0:
		return -1 << (s.goType.bits - 1), 1<<(s.goType.bits-1) - 1
	case s.Format == "int32":
		return -1 << 31, 1<<31 - 1
	}
	return -1 << 63, 1<<63 - 1
}

// isInteger reports whether a number is written as an integer. A document writes 1.0 and 1e3 as 1 and 1000, so the
// literal decides. It keeps numbers with very many digits as they were sent; of these, isInteger rejects those with a
// fraction or an exponent, as Go does.
func isInteger(v doc.Value) bool {
	return v.Kind() == doc.Number && !strings.ContainsAny(v.Literal(), ".eE")
}

// compareNumbers compares two 64-bit integers exactly, and other numbers as floats. A number too large for a float
// counts as infinite.
func compareNumbers(a, b doc.Value) int {
	x, okX := a.Int()
	y, okY := b.Int()
	if okX && okY {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(float(a), float(b))
}

// isMultiple reports whether a number is an integer multiple of a factor above 0. It is exact for 64-bit integers. For
// other numbers it allows for rounding, since 0.3 must be a multiple of 0.1.
func isMultiple(v, factor doc.Value) bool {
	i, okI := v.Int()
	f, okF := factor.Int()
	if okI && okF {
		return i%f == 0
	}
	const near, largest = 1e-9, 1<<53 - 1
	times := float(v) / float(factor)
	return math.Abs(times) <= largest && math.Abs(times-math.Round(times)) <= near*math.Abs(times)
}

func float(v doc.Value) float64 {
	f, _ := strconv.ParseFloat(v.Literal(), 64) // ±Inf if it is out of range
	return f
}

// plain returns a value as a Go value, for an error to show.
func plain(v doc.Value) any {
	switch v.Kind() {
	case doc.Bool:
		return v.Bool()
	case doc.String:
		return v.Text()
	case doc.Number:
		if i, ok := v.Int(); ok {
			return i
		}
		if f, ok := v.Float(); ok {
			return f
		}
		return json.Number(v.Literal())
	case doc.List:
		list := make([]any, 0, v.Len())
		for _, e := range v.Elements() {
			list = append(list, plain(e))
		}
		return list
	case doc.Map:
		m := make(map[string]any, v.Len())
		for k, e := range v.Members() {
			m[k] = plain(e)
		}
		return m
	}
	return nil
}
