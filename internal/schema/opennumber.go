package schema

import (
	"fmt"
	"math"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// openNumber checks a number as kube-apiserver does for custom resources. An integer is compared with a bound without
// its fraction, and a bound that the type of the field cannot hold is an error about the value, too.
func (w *validator) openNumber(s *Schema, v doc.Value, at *trail) {
	c := s.Constraints()
	w.inRange(s, "Checked", v, at)
	if f := c.MultipleOf; !f.IsAbsent() {
		w.multiple(v, float(f), w.inRange(s, "MultipleOf", f, at), at)
	}
	if f := c.Minimum; !f.IsAbsent() {
		w.bound(v, limit{"greater", float(f), c.ExclusiveMinimum, w.inRange(s, "Minimum boundary", f, at)}, at)
	}
	if f := c.Maximum; !f.IsAbsent() {
		w.bound(v, limit{"less", float(f), c.ExclusiveMaximum, w.inRange(s, "Maximum boundary", f, at)}, at)
	}
}

// limit is a bound of a number.
type limit struct {
	than      string // what the number must be: "greater" or "less"
	value     float64
	exclusive bool
	holds     bool // the type of the field can hold the bound
}

// excludes reports whether a number is on the wrong side of the limit.
func (l limit) excludes(v, limit doc.Value) bool {
	order := compareNumbers(v, limit)
	return order == 0 && l.exclusive || order < 0 && l.than == "greater" || order > 0 && l.than == "less"
}

// rule returns the rule that the limit states, without the limit itself.
func (l limit) rule() string {
	if l.exclusive {
		return "should be " + l.than + " than "
	}
	return "should be " + l.than + " than or equal to "
}

// inRange reports whether the type and format of a field can hold a number, and adds an error if not. what says whether
// the number is a value or a bound.
func (w *validator) inRange(s *Schema, what string, v doc.Value, at *trail) bool {
	f := float(v)
	i, isInt := v.Int()
	fits := true
	switch {
	case s.Type == IntegerType && s.Format == "int32":
		fits = isInt && int64(int32(i)) == i
	case s.Type == IntegerType:
		fits = isInt
	case s.Type == NumberType && s.Format == "float":
		fits = math.Abs(f) <= math.MaxFloat32
	}
	if fits || w.full() {
		return fits
	}
	format := "(default format)"
	if known := s.checkedFormat(); known != "" {
		format = "with format " + known
	}
	w.whole(fmt.Sprintf("%s value must be of type %s %s in %s", what, s.Type, format, at.text()))
	return false
}

// bound adds an error if a value is on the wrong side of a limit. If the type of the field cannot hold the limit, the
// value is compared as a float.
func (w *validator) bound(v doc.Value, l limit, at *trail) {
	i, isInt := v.Int()
	if whole := saturated(l.value); l.holds && isInt {
		if l.excludes(v, doc.OfInt(whole)) {
			w.invalid(at, i, l.rule()+"%d", whole)
		}
		return
	}
	if l.excludes(v, doc.OfFloat(l.value)) {
		w.invalid(at, float(v), l.rule()+"%v", l.value)
	}
}

// multiple adds an error if a value is not a multiple of a factor.
func (w *validator) multiple(v doc.Value, factor float64, holds bool, at *trail) {
	i, isInt := v.Int()
	if !holds || !isInt {
		times := float(v) / factor
		if factor < 1 {
			times = 1 / factor * float(v)
		}
		switch {
		case factor <= 0:
			w.notPositive(factor, at)
		case !isWhole(times):
			w.invalid(at, float(v), "should be a multiple of %v", factor)
		}
		return
	}
	switch whole := saturated(factor); {
	case whole <= 0:
		w.notPositive(whole, at)
	case i%whole != 0:
		w.invalid(at, i, "should be a multiple of %d", whole)
	}
}

func (w *validator) notPositive(factor any, at *trail) {
	if !w.full() {
		w.add(status.InvalidField(at.below(w.root), factor,
			fmt.Sprintf("factor MultipleOf declared for %s must be positive: %v", at.text(), factor)))
	}
}

// saturated returns a float without its fraction, or the nearest int64.
func saturated(f float64) int64 {
	switch {
	case f >= 1<<63:
		return math.MaxInt64
	case f < -(1 << 63):
		return math.MinInt64
	}
	return int64(f)
}
