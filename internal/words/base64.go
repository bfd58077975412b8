package words

import (
	"strconv"
	"strings"
)

const (
	alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	padding      = '='
)

// NotBase64 returns Go's message for a text that is not padded base64 in the standard alphabet. It ignores line breaks.
func NotBase64(text string) string { return refusedBase64(paddedFault(text)) }

// NotRawBase64URL returns Go's message for a text that is not unpadded base64 in the URL alphabet. It ignores line
// breaks.
func NotRawBase64URL(text string) string {
	letters, fault := encodedLetters(text, alphanumeric+"-_")
	if fault < 0 && letters%4 == 1 { // a single letter holds less than a byte
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

// encodedLetters counts the letters up to the first byte outside the alphabet, and returns the index of that byte or
// -1.
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

// paddedFault returns the index that the error names, or -1. If a group of four letters is incomplete, encoding/base64
// subtracts the number of its letters from the index where the text ends.
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
	if open == 2 { // the fault is the second of two padding characters
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
