package schema_test

import (
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/require"
)

// FuzzWalk sends documents of any shape through every walk, and checks what the walks guarantee each other.
func FuzzWalk(f *testing.F) {
	for _, seed := range []string{
		`{"spec":{"size":1}}`, `{"spec":{"size":0,"color":"pink","parts":[{"name":"a"},{"name":"a"},{}],"tags":["a","a"]}}`,
		`null`, `[1]`, `{"spec":null}`,
		`{"metadata":{"labels":{"a":null}},"spec":{"template":{},"port":true,"note":null,"steps":[null],"extra":{"a":{"b":null}}},"bogus":{}}`,
		`{"spec":{"size":1e400,"big":99999999999999999999,"weight":-0.0}}`,
		`{"name":"a","children":[{"name":"b","children":[{}]}],"next":{"next":{"x":1}},"byName":{"a":null}}`,
	} {
		f.Add([]byte(seed), []byte(`{"spec":{"size":2}}`))
	}
	schemas := []*schema.Schema{widget(f), derive[node](f), derive[leaves](f),
		derive[Widget](f, schema.Options{Builtin: true})}
	f.Fuzz(func(t *testing.T, data, other []byte) {
		v, _, err := codec.DecodeJSON(data)
		if err != nil {
			t.Skip("not JSON") // the schema applies to decoded values; the decoder has its own fuzz target
		}
		old, _, err := codec.DecodeJSON(other)
		if err != nil {
			t.Skip("not JSON") // as above
		}
		for _, s := range schemas {
			pruned, unknown := s.Prune(v)
			again, left := s.Prune(pruned)
			require.Empty(t, left, "pruning leaves no unknown field")
			require.Equal(t, pruned, again)
			if len(unknown) == 0 {
				require.Equal(t, v, pruned, "pruning lists every field that it drops")
			}
			full := s.Default(pruned)
			require.True(t, doc.Equal(full, s.Default(full)), "defaulting is idempotent")
			_, left = s.Prune(full)
			require.Empty(t, left, "defaults contain no unknown field")
			s.Validate(nil, full)
			s.CheckTypes(nil, v)
			s.Validate(nil, v)
			checkUpdate(s, v, old)
			require.Empty(t, checkUpdate(s, v, v))
		}
	})
}

// FuzzTypes checks the guarantee of CheckTypes: the Go type can decode what passes.
func FuzzTypes(f *testing.F) {
	for _, seed := range []string{
		`{"time":"2024-05-06T07:08:09Z","bytes":"AA==","int8":-128,"uint64":18446744073709551615,"float32":1e38,"array":[1,2,3]}`,
		`{"number":1e5,"map":{"a":1},"byNumber":{"1":true},"deep":[[{"a":1}]],"pointer":"x","int":-0}`,
		`{"time":null,"bytes":null,"deep":null,"any":null}`,
		`{"byNumber":{"a":true}}`, `{"byAddr":{"10.0.0.1":true,"x":true}}`, `{"addr":"10.0.0.1"}`, `{"addr":"x"}`,
		`{"quantity":"1","port":"a","own":{"Hidden":1}}`,
		`{"own":{"Hidden":"a"}}`, `{"micro":"2026-01-02T03:04:05.000000Z"}`, `{"micro":"2026-01-02T03:04:05Z"}`,
	} {
		f.Add([]byte(seed))
	}
	s := derive[leaves](f)
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := codec.DecodeJSON(data)
		if err != nil || v.Kind() != doc.Map {
			t.Skip("not an object in JSON") // schemas of kinds describe objects only
		}
		v, _ = s.Prune(v)
		if len(s.CheckTypes(nil, v)) > 0 {
			t.Skip("the input has wrong types") // the server refuses it, so it never reaches the function under test
		}
		require.NoError(t, codec.ToGo(v, new(leaves)), "%s", show(v))
	})
}
