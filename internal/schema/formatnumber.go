package schema

import (
	"strconv"
	"strings"
	"unicode"
)

// isISBN10 reports whether text is a ten-digit book number with a correct check digit. Blanks and hyphens are ignored.
func isISBN10(text string) bool {
	digits := withoutBlanks(text)
	if len(digits) != 10 || !isDigits(digits[:9]) || !isDigits(digits[9:]) && digits[9] != 'X' {
		return false
	}
	sum := 0
	for i := range 10 {
		n := int(digits[i] - '0')
		if digits[i] == 'X' {
			n = 10
		}
		sum += (i + 1) * n
	}
	return sum%11 == 0
}

// isISBN13 is isISBN10 for thirteen digits.
func isISBN13(text string) bool {
	digits := withoutBlanks(text)
	if len(digits) != 13 || !isDigits(digits) {
		return false
	}
	sum := 0
	for i := range 13 {
		sum += int(digits[i]-'0') * (1 + i%2*2)
	}
	return sum%10 == 0
}

func withoutBlanks(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\t\n\f\r -", r) {
			return -1
		}
		return r
	}, text)
}

// isCreditCard reports whether the digits of a text are a credit card number of one of the older companies, judged by
// prefix and length, with a correct check digit.
func isCreditCard(text string) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return sum%10 == 0 && isCardNumber(digits)
}

func isCardNumber(digits string) bool {
	begins := func(length, count, low, high int) bool {
		if len(digits) != length {
			return false
		}
		n, err := strconv.Atoi(digits[:count])
		return err == nil && low <= n && n <= high
	}
	return begins(13, 1, 4, 4) || begins(16, 1, 4, 4) || begins(16, 2, 51, 55) || begins(16, 4, 6011, 6011) ||
		begins(16, 2, 65, 65) || begins(15, 2, 34, 34) || begins(15, 2, 37, 37) || begins(14, 3, 300, 305) ||
		begins(14, 2, 36, 36) || begins(14, 2, 38, 38) ||
		begins(15, 4, 2131, 2131) || begins(15, 4, 1800, 1800) || begins(16, 2, 35, 35)
}

// isSSN reports whether text is a social security number, such as 123-45-6789, or with blanks instead of hyphens.
func isSSN(text string) bool {
	if len(text) != 11 || !strings.Contains("- ", text[3:4]) || !strings.Contains("- ", text[6:7]) {
		return false
	}
	return isDigits(text[:3]) && isDigits(text[4:6]) && isDigits(text[7:])
}

func isHexColor(text string) bool {
	digits := strings.TrimPrefix(text, "#")
	return (len(digits) == 3 || len(digits) == 6) &&
		isOfRunes(digits, func(r rune) bool { return unicode.Is(unicode.ASCII_Hex_Digit, r) })
}

// isRGBColor reports whether text is a color such as rgb(0, 128, 255).
func isRGBColor(text string) bool {
	inner, found := strings.CutPrefix(text, "rgb(")
	inner, closed := strings.CutSuffix(inner, ")")
	parts := strings.Split(inner, ",")
	return found && closed && len(parts) == 3 && allOf(parts, func(part string) bool {
		part = strings.Trim(part, "\t\n\f\r ")
		n, err := strconv.ParseUint(part, 10, 8)
		return err == nil && strconv.FormatUint(n, 10) == part
	})
}
