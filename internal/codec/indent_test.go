package codec_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
)

// indented indents a text in one call.
func indented(text string, level int) string {
	n := codec.NewIndenter([]byte(text), level)
	return string(n.Append(nil, math.MaxInt))
}

// A text is indented as encoding/json does it, in one call or in many.
func FuzzIndenter(f *testing.F) {
	for _, text := range []string{
		`{"apiVersion":"v1","kind":"A","metadata":{"name":"a","labels":{},"finalizers":[]},"spec":{"list":[1,-2.5e+7,true,null,"a"]}}`,
		`[]`, `{}`, `[[[]]]`, `[{},{"a":[{}]}]`, `""`, `"a"`, `0`, `null`,
		`{"a\\":"b\"c","\"":"\\\"","\\\\":"\\"}`, `{"a,b":"c:d","{":"}","[":"]"}`, `["ä€😀\u2028","\n"]`,
		" \t\r\n{ } \n", "[ 1 , [ ] , { \"a\" : 2 } ]\n\n", "1 ", "{\"a\"\n:\n1\n}",
		strings.Repeat("[", 50) + strings.Repeat("]", 50), strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40),
	} {
		f.Add(text, uint8(0), uint16(16))
		f.Add(text, uint8(2), uint16(1))
	}
	f.Fuzz(func(t *testing.T, text string, level uint8, size uint16) {
		var want bytes.Buffer
		if json.Indent(&want, []byte(text), strings.Repeat("  ", int(level)), "  ") != nil {
			return
		}
		require.Equal(t, want.String(), indented(text, int(level)))
		var got []byte
		for n := codec.NewIndenter([]byte(text), int(level)); ; got = n.Append(got, len(got)+int(size)) {
			if n.Ended() {
				break
			}
		}
		require.Equal(t, want.String(), string(got))
	})
}

// Append stops early if the indentation exceeds its limit.
func TestIndentationIsBounded(t *testing.T) {
	const depth = 1000
	text := []byte(strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth))
	n := codec.NewIndenter(text, 0)
	n.Left = 2*depth*depth - 1 // depth+1 levels up, without the first, and as many down
	got := n.Append(nil, math.MaxInt)
	assert.Negative(t, n.Left)
	assert.Less(t, len(got), 2*depth*depth+2*len(text))
	n = codec.NewIndenter(text, 0)
	n.Left = 2 * depth * depth
	got = n.Append(nil, math.MaxInt)
	assert.Zero(t, n.Left)
	assert.True(t, n.Ended())
	assert.Len(t, got, 2*depth*depth+len(text)+2*depth)
}

func BenchmarkIndenter(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"short strings", `{"key":"value","list":[1,2,3],"object":{"a":true}},`},
		{"long strings", `"` + strings.Repeat("text ", 500) + `",`},
	} {
		text := []byte("[" + strings.Repeat(c.text, 10_000/len(c.text)) + "0]")
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var out []byte
			for b.Loop() {
				n := codec.NewIndenter(text, 0)
				out = n.Append(out[:0], math.MaxInt)
			}
		})
		b.Run(c.name+", encoding/json", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				require.NoError(b, json.Indent(&out, text, "", "  "))
			}
		})
	}
}
