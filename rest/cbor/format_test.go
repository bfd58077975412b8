package cbor_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/cbor"
)

const tag = "d9d9f7"

func TestFromJSON(t *testing.T) {
	for _, c := range []struct{ name, json, want string }{
		{"a map, shorter keys first", `{"kind":"K","a":1,"b":{}}`,
			"a3" + "4161" + "01" + "4162" + "a0" + "446b696e64" + "414b"},
		{"texts are byte strings", `["","é"]`, "82" + "40" + "42c3a9"},
		{"numbers in their shortest form", `[0,-1,255,1.5,0.1,1e3,9007199254740993]`,
			"87" + "00" + "20" + "18ff" + "f93e00" + "fb3fb999999999999a" + "1903e8" + "1b0020000000000001"},
		{"a float without a fraction", `[1.0]`, "81" + "01"},
		{"beyond a CBOR integer", `[18446744073709551616]`, "81" + "fa5f800000"},
		{"true, false, null", `[true,false,null]`, "83f5f4f6"},
		{"an empty list", `[]`, "80"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := cbor.Format().AppendFromJSON([]byte("x"), []byte(c.json))
			require.NoError(t, err)
			require.Equal(t, "78"+tag+c.want, hex.EncodeToString(got))
			back, err := cbor.Format().ToJSON(got[1:])
			require.NoError(t, err)
			require.JSONEq(t, c.json, string(back))
		})
	}
	for _, text := range []string{`{`, ``, `[1e999]`} {
		_, err := cbor.Format().AppendFromJSON(nil, []byte(text))
		require.Error(t, err, text)
	}
}

func TestToJSON(t *testing.T) {
	for _, c := range []struct{ name, cbor, want string }{
		{"text strings are accepted", "a1" + "6161" + "6162", `{"a":"b"}`},
		{"without the tag", "a0", `{}`},
		{"the tag on an inner item", "a1" + "4161" + tag + "a0", `{"a":{}}`},
		{"of unknown length", "bf" + "4161" + "9f0102ff" + "ff", `{"a":[1,2]}`},
		{"a string in parts", "5f" + "4161" + "4162" + "ff", `"ab"`},
		{"bytes for base64", "d6" + "4201ff", `"Af8="`},
		{"bytes for base16", "d7" + "4201ff", `"01ff"`},
		{"a time", "c1" + "00", `"1970-01-01T00:00:00Z"`},
		{"a whole number as a float", "fb" + "4000000000000000", `2`},
		{"HTML", "45" + "3c613e2622", `"<a>&\""`},
		{"the members in order", "a2" + "4162" + "01" + "4161" + "02", `{"a":2,"b":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := hex.DecodeString(c.cbor)
			require.NoError(t, err)
			got, err := cbor.Format().ToJSON(data)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

// The words are those of the library that kube-apiserver uses, too. A new version of it must not change what clients
// read unseen.
func TestToJSONRefuses(t *testing.T) {
	const notAccepted = "cbor: data item of cbor type "
	for name, c := range map[string]struct{ text, want string }{
		"nothing": {"", "EOF"},
		"duplicate key": {"a2" + "4161" + "01" + "4161" + "02",
			`cbor: found duplicate map key "a" at map element index 1`},
		"duplicate key, once as text": {"a2" + "4161" + "01" + "6161" + "02",
			`cbor: found duplicate map key "a" at map element index 1`},
		"a number as key": {"a1" + "01" + "02",
			"cbor: cannot unmarshal positive integer into Go value of type string"},
		"NaN": {"f97e00", notAccepted + "primitives is not accepted by protocol: floating-point NaN"},
		"infinity": {"f97c00",
			notAccepted + "primitives is not accepted by protocol: floating-point infinity"},
		"undefined": {"f7",
			notAccepted + "primitives is not accepted by protocol: simple value 23 is not recognized"},
		"a simple value": {"e0", "a simple value has no form in JSON"},
		"a large integer": {"1bffffffffffffffff",
			"cbor: cannot unmarshal positive integer into Go value of type int64 (18446744073709551615 overflows Go's int64)"},
		"a bignum":                 {"c2" + "49010000000000000000", notAccepted + "tag is not accepted by protocol: bignum"},
		"bytes that are not UTF-8": {"41ff", "a string is not UTF-8"},
		"text that is not UTF-8":   {"61ff", "cbor: invalid UTF-8 string"},
		"a key that is not UTF-8":  {"a1" + "41ff" + "00", "a string is not UTF-8"},
		"two items":                {"a0a0", "cbor: 1 bytes of extraneous data starting at index 1"},
		"cut off":                  {"a1", "unexpected EOF"},
		"a wrong length":           {"9b7fffffffffffffff", "cbor: exceeded max number of elements 2097152 for CBOR array"},
		"nested without end":       {strings.Repeat("81", 20_000) + "00", "cbor: exceeded max nested level 10000"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := hex.DecodeString(c.text)
			require.NoError(t, err)
			_, err = cbor.Format().ToJSON(data)
			require.EqualError(t, err, c.want)
		})
	}
}

// Decoding CBOR and encoding it as JSON loses nothing, and equal objects have equal bytes.
func FuzzToJSON(f *testing.F) {
	for _, text := range []string{tag + "a1" + "446b696e64" + "414b", "bf4161f93e00ff", "d64201ff", "820120", "a1616120",
		"f7"} {
		data, err := hex.DecodeString(text)
		require.NoError(f, err)
		f.Add(data)
	}
	format := cbor.Format()
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := format.ToJSON(data)
		if err != nil {
			return
		}
		require.True(t, json.Valid(text), "%s", text)
		encoded, err := format.AppendFromJSON(nil, text)
		require.NoError(t, err)
		again, err := format.ToJSON(encoded)
		require.NoError(t, err)
		require.JSONEq(t, string(text), string(again))
		twice, err := format.AppendFromJSON(nil, again)
		require.NoError(t, err)
		assert.Equal(t, encoded, twice)
	})
}
