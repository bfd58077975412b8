package doc

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxExactDigits is how many significant decimal digits a float64 always preserves.
const maxExactDigits = 15

// plainNumber rewrites a literal with a fraction or an exponent in the shortest form, unless it would lose digits.
func plainNumber(literal string) string {
	if !strings.ContainsAny(literal, ".eE") || significantDigits(literal) > maxExactDigits {
		return literal
	}
	f, err := strconv.ParseFloat(literal, 64)
	if tiny := math.Abs(f) < 0x1p-1022; err != nil || tiny && significantDigits(literal) > 0 {
		return literal // out of range, or so small that it would lose digits
	}
	plain, err := json.Marshal(f)
	if err != nil {
		return literal
	}
	return string(plain)
}

// safeLength is a length up to which every integer literal is within the range of float64.
const safeLength = 300

// InRange reports whether a number is within the range of float64. It may need rounding.
func InRange(v Value) bool {
	if len(v.text) < safeLength && !strings.ContainsAny(v.text, "eE") {
		return true
	}
	_, err := strconv.ParseFloat(v.text, 64)
	return err == nil
}

// AllInRange reports whether all numbers in a document are within the range of float64.
func AllInRange(v Value) bool {
	switch v.kind {
	case Number:
		return InRange(v)
	case List, Map:
		for i := range v.Len() {
			if !AllInRange(v.node.values[i]) {
				return false
			}
		}
	}
	return true
}

// significantDigits counts the digits of a literal without leading zeros.
func significantDigits(literal string) int {
	n, leading := 0, true
	for _, c := range literal {
		switch {
		case c == 'e' || c == 'E':
			return n
		case c < '0' || c > '9' || leading && c == '0':
		default:
			leading = false
			n++
		}
	}
	return n
}

// OfFloat returns f as a document; infinities and NaN become null, because JSON cannot express them.
func OfFloat(f float64) Value {
	text, err := json.Marshal(f)
	if err != nil {
		return Value{kind: Null}
	}
	return Value{kind: Number, text: string(text)}
}
