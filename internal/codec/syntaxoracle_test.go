//go:build go1.26 && !go1.27

package codec_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
)

// FuzzSyntaxError compares the messages with those of encoding/json in the Go release that clients know them from.
func FuzzSyntaxError(f *testing.F) {
	valid := `{"a":[1,-2.5e+3,0.1E-2,true,false,null],"b\u00e9\n":{"":"x"},"c":[],"d":{}} `
	for i := range valid {
		f.Add([]byte(valid[:i]))
		for _, wrong := range []string{"x", "'", `"`, "\\", "{", "]", ",", ":", "0", "-", ".", "e", " ", "\n", "\v", "\x00",
			"\x7f", "é",
			"\u0080", "\xff", "\ufeff"} {
			f.Add([]byte(valid[:i] + wrong + valid[i:]))
			f.Add([]byte(valid[:i] + wrong + valid[i+1:]))
		}
	}
	for _, seed := range []string{"", "\t", "-", "01", "1.", "1e", "1e+", `"\`, `"\u12`, `"\u12g4"`, "tru", "nul", "falsy",
		"{}}", "[1,]",
		`{"a":1,}`, "\ufeff{}", strings.Repeat("[", 10_001), strings.Repeat("[", 10_000)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _, got := codec.DecodeJSON(text)
		var known *json.SyntaxError
		if want := json.Unmarshal(text, new(json.RawMessage)); !errors.As(want, &known) {
			assert.Equal(t, utf8.Valid(text), got == nil, "%q: %v", text, got)
			return
		}
		require.Error(t, got, "%q", text)
		if errors.Is(got, codec.ErrTooDeep) {
			assert.Equal(t, "invalid character '"+string(known.Error()[19])+"' exceeded max depth", known.Error())
			return
		}
		assert.Equal(t, known.Error(), got.Error(), "%q", text)
		if fault := (*codec.SyntaxError)(nil); errors.As(got, &fault) && fault.Offset < int64(len(text)) {
			assert.Equal(t, known.Offset-1, fault.Offset, "%q", text) // encoding/json counts the faulty byte as read
		}
	})
}
