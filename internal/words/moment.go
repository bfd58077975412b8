package words

import (
	"strconv"
	"strings"
	"time"
)

const microLayout = "2006-01-02T15:04:05.000000Z07:00"

// NotATime returns Go's message for a text that is not an RFC 3339 time.
func NotATime(text string) string { return refusedTime(text, time.RFC3339) }

// NotAMicroTime returns Go's message for a text that is not an RFC 3339 time with exactly six digits after the seconds.
func NotAMicroTime(text string) string { return refusedTime(text, microLayout) }

// OfTime returns the message for an error of package time, with which a type has rejected a text. For a layout that the
// API does not use, it returns the error's own text.
func OfTime(err *time.ParseError) string {
	text := ""
	if err.Layout == time.RFC3339 || err.Layout == microLayout {
		text = refusedTime(err.Value, err.Layout)
	}
	if text == "" {
		text = err.Error()
	}
	return text
}

func refusedTime(text, layout string) string {
	m := moment{text: text, rest: text, layout: layout}
	fault := m.fault()
	if fault == "" {
		return ""
	}
	return "parsing time " + quote(text) + fault
}

// moment reads a time from left to right, up to the first fault.
type moment struct{ text, rest, layout string }

func (m *moment) fault() string {
	var year, month, day int
	for _, read := range [...]func() string{
		func() string { return m.year(&year) },
		func() string { return m.separator("-") },
		func() string { return m.number("01", &month, 1, 12, "month") },
		func() string { return m.separator("-") },
		func() string { return m.number("02", &day, 0, 99, "day") }, // the number of days depends on the month
		func() string { return m.separator("T") },
		m.hour,
		func() string { return m.separator(":") },
		func() string { return m.number("04", new(int), 0, 59, "minute") },
		func() string { return m.separator(":") },
		func() string { return m.number("05", new(int), 0, 59, "second") },
		m.fraction,
		m.zone,
	} {
		if fault := read(); fault != "" {
			return fault
		}
	}
	switch {
	case m.rest != "":
		return ": extra text: " + quote(m.rest)
	case day < 1 || day > time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day():
		return beyond("day")
	}
	return ""
}

// mismatch returns the fault of a text that does not continue as the layout requires.
func (m *moment) mismatch(element string) string {
	return " as " + quote(m.layout) + ": cannot parse " + quote(m.rest) + " as " + quote(element)
}

func beyond(what string) string { return ": " + what + " out of range" }

func (m *moment) separator(text string) string {
	if !strings.HasPrefix(m.rest, text) {
		return m.mismatch(text)
	}
	m.rest = m.rest[len(text):]
	return ""
}

func (m *moment) year(year *int) string {
	if span(m.rest, isDigit) < 4 {
		return m.mismatch("2006")
	}
	*year, _ = strconv.Atoi(m.rest[:4])
	m.rest = m.rest[4:]
	return ""
}

// number reads two digits.
func (m *moment) number(element string, n *int, low, high int, what string) string {
	digits := m.rest[:min(2, len(m.rest))]
	if span(digits, isDigit) < 2 {
		return m.mismatch(element)
	}
	if *n, _ = strconv.Atoi(digits); *n < low || *n > high {
		return beyond(what)
	}
	m.rest = m.rest[2:]
	return ""
}

// hour reads one or two digits.
func (m *moment) hour() string {
	digits := m.rest[:min(2, span(m.rest, isDigit))]
	if digits == "" {
		return m.mismatch("15")
	}
	if n, _ := strconv.Atoi(digits); n > 23 {
		return beyond("hour")
	}
	m.rest = m.rest[len(digits):]
	return ""
}

// fraction reads the fraction of a second. If the layout has none, any number of digits may follow the seconds.
func (m *moment) fraction() string {
	begins := strings.HasPrefix(m.rest, ".") || strings.HasPrefix(m.rest, ",")
	if m.layout != microLayout {
		if begins {
			if digits := span(m.rest[1:], isDigit); digits > 0 {
				m.rest = m.rest[1+digits:]
			}
		}
		return ""
	}
	const element = ".000000"
	if !begins || len(m.rest) < len(element) {
		return m.mismatch(element)
	}
	n, err := strconv.Atoi(m.rest[1:len(element)]) // package time accepts a sign here
	if err != nil {
		return m.mismatch(element)
	}
	if n < 0 {
		return beyond("fractional second")
	}
	m.rest = m.rest[len(element):]
	return ""
}

// zone reads the offset from UTC. Like package time, it reports an offset that is out of range before it reports a
// malformed number after it, and before an invalid sign.
func (m *moment) zone() string {
	const element = "Z07:00"
	if strings.HasPrefix(m.rest, "Z") {
		m.rest = m.rest[1:]
		return ""
	}
	if len(m.rest) < len(element) || m.rest[3] != ':' {
		return m.mismatch(element)
	}
	minutes := 0
	hours, err := strconv.ParseUint(m.rest[1:3], 10, 8)
	if err == nil {
		var n uint64
		n, err = strconv.ParseUint(m.rest[4:6], 10, 8)
		minutes = int(n)
	}
	switch {
	case minutes > 60: // package time allows 24 hours and 60 minutes
		return beyond("time zone offset minute")
	case hours > 24:
		return beyond("time zone offset hour")
	case err != nil || m.rest[0] != '+' && m.rest[0] != '-':
		return m.mismatch(element)
	}
	m.rest = m.rest[len(element):]
	return ""
}
