package codec_test

import (
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestDecodeYAML(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an object", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n",
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`},
		{"lists", "- a\n- [b, c]\n-\n  - d\n", `["a",["b","c"],["d"]]`},
		{"scalars", "[x, 1, -2, 1.5, 1e3, 0x1F, true, yes, ~, null, '1', 18446744073709551615]",
			`["x",1,-2,1.5,1000,31,true,true,null,null,"1",18446744073709551615]`},
		{"keys of other types", "1: a\n2.5: b\ntrue: c\n.inf: d\n", `{"1":"a","2.5":"b","true":"c",".inf":"d"}`},
		{"text over lines", "a: |\n  x\n  y\nb: >\n  x\n  y\n", `{"a":"x\ny\n","b":"x y\n"}`},
		{"aliases", "a: &x {k: v}\nb: *x\nc:\n  <<: *x\n  l: w\n", `{"a":{"k":"v"},"b":{"k":"v"},"c":{"k":"v","l":"w"}}`},
		{"the first of several documents", "---\na: 1\n---\nb: 2\n", `{"a":1}`},
		{"dates are strings", "a: 2001-02-03\nb: 2001-02-03T04:05:06Z\n", `{"a":"2001-02-03","b":"2001-02-03T04:05:06Z"}`},
		{"bytes become text", "a: !!binary aGk=\nb: !!binary /w==\n", "{\"a\":\"hi\",\"b\":\"\ufffd\"}"},
		{"nothing", "", `null`},
		{"a comment", "# nothing\n", `null`},
		{"JSON keeps its integers", "\n {\"a\": 1.0, \"b\": 12345678901234567890123}",
			`{"a":1.0,"b":12345678901234567890123}`},
		{"a JSON list", `[1e3]`, `[1e3]`},
		{"nearly JSON", `{a: 1, "b": 2,}`, `{"a":1,"b":2}`},
		{"the last duplicate counts", "a: 1\nb: 2\na: 3\n", `{"a":3,"b":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, _, err := codec.DecodeJSON([]byte(c.want))
			require.NoError(t, err)
			for _, strict := range []bool{false, true} {
				v, _, err := codec.DecodeYAML([]byte(c.text), strict)
				require.NoError(t, err)
				assert.Equal(t, string(codec.AppendJSON(nil, want)), string(codec.AppendJSON(nil, v)), "strict: %v", strict)
			}
		})
	}
}

func TestDecodeYAMLDuplicates(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"none", "a: 1\nb: 2\n", nil},
		{"one", "kind: x\ndata:\n  a: 1\n  b: 2\n  c: 3\n  a: 4\n", []string{`line 6: key "a" already set in map`}},
		{"several", "a: 1\na: 2\na: 3\nb: {c: 1, c: 2}\n",
			[]string{`line 2: key "a" already set in map`, `line 3: key "a" already set in map`,
				`line 4: key "c" already set in map`}},
		{"of other types", "1: a\n1: b\ntrue: c\ntrue: d\n2.5: e\n2.5: f\n",
			[]string{"line 2: key 1 already set in map", "line 4: key true already set in map",
				"line 6: key 2.5 already set in map"}},
		{"in JSON", `{"a":1,"q":{"a":1,"a":2}}`, []string{`line 1: key "a" already set in map`}},
		{"in a map on one line", "k: b\ndata: {a: x, a: z}\n", []string{`line 2: key "a" already set in map`}},
		{"in a map in a map on one line", "data: {b: {a: x, c: y, a: z}}\n",
			[]string{`line 1: key "a" already set in map`}},
		{"in a list on one line", "data: [b, {a: x, a: z}]\n", []string{`line 1: key "a" already set in map`}},
		{"in an element of a block", "data:\n- {b: 1}\n- {a: x, a: z}\n", []string{`line 3: key "a" already set in map`}},
		{"with quotes on one line", "data: {\"a\": x, a: y, 'a': z}\n",
			[]string{`line 1: key "a" already set in map`, `line 1: key "a" already set in map`}},
		{"before a comment", "data: {a: x, a: z} # b\n", []string{`line 1: key "a" already set in map`}},
		{"on several lines in braces", "data: {a: x,\n  a: z}\n", []string{`line 2: key "a" already set in map`}},
		{"behind an anchor, once for each use", "data: &b {a: x, a: z}\nmore: {b: *b, c: 1}\n",
			[]string{`line 1: key "a" already set in map`, `line 1: key "a" already set in map`}},
		{"on one line and in a block", "data: {a: x, a: z}\nmore:\n  b: 1\n  b: 2\n",
			[]string{`line 1: key "a" already set in map`, `line 4: key "b" already set in map`}},
		{"equal names in different maps on one line", "data: {a: {b: 1}, c: {b: 1}}\nmore: [{a: 1}, {a: 2}]\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got, err := codec.DecodeYAML([]byte(c.text), true)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
			_, got, err = codec.DecodeYAML([]byte(c.text), false)
			require.NoError(t, err)
			assert.Empty(t, got)
			if len(c.want) > 0 {
				_, err := yaml.YAMLToJSONStrict([]byte(c.text))
				require.EqualError(t, err, codec.DuplicateLines(c.want), "upstream's text")
			}
		})
	}
	_, got, err := codec.DecodeYAML([]byte(strings.Repeat("a: 1\n", 500)), true)
	require.NoError(t, err)
	assert.Len(t, got, 100)
}

