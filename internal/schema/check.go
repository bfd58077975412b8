package schema

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// CheckTypes returns errors for values that the Go type cannot hold: wrong JSON types, numbers out of the range of the
// Go type, text that its Go type does not decode. The path is the position of the document, nil for a whole object.
// CheckTypes returns at most a hundred errors. Null counts as absent, except in a list.
func (s *Schema) CheckTypes(path *status.Path, v doc.Value) status.FieldErrors {
	c := checker{findings{root: path}}
	c.value(s, v, &trail{})
	return c.errs
}

// CheckTypesRatcheted is CheckTypes for an update. A kind without a Go struct may keep values that a later schema
// excludes, so for a schema of [FromOpenAPI] the values that the update does not change are accepted. old is absent on
// creation.
func (s *Schema) CheckTypesRatcheted(path *status.Path, v, old doc.Value) status.FieldErrors {
	if !s.fromOpenAPI || old.IsAbsent() {
		return s.CheckTypes(path, v)
	}
	c := checker{findings{root: path}}
	c.openTypes(s, v, old, &trail{})
	return c.errs
}

// checker finds values of wrong types.
type checker struct{ findings }

func (c *checker) value(s *Schema, v doc.Value, at *trail) {
	if s.fromOpenAPI {
		c.openTypes(s, v, doc.Value{}, at)
		return
	}
	if v.IsAbsent() || !c.fits(s, v, at) {
		return
	}
	switch v.Kind() {
	case doc.Map:
		if s.Object == nil && s.Additional == nil {
			return
		}
		step := trail{up: at, index: member}
		b := s.beside()
		for i := range v.Len() {
			child := v.At(i)
			step.key = v.KeyAt(i)
			if below := b.schema(step.key); below != nil && !child.IsNull() {
				c.value(below, child, &step)
			}
		}
	case doc.List:
		if s.Items == nil {
			return
		}
		step := trail{up: at}
		for i := range v.Len() {
			child := v.At(i)
			if child.IsNull() && s.goType.nullElements {
				continue
			}
			step.index = i
			c.value(s.Items, child, &step)
		}
	}
}

// fits adds an error for a value of a wrong type, ignoring the values below it. It reports whether the caller can check
// those.
func (f *findings) fits(s *Schema, v doc.Value, at *trail) bool {
	if v.IsNull() && s.Nullable {
		return true
	}
	if !s.allows(v) {
		f.wrongType(s, v, at)
		return false
	}
	switch v.Kind() {
	case doc.Number:
		f.holdsNumber(s, v, at)
	case doc.String:
		if s.readByGo() && !s.wellFormed(v.Text()) {
			f.badType(at, v.Text(), s.Format, v.Text())
			return true
		}
	case doc.Map:
		if foreign := s.goType.foreign; foreign != nil && foreign.key != nil {
			f.holdsKeys(foreign.key, v, at)
		}
	}
	if foreign := s.goType.foreign; foreign != nil && foreign.value != nil {
		f.isTaken(foreign.value, v, at)
	}
	return true
}

// allows reports whether a value has one of the types of its place.
func (s *Schema) allows(v doc.Value) bool {
	switch {
	case s.IntOrString:
		return v.Kind() == doc.String || isInteger(v) && fitsInt64(v)
	case len(s.OneOf) > 0:
		for _, t := range s.OneOf {
			if isOf(t, v) {
				return true
			}
		}
		return false
	}
	return isOf(s.Type, v)
}

func isOf(t string, v doc.Value) bool {
	switch t {
	case AnyType:
		return true
	case ObjectType:
		return v.Kind() == doc.Map
	case ArrayType:
		return v.Kind() == doc.List
	case StringType:
		return v.Kind() == doc.String
	case BooleanType:
		return v.Kind() == doc.Bool
	case NumberType:
		return v.Kind() == doc.Number
	case IntegerType:
		return isInteger(v)
	}
	return false
}

// holdsNumber adds an error for a number that the Go type cannot hold.
func (f *findings) holdsNumber(s *Schema, v doc.Value, at *trail) {
	switch s.Type {
	case IntegerType:
		if s.Format == "int32" && !fitsInt32(v) || s.Format == "int64" && !fitsInt64(v) {
			if !fitsInt64(v) { // a decoder would change its type
				f.badType(at, "float64", s.Format, "float64")
			}
			f.badFormat(s, at)
			return
		}
		low, high := s.integerLimits()
		if i, ok := v.Int(); ok {
			if i < low {
				f.outOfRange(at, v, "should be greater than or equal to ", strconv.FormatInt(low, 10))
			} else if i > 0 && uint64(i) > high {
				f.outOfRange(at, v, "should be less than or equal to ", strconv.FormatUint(high, 10))
			}
			return
		}
		if strings.HasPrefix(v.Literal(), "-") {
			f.outOfRange(at, v, "should be greater than or equal to ", strconv.FormatInt(low, 10))
		} else if u, err := strconv.ParseUint(v.Literal(), 10, 64); err != nil || u > high {
			f.outOfRange(at, v, "should be less than or equal to ", strconv.FormatUint(high, 10))
		}
	case NumberType:
		largest := math.MaxFloat64
		if s.goType.singleFP {
			largest = math.MaxFloat32
		}
		if n := float(v); math.Abs(n) > largest && s.Format == "float" {
			f.badFormat(s, at)
		} else if math.Abs(n) > largest {
			f.outOfRange(at, v, "should be within ±", strconv.FormatFloat(largest, 'g', -1, 64))
		}
	}
}

func fitsInt32(v doc.Value) bool {
	i, ok := v.Int()
	return ok && int64(int32(i)) == i
}

func fitsInt64(v doc.Value) bool {
	_, ok := v.Int()
	return ok
}

// badFormat adds an error for a number that its format cannot hold. Like kube-apiserver, the error names the document,
// and only its text names the field.
func (f *findings) badFormat(s *Schema, at *trail) {
	if !f.full() {
		f.whole(fmt.Sprintf("Checked value must be of type %s with format %s in %s", s.Type, s.Format, at.text()))
	}
}

func (f *findings) outOfRange(at *trail, v doc.Value, relation, bound string) {
	if !f.full() {
		f.add(status.InvalidField(at.below(f.root), plain(v), relation+bound))
	}
}

func (f *findings) wrongType(s *Schema, v doc.Value, at *trail) {
	isNumber := v.Kind() == doc.Number
	if format := s.checkedFormat(); format != "" && (isNumber || v.Kind() == doc.Bool || v.Kind() == doc.Map) {
		// A number, a boolean or a map gets an error that names the expected format, and the actual format of a number.
		got := ""
		if isInteger(v) && fitsInt64(v) {
			got = "int64"
		} else if isNumber {
			got = "float64"
		}
		f.badType(at, got, format, got)
	} else {
		actual := v.Kind().String()
		if isInteger(v) && fitsInt64(v) {
			actual = IntegerType
		}
		f.badType(at, actual, strings.Join(s.Types(), ","), actual)
	}
	if s.Type == IntegerType && isNumber {
		f.badFormat(s, at)
	}
}
