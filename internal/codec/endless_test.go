package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/codec"
)

func TestEndlessNumber(t *testing.T) {
	texts := map[string]bool{
		"":                                    false,
		"100m":                                false,
		"1.5Gi":                               false,
		"1E":                                  false,
		"1e3":                                 false,
		"-12e-99":                             false,
		"1e0000000003":                        false,
		strings.Repeat("9", 128):              false,
		"a1e-20000000":                        false,
		"1e-20000000":                         true,
		"+.1E+100":                            true,
		"1e--100":                             true,
		strings.Repeat("9", 129):              true,
		strings.Repeat("0", 200):              true,
		"1" + strings.Repeat("0", 200) + "Ki": true,
	}
	field := func(tag byte, value string) string { return string([]byte{tag, byte(len(value))}) + value }
	for text, endless := range texts {
		assert.Equal(t, endless, codec.IsEndless(text), "%.40q", text)
		if len(text) > 99 {
			continue
		}
		inner := field(0x0a, text)
		for name, message := range map[string]string{
			"alone":                    inner,
			"after a varint":           "\x08\x96\x01" + inner,
			"after fixed ones":         "\x0d1234\x0912345678" + inner,
			"in a message":             field(0x12, field(0x1a, inner)),
			"in a group":               "\x0b" + inner + "\x0c",
			"after a group":            "\x0b\x0c" + inner,
			"after a number too large": "\x88\x80\x80\x80\x80\x80\x80\x80\x80\x01\x01" + inner,
			"before malformed bytes":   inner + "\xff",
		} {
			_, found := codec.EndlessNumber([]byte(message))
			assert.Equal(t, endless, found, "%q %s", text, name)
		}
	}
}