// These are the texts that clients see. A new version of the parser in go.mod must return the same.
func TestDecodeYAMLErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a tab", "\t- a", "yaml: found character that cannot start any token"},
		{"a tab further down", "a:\n\t- b", "yaml: line 2: found character that cannot start any token"},
		{"a reserved character", "a: @b", "yaml: found character that cannot start any token"},
		{"a control character", "a: \x07", "yaml: control characters are not allowed"},
		{"not UTF-8", "a: \xff", "yaml: invalid leading UTF-8 octet"},
		{"broken UTF-8", "a: \xc3(", "yaml: invalid trailing UTF-8 octet"},
		{"broken UTF-16", "\xff\xfe\x00", "yaml: incomplete UTF-16 character"},
		{"an unclosed quote", "a: 'x", "yaml: found unexpected end of stream"},
		{"a document ends in a quote", "a: 'b\n---\n", "yaml: line 2: found unexpected document indicator"},
		{"text after a quote", "a: 'x'y", "yaml: did not find expected key"},
		{"an unknown escape", `a: "\q"`, "yaml: found unknown escape character"},
		{"no hexadecimal digit", `a: "\x1z"`, "yaml: did not find expected hexdecimal number"},
		{"half a surrogate pair", `a: "\ud800"`, "yaml: found invalid Unicode character escape code"},
		{"bad indentation", "a: 1\n  b: 2\n", "yaml: line 2: mapping values are not allowed in this context"},
		{"bad indentation further down", "a: 1\nb: 2\n c: 3\n",
			"yaml: line 3: mapping values are not allowed in this context"},
		{"two colons", "a: b: c", "yaml: mapping values are not allowed in this context"},
		{"a list in a map", "a: 1\n- b\n", "yaml: line 1: did not find expected key"},
		{"a map in a list", "- a\nb: c", "yaml: line 1: did not find expected '-' indicator"},
		{"a list without an end", "a: [1, 2", "yaml: line 1: did not find expected ',' or ']'"},
		{"a map without an end", "a: {b: 1", "yaml: line 1: did not find expected ',' or '}'"},
		{"an end without a beginning", "}", "yaml: did not find expected node content"},
		{"half a JSON text", `{"a": `, "yaml: line 1: did not find expected node content"},
		{"text behind the mark of a block", "a: |x\n b", "yaml: did not find expected comment or line break"},
		{"an unknown alias", "a: *b", "yaml: unknown anchor 'b' referenced"},
		{"an alias without a name", "a: *", "yaml: did not find expected alphabetic or numeric character"},
		{"an anchor in itself", "&a [*a]", "yaml: anchor 'a' value contains itself"},
		{"a merge of a scalar", "<<: 1", "yaml: map merge requires map or sequence of maps as the value"},
		{"a tag that does not fit", "a: !!int x", "yaml: cannot decode !!str `x` as a !!int"},
		{"no base64", `a: !!binary "?"`, "yaml: !!binary value contains invalid base64 data"},
		{"an undefined tag", "a: !h!x b", "yaml: found undefined tag handle"},
		{"a tag without an end", "a: !<x", "yaml: did not find the expected '>'"},
		{"another YAML", "%YAML 3.0\n---\na", "yaml: found incompatible YAML document"},
		{"an unknown directive", "%A\n---\na", "yaml: found unknown directive name"},
		{"too deep", strings.Repeat("[", 10_001), "yaml: exceeded max depth of 10000"},
		{"excessive aliases", "a: &a [" + strings.Repeat("x, ", 1000) + "]\nb: &b [" + strings.Repeat("*a, ", 1000) +
			"]\nc: [" + strings.Repeat("*b, ", 10) + "]", "yaml: document contains excessive aliasing"},
		{"a list as a key", "? [a]\n: b", `yaml: invalid map key: []interface {}{"a"}`},
		{"a map as a key", "{{a: b}: c}", `yaml: invalid map key: map[interface {}]interface {}{"a":"b"}`},

		{"no number", "a: .nan", "json: unsupported value: NaN"},
		{"infinite", "a: .inf", "json: unsupported value: +Inf"},
		{"infinite below zero", "a: -.inf", "json: unsupported value: -Inf"},
		{"null as a key", "~: a", "yaml: unsupported map key <nil>"},
		{"a key that is too large", "18446744073709551615: a", "yaml: unsupported map key 18446744073709551615"},
		{"one key of two types", "1: a\n'1': b", `yaml: key "1" stands in one map as a string and as another type`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				v, _, err := codec.DecodeYAML([]byte(c.text), strict)
				require.EqualError(t, err, c.want)
				assert.True(t, v.IsAbsent())
			}
		})
	}
}

