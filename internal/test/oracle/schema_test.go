package oracle

import (
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every kind of k8s.io/api has a schema.
func TestDeriveEveryKind(t *testing.T) {
	for _, k := range allKinds() {
		_, err := schema.Derive(k.typ, schema.Options{Builtin: true})
		assert.NoError(t, err, "%s", k)
	}
}

// No walk over the schema reports a fault in an object from its Go type, or changes it.
func TestSchemaKeepsObjects(t *testing.T) {
	rounds(t, 5*len(allKinds()), func(t *testing.T, r round) {
		k := r.kind()
		s, v := k.schema(t), tree(t, k.random(t, r.Rand))
		require.Empty(t, s.CheckTypes(nil, v), "%s: %s", k, codec.AppendJSON(nil, v))
		require.Empty(t, s.Validate(nil, v), "%s: %s", k, codec.AppendJSON(nil, v))
		pruned, unknown := s.Prune(v)
		require.Empty(t, unknown, "%s: %s", k, codec.AppendJSON(nil, v))
		require.True(t, pruned == v, "%s", k)
		// Default may only replace a null by its meaning here: absence, or no bytes.
		if bare := withoutNulls(s, v); !doc.Equal(bare, withoutNulls(s, s.Default(v))) {
			requireSame(t, codec.AppendJSON(nil, bare), codec.AppendJSON(nil, s.Default(v)), "%s", k)
		}
	})
}

// withoutNulls removes null members from the maps that the schema describes, and replaces the null values of maps of
// bytes by empty bytes. Like Default, it leaves raw JSON unchanged.
func withoutNulls(s *schema.Schema, v doc.Value) doc.Value {
	return v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
		below := s.Member(key)
		if s != nil && v.Kind() == doc.List {
			below = s.Items
		}
		if child.IsNull() && v.Kind() == doc.Map {
			if below != nil && below == s.Additional && below.Format == "byte" {
				return doc.Of("")
			}
			return doc.Value{}
		}
		return withoutNulls(below, child)
	})
}
