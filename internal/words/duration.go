package words

import (
	"strings"
	"time"
)

// NotADuration returns Go's message for a text that is not a duration such as 1h15m30s.
func NotADuration(text string) string {
	fault := durationFault(text)
	if fault == "" {
		return ""
	}
	return "time: " + fault + " duration " + quote(text)
}

// durationFault returns the first fault in the order of the text. If the duration up to some point is already too long,
// that takes precedence over what follows.
func durationFault(text string) string {
	const invalid = "invalid"
	unsigned := text
	if text != "" && (text[0] == '-' || text[0] == '+') {
		unsigned = text[1:]
	}
	if unsigned == "0" {
		return ""
	}
	if unsigned == "" {
		return invalid
	}
	for rest := unsigned; rest != ""; {
		whole := span(rest, isDigit)
		number := whole
		if strings.HasPrefix(rest[whole:], ".") {
			number++
			number += span(rest[number:], isDigit)
		}
		if number == 0 || rest[:number] == "." || whole > 0 && !fits(rest[:whole]+"ns") {
			return invalid
		}
		unit := rest[number:]
		unit = unit[:span(unit, func(c byte) bool { return c != '.' && !isDigit(c) })]
		if unit == "" {
			return "missing unit in"
		}
		if _, err := time.ParseDuration("1" + unit); err != nil {
			return "unknown unit " + quote(unit) + " in"
		}
		rest = rest[number+len(unit):]
		if !fits(unsigned[:len(unsigned)-len(rest)]) {
			return invalid
		}
	}
	if _, err := time.ParseDuration(text); err != nil {
		return invalid // only a negative duration can have this length
	}
	return ""
}

// fits reports whether an unsigned duration is within the range of time.Duration. Only its length can be wrong here.
// The negative range is larger by one nanosecond.
func fits(unsigned string) bool {
	_, err := time.ParseDuration("-" + unsigned)
	return err == nil
}

// span counts the leading bytes of a text for which is returns true.
func span(text string, is func(byte) bool) int {
	n := 0
	for n < len(text) && is(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
