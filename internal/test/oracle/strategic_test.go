package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

// outcome is the result of a patch: the merged tree and the object made from it, both as JSON, or the error.
type outcome struct {
	merged, object string
	err            error
}

// upstreamStrategic patches an object as kube-apiserver does.
func upstreamStrategic(k kind, original any, body []byte) (o outcome) {
	defer func() {
		if p := recover(); p != nil { // the request would end with 500
			o = outcome{err: fmt.Errorf("panic: %v", p)}
		}
	}()
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(original)
	if err != nil {
		return outcome{err: err}
	}
	var p map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body, &p); err != nil {
		return outcome{err: err}
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(tree, p, k.new())
	if err != nil {
		return outcome{err: err}
	}
	text, err := json.Marshal(merged)
	if err != nil {
		return outcome{err: err}
	}
	obj := k.new()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(merged, obj, false); err != nil {
		return outcome{err: err}
	}
	object, err := json.Marshal(obj)
	return outcome{string(text), string(object), err}
}

func ourStrategic(t testing.TB, k kind, original any, body []byte) outcome {
	d, err := codec.FromGo(original)
	require.NoError(t, err)
	before := string(codec.AppendJSON(nil, d))
	p, err := docpatch.ParseStrategicMergePatch(body)
	if err != nil {
		return outcome{err: err}
	}
	merged, err := p.Apply(d, k.schema(t))
	require.Equal(t, before, string(codec.AppendJSON(nil, d)), "the document was changed in place")
	if err != nil {
		return outcome{err: err}
	}
	obj := k.new()
	if err := codec.ToGo(merged, obj); err != nil {
		return outcome{err: err}
	}
	object, err := json.Marshal(obj)
	return outcome{string(codec.AppendJSON(nil, merged)), string(object), err}
}

// tries is how often a test asks upstream before a difference counts: upstream's answer may depend on the iteration
// order of a Go map, as when a patch adds to a list and deletes from it at the same time.
const tries = 100

// checkStrategic reports whether the patch could be applied.
func checkStrategic(t *testing.T, k kind, original any, body []byte) bool {
	ours := ourStrategic(t, k, original, body)
	if ours.err != nil && (strings.Contains(ours.err.Error(), "cannot restore slice from slice") ||
		namesFieldInOtherCase(t, k, ours.err)) {
		return false // bytes as a list of numbers, which Go accepts but the API does not; names are case-sensitive
	}
	var theirs []outcome
	for range tries {
		o := upstreamStrategic(k, original, body)
		if sameOutcome(t, o, ours) {
			return o.err == nil
		}
		theirs = append(theirs, o)
	}
	text, err := json.Marshal(original)
	require.NoError(t, err)
	require.FailNow(t, "another result", "%s\noriginal %s\npatch    %s\nupstream %s %v\nours     %s %v",
		k, text, body, theirs[0].merged, theirs[0].err, ours.merged, ours.err)
	return false
}

// namesFieldInOtherCase reports whether we did not find a field that upstream finds, because upstream ignores case when
// it looks up the merge key of a field.
func namesFieldInOtherCase(t testing.TB, k kind, err error) bool {
	_, quoted, found := strings.Cut(err.Error(), "for the json field ")
	name, quoteErr := strconv.Unquote(quoted)
	if !found || quoteErr != nil {
		return false
	}
	seen := map[*schema.Object]bool{}
	var has func(s *schema.Schema) bool
	has = func(s *schema.Schema) bool {
		if s == nil || s.Object != nil && seen[s.Object] {
			return false
		}
		if s.Object != nil {
			seen[s.Object] = true
			for _, p := range s.Object.Properties {
				if strings.EqualFold(p.Name, name) && p.Name != name || has(p.Schema) {
					return true
				}
			}
		}
		return has(s.Items) || has(s.Additional)
	}
	return has(k.schema(t))
}

func sameOutcome(t testing.TB, a, b outcome) bool {
	if a.err != nil || b.err != nil {
		return a.err != nil && b.err != nil
	}
	return doc.Equal(decoded(t, []byte(a.merged)), decoded(t, []byte(b.merged))) &&
		doc.Equal(decoded(t, []byte(a.object)), decoded(t, []byte(b.object)))
}

// Patches of all sorts, valid and nonsensical, have upstream's result on every kind.
func TestStrategicMerge(t *testing.T) {
	favourites := kindsNamed(t, "v1 Pod", "apps/v1 Deployment", "v1 Service", "v1 ServiceAccount", "v1 Node",
		"policy/v1 PodDisruptionBudget")
	applied, refused := 0, 0
	all := rounds(t, 200, func(t *testing.T, r round) {
		k := r.kind()
		if r.Intn(2) == 0 {
			k = favourites[r.Intn(len(favourites))]
		}
		original := k.random(t, r.Rand)
		w := patchWriter{r: r.Rand, nonsense: r.Intn(3) == 0}
		body := codec.AppendJSON(nil, w.object(tree(t, original), tree(t, k.random(t, r.Rand))))
		if checkStrategic(t, k, original, body) {
			applied++
		} else {
			refused++
		}
	})
	t.Logf("%d patches applied, %d refused", applied, refused)
	require.True(t, applied > refused/4 && refused > 0 || !all,
		"nearly all patches were nonsense, or none, which shows little")
}

