package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

// kind is one kind of k8s.io/api.
type kind struct {
	gvk.GroupVersionKind
	typ reflect.Type
}

func (k kind) new() any { return reflect.New(k.typ).Interface() }

// allKinds returns the kinds of every group and version of k8s.io/api, without lists and options, in a fixed order.
var allKinds = sync.OnceValue(func() []kind {
	var kinds []kind
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal || !strings.HasPrefix(typ.PkgPath(), "k8s.io/api/") {
			continue
		}
		meta, ok := typ.FieldByName("ObjectMeta")
		if !ok || meta.Type != reflect.TypeFor[metav1.ObjectMeta]() {
			continue
		}
		kinds = append(kinds, kind{gvk, typ})
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
})

// kindNamed returns a kind by its apiVersion and kind, such as "apps/v1 Deployment".
func kindNamed(name string) (k kind, ok bool) {
	for _, k := range allKinds() {
		if k.GroupVersion().String()+" "+k.Kind == name {
			return k, true
		}
	}
	return kind{}, false
}

func kindsNamed(t testing.TB, names ...string) []kind {
	kinds := make([]kind, len(names))
	for i, name := range names {
		k, ok := kindNamed(name)
		require.True(t, ok, "unknown kind %s", name)
		kinds[i] = k
	}
	return kinds
}

var schemas sync.Map

// schema derives the schema of a kind, once.
func (k kind) schema(t testing.TB) *schema.Schema {
	if s, ok := schemas.Load(k.typ); ok {
		return s.(*schema.Schema)
	}
	s, err := schema.Derive(k.typ, schema.Options{Builtin: true})
	require.NoError(t, err, "%s", k)
	schemas.Store(k.typ, s)
	return s
}

// random returns a random object of the kind that could be stored.
func (k kind) random(t testing.TB, r *rand.Rand) any {
	obj := k.new()
	filler(r).Fill(obj)
	reflect.ValueOf(obj).Elem().FieldByName("TypeMeta").Set(reflect.ValueOf(
		metav1.TypeMeta{APIVersion: k.GroupVersion().String(), Kind: k.Kind}))
	data, err := json.Marshal(obj)
	require.NoError(t, err)
	again := k.new() // what JSON cannot express, such as an omitted empty list, is not stored either
	require.NoError(t, json.Unmarshal(data, again))
	return again
}

// filler fills Go values with what a client could have sent.
func filler(r *rand.Rand) *randfill.Filler {
	return randfill.New().RandSource(r).NilChance(0.4).NumElements(0, 3).MaxDepth(14).Funcs(
		func(s *string, c randfill.Continue) { *s = word(c.Rand) },
		func(t *metav1.Time, c randfill.Continue) { t.Time = time.Unix(c.Int63n(4e9), 0) },
		func(t *metav1.MicroTime, c randfill.Continue) { t.Time = time.UnixMicro(c.Int63n(4e15)) },
		func(d *metav1.Duration, c randfill.Continue) { d.Duration = time.Duration(c.Int63n(1e15)) },
		func(q *resource.Quantity, c randfill.Continue) {
			texts := []string{"1", "1000m", "100m", "1Gi", "0", "1.5", "12e6", "2048Ki", "-3", "0.1"}
			*q = resource.MustParse(texts[c.Intn(len(texts))])
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = intstr.FromInt32(c.Int31())
			if c.Bool() {
				*v = intstr.FromString(word(c.Rand))
			}
		},
		func(v *runtime.RawExtension, c randfill.Continue) {
			v.Raw = fmt.Appendf(nil, `{%q:{"a":%d,"b":[1,{"c":null}]}}`, string(rune('a'+c.Intn(4))), c.Intn(10))
		},
		func(v *metav1.FieldsV1, c randfill.Continue) { v.SetRawBytes([]byte(`{"f:spec":{".":{}}}`)) },
		func(v *float64, c randfill.Continue) { *v = float64(c.Intn(1000)) / 8 },
	)
}

// word returns a short text, often one of a few, so that keys collide.
func word(r *rand.Rand) string {
	if r.Intn(2) == 0 {
		return string(rune('a' + r.Intn(4)))
	}
	letters := []rune("abcxyz019-./ é<&>\"\\\n")
	text := make([]rune, 1+r.Intn(8))
	for i := range text {
		text[i] = letters[r.Intn(len(letters))]
	}
	return string(text)
}
