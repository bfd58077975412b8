package oracle

import (
	"encoding/json"
	"math/rand"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"
)

// checkDecode compares the results of decoding a text: the tree, the duplicate members, or why the text is not JSON.
func checkDecode(t *testing.T, body []byte) {
	var tree any
	strict, err := kjson.UnmarshalStrict(body, &tree)
	v, duplicates, ourErr := codec.DecodeJSON(body)
	if !utf8.Valid(body) || hasLoneSurrogate(body) {
		return // upstream replaces invalid UTF-8
	}
	if err != nil {
		require.EqualError(t, ourErr, err.Error(), "%s", body)
		return
	}
	require.NoError(t, ourErr, "%s", body)
	var want []string
	for _, err := range strict {
		path, err := strconv.Unquote(strings.TrimPrefix(err.Error(), "duplicate field "))
		require.NoError(t, err)
		want = append(want, path)
	}
	if len(strings.Join(want, "")) < 32<<10 { // the total length of our paths is bounded
		require.Equal(t, want, duplicates, "%s", body)
	}
	if hasFraction(body) {
		return // upstream rounds to float64
	}
	text, err := json.Marshal(tree)
	require.NoError(t, err)
	requireSame(t, text, codec.AppendJSON(nil, v), "%s", body)
}

// hasLoneSurrogate reports whether a text may contain an escaped half of a surrogate pair.
func hasLoneSurrogate(body []byte) bool {
	return strings.Contains(strings.ToLower(string(body)), `\ud`)
}

func TestDecode(t *testing.T) {
	duplicates := 0
	all := rounds(t, 5000, func(t *testing.T, r round) {
		var b strings.Builder
		writeRandom(r.Rand, &b, 4)
		body := []byte(b.String())
		checkDecode(t, body)
		if _, found, _ := codec.DecodeJSON(body); len(found) > 0 {
			duplicates++
		}
		if len(body) > 0 { // the body is broken as well
			i := r.Intn(len(body))
			checkDecode(t, body[:i])
			body[i] = `{}[]:,"\ 0a-`[r.Intn(12)]
			checkDecode(t, body)
		}
	})
	require.True(t, duplicates > 0 || !all)
}

// writeRandom writes a random value, with duplicate members.
func writeRandom(r *rand.Rand, b *strings.Builder, depth int) {
	blank := func() { b.WriteString(pickText(r, "", "", "", " ", "\n\t")) }
	blank()
	defer blank()
	kind := r.Intn(6)
	switch {
	case depth > 0 && kind < 3:
		b.WriteByte('{')
		for i := range r.Intn(5) {
			if i > 0 {
				b.WriteByte(',')
			}
			blank()
			b.WriteString(pickText(r, `"a"`, `"b"`, `"c"`, `"\u0061"`, `"a.b"`, `""`, `"é"`, `"A"`))
			blank()
			b.WriteByte(':')
			writeRandom(r, b, depth-1)
		}
		b.WriteByte('}')
	case depth > 0 && kind < 4:
		b.WriteByte('[')
		for i := range r.Intn(4) {
			if i > 0 {
				b.WriteByte(',')
			}
			writeRandom(r, b, depth-1)
		}
		b.WriteByte(']')
	default:
		b.WriteString(pickText(r, "null", "true", "false", "0", "-17", "12345", `"x"`, `"\n\u00e9<"`, `""`, "1.5", "1e3"))
	}
}

func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		`{"a":1,"a":2,"b":[{"c":1,"c":{"d":1,"d":2},"c":3}]}`, `{"a":{"b":1},"a":{"b":1,"b":2}}`, `[{"a":1},{"a":1,"a":1}]`,
		`{"a":1`, `{"a" 1}`, `nul`, `"\u12"`, `01`, `1.`, `{"a":1}x`, ``, "\ufeff{}", `{"a":"` + "\x01" + `"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(checkDecode)
}
