package schema

import (
	"encoding/base64"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// wellFormed reports whether text is of a format. The formats are those that upstream knows and the standard library
// can read; every other format is documentation, as OpenAPI has it.
func wellFormed(format, text string) bool {
	var err error
	switch format {
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "duration":
		_, err = time.ParseDuration(text)
	case "byte":
		return isBase64(text)
	case "ipv4":
		ip, e := netip.ParseAddr(text)
		return e == nil && ip.Is4()
	case "ipv6":
		ip, e := netip.ParseAddr(text)
		return e == nil && ip.Is6()
	case "cidr":
		_, err = netip.ParsePrefix(text)
	case "mac":
		_, err = net.ParseMAC(text)
	case "email":
		_, err = mail.ParseAddress(text)
	case "uri":
		_, err = url.ParseRequestURI(text)
	case "uuid":
		return isUUID(text)
	}
	return err == nil
}

// isBase64 reports whether Go would decode text as []byte. It decodes piece by piece, so that large values need no
// memory of their own.
func isBase64(text string) bool {
	if strings.ContainsAny(text, "\r\n") { // which Go skips
		text = strings.NewReplacer("\r", "", "\n", "").Replace(text)
	}
	var in [1024]byte
	var out [768]byte
	for len(text) > 0 {
		n := copy(in[:], text)
		if _, err := base64.StdEncoding.Decode(out[:], in[:n]); err != nil {
			return false
		}
		if n < len(text) && in[n-1] == '=' { // padding ends the text
			return false
		}
		text = text[n:]
	}
	return true
}

// isUUID reports whether text is a UUID in the usual form: 32 hexadecimal digits, hyphens between the groups or none.
func isUUID(text string) bool {
	switch len(text) {
	case 32:
	case 36:
		if text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
			return false
		}
	default:
		return false
	}
	digits := 0
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
			digits++
		}
	}
	return digits == 32
}
