package codec_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// assertCopied checks that a copy is what the decoder reads from the text of v, to the last digit.
func assertCopied(t *testing.T, v doc.Value) {
	t.Helper()
	text := codec.AppendJSON(nil, v)
	read, _, err := codec.DecodeJSON(text)
	require.NoError(t, err)
	copied, size, ok := doc.Copy(v)
	require.True(t, ok)
	assert.Equal(t, read, copied)
	assert.Equal(t, string(codec.AppendJSON(nil, read)), string(codec.AppendJSON(nil, copied)))
	assert.Equal(t, string(text), string(codec.AppendJSON(nil, v)), "v itself stays as it is")
	assert.GreaterOrEqual(t, size, len(v.Text())+len(v.Literal()))
}

// DecodeStruct keeps numbers as they are written, so its documents differ most from what DecodeJSON reads.
func FuzzCopy(f *testing.F) {
	for _, text := range []string{
		`{"apiVersion":"v1","kind":"A","metadata":{"name":"a","labels":{}},"spec":{"list":[1,2.0,-0,1e3,1.50,"",null,true,false,[],{}]}}`,
		`"\u0000\ud800 <é> \u2028"`, `0.00`, `12345678901234567890.0`, `1e999`, `{"":{"":[[[]]]}}`,
		`{"b":1,"a":{"b":2},"a":{"c":3}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if v, _, err := codec.DecodeStruct(text); err == nil {
			assertCopied(t, v)
		}
	})
}

// A copy beside a former one differs from a copy only in the memory that it takes.
func FuzzCopyBeside(f *testing.F) {
	for _, texts := range [][2]string{
		{`{"a":1,"b":{"c":[1,2,"x"]},"d":"e"}`, `{"a":1.0,"b":{"c":[1,2]},"d":"e"}`}, {`[1,[2],{"a":3}]`, `[1,[2],{"b":3}]`},
		{`{"a":1,"c":2}`, `{"a":1,"b":2,"c":2}`}, {`{"a":1,"b":2,"c":3}`, `{"a":1,"c":3}`},
		{`{"a":{"b":[]}}`, `{"a":{"b":{}},"c":null}`},
		{`{"a":1,"b":2}`, `{"a":1}`}, {`[{"a":"b"}]`, `[{"a":"b"},{"a":"b"}]`}, {`"a"`, `{"a":"a"}`}, {`{"b":1}`, `{"a":1}`},
		{`[1]`, `{"a":1}`},
	} {
		f.Add([]byte(texts[0]), []byte(texts[1]))
		f.Add([]byte(texts[1]), []byte(texts[0]))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		old, _, err := codec.DecodeStruct(before)
		if err != nil {
			return
		}
		v, _, err := codec.DecodeStruct(after)
		if err != nil {
			return
		}
		former, size, ok := doc.Copy(old)
		require.True(t, ok)
		want, _, ok := doc.Copy(v)
		require.True(t, ok)
		got, _, ok := doc.CopyBeside(v, former)
		require.True(t, ok)
		assert.Equal(t, want, got)
		same, more, ok := doc.CopyBeside(old, former)
		require.True(t, ok)
		assert.Zero(t, more, "the former copy of %d bytes", size)
		assert.True(t, same == former, "equal documents share everything")
	})
}

// A document that its own text does not express has no copy.
func TestCopyRefusesWhatJSONCannotExpress(t *testing.T) {
	for name, v := range map[string]doc.Value{
		"absent document": {},
		"absent element":  doc.ListOf(doc.Of("a"), doc.Value{}),
		"invalid UTF-8":   doc.Of("a\xff"),
		"invalid key":     doc.MapOf(doc.Member{Key: "a\xff", Value: doc.NullValue()}),
	} {
		_, _, ok := doc.Copy(v)
		assert.False(t, ok, name)
		_, _, ok = doc.CopyBeside(v, doc.ListOf(doc.Of("a"), doc.Of("b")))
		assert.False(t, ok, name)
	}
}

// A copy has memory of its own: four pieces, for the texts, the keys, the values and the nodes.
func TestCopyHasMemoryOfItsOwn(t *testing.T) {
	text, err := os.ReadFile("testdata/deployment.json")
	require.NoError(t, err)
	v, _, err := codec.DecodeJSON(text)
	require.NoError(t, err)
	assertCopied(t, v)
	_, size, _ := doc.Copy(v)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { doc.Copy(v) }), 4.0)
	assert.Greater(t, size, len(text))
	assert.Less(t, size, 6*len(text))
}

func BenchmarkCopy(b *testing.B) {
	v, _, err := codec.DecodeJSON(deployment(b))
	require.NoError(b, err)
	for b.Loop() {
		doc.Copy(v)
	}
}
