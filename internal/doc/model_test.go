package doc_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/stretchr/testify/require"
)

// toGo returns the document as encoding/json would decode it, with numbers as literals.
func toGo(v doc.Value) any {
	switch v.Kind() {
	case doc.Null:
		return nil
	case doc.Bool:
		return v.Bool()
	case doc.Number:
		return json.Number(v.Literal())
	case doc.String:
		return v.Text()
	case doc.List:
		list := []any{}
		for _, e := range v.Elements() {
			list = append(list, toGo(e))
		}
		return list
	case doc.Map:
		m := map[string]any{}
		for k, e := range v.Members() {
			m[k] = toGo(e)
		}
		return m
	default:
		return "absent"
	}
}

// fromGo is the inverse of toGo, in the simplest way.
func fromGo(x any) doc.Value {
	switch x := x.(type) {
	case nil:
		return doc.NullValue()
	case bool:
		return doc.OfBool(x)
	case json.Number:
		return doc.OfNumber(string(x))
	case string:
		return doc.Of(x)
	case []any:
		var values []doc.Value
		for _, e := range x {
			values = append(values, fromGo(e))
		}
		return doc.ListOf(values...)
	case map[string]any:
		var members []doc.Member
		for k, e := range x {
			members = append(members, doc.Member{Key: k, Value: fromGo(e)})
		}
		return doc.MapOf(members...)
	default:
		panic("not a JSON value")
	}
}

func randomValue(r *rand.Rand, depth int) any {
	kind := r.IntN(6)
	if depth == 0 {
		kind = r.IntN(4)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return json.Number(strconv.Itoa(r.IntN(5)))
	case 3:
		return randomKey(r)
	case 4:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	default:
		m := map[string]any{}
		for range r.IntN(14) {
			m[randomKey(r)] = randomValue(r, depth-1)
		}
		return m
	}
}

func randomKey(r *rand.Rand) string { return "k" + strconv.Itoa(r.IntN(20)) }

func randomMap(r *rand.Rand) map[string]any {
	m := map[string]any{}
	for range r.IntN(20) {
		m[randomKey(r)] = randomValue(r, 2)
	}
	return m
}

// Each edit gives the same result on a document as on plain Go maps and slices, and does not change the original
// document.
func TestEditsAgainstPlainMaps(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		model := randomMap(r)
		v := fromGo(model)
		before := toGo(v)
		require.Equal(t, any(model), before, "seed %d", seed)

		key, value := randomKey(r), randomValue(r, 2)
		want := maps.Clone(model)
		want[key] = value
		require.Equal(t, any(want), toGo(v.With(key, fromGo(value))), "With, seed %d", seed)

		want = maps.Clone(model)
		delete(want, key)
		require.Equal(t, any(want), toGo(v.With(key, doc.Value{})), "With an absent value, seed %d", seed)
		other := randomKey(r)
		delete(want, other)
		require.Equal(t, any(want), toGo(v.Without(key, other)), "Without, seed %d", seed)

		var changes []doc.Member
		want = maps.Clone(model)
		for k, x := range randomMap(r) {
			if r.IntN(3) == 0 {
				delete(want, k)
				changes = append(changes, doc.Member{Key: k})
				continue
			}
			want[k] = x
			changes = append(changes, doc.Member{Key: k, Value: fromGo(x)})
		}
		slices.SortFunc(changes, func(a, b doc.Member) int {
			if a.Key < b.Key {
				return -1
			}
			return 1
		})
		require.Equal(t, any(want), toGo(v.WithAll(changes)), "WithAll, seed %d", seed)

		for k := range model {
			require.True(t, v.Has(k))
			require.Equal(t, model[k], toGo(v.Get(k)))
		}
		require.False(t, v.Has("missing"))
		require.Equal(t, before, toGo(v), "the document was changed in place, seed %d", seed)
	}
}

// Two documents are equal exactly if the Go values are, as long as equal numbers are written alike.
func TestEqualAgainstPlainMaps(t *testing.T) {
	equal := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b := randomValue(r, 1), randomValue(r, 1)
		want := reflect.DeepEqual(a, b)
		if want {
			equal++
		}
		require.Equal(t, want, doc.Equal(fromGo(a), fromGo(b)), "seed %d: %v and %v", seed, a, b)
		require.True(t, doc.Equal(fromGo(a), fromGo(a)))
	}
	require.NotZero(t, equal)
}

// A builder makes the same documents as MapOf and ListOf, also when it is reused.
func TestBuilderAgainstMapOf(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		var b doc.Builder
		b.Reset(r.IntN(50), false)
		var made, want []doc.Value
		for range 30 {
			var members []doc.Member
			var values []doc.Value
			for range r.IntN(12) {
				x := fromGo(randomValue(r, 1))
				members = append(members, doc.Member{Key: randomKey(r), Value: x})
				values = append(values, x)
			}
			m, duplicates := doc.FromMembers(members, nil)
			built, repeated := b.Map(slices.Clone(members))
			require.Equal(t, len(duplicates) > 0, repeated, "seed %d", seed)
			made = append(made, built, b.List(values))
			want = append(want, m, doc.ListOf(values...))
		}
		for i := range made {
			require.Equal(t, toGo(want[i]), toGo(made[i]), "seed %d, value %d", seed, i)
		}
	}
}
