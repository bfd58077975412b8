package schema

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// isDateTime reports whether text is a date, the letter T and a time with a zone. It accepts what validators of custom
// resources accept; they ignore what follows a second T.
func isDateTime(text string) bool {
	if len(text) > 13 && text[13] == ':' { // the hour must have two digits, which Go does not require
		if _, err := time.Parse(time.RFC3339, text); err == nil {
			return true
		}
	}
	parts := strings.Split(strings.ToLower(text), "t")
	if len(parts) < 2 || !isDate(parts[0]) {
		return false
	}
	clock, zone := parts[1], ""
	if i := strings.LastIndexAny(clock, "z+-"); i >= 0 {
		clock, zone = clock[:i], clock[i:]
	}
	if len(clock) < len("00:00:00") || zone != "z" && (len(zone) != 6 || !isClock(zone[1:], 99)) {
		return false
	}
	seconds, fraction := clock[:8], []rune(clock[8:])
	if len(fraction) == 1 || len(fraction) > 1 && (fraction[0] == '\n' || !isDigits(string(fraction[1:]))) {
		return false
	}
	hours := seconds[:2]
	return hours <= "23" && isClock(hours+":"+seconds[3:5], 59) && isClock("00"+seconds[5:], 59) && seconds[2] == ':'
}

// isClock reports whether text is two digits, a colon and two more digits, with a value of at most limit.
func isClock(text string, limit int) bool {
	if len(text) != 5 || text[2] != ':' || !isDigits(text[:2]) || !isDigits(text[3:]) {
		return false
	}
	n, err := strconv.Atoi(text[3:])
	return err == nil && n <= limit
}

func isDigits(text string) bool {
	return text != "" && isOfRunes(text, func(r rune) bool { return '0' <= r && r <= '9' })
}

// isDuration reports whether [ParseDuration] accepts text.
func isDuration(text string) bool {
	_, ok := ParseDuration(text)
	return ok
}

// ParseDuration reads a duration as validators of custom resources do: in Go's syntax, or in Scala's, as numbers with a
// unit in words ("2 days"). It ignores other words if there is at least one number with a unit.
func ParseDuration(text string) (d time.Duration, ok bool) {
	if d, err := time.ParseDuration(text); err == nil {
		return d, true
	}
	for _, part := range regexp.MustCompile(`[0-9]+[\t\n\f\r ]*[A-Za-zµ]+`).FindAllString(text, -1) {
		word := strings.TrimLeft(part, "0123456789")
		n, err := strconv.Atoi(part[:len(part)-len(word)])
		if err != nil {
			return 0, false
		}
		if unit := unitOf(strings.ToLower(strings.TrimLeft(word, "\t\n\f\r "))); unit > 0 {
			d, ok = d+time.Duration(n)*unit, true
		}
	}
	return d, ok
}

// unitOf returns the unit of time that a word stands for, or 0. A word stands for a unit if it is an abbreviation of it
// or begins with its name.
func unitOf(word string) time.Duration {
	for _, unit := range []struct {
		name   string
		length time.Duration
		short  []string
	}{
		{"nano", time.Nanosecond, []string{"ns"}}, {"micro", time.Microsecond, []string{"us", "µs"}},
		{"milli", time.Millisecond, []string{"ms"}},
		{"sec", time.Second, []string{"s"}}, {"min", time.Minute, []string{"m"}}, {"hour", time.Hour, []string{"h", "hr"}},
		{"day", 24 * time.Hour, []string{"d"}}, {"week", 7 * 24 * time.Hour, []string{"w", "wk"}},
	} {
		if strings.HasPrefix(word, unit.name) || slices.Contains(unit.short, word) {
			return unit.length
		}
	}
	return 0
}

// ParseDateTime reads a time as API servers do for expressions: with a zone, or without one for UTC. The empty text is
// the beginning of 1970.
func ParseDateTime(text string) (time.Time, error) {
	if text == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	return time.Parse("2006-01-02T15:04:05", text)
}
