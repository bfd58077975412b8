package words

import (
	"strconv"
	"strings"
)

// NotAnInteger returns Go's message for a text that is not a decimal integer with this many bits.
func NotAnInteger(text string, bits int) string {
	digits := text
	if text != "" && (text[0] == '+' || text[0] == '-') {
		digits = text[1:]
	}
	fault := integerFault(digits, bits)
	if _, err := strconv.ParseInt(text, 10, bits); fault == "" && err != nil {
		fault = outOfRange // it fits without its sign
	}
	return refusedNumber("ParseInt", text, fault)
}

// NotUnsigned returns Go's message for a text that is not an unsigned decimal integer with this many bits.
func NotUnsigned(text string, bits int) string {
	return refusedNumber("ParseUint", text, integerFault(text, bits))
}

const (
	invalidSyntax = "invalid syntax"
	outOfRange    = "value out of range"
)

// integerFault returns the first fault in the order of the text. Digits that exceed the range take precedence over what
// follows.
func integerFault(text string, bits int) string {
	rest := strings.TrimLeft(text, "0123456789")
	digits := text[:len(text)-len(rest)]
	if _, err := strconv.ParseUint(digits, 10, bits); digits != "" && err != nil {
		return outOfRange
	}
	if rest != "" || digits == "" {
		return invalidSyntax
	}
	return ""
}

func refusedNumber(function, text, fault string) string {
	if fault == "" {
		return ""
	}
	return "strconv." + function + ": parsing " + strconv.Quote(text) + ": " + fault
}