// The patch that kubectl computes from two objects turns one into the other.
func TestStrategicMergeOfDifferences(t *testing.T) {
	applied := 0
	all := rounds(t, 200, func(t *testing.T, r round) {
		k := r.kind()
		from := k.random(t, r.Rand)
		to := change(t, r.Rand, k, from)
		a, err := json.Marshal(from)
		require.NoError(t, err)
		b, err := json.Marshal(to)
		require.NoError(t, err)
		body, err := strategicpatch.CreateTwoWayMergePatch(a, b, k.new())
		if err != nil {
			return // such as lists with an element without a merge key
		}
		if checkStrategic(t, k, from, body) {
			applied++
		}
	})
	require.True(t, applied > 0 || !all)
}

// change returns an object with some members of another one.
func change(t testing.TB, r *rand.Rand, k kind, from any) any {
	var mix func(a, b doc.Value) doc.Value
	mix = func(a, b doc.Value) doc.Value {
		if a.Kind() != b.Kind() || a.Kind() != doc.Map && a.Kind() != doc.List || r.Intn(6) == 0 {
			return pick(r, a, b)
		}
		if a.Kind() == doc.List {
			var list []doc.Value
			for i, v := range a.Elements() {
				if r.Intn(4) > 0 {
					if i < b.Len() && r.Intn(2) == 0 {
						v = mix(v, b.At(i).With("name", v.Get("name")))
					}
					list = append(list, v)
				}
			}
			for _, v := range b.Elements() {
				if r.Intn(2) == 0 {
					list = append(list, v)
				}
			}
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			return doc.ListOf(list...)
		}
		for name, value := range b.Members() {
			a = a.With(name, mix(a.Get(name), value))
		}
		return a
	}
	obj := k.new()
	if codec.ToGo(mix(tree(t, from), tree(t, k.random(t, r))), obj) != nil {
		return from
	}
	return obj
}

func tree(t testing.TB, obj any) doc.Value {
	d, err := codec.FromGo(obj)
	require.NoError(t, err)
	return d
}

func FuzzStrategicMerge(f *testing.F) {
	for _, seed := range [][3]string{
		{"v1 Pod", `{"spec":{"containers":[{"name":"a","image":"x","ports":[{"containerPort":80}]},{"name":"b"}]}}`,
			`{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a","image":"y","ports":[{"$patch":"delete","containerPort":80}]}]}}`},
		{"v1 ServiceAccount", `{"secrets":[{"name":"s1"},{"name":"s2"},{"name":"s3"}]}`,
			`{"secrets":[{"$patch":"delete","name":"s2"},{"name":"s9","namespace":null}]}`},
		{"v1 ConfigMap", `{"metadata":{"finalizers":["a","b","c"]},"data":{"k":"v","l":"w"}}`,
			`{"metadata":{"$deleteFromPrimitiveList/finalizers":["b"],"$setElementOrder/finalizers":["c","a","d"],"finalizers":["d"]},"data":{"$retainKeys":["k"],"k":"x"}}`},
		{"apps/v1 Deployment", `{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`,
			`{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"},"template":{"$patch":"replace","metadata":{"labels":{"a":"b"}}}}}`},
		{"policy/v1 PodDisruptionBudget", `{"spec":{"selector":{"matchLabels":{"a":"b"}}}}`,
			`{"spec":{"selector":{"matchLabels":{"c":"d"}}}}`},
		{"v1 Node", `{"status":{"conditions":[{"type":"Ready","status":"True"}],"addresses":[{"type":"InternalIP","address":"1"}]}}`,
			`{"status":{"conditions":[{"$patch":"replace"},{"type":"Disk","status":"False"}],"addresses":[{"type":"InternalIP","address":"2"},{"type":"InternalIP","address":"3"}]}}`},
		{"v1 Service", `{"spec":{"ports":[{"port":80,"name":"a"},{"port":80,"name":"b"}]}}`,
			`{"spec":{"ports":[{"port":80,"name":"c"}],"$setElementOrder/ports":[{"port":80}]}}`},
		{"apps/v1 ControllerRevision", `{"data":{"a":{"b":1}}}`, `{"data":{"a":{"c":1}}}`},
		{"v1 Pod", `{"spec":{"containers":[{"name":"a"}]}}`,
			`{"spec":{"$setElementOrder/containers":[],"containers":[{"name":"a"},{"name":"c"},{"name":"b"}]}}`},
	} {
		f.Add(seed[0], []byte(seed[1]), []byte(seed[2]))
	}
	f.Fuzz(func(t *testing.T, name string, original, body []byte) {
		k, ok := kindNamed(name)
		if !ok || hasFraction(body) || !utf8.Valid(original) || !utf8.Valid(body) || hasLoneSurrogate(body) {
			return
		}
		obj := k.new()
		if kjson.UnmarshalCaseSensitivePreserveInts(original, obj) == nil {
			checkStrategic(t, k, obj, body)
		}
	})
}

// hasFraction reports whether a patch may have numbers with a fraction or an exponent, or numbers that are too large.
// Upstream treats 80 and 80.0 as two keys, and wraps integers that are too large; we do neither.
func hasFraction(body []byte) bool {
	digits := 0
	for i, c := range body {
		switch {
		case '0' <= c && c <= '9':
			digits++
			if digits > 9 || i+1 < len(body) && strings.IndexByte(".eE", body[i+1]) >= 0 {
				return true
			}
		default:
			digits = 0
		}
	}
	return false
}
