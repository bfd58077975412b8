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

// isDateTime reports whether text is a date, the letter T and a time with a zone. It is what validators of custom resources
// take, who do not look behind a second T.
func isDateTime(text string) bool {
	if len(text) > 13 && text[13] == ':' { // the hour has two digits, which Go does not ask for
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

// isClock reports whether text is two digits, a colon and two digits that make no more than limit.
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

// isDuration reports whether text is a duration of Go, or has numbers with a unit in words, "2 days", as Scala writes it.
func isDuration(text string) bool {
	if _, err := time.ParseDuration(text); err == nil {
		return true
	}
	found := false
	for _, part := range regexp.MustCompile(`[0-9]+[\t\n\f\r ]*[A-Za-zµ]+`).FindAllString(text, -1) {
		unit := strings.TrimLeft(strings.TrimLeft(part, "0123456789"), "\t\n\f\r ")
		if _, err := strconv.Atoi(part[:len(part)-len(strings.TrimLeft(part, "0123456789"))]); err != nil {
			return false
		}
		found = found || isUnit(strings.ToLower(unit))
	}
	return found
}

// isUnit reports whether a word is a unit of time: an abbreviation, or any word that begins as its name does.
func isUnit(word string) bool {
	for _, name := range []string{"nano", "micro", "milli", "sec", "min", "hour", "day", "week"} {
		if strings.HasPrefix(word, name) {
			return true
		}
	}
	return slices.Contains([]string{"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"}, word)
}
