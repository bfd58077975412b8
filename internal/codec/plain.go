package codec

import (
	"math/bits"
	"unicode/utf8"
)

// Eight bytes of a text are compared at once, as the bytes of one number.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
	spaces   = ' ' * lowBits
	quotes   = '"' * lowBits
	slashes  = '\\' * lowBits
)

// plainEnd returns where the bytes end that stand for themselves in a string of JSON, from a position on.
func plainEnd(text string, at int) int {
	for ; at+8 <= len(text); at += 8 {
		if found := special(eight(text[at:])); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(text) && isPlain[text[at]] {
		at++
	}
	return at
}

// isVerbatim reports whether a string is its own text in JSON, and ASCII.
func isVerbatim(s string) bool {
	at := 0
	for ; at+8 <= len(s); at += 8 {
		if b := eight(s[at:]); (special(b)|b)&highBits != 0 {
			return false
		}
	}
	for ; at < len(s); at++ {
		if c := s[at]; !isPlain[c] || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isPlain marks the bytes that stand for themselves in a string of JSON.
var isPlain = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return plain
}()

// special marks the high bit of each byte that isPlain does not mark. It may also mark bytes above the lowest of these.
func special(b uint64) uint64 {
	quote, slash := b^quotes, b^slashes
	return ((b-spaces)&^b | (quote-lowBits)&^quote | (slash-lowBits)&^slash) & highBits
}

// eight returns the first eight bytes of a text, the first as the lowest. The compiler makes one load of it.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
