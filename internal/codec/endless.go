package codec

import (
	"encoding/binary"
	"strings"
)

// A number may have up to maxNumber bytes and an exponent of up to maxExponent digits. Real quantities are far smaller,
// and the server reads a body full of such numbers within seconds.
const (
	maxNumber   = 128
	maxExponent = 2
)

// IsEndless reports whether a text is a number with so many digits, or so large an exponent, that a type that parses it
// exactly would need minutes: 1e-2147483647 has two billion digits.
func IsEndless(text string) bool {
	if strings.Trim(text, "+-.0123456789eEinumkKMGTP") != "" {
		return false
	}
	if len(text) > maxNumber {
		return true
	}
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	exponent = strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
	return len(exponent) > maxExponent
}

// maxMessages is the number of levels of nested messages that EndlessNumber searches.
const maxMessages = 32

// EndlessNumber returns the first text in a Protobuf message for which [IsEndless] is true. Without a description of
// the message, strings and nested messages look alike, so EndlessNumber reads each field as both. It stops at malformed
// bytes but checks the fields before them, because generated code decodes fields in the same order and has read those
// by then.
func EndlessNumber(message []byte) (text string, found bool) { return endlessIn(message, maxMessages) }

func endlessIn(message []byte, levels int) (text string, found bool) {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return "", false
		}
		message = message[n:]
		size := 0 // the size of the value; the fields of a group follow like any others
		switch tag & 7 {
		case wireVarint:
			if _, size = binary.Uvarint(message); size <= 0 {
				return "", false
			}
		case wire64:
			size = 8
		case wire32:
			size = 4
		case wireBytes:
			length, n := binary.Uvarint(message)
			if n <= 0 || length > uint64(len(message)-n) {
				return "", false
			}
			value := message[n : n+int(length)]
			if IsEndless(string(value)) {
				return string(value), true
			}
			if levels > 0 {
				if text, found = endlessIn(value, levels-1); found {
					return text, true
				}
			}
			size = n + int(length)
		}
		if size > len(message) {
			return "", false
		}
		message = message[size:]
	}
	return "", false
}
