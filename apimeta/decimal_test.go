package apimeta

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// strconv.ParseInt, which decimal replaces, is the oracle.
func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{
		"", "0", "-0", "+7", "-", "+", "00012", "1_000", "0x10", "12a", " 1",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"92233720368547758070", "18446744073709551616", "99999999999999999999999",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := strconv.ParseInt(s, 10, 64)
		got, ok := decimal(s)
		assert.Equal(t, err == nil, ok)
		if ok {
			assert.Equal(t, want, got)
		}
	})
}
