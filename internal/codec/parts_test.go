package codec_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

func TestParts(t *testing.T) {
	object := []byte(`{"apiVersion":"v1","a":{"b":[1,{"c":"}\"\\"}],"d":null,"e":{}},"b":"\\","c":-1.5,"d":[],"e":{"a":{"b":true}}}`)
	for _, c := range []struct {
		parts [][]string
		want  string
	}{
		{[][]string{{"a"}}, `{"a":{"b":[1,{"c":"}\"\\"}],"d":null,"e":{}}}`},
		{[][]string{{"a", "b"}}, `{"a":{"b":[1,{"c":"}\"\\"}]}}`},
		{[][]string{{"a", "b"}, {"a"}}, `{"a":{"b":[1,{"c":"}\"\\"}],"d":null,"e":{}}}`},
		{[][]string{{"a"}, {"a", "b"}}, `{"a":{"b":[1,{"c":"}\"\\"}],"d":null,"e":{}}}`},
		{[][]string{{"a", "d"}, {"b"}, {"c"}}, `{"a":{"d":null},"b":"\\","c":-1.5}`},
		{[][]string{{"d", "e"}, {"c", "a"}}, `{}`},
		{[][]string{{"e", "a", "b"}, {"absent"}}, `{"e":{"a":{"b":true}}}`},
		{[][]string{{"e", "absent"}}, `{}`},
		{[][]string{{}}, string(object)},
	} {
		var parts *codec.Parts
		for _, names := range c.parts {
			parts = parts.With(names...)
		}
		v, err := parts.Decode(parts.Find(object, 0, nil))
		require.NoError(t, err)
		assert.JSONEq(t, c.want, string(codec.AppendJSON(nil, v)), "%q", c.parts)
	}
}

// The place of the metadata, if the caller knows it, only saves time.
func TestPartsBesideMetadata(t *testing.T) {
	object := []byte(`{"kind":"Thing","metadata":{"name":"a","labels":{"x":"}"}},"spec":{"metadata":{"name":"b","size":1},"size":3}}`)
	end := bytes.Index(object, []byte(`,"spec"`))
	for _, c := range []struct {
		parts [][]string
		want  string
	}{
		{[][]string{{"metadata", "name"}, {"spec", "size"}}, `{"metadata":{"name":"a"},"spec":{"size":3}}`},
		{[][]string{{"metadata", "absent"}, {"spec", "size"}}, `{"spec":{"size":3}}`},
		{[][]string{{"metadata"}, {"spec", "metadata", "name"}, {"absent"}},
			`{"metadata":{"name":"a","labels":{"x":"}"}},"spec":{"metadata":{"name":"b"}}}`},
		{[][]string{{"spec", "size"}}, `{"spec":{"size":3}}`},
	} {
		var parts *codec.Parts
		for _, names := range c.parts {
			parts = parts.With(names...)
		}
		for _, metadataEnd := range []int{0, end} {
			v, err := parts.Decode(parts.Find(object, metadataEnd, nil))
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(codec.AppendJSON(nil, v)), "%q", c.parts)
		}
	}
}

// FuzzParts compares the parts with those of an object that is decoded as a whole.
func FuzzParts(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,{"c":"}\"\\"}],"d":null,"e":{}},"b":"\\","c":-1.5,"d":[],"e":{"a":{"b":true}}}`), "a", "b",
		"e")
	f.Add([]byte(`{"\u0061":{"\"":"\u2028<\ud800"},"b":[[],{}],"c":{"c":1e300}}`), "a", "\"", "c")
	f.Add([]byte(`{"metadata":{"name":"x","labels":{"é":"\\\\"}},"spec":{"size":3}}`), "metadata", "labels", "spec")
	f.Add([]byte(`{"a":{"x":"}","y":"]"},"b":["]","}"],"c":{"x":"\\","y":"\"}"}}`), "a", "x", "c")
	f.Add([]byte(`{"a":{"x":1,"y":"{"},"b":[1,"[",2],"c":[]}`), "b", "", "c")
	f.Fuzz(func(t *testing.T, data []byte, one, two, three string) {
		v, _, err := codec.DecodeJSON(data)
		if err != nil || v.Kind() != doc.Map {
			return
		}
		object := codec.AppendObject(nil, v)
		var parts *codec.Parts
		parts = parts.With(one, two).With(three)
		texts := parts.Find(object, 0, nil)
		got, err := parts.Decode(texts)
		require.NoError(t, err, "%s", object)
		whole, _, err := codec.DecodeJSON(object)
		require.NoError(t, err)
		for _, names := range [][]string{{one, two}, {three}} {
			want, have := whole, got
			for _, name := range names {
				want, have = want.Get(name), have.Get(name)
			}
			assert.Equal(t, string(codec.AppendJSON(nil, want)), string(codec.AppendJSON(nil, have)), "%q of %s", names, object)
			if leaf := parts.Leaf(names...); leaf >= 0 && !want.IsAbsent() {
				assert.Equal(t, string(codec.AppendJSON(nil, want)), string(texts[leaf]), "the text of %q in %s", names, object)
			}
		}
	})
}
