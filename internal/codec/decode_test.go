package codec_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecodeJSON(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"members are sorted", `{"b":1,"a":2,"c":{"z":1,"y":2}}`, `{"a":2,"b":1,"c":{"y":2,"z":1}}`},
		{"space between tokens", " { \"a\" :\t[ 1 , 2 ]\r\n} ", `{"a":[1,2]}`},
		{"empty map and list", `{"a":{},"b":[]}`, `{"a":{},"b":[]}`},
		{"integers stay as written", `[1,-0,12345678901234567890123]`, `[1,-0,12345678901234567890123]`},
		{"other numbers take one form", `[1.0,1e3,1E+3,0.1000,1.5e-9,1E400]`, `[1,1000,1000,0.1,1.5e-9,1E400]`},
		{"null is a value", `{"a":null}`, `{"a":null}`},
		{"booleans", `[true,false]`, `[true,false]`},
		{"escapes", `"\u0041\n\"\\\/\u00e9\ud83d\ude00"`, `"A\n\"\\/é😀"`},
		{"halves of surrogate pairs", `["\ud83d","\udc00x","\ud83d\ud83d\ude00",{"\ud83d":1}]`, `["�","�x","�😀",{"�":1}]`},
		{"escaped names", `{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		{"control characters", `"\u0000\u001f\u007f\b\f\r\t"`, "\"\\u0000\\u001f\u007f\\b\\f\\r\\t\""},
		{"text beyond ASCII", `{"ключ":"значение"}`, `{"ключ":"значение"}`},
		{"no escapes for HTML", `"<a href='x'>&</a>"`, `"<a href='x'>&</a>"`},
		{"line separators stand for themselves", "\"\u2028\u2029\"", "\"\u2028\u2029\""},
		{"a string alone", `"x"`, `"x"`},
		{"null alone", `null`, `null`},
		{"the last duplicate counts", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, _, err := codec.DecodeJSON([]byte(c.text))
			require.NoError(t, err)
			assert.Equal(t, c.want, string(codec.AppendJSON(nil, v)))
		})
	}
}

// The document does not change when the caller reuses the bytes.
func TestDecodeJSONCopies(t *testing.T) {
	data := []byte(`{"key":"value","number":123}`)
	v, _, err := codec.DecodeJSON(data)
	require.NoError(t, err)
	clear(data)
	assert.Equal(t, `{"key":"value","number":123}`, string(codec.AppendJSON(nil, v)))
}

func TestDecodeJSONErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "unexpected end of JSON input"},
		{"space only", " \n\t ", "unexpected end of JSON input"},
		{"cut off in a map", `{"data": `, "unexpected end of JSON input"},
		{"cut off in a string", `"abc`, "unexpected end of JSON input"},
		{"cut off in a list", `[1`, "unexpected end of JSON input"},
		{"space of another kind", "\v", `invalid character '\v' looking for beginning of value`},
		{"a word", "not json", "invalid character 'o' in literal null (expecting 'u')"},
		{"no value", "}", "invalid character '}' looking for beginning of value"},
		{"trailing comma", `{"a":1,}`, "invalid character '}' looking for beginning of object key string"},
		{"trailing data", `{} {}`, "invalid character '{' after top-level value"},
		{"trailing number", `1 2`, "invalid character '2' after top-level value"},
		{"trailing garbage", `{}x`, "invalid character 'x' after top-level value"},
		{"number as a name", `{1:2}`, "invalid character '1' looking for beginning of object key string"},
		{"missing colon", `{"a" 1}`, "invalid character '1' after object key"},
		{"missing comma", `[1 2]`, "invalid character '2' after array element"},
		{"leading zero", `[01]`, "invalid character '1' after array element"},
		{"single quotes", `{'a':1}`, `invalid character '\'' looking for beginning of object key string`},
		{"raw line break in a string", "\"a\nb\"", `invalid character '\n' in string literal`},
		{"bad escape", `"\x"`, "invalid character 'x' in string escape code"},
		{"bad hexadecimal digit", `"\u00zz"`, `invalid character 'z' in \u hexadecimal character escape`},
		{"cut off in an escape", `"\`, "invalid character ' ' in string escape code"},
		{"cut off in a word", "tru", "invalid character ' ' in literal true (expecting 'e')"},
		{"a minus alone", "[-]", "invalid character ']' in numeric literal"},
		{"no digit after the point", "[1.]", "invalid character ']' after decimal point in numeric literal"},
		{"no digit in the exponent", "[1e+]", "invalid character ']' in exponent of numeric literal"},
		{"missing comma in a map", `{"a":1 "b":2}`, `invalid character '"' after object key:value pair`},
		{"not UTF-8", "{\"a\":\"\xff\"}", "invalid UTF-8 within a string"},
		{"not UTF-8 in a name", "{\"\xc0\":1}", "invalid UTF-8 within a string"},
		{"byte order mark", "\ufeff{}", "invalid character 'ï' looking for beginning of value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, duplicates, err := codec.DecodeJSON([]byte(c.text))
			require.EqualError(t, err, c.want)
			assert.True(t, v.IsAbsent())
			assert.Empty(t, duplicates)
			empty := strings.Trim(c.text, " \n\t") == ""
			assert.Equal(t, empty, err == codec.ErrEmpty)
			if syntax := (*codec.SyntaxError)(nil); !empty {
				require.ErrorAs(t, err, &syntax)
				assert.LessOrEqual(t, syntax.Offset, int64(len(c.text)))
			}
		})
	}
}

func TestDecodeJSONDepth(t *testing.T) {
	nest := func(open, inner, close string, depth int) []byte {
		return []byte(strings.Repeat(open, depth) + inner + strings.Repeat(close, depth))
	}
	for _, c := range []struct{ name, open, inner, close string }{
		{"lists", "[", "", "]"},
		{"maps", `{"a":`, "1", "}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := nest(c.open, c.inner, c.close, doc.MaxDepth)
			v, _, err := codec.DecodeJSON(text)
			require.NoError(t, err)
			require.Equal(t, text, codec.AppendJSON(nil, v))
			_, _, err = codec.DecodeJSON(nest(c.open, c.inner, c.close, doc.MaxDepth+1))
			require.ErrorIs(t, err, codec.ErrTooDeep)
			_, _, err = codec.DecodeJSON(nest(c.open, "", "", 200_000))
			require.Error(t, err)
		})
	}
}

func TestDuplicates(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"none", `{"a":1,"b":{"a":1}}`, nil},
		{"at the root", `{"a":1,"a":2}`, []string{"a"}},
		{"three times is one", `{"a":1,"a":2,"a":3}`, []string{"a"}},
		{"in a map", `{"data":{"a":"1","a":"2"}}`, []string{"data.a"}},
		{"in a list", `{"spec":{"containers":[{"name":"a","name":"b"},{"x":[[{"y":1,"y":2}]]}]}}`,
			[]string{"spec.containers[0].name", "spec.containers[1].x[0][0].y"}},
		{"in a list at the root", `[{"op":1,"op":2}]`, []string{"[0].op"}},
		{"in the order of the text, outer ones first", `{"b":1,"a":{},"a":{"z":1,"z":2,"c":1,"c":2},"b":2}`,
			[]string{"a", "a.z", "a.c", "b"}},
		{"the value of an earlier one counts too", `{"a":{"x":1,"x":2},"a":{"x":1,"x":2}}`, []string{"a.x", "a"}},
		{"written with an escape", `{"a":1,"\u0061":2}`, []string{"a"}},
		{"an empty name", `{"":{"":1,"":2}}`, []string{"."}},
		{"names are matched by case", `{"a":1,"A":2}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got, err := codec.DecodeJSON([]byte(c.text))
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestDuplicatesAreBounded(t *testing.T) {
	var many strings.Builder
	for range 2 {
		for i := range 300 {
			many.WriteString(`,"k` + strings.Repeat("x", i) + `":0`)
		}
	}
	_, got, err := codec.DecodeJSON([]byte("{" + many.String()[1:] + "}"))
	require.NoError(t, err)
	assert.Len(t, got, 100)

	long := strings.Repeat("n", 30_000)
	_, got, err = codec.DecodeJSON([]byte(`{"` + long + `":{"a":1,"a":1,"b":1,"b":1,"c":1,"c":1,"d":1,"d":1}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{long + ".a", long + ".b"}, got, "64 KiB of paths at most")
}

// plainDuplicates lists duplicates with encoding/json's tokens.
func plainDuplicates(d *json.Decoder, path string, found *[]string) {
	token, _ := d.Token()
	switch token {
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			token, _ := d.Token()
			name := token.(string)
			at := name
			if path != "/" {
				at = path + "." + name
			}
			if seen[name] && !slices.Contains(*found, at) {
				*found = append(*found, at)
			}
			seen[name] = true
			plainDuplicates(d, at, found)
		}
		_, _ = d.Token()
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if path == "/" {
				path = ""
			}
			plainDuplicates(d, path+"["+strconv.Itoa(i)+"]", found)
		}
		_, _ = d.Token()
	}
}

var loneSurrogate = regexp.MustCompile(`\\u[dD][89a-fA-F]`)

func FuzzDecodeJSON(f *testing.F) {
	deployment, err := os.ReadFile("testdata/deployment.json")
	require.NoError(f, err)
	f.Add(deployment)
	for _, seed := range []string{
		``, `null`, `{"a":1,"a":{"b":[{"c":1,"c":2}]}}`, `[1,-0,1.5e-7,1E400]`, `"\u00e9\ud83d\ude00\n"`, `{"a":}`,
		"\"\xff\"", `[[[]]]`,
		`{"":{"":0,"":1}}`, ` [true , false] `,
		`{"b":1,"a":2}x`, `"\ud800"`, `{"\u0061":1,"a":2}`, `01`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, duplicates, err := codec.DecodeJSON(data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			strict := utf8.Valid(data) && !loneSurrogate.Match(data)
			require.False(t, strict && json.Valid(data), "rejected a text that encoding/json accepts: %v", err)
			return
		}
		require.True(t, json.Valid(data), "accepted a text that encoding/json rejects")

		text := codec.AppendJSON(nil, v)
		require.True(t, json.Valid(text), "%q", text)
		again, none, err := codec.DecodeJSON(text)
		require.NoError(t, err)
		require.Empty(t, none)
		require.True(t, doc.Equal(v, again))
		require.Equal(t, text, codec.AppendJSON(nil, again))

		object := codec.AppendObject(nil, v)
		again, _, err = codec.DecodeJSON(object)
		require.NoError(t, err)
		require.Equal(t, text, codec.AppendJSON(nil, again))

		require.Equal(t, plain(t, data), plain(t, text), "encoding/json reads something else")

		if len(duplicates) < 100 && len(data) < 1000 {
			var found []string
			plainDuplicates(json.NewDecoder(bytes.NewReader(data)), "/", &found)
			require.Equal(t, found, duplicates)
		}
	})
}

// plain returns the values that encoding/json decodes from a text, with numbers by their value.
func plain(t *testing.T, data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	return floats(v)
}

func floats(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k])
		}
	}
	return v
}

func BenchmarkDecodeJSON(b *testing.B) {
	data := deployment(b)
	for b.Loop() {
		_, _, _ = codec.DecodeJSON(data)
	}
}

func BenchmarkDecodeStandard(b *testing.B) {
	data := deployment(b)
	for b.Loop() {
		var v any
		_ = json.Unmarshal(data, &v)
	}
}

func deployment(b *testing.B) []byte {
	data, err := os.ReadFile("testdata/deployment.json")
	require.NoError(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	return data
}

func TestDecodeStruct(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"maps under one key are one map", `{"a":{"b":1},"a":{"c":2}}`, `{"a":{"b":1,"c":2}}`},
		{"at every depth, the last scalar wins", `{"a":{"b":{"c":1,"d":2}},"a":{"b":{"c":3}}}`, `{"a":{"b":{"c":3,"d":2}}}`},
		{"any number of duplicates", `{"a":{"b":{"c":1}},"a":{"b":{"d":2}},"a":{"e":3,"b":{"c":4}}}`,
			`{"a":{"b":{"c":4,"d":2},"e":3}}`},
		{"null discards the earlier value", `{"a":{"b":1},"a":null,"a":{"c":2}}`, `{"a":{"c":2}}`},
		{"lists are replaced", `{"a":[1],"a":[2]}`, `{"a":[2]}`},
		{"numbers stay as written", `{"a":2,"a":2.0,"b":[1e3,1E400,1.50]}`, `{"a":2.0,"b":[1e3,1E400,1.50]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, duplicates, err := codec.DecodeStruct([]byte(c.in))
			require.NoError(t, err)
			assert.Equal(t, c.want, string(codec.AppendJSON(nil, v)))
			assert.NotEmpty(t, duplicates)
		})
	}
}

func TestDecodeUntyped(t *testing.T) {
	for literal, fits := range map[string]bool{
		"2.0": true, "-1e308": true, "1" + strings.Repeat("0", 308): true,
		"-1e400": false, "1E999": false, "1" + strings.Repeat("0", 309): false,
	} {
		text := `{"a":[` + literal + `]}`
		v, _, err := codec.DecodeUntyped([]byte(text))
		if fits {
			require.NoError(t, err, literal)
			want, _, _ := codec.DecodeJSON([]byte(text))
			assert.Equal(t, want, v)
			continue
		}
		var beyond *codec.RangeError
		require.ErrorAs(t, err, &beyond, literal)
		assert.EqualError(t, err, "json: cannot unmarshal number "+literal+" into Go value of type float64")
	}
}
