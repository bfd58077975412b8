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

// goLimits is what a Go type can hold, where that is not what the format of the schema says.
type goLimits struct {
	set      bool
	low      int64
	high     uint64
	singleFP bool // float32
	// nullElements lets elements of a list and values of a map be null: Go decodes them as zero values, and built-in kinds say
	// nothing about it.
	nullElements bool
	// bytes and parsed: text is read by Go, as []byte or by a type that encodes itself.
	bytes, parsed bool
	// own is a type that encodes itself and has a say in what it takes; key is that of a map's keys. They are nil where the
	// rest of the schema tells, and for built-in kinds, whose objects are decoded anyway.
	own, key reflect.Type
}

// integerLimits returns the range of integers that fit in this place.
func (s *Schema) integerLimits() (low int64, high uint64) {
	switch {
	case s.goType.set:
		return s.goType.low, s.goType.high
	case s.Format == "int32":
		return -1 << 31, 1<<31 - 1
	}
	return -1 << 63, 1<<63 - 1
}

// isInteger reports whether a number is whole. A document writes 1.0 and 1e3 as 1 and 1000, so the literal tells; whole
// numbers of so many digits that it leaves them as they were sent are refused with a fraction or an exponent, as Go does.
func isInteger(v doc.Value) bool {
	return v.Kind() == doc.Number && !strings.ContainsAny(v.Literal(), ".eE")
}

// compareNumbers compares exactly where both are integers of 64 bits, and as floating point numbers elsewhere. A number
// too large for that counts as infinite.
func compareNumbers(a, b doc.Value) int {
	x, okX := a.Int()
	y, okY := b.Int()
	if okX && okY {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(float(a), float(b))
}

// isMultiple reports whether a number is a whole multiple of a factor above 0: exactly so where both are integers of 64 bits,
// elsewhere as near as floating point numbers come to it, since 0.3 is a multiple of 0.1.
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
	f, _ := strconv.ParseFloat(v.Literal(), 64) // ±Inf when it is out of range
	return f
}

// plain returns a value as Go has it, for an error to show.
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
