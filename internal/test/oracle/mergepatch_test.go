package oracle

import (
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

func checkMergePatch(t *testing.T, d, body []byte) {
	document, _, err := codec.DecodeJSON(d)
	if err != nil || document.Kind() != doc.Map {
		return
	}
	if v, _, err := codec.DecodeJSON(body); err != nil || v.Kind() != doc.Map {
		_, err := docpatch.ParseMergePatch(body)
		require.Error(t, err, "%s", body)
		return
	}
	want, err := jsonpatch.MergePatch(d, body)
	require.NoError(t, err)
	p, err := docpatch.ParseMergePatch(body)
	require.NoError(t, err)
	got := codec.AppendJSON(nil, p.Apply(document))
	if doc.Equal(decoded(t, want), decoded(t, got)) {
		require.Equal(t, string(want), string(p.Text(d)), "the text\ndocument %s\npatch %s", d, body)
		return
	}
	// Upstream removes nulls from the maps in a list, unless the list replaces a map.
	requireSame(t, bareLists(t, want), bareLists(t, got), "document %s\npatch %s", d, body)
}

// bareLists removes the null members of all maps in lists.
func bareLists(t testing.TB, data []byte) []byte {
	var bare func(v doc.Value, inList bool) doc.Value
	bare = func(v doc.Value, inList bool) doc.Value {
		return v.Rewrite(func(_ int, _ string, child doc.Value) doc.Value {
			if child.IsNull() && inList && v.Kind() == doc.Map {
				return doc.Value{}
			}
			return bare(child, inList || v.Kind() == doc.List)
		})
	}
	return codec.AppendJSON(nil, bare(decoded(t, data), false))
}

func TestMergePatch(t *testing.T) {
	rounds(t, 2000, func(t *testing.T, r round) {
		checkMergePatch(t, codec.AppendJSON(nil, randomDocument(r.Rand, 3)), codec.AppendJSON(nil, randomDocument(r.Rand, 3)))
	})
}

func FuzzMergePatch(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":{"b":1,"c":2},"d":[1]}`, `{"a":{"b":null,"e":{"f":null}},"d":[{"g":null},null]}`},
		{`{"a":{"b":1}}`, `{"a":[{"b":null}]}`},
		{`{"a":null,"b":"x"}`, `{"a":{"b":{"c":null}},"b":{"d":1.50}}`},
		{`{}`, `null`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(checkMergePatch)
}
