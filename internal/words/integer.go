package words

import (
	"strconv"
	"strings"
)

// NotAnInteger says why a text is not a decimal integer of so many bits.
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

// NotUnsigned says why a text is not a decimal integer of so many bits without a sign.
func NotUnsigned(text string, bits int) string {
	return refusedNumber("ParseUint", text, integerFault(text, bits))
}

const (
	invalidSyntax = "invalid syntax"
	outOfRange    = "value out of range"
)

// integerFault returns the first fault in the order of the text: digits that exceed the range come before what follows
// them.
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
