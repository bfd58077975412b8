package objectmeta

import (
	"crypto/rand"
	"encoding/hex"
	"math/big"
	"strings"
)

// The random suffix of a generated name has no vowels, so it spells no word, and no characters that are easily confused.
const (
	suffixAlphabet     = "bcdfghjklmnpqrstvwxz2456789"
	suffixLength       = 5
	generatedNameLimit = 63
)

// GeneratedName returns base with a random suffix. It shortens base so that the name is at most as long as a DNS label.
func GeneratedName(base string) string {
	if limit := generatedNameLimit - suffixLength; len(base) > limit {
		base = base[:limit]
	}
	suffix := make([]byte, suffixLength)
	for i := range suffix {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(suffixAlphabet))))
		if err != nil {
			panic("crypto/rand does not fail: " + err.Error())
		}
		suffix[i] = suffixAlphabet[n.Int64()]
	}
	return base + string(suffix)
}

// asPrefix replaces the dash that a base of generated names may end in, so that the base can be validated as a name.
func asPrefix(base string) string {
	if len(base) > 1 && strings.HasSuffix(base, "-") {
		return base[:len(base)-2] + "a"
	}
	return base
}

// RandomUID returns a random UUID (RFC 9562, version 4).
func RandomUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never returns an error
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[:8], b[:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:], b[10:])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}
