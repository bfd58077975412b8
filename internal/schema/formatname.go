package schema

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxHostname = 255 // bytes
	maxLabel    = 63  // bytes
)

// isHostname reports whether text is a host name: labels of letters, digits, symbols and inner hyphens, and a top level
// of letters. A name of a single label may contain only one hyphen, directly after its first character.
func isHostname(text string) bool {
	labels := strings.Split(text, ".")
	if len(text) > maxHostname || !allOf(labels, func(l string) bool { return l != "" && len(l) <= maxLabel }) {
		return false
	}
	top := labels[len(labels)-1]
	if len(labels) == 1 {
		_, first := utf8.DecodeRuneInString(top)
		return isOfRunes(top[:first], isHostRune) && isOfRunes(strings.TrimPrefix(top[first:], "-"), isHostRune)
	}
	return utf8.RuneCountInString(top) > 1 && isOfRunes(top, unicode.IsLetter) &&
		allOf(labels[:len(labels)-1], isHostLabel)
}

func isHostLabel(label string) bool {
	inside := func(r rune) bool { return r == '-' || isHostRune(r) }
	return isOfRunes(label, inside) && !strings.HasPrefix(label, "-") && !strings.HasSuffix(label, "-")
}

func isHostRune(r rune) bool {
	return '0' <= r && r <= '9' || unicode.IsLetter(r) || unicode.IsSymbol(r)
}

func isOfRunes(text string, is func(rune) bool) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !is(r) }) < 0
}

func allOf(parts []string, is func(string) bool) bool {
	for _, p := range parts {
		if !is(p) {
			return false
		}
	}
	return true
}

// isNameSegment reports whether text consists of lower-case letters and digits, with hyphens inside only.
func isNameSegment(text string) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c == '-' && i > 0 && i < len(text)-1:
		default:
			return false
		}
	}
	return text != ""
}

// isIPv4 reports whether text is an IP address that is written with dots, at least at its end. It ignores leading zeros
// of the numbers, as Go did before 1.17.
func isIPv4(text string) bool {
	return strings.Contains(text, ".") && isAddress(withoutLeadingZeros(text))
}

func isIPv6(text string) bool {
	return strings.Contains(text, ":") && net.ParseIP(text) != nil
}

func isAddress(text string) bool {
	ip, err := netip.ParseAddr(text)
	return err == nil && ip.Zone() == ""
}

// isCIDR reports whether text is an address with a prefix length.
func isCIDR(text string) bool {
	address, length, found := strings.Cut(text, "/")
	if !found || length == "" || !isOfRunes(length, func(r rune) bool { return '0' <= r && r <= '9' }) {
		return false
	}
	n, err := strconv.Atoi(length)
	ip, addressErr := netip.ParseAddr(withoutLeadingZeros(address))
	return err == nil && addressErr == nil && ip.Zone() == "" && n <= ip.BitLen()
}

// withoutLeadingZeros drops the leading zeros of the decimal numbers in an address.
func withoutLeadingZeros(address string) string {
	head, dotted := "", address
	if i := strings.LastIndexByte(address, ':'); i >= 0 {
		head, dotted = address[:i+1], address[i+1:]
	}
	if !strings.Contains(dotted, ".") {
		return address
	}
	numbers := strings.Split(dotted, ".")
	for i, n := range numbers {
		if short := strings.TrimLeft(n, "0"); short != "" {
			numbers[i] = short
		} else if n != "" {
			numbers[i] = "0"
		}
	}
	return head + strings.Join(numbers, ".")
}
