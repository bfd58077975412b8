package codec_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAppendObject(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an object", `{"spec":{"b":1,"a":{"kind":"x","apiVersion":"y"}},"data":{},"metadata":{"name":"n","labels":{}},"kind":"K","apiVersion":"v1"}`,
			`{"apiVersion":"v1","kind":"K","metadata":{"labels":{},"name":"n"},"data":{},"spec":{"a":{"apiVersion":"y","kind":"x"},"b":1}}`},
		{"no metadata", `{"aaa":1,"kind":"K"}`, `{"kind":"K","aaa":1}`},
		{"metadata only", `{"metadata":null}`, `{"metadata":null}`},
		{"neither", `{"b":1,"a":2}`, `{"a":2,"b":1}`},
		{"empty", `{}`, `{}`},
		{"no map", `[{"kind":1,"apiVersion":2}]`, `[{"apiVersion":2,"kind":1}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, _, err := codec.DecodeJSON([]byte(c.text))
			require.NoError(t, err)
			assert.Equal(t, c.want, string(codec.AppendObject(nil, v)))
		})
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	v := doc.MapOf(doc.Member{Key: "a", Value: doc.OfInt(1)})
	assert.Equal(t, `[{"a":1}`, string(codec.AppendJSON([]byte("["), v)))
	assert.Equal(t, `[{"a":1}`, string(codec.AppendObject([]byte("["), v)))
}

func TestAppendRepairsText(t *testing.T) {
	assert.Equal(t, "\"a\ufffdb\"", string(codec.AppendJSON(nil, doc.Of("a\xffb"))))
	assert.Equal(t, "{\"\ufffd\":null}",
		string(codec.AppendJSON(nil, doc.MapOf(doc.Member{Key: "\xff", Value: doc.NullValue()}))))
	assert.Equal(t, "null", string(codec.AppendJSON(nil, doc.Value{})))
}

func TestAppendDoesNotAllocate(t *testing.T) {
	data, err := os.ReadFile("testdata/deployment.json")
	require.NoError(t, err)
	v, _, err := codec.DecodeJSON(data)
	require.NoError(t, err)
	dst := make([]byte, 0, 2*len(data))
	assert.Zero(t, testing.AllocsPerRun(100, func() { dst = codec.AppendJSON(dst[:0], v) }))
	assert.Zero(t, testing.AllocsPerRun(100, func() { dst = codec.AppendObject(dst[:0], v) }))
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\/\b\f\n\r\t", "\x00\x1f\x7f", "é😀\u2028", "\xff\xc0\xed\xa0\x80",
		"<&>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := codec.AppendJSON(nil, doc.Of(s))
		var back string
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, string([]rune(s)), back)
		require.True(t, utf8.Valid(text))
	})
}

// The text of an object stays as it is when others are encoded, and its memory has no room that a store would waste.
func TestEncodeObject(t *testing.T) {
	texts := map[string][]byte{}
	for _, size := range []int{0, 1, 100, 5000, 100_000, 3000, 10} {
		v := doc.MapOf(doc.Member{Key: "kind", Value: doc.Of("A")},
			doc.Member{Key: "data", Value: doc.Of(strings.Repeat("x", size))})
		text := codec.EncodeObject(v)
		assert.Less(t, cap(text)-len(text), 64+len(text)/8)
		texts[string(codec.AppendObject(nil, v))] = text
	}
	for want, text := range texts {
		assert.Equal(t, want, string(text))
	}
}

func BenchmarkAppendObject(b *testing.B) {
	v, _, err := codec.DecodeJSON(deployment(b))
	require.NoError(b, err)
	var dst []byte
	for b.Loop() {
		dst = codec.AppendObject(dst[:0], v)
	}
}
