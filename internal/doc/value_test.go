package doc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		literal string
		integer int64
		isInt   bool
		float   float64
		isFloat bool
	}{
		{"0", 0, true, 0, true},
		{"-0", 0, true, 0, true},
		{"42", 42, true, 42, true},
		{"1e3", 1000, true, 1000, true},
		{"1.0", 1, true, 1, true},
		{"1.5", 0, false, 1.5, true},
		{"9223372036854775807", 9223372036854775807, true, 9223372036854775807, true},
		{"-9223372036854775808", -9223372036854775808, true, -9223372036854775808, true},
		{"9223372036854775808", 0, false, 9223372036854775808, true},
		{"9.3e18", 0, false, 9.3e18, true},
		{"1e999", 0, false, 0, false},
	} {
		t.Run(c.literal, func(t *testing.T) {
			v := doc.OfNumber(c.literal)
			i, ok := v.Int()
			assert.Equal(t, c.isInt, ok)
			assert.Equal(t, c.integer, i)
			f, ok := v.Float()
			assert.Equal(t, c.isFloat, ok)
			if ok {
				assert.Equal(t, c.float, f)
			}
		})
	}
	assert.Equal(t, "-7", doc.OfInt(-7).Literal())
}

// A number with a fraction or an exponent gets one form if that does not change its value. Applying the rule
// again changes nothing.
func TestNumberLiterals(t *testing.T) {
	for _, c := range []struct{ literal, want string }{
		{"0", "0"},
		{"-0", "-0"},
		{"12345678901234567890123", "12345678901234567890123"},
		{"1.0", "1"},
		{"1.50", "1.5"},
		{"1e3", "1000"},
		{"1E+3", "1000"},
		{"0.00", "0"},
		{"0e999", "0"},
		{"1e21", "1e+21"},
		{"2.5E-7", "2.5e-7"},
		{"9.3e18", "9300000000000000000"},
		{"0.1000000000000000000001", "0.1000000000000000000001"},
		{"1e400", "1e400"},
		{"1e-400", "1e-400"},
		{"4.9e-324", "4.9e-324"},
	} {
		got := doc.OfNumber(c.literal).Literal()
		assert.Equal(t, c.want, got, c.literal)
		assert.Equal(t, got, doc.OfNumber(got).Literal(), c.literal)
	}
}

func TestEqualNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true},
		{"1", "1e0", true},
		{"100", "1E2", true},
		{"0", "-0", true},
		{"0", "-0.0", true},
		{"0.1", "1e-1", true},
		{"1", "2", false},
		{"9007199254740993", "9007199254740992", false},
		{"9007199254740993", "9007199254740993", true},
		{"123456789012345678901", "123456789012345678902", false},
		{"1e999", "1e999", true},
		{"1e999", "1e998", false},
	} {
		a, b := doc.OfNumber(c.a), doc.OfNumber(c.b)
		assert.Equal(t, c.want, doc.Equal(a, b), "%s and %s", c.a, c.b)
		assert.Equal(t, c.want, doc.Equal(b, a), "%s and %s", c.b, c.a)
	}
}

func TestKinds(t *testing.T) {
	list := doc.ListOf(doc.Of("a"), doc.NullValue())
	object := doc.MapOf(doc.Member{Key: "b", Value: doc.OfInt(2)}, doc.Member{Key: "a", Value: doc.OfBool(true)})
	for _, c := range []struct {
		name  string
		value doc.Value
		kind  doc.Kind
		len   int
	}{
		{"absent", doc.Value{}, doc.Absent, 0},
		{"null", doc.NullValue(), doc.Null, 0},
		{"boolean", doc.OfBool(false), doc.Bool, 0},
		{"number", doc.OfInt(1), doc.Number, 0},
		{"string", doc.Of(""), doc.String, 0},
		{"array", list, doc.List, 2},
		{"object", object, doc.Map, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.name, c.value.Kind().String())
			assert.Equal(t, c.kind, c.value.Kind())
			assert.Equal(t, c.len, c.value.Len())
			assert.Equal(t, c.kind == doc.Absent, c.value.IsAbsent())
			assert.Equal(t, c.kind == doc.Null, c.value.IsNull())
			if c.kind != doc.Map {
				assert.True(t, c.value.Get("a").IsAbsent())
				assert.False(t, c.value.Has("a"))
			}
		})
	}
	assert.Equal(t, "a", object.KeyAt(0), "keys are sorted")
	assert.Equal(t, "", doc.OfInt(1).Text(), "only strings have a text")
	assert.Equal(t, "", doc.Of("1").Literal(), "a string has no literal")
	assert.False(t, doc.Of("true").Bool(), "only booleans are true")
	assert.False(t, doc.Equal(doc.NullValue(), doc.Value{}), "null is not absent")
	assert.False(t, doc.Equal(doc.Of("1"), doc.OfNumber("1")))
}

func TestFromMembersReportsDuplicates(t *testing.T) {
	m := func(key string, i int64) doc.Member { return doc.Member{Key: key, Value: doc.OfInt(i)} }
	v, duplicates := doc.FromMembers([]doc.Member{m("b", 1), m("a", 2), m("b", 3), m("c", 4), m("a", 5), m("b", 6)}, nil)
	assert.Equal(t, []string{"b", "a", "b"}, duplicates)
	assert.True(t, doc.Equal(doc.MapOf(m("a", 5), m("b", 6), m("c", 4)), v), "the last one counts")
}

