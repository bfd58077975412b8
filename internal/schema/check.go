package schema

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// CheckTypes refuses values that the Go type of their place could not hold: wrong JSON types, numbers out of the range of
// the Go type, text that is not what its Go type decodes. The path is where the document stands; nil for a
// whole object. At most a hundred errors are returned. A null counts as absent, except in a list.
func (s *Schema) CheckTypes(path *status.Path, v doc.Value) status.FieldErrors {
	c := checker{root: path}
	c.value(s, v, &trail{})
	return c.errs
}

type checker struct {
	root *status.Path
	findings
}

func (c *checker) value(s *Schema, v doc.Value, at *trail) {
	if v.IsAbsent() || v.IsNull() && s.Nullable {
		return
	}
	if !s.allows(v) {
		c.wrongType(s, v, at)
		return
	}
	switch v.Kind() {
	case doc.Number:
		c.number(s, v, at)
	case doc.String:
		if s.readByGo() && !s.wellFormed(v.Text()) {
			c.add(at, v.Text(), s.Format, v.Text())
		}
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

// allows reports whether a value is of one of the types of its place.
func (s *Schema) allows(v doc.Value) bool {
	switch {
	case s.IntOrString:
		return v.Kind() == doc.String || isInteger(v)
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

func (c *checker) number(s *Schema, v doc.Value, at *trail) {
	switch s.Type {
	case IntegerType:
		if s.Format == "int32" && !fitsInt32(v) || s.Format == "int64" && !fitsInt64(v) {
			if !fitsInt64(v) { // a decoder makes another type of it
				c.add(at, "float64", s.Format, "float64")
			}
			c.badFormat(s, at)
			return
		}
		low, high := s.integerLimits()
		if i, ok := v.Int(); ok {
			if i < low {
				c.outOfRange(at, v, "should be greater than or equal to ", strconv.FormatInt(low, 10))
			} else if i > 0 && uint64(i) > high {
				c.outOfRange(at, v, "should be less than or equal to ", strconv.FormatUint(high, 10))
			}
			return
		}
		if strings.HasPrefix(v.Literal(), "-") {
			c.outOfRange(at, v, "should be greater than or equal to ", strconv.FormatInt(low, 10))
		} else if u, err := strconv.ParseUint(v.Literal(), 10, 64); err != nil || u > high {
			c.outOfRange(at, v, "should be less than or equal to ", strconv.FormatUint(high, 10))
		}
	case NumberType:
		largest := math.MaxFloat64
		if s.goType.singleFP {
			largest = math.MaxFloat32
		}
		if f := float(v); math.Abs(f) > largest && s.goType.singleFP {
			c.badFormat(s, at)
		} else if math.Abs(f) > largest {
			c.outOfRange(at, v, "should be within ±", strconv.FormatFloat(largest, 'g', -1, 64))
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

// badFormat is a number that its format cannot hold. Upstream names no field beside the text.
func (c *checker) badFormat(s *Schema, at *trail) {
	if !c.full() {
		c.findings.add(status.InvalidField(status.Field("<nil>"), "",
			fmt.Sprintf("Checked value must be of type %s with format %s in %s", s.Type, s.Format, at.below(c.root))))
	}
}

func (c *checker) outOfRange(at *trail, v doc.Value, relation, bound string) {
	if !c.full() {
		c.findings.add(status.InvalidField(at.below(c.root), plain(v), relation+bound))
	}
}

func (c *checker) wrongType(s *Schema, v doc.Value, at *trail) {
	isNumber := v.Kind() == doc.Number
	if format := s.checkedFormat(); format != "" && (isNumber || v.Kind() == doc.Bool || v.Kind() == doc.Map) {
		// A value that is no text and no list is told the format, and shows its own.
		got := ""
		if isInteger(v) {
			got = "int64"
		} else if isNumber {
			got = "float64"
		}
		c.add(at, got, format, got)
	} else {
		actual := v.Kind().String()
		if isInteger(v) {
			actual = IntegerType
		}
		c.add(at, actual, strings.Join(s.Types(), ","), actual)
	}
	if s.Type == IntegerType && isNumber {
		c.badFormat(s, at)
	}
}

func (c *checker) add(at *trail, value any, want, got string) {
	if !c.full() {
		c.findings.add(badType(at.below(c.root), value, want, got))
	}
}

// badType names the type or format that was wanted and what came, in upstream's words.
func badType(path *status.Path, value any, want, got string) *status.FieldError {
	return status.TypeInvalidField(path, value, fmt.Sprintf("%s in body must be of type %s: %q", path, want, got))
}
