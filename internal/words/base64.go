package words

import (
	"strconv"
	"strings"
)

const (
	alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	padding      = '='
)

// NotBase64 says why a text is not padded base64 of the standard alphabet. Line breaks do not count.
func NotBase64(text string) string { return refusedBase64(paddedFault(text)) }

// NotRawBase64URL says why a text is not base64 of the alphabet for URLs without padding. Line breaks do not count.
func NotRawBase64URL(text string) string {
	letters, fault := encodedLetters(text, alphanumeric+"-_")
	if fault < 0 && letters%4 == 1 { // one letter is less than a byte
		fault = len(text) - 1
	}
	return refusedBase64(fault)
}

func refusedBase64(at int) string {
	if at < 0 {
		return ""
	}
	return "illegal base64 data at input byte " + strconv.Itoa(at)
}

// encodedLetters counts letters up to the first byte that is none, and returns the index of that byte or -1.
func encodedLetters(text, alphabet string) (letters, other int) {
	for i := range len(text) {
		switch c := text[i]; {
		case isBreak(c):
		case strings.IndexByte(alphabet, c) < 0:
			return letters, i
		default:
			letters++
		}
	}
	return letters, -1
}

// paddedFault returns the index that the error names, or -1. For a group of four that is incomplete it counts back the
// letters of the group from where the text ends.
func paddedFault(text string) int {
	letters, at := encodedLetters(text, alphanumeric+"+/")
	open := letters % 4
	switch {
	case at < 0 && open > 0:
		return len(text) - open
	case at < 0:
		return -1
	case text[at] != padding || open < 2:
		return at
	}
	end := skipBreaks(text, at+1)
	if open == 2 { // the second of two
		switch {
		case end == len(text):
			return end
		case text[end] != padding:
			return end - 1
		}
		end = skipBreaks(text, end+1)
	}
	if end < len(text) {
		return end
	}
	return -1
}

func isBreak(c byte) bool { return c == '\n' || c == '\r' }

func skipBreaks(text string, at int) int {
	for at < len(text) && isBreak(text[at]) {
		at++
	}
	return at
}