func TestWithAt(t *testing.T) {
	v := doc.MapOf().WithAt(doc.OfInt(1), "a", "b", "c")
	assert.Equal(t, "1", v.Lookup("a", "b", "c").Literal())
	assert.True(t, v.Lookup("a", "x", "c").IsAbsent())
	v = v.WithAt(doc.Value{}, "a", "b", "c")
	assert.Equal(t, doc.Map, v.Lookup("a", "b").Kind(), "the maps above a removed member stay")
	assert.True(t, doc.Equal(v, v.WithAt(doc.Value{}, "x", "y")), "removing a missing member creates no map")
}

func TestRewriteSharesWhatDoesNotChange(t *testing.T) {
	v := doc.MapOf(doc.Member{Key: "a", Value: doc.OfInt(1)}, doc.Member{Key: "b", Value: doc.OfInt(2)})
	same := func(_ int, _ string, value doc.Value) doc.Value { return value }
	assert.Zero(t, testing.AllocsPerRun(10, func() { v.Rewrite(same) }))
	var keys []string
	out := v.Rewrite(func(i int, key string, value doc.Value) doc.Value {
		keys = append(keys, fmt.Sprint(i, key))
		if key == "a" {
			return doc.Value{}
		}
		return doc.OfInt(3)
	})
	assert.Equal(t, []string{"0a", "1b"}, keys)
	assert.True(t, doc.Equal(doc.MapOf(doc.Member{Key: "b", Value: doc.OfInt(3)}), out))
	none := v.Rewrite(func(int, string, doc.Value) doc.Value { return doc.Value{} })
	assert.True(t, doc.Equal(doc.MapOf(), none))
}

func TestWithAllOfNothing(t *testing.T) {
	v := doc.MapOf(doc.Member{Key: "a", Value: doc.OfInt(1)})
	assert.True(t, v == v.WithAll(nil), "an unchanged map is the same map")
	assert.True(t, v == v.WithAll([]doc.Member{{Key: "b"}, {Key: "c"}}))
	assert.Equal(t, doc.Map, doc.Of("x").WithAll(nil).Kind(), "any other kind counts as an empty map")
	assert.True(t, doc.Equal(doc.MapOf(), v.WithAll([]doc.Member{{Key: "a"}})))
}

// A change of values alone copies the values of a map, and not its keys.
func TestWithAllSharesKeys(t *testing.T) {
	v := doc.MapOf(doc.Member{Key: "a", Value: doc.Of("1")}, doc.Member{Key: "b", Value: doc.Of("2")})
	changes := []doc.Member{{Key: "a", Value: doc.Of("3")}, {Key: "c"}}
	assert.Equal(t, 2.0, testing.AllocsPerRun(10, func() { _ = v.WithAll(changes) }))
	assert.True(t, doc.Equal(v.With("a", doc.Of("3")), v.WithAll(changes)))
	assert.Equal(t, "1", v.Get("a").Text(), "the map itself stays as it is")
}

func TestDeeperThan(t *testing.T) {
	nest := func(depth int) doc.Value {
		v := doc.Of("leaf")
		for i := range depth {
			if i%2 == 0 {
				v = doc.ListOf(doc.NullValue(), v)
			} else {
				v = doc.MapOf(doc.Member{Key: strings.Repeat("k", i%3), Value: v})
			}
		}
		return v
	}
	require.False(t, nest(0).DeeperThan(0))
	for depth := 1; depth < 6; depth++ {
		assert.True(t, nest(depth).DeeperThan(depth-1), "%d", depth)
		assert.False(t, nest(depth).DeeperThan(depth), "%d", depth)
	}
	assert.True(t, doc.ListOf().DeeperThan(0), "an empty list counts as a level")
	assert.False(t, doc.MapOf().DeeperThan(1))
}

func TestIteratorsStop(t *testing.T) {
	v := doc.MapOf(doc.Member{Key: "a", Value: doc.OfInt(1)}, doc.Member{Key: "b", Value: doc.OfInt(2)})
	for key := range v.Members() {
		assert.Equal(t, "a", key)
		break
	}
	list := doc.ListOf(doc.OfInt(1), doc.OfInt(2))
	for i, e := range list.Elements() {
		assert.Equal(t, 0, i)
		assert.Equal(t, "1", e.Literal())
		break
	}
	for range doc.Of("x").Members() {
		t.Error("a string has no members")
	}
	for range v.Elements() {
		t.Error("a map has no elements")
	}
}

func TestPlain(t *testing.T) {
	plain := map[string]any{"a": []any{int64(1), 1.5, "s", true, nil, map[string]any{}}}
	v := doc.FromPlain(plain)
	assert.Equal(t, any(plain), v.Plain())
	assert.Equal(t, 1e19, doc.OfNumber("10000000000000000000").Plain())
	assert.True(t, doc.FromPlain(struct{}{}).IsNull())
	assert.True(t, doc.OfFloat(1).Kind() == doc.Number)
}

func TestGoType(t *testing.T) {
	for want, v := range map[string]doc.Value{
		"bool":                    doc.OfBool(true),
		"int64":                   doc.OfInt(1),
		"float64":                 doc.OfNumber("10000000000000000000"),
		"string":                  doc.Of("x"),
		"[]interface {}":          doc.ListOf(),
		"map[string]interface {}": doc.MapOf(),
		"<nil>":                   doc.NullValue(),
	} {
		assert.Equal(t, want, v.GoType())
	}
}
