package cel

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxQuantityDigits and maxQuantityExponent bound the cost of parsing and comparing quantities. API servers have no
	// such bounds; real quantities are far below them.
	maxQuantityDigits   = 1000
	maxQuantityExponent = 1000
	// finest is the exponent of the smallest unit of a quantity.
	finest = -9
)

// quantity is a number with a suffix, as in resource.Quantity of Kubernetes: unscaled * 10^scale.
type quantity struct {
	unscaled *big.Int
	scale    int
	// short marks quantities that Kubernetes keeps in an int64. Only those can be integers.
	short bool
}

func quantityOf(i int64) quantity { return quantity{big.NewInt(i), 0, true} }

// parseQuantity reads a decimal number and a suffix: n, u, m, k, M, G, T, P, E; Ki, Mi, Gi, Ti, Pi, Ei; or e and an
// exponent. It rounds fractions of a nano up.
func parseQuantity(text string) (quantity, error) {
	number, suffix := cutQuantity(text)
	if text == "" || !isQuantitySuffix(suffix) {
		return quantity{}, errors.New("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	}
	binary, exponent, ok := quantityExponent(suffix)
	if !ok {
		return quantity{}, errors.New("unable to parse quantity's suffix")
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(number, "+-"), ".")
	digits := whole + fraction
	whole = strings.TrimLeft(whole, "0")
	q := quantity{unscaled: new(big.Int), scale: -len(fraction)}
	q.short = isShortQuantity(max(len(whole), 1), len(fraction), binary, exponent)
	if len(digits) > maxQuantityDigits || digits == "" && !q.short {
		return quantity{}, errors.New("unable to parse numeric part of quantity")
	}
	q.unscaled.SetString("0"+digits, 10)
	if binary {
		q.unscaled.Lsh(q.unscaled, uint(exponent))
	} else {
		q.scale += exponent
	}
	if !q.short {
		q = q.roundedUp(binary)
	}
	if strings.HasPrefix(number, "-") {
		q.unscaled.Neg(q.unscaled)
	}
	return q, nil
}

// cutQuantity returns the sign and digits of a quantity, with at most one dot, and the text behind them.
func cutQuantity(text string) (number, suffix string) {
	end, dots := 0, 0
	for ; end < len(text); end++ {
		switch c := text[end]; {
		case '0' <= c && c <= '9', end == 0 && (c == '+' || c == '-'):
		case c == '.' && dots == 0:
			dots++
		default:
			return text[:end], text[end:]
		}
	}
	return text, ""
}

// isQuantitySuffix reports whether text consists of letters, a sign and digits. Each of them may be missing.
func isQuantitySuffix(text string) bool {
	text = strings.TrimLeft(text, "eEinumkKMGTP")
	if text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return strings.Trim(text, "0123456789") == ""
}

// quantityExponent returns the power of ten, or of two, that a suffix stands for.
func quantityExponent(suffix string) (binary bool, exponent int, ok bool) {
	if i := slices.Index([]string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}, suffix); i >= 0 {
		return false, 3 * (i - 3), true
	}
	if i := slices.Index([]string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}, suffix); i >= 0 {
		return true, 10 * (i + 1), true
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return false, 0, false
	}
	n, err := strconv.Atoi(suffix[1:])
	return false, n, err == nil && -maxQuantityExponent <= n && n <= maxQuantityExponent
}

// isShortQuantity reports whether Kubernetes keeps a quantity with these numbers of digits in an int64.
func isShortQuantity(whole, fraction int, binary bool, exponent int) bool {
	if binary {
		return fraction == 0 && whole+exponent*3/10 < 15
	}
	return whole+fraction <= 18 && exponent-fraction >= finest
}

// roundedUp returns a positive quantity in whole nanos. It limits binary quantities to the largest int64.
func (q quantity) roundedUp(binary bool) quantity {
	if q.unscaled.Sign() == 0 {
		return q
	}
	if q.scale < finest {
		nanos, rest := new(big.Int).QuoRem(q.unscaled, powerOfTen(finest-q.scale), new(big.Int))
		if rest.Sign() > 0 {
			nanos.Add(nanos, big.NewInt(1))
		}
		q.unscaled, q.scale = nanos, finest
	}
	q = q.at(finest)
	if largest := quantityOf(math.MaxInt64); binary && q.compare(largest) > 0 {
		return quantity{unscaled: largest.unscaled}
	}
	return q
}

func powerOfTen(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// at returns the same quantity with a scale that is not higher than its own.
func (q quantity) at(scale int) quantity {
	if q.scale == scale {
		return q
	}
	return quantity{new(big.Int).Mul(q.unscaled, powerOfTen(q.scale-scale)), scale, q.short}
}

func (q quantity) compare(other quantity) int {
	scale := min(q.scale, other.scale)
	return q.at(scale).unscaled.Cmp(other.at(scale).unscaled)
}

func (q quantity) negative() quantity {
	return quantity{new(big.Int).Neg(q.unscaled), q.scale, q.short}
}

func (q quantity) add(other quantity) quantity {
	if q.short && other.short {
		switch {
		case other.unscaled.Sign() == 0:
			return q
		case q.unscaled.Sign() == 0:
			return other
		}
	}
	scale := min(q.scale, other.scale)
	a, b := q.at(scale).unscaled, other.at(scale).unscaled
	sum := new(big.Int).Add(a, b)
	return quantity{sum, scale, q.short && other.short && a.IsInt64() && b.IsInt64() && sum.IsInt64()}
}

func (q quantity) float() float64 {
	base, _ := new(big.Float).SetInt(q.unscaled).Float64()
	if q.scale == 0 {
		return base
	}
	return base * math.Pow10(q.scale)
}

// integer returns the quantity as an integer, if Kubernetes recognizes it as one. Like Kubernetes, it does not check
// whether the digits behind a dot are zero.
func (q quantity) integer() (int64, bool) {
	if !q.short || q.scale < 0 {
		return 0, false
	}
	whole := q.at(0).unscaled
	return whole.Int64(), whole.IsInt64()
}