// Each of these texts is small but expands to a very large or very deep document.
func TestDecodeYAMLIsBounded(t *testing.T) {
	t.Run("a long text in many places", func(t *testing.T) {
		text := "a: &a " + strings.Repeat("x", 100_000) + "\nb:\n" + strings.Repeat("- *a\n", 10_000)
		_, _, err := codec.DecodeYAML([]byte(text), false)
		require.ErrorIs(t, err, codec.ErrExpanded)
	})
	t.Run("a billion laughs", func(t *testing.T) {
		text := "a0: &a0 lol\n"
		for i := 1; i < 12; i++ {
			d, prev := string(rune('0'+i/10))+string(rune('0'+i%10)), string(rune('0'+(i-1)/10))+string(rune('0'+(i-1)%10))
			if i == 1 {
				prev = "0"
			}
			text += "a" + d + ": &a" + d + " [" + strings.Repeat("*a"+prev+",", 9) + "*a" + prev + "]\n"
		}
		_, _, err := codec.DecodeYAML([]byte(text), false)
		require.Error(t, err)
	})
	t.Run("depth", func(t *testing.T) {
		text := "a: &a " + strings.Repeat("[", 6000) + strings.Repeat("]", 6000) + "\nb: " + strings.Repeat("[", 6000) +
			"*a" + strings.Repeat("]", 6000)
		_, _, err := codec.DecodeYAML([]byte(text), false)
		require.ErrorIs(t, err, codec.ErrTooDeep)
	})
}

func TestAppendYAML(t *testing.T) {
	out, err := codec.AppendYAML([]byte("---\n"),
		[]byte(`{"kind":"List","items":[{"b":"yes","a":1,"n":12345678901}],"s":"a\nb"}`))
	require.NoError(t, err)
	assert.Equal(t, "---\nitems:\n- a: 1\n  b: \"yes\"\n  \"n\": 12345678901\nkind: List\ns: |-\n  a\n  b\n", string(out))
	out, err = codec.AppendYAML(nil, []byte(`{`))
	require.Error(t, err)
	assert.Empty(t, out)
}

// DecodeYAML returns the document that upstream's converter returns. A text with characters that
// are special in YAML survives encoding and decoding.
func TestAppendYAMLKeepsText(t *testing.T) {
	for _, text := range []string{"\u007f", "\u0080", "\u0085", "a\u0085b", "\u2028", "\u2029 ", "\ufffe", "\uffff",
		"\ufeff", "\x00", "\x1b",
		"\t", "\r\n", "\n\n", " a ", "- a", "~", "0x10", "1_0", "12:30", ".inf", "2026-01-02", "<<"} {
		want := doc.MapOf(doc.Member{Key: "k", Value: doc.Of(text)}, doc.Member{Key: "l", Value: doc.ListOf(doc.Of(text))})
		out, err := codec.AppendYAML(nil, codec.AppendJSON(nil, want))
		require.NoError(t, err, "%q", text)
		got, _, err := codec.DecodeYAML(out, true)
		require.NoError(t, err, "%q", text)
		assert.True(t, doc.Equal(want, got), "%q: %s", text, out)
	}
}

func FuzzDecodeYAML(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb: [x, 2.5, ~]\n", "1: a\n2.5: b\ntrue: c\n", "a: &x {k: v}\nb: *x\nc:\n  <<: *x\n", "--- 1\n---\n2",
		"- !!binary /w==\n- 1e3\n- 0o7\n- 1_000\n",
		"a: {b: 1, b: 2}\n", "- {b: {c: 1, c: 2}}\n", "a: &c {b: 1, b: 2}\nd: [*c]\n",
		`{"a":1}`, "a: 1\na: 2\n", "a: |\n x\n", "? a\n: b\n", "&a [*a]", "a: .inf", "2001-01-01: x", "'1': a\n1: b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := codec.DecodeYAML(data, false)
		upstream, upstreamErr := yaml.YAMLToJSON(data)
		if err != nil || upstreamErr != nil {
			return // each side rejects some texts that the other accepts
		}
		want, _, err := codec.DecodeJSON(upstream)
		require.NoError(t, err)
		if !doc.Equal(want, v) {
			require.Equal(t, string(codec.AppendJSON(nil, want)), string(codec.AppendJSON(nil, v)))
		}
		_, duplicates, err := codec.DecodeYAML(data, true)
		require.NoError(t, err)
		_, strictErr := yaml.YAMLToJSONStrict(data)
		require.Equal(t, strictErr != nil, len(duplicates) > 0)
	})
}
