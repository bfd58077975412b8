package schema

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// isBase64 reports whether text is the padded base64 encoding of at least one byte, on one line.
func isBase64(text string) bool {
	return text != "" && !strings.ContainsAny(text, "\r\n") && isEncodedBytes(text)
}

// isEncodedBytes reports whether Go would decode text as []byte. It decodes in pieces, so large values need no extra
// memory.
func isEncodedBytes(text string) bool {
	if strings.ContainsAny(text, "\r\n") { // Go skips line breaks
		text = strings.NewReplacer("\r", "", "\n", "").Replace(text)
	}
	var in [1024]byte
	var out [768]byte
	for len(text) > 0 {
		n := copy(in[:], text)
		if _, err := base64.StdEncoding.Decode(out[:], in[:n]); err != nil {
			return false
		}
		if n < len(text) && in[n-1] == '=' { // padding is valid only at the end
			return false
		}
		text = text[n:]
	}
	return true
}

// isUUID reports whether text is a UUID of a version, or of any version for 0: 32 hexadecimal digits in groups, with or
// without a hyphen between two groups.
func isUUID(text string, version byte) bool {
	var digits []byte
	for i, group := range [...]int{8, 4, 4, 4, 12} {
		if i > 0 {
			text = strings.TrimPrefix(text, "-")
		}
		if len(text) < group {
			return false
		}
		digits = append(digits, text[:group]...)
		text = text[group:]
	}
	var bytes [16]byte
	if _, err := hex.Decode(bytes[:], digits); err != nil || text != "" {
		return false
	}
	hasVariant := bytes[8]>>6 == 0b10
	return version == 0 || digits[12] == version && (version == '3' || hasVariant)
}

// isObjectID reports whether text is a BSON document identifier: twelve bytes in hexadecimal.
func isObjectID(text string) bool {
	bytes, err := hex.DecodeString(text)
	return err == nil && len(bytes) == 12
}
