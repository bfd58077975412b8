package oracle

import (
	"encoding/json"
	"math/rand"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"
)

// checkThroughType compares how our codec and upstream's convert a body through the Go type of its kind. Upstream's
// is encoding/json with case-sensitive names.
func checkThroughType(t *testing.T, k kind, body []byte) {
	want, err := throughJSON(k, body)
	d, duplicates, decodeErr := codec.DecodeJSON(body)
	if decodeErr != nil {
		return // FuzzDecode covers text that is not JSON
	}
	ours := k.new()
	ourErr := codec.ToGo(d, ours)
	if err != nil && len(duplicates) > 0 && ourErr == nil {
		return // upstream also decodes duplicate members that a later one replaces
	}
	if err != nil {
		require.Error(t, ourErr, "%s: upstream refuses %s: %v", k, body, err)
		return
	}
	require.NoError(t, ourErr, "%s: %s", k, body)
	got, err := codec.FromGo(ours)
	require.NoError(t, err, "%s: %s", k, body)
	requireSame(t, want, codec.AppendJSON(nil, got), "%s: %s", k, body)
	checkWithoutText(t, k, d, ours, got)
}

// codecs converts documents to the Go types of all kinds.
var codecs gotype.Codecs

// checkWithoutText checks that codecs returns the same value and the same document as the way through JSON text.
func checkWithoutText(t *testing.T, k kind, from doc.Value, value any, through doc.Value) {
	t.Helper()
	read, err := codecs.New(k.typ, from)
	require.NoError(t, err, "%s", k)
	require.Equal(t, value, read, "%s", k)
	for _, near := range []doc.Value{from, through, {}} {
		written, err := codecs.FromGo(read, near)
		require.NoError(t, err, "%s", k)
		require.Equal(t, string(codec.AppendJSON(nil, through)), string(codec.AppendJSON(nil, written)), "%s", k)
	}
}

func throughJSON(k kind, body []byte) ([]byte, error) {
	obj := k.new()
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body, obj); err != nil {
		return nil, err
	}
	return json.Marshal(obj)
}

// requireSame compares two texts as JSON.
func requireSame(t *testing.T, want, got []byte, format string, args ...any) {
	t.Helper()
	if !doc.Equal(decoded(t, want), decoded(t, got)) {
		require.Equal(t, string(codec.AppendJSON(nil, decoded(t, want))), string(got), append([]any{format}, args...)...)
		require.FailNow(t, "not equal", append([]any{format}, args...)...)
	}
}

func decoded(t testing.TB, data []byte) doc.Value {
	v, _, err := codec.DecodeJSON(data)
	require.NoError(t, err, "%s", data)
	return v
}

// Every kind of k8s.io/api has upstream's JSON after the conversion through its Go type.
func TestThroughType(t *testing.T) {
	require.Greater(t, len(allKinds()), 150, "the scheme lost its kinds")
	rounds(t, 4*len(allKinds()), func(t *testing.T, r round) {
		k := r.kind()
		body, err := json.Marshal(k.random(t, r.Rand))
		require.NoError(t, err)
		checkThroughType(t, k, body)
		checkThroughType(t, k, loosen(t, r.Rand, body))
	})
}

// loosen rewrites an object in ways that clients may use and that the Go type normalises: nulls, empty maps and
// lists, numbers for quantities, unknown members.
func loosen(t testing.TB, r *rand.Rand, body []byte) []byte {
	var loose func(v doc.Value) doc.Value
	loose = func(v doc.Value) doc.Value {
		v = v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			switch {
			case key == "kind" || key == "apiVersion":
				return child
			case v.Kind() == doc.Map && r.Intn(12) == 0:
				return doc.NullValue()
			case child.Kind() == doc.Map && r.Intn(12) == 0:
				return doc.MapOf()
			case child.Kind() == doc.List && r.Intn(12) == 0:
				return doc.ListOf()
			case child.Text() == "1" || child.Text() == "0":
				return doc.OfNumber(child.Text())
			}
			return loose(child)
		})
		if v.Kind() == doc.Map && r.Intn(8) == 0 {
			v = v.With("unknown member", doc.NullValue())
		}
		return v
	}
	return codec.AppendJSON(nil, loose(decoded(t, body)))
}

func FuzzThroughType(f *testing.F) {
	for _, seed := range [][2]string{
		{"v1 Pod",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":null},"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1000m","memory":1}}}]}}`},
		{"v1 Service",
			`{"metadata":{"labels":{},"finalizers":[],"ownerReferences":null},"spec":{"ports":[{"port":80,"targetPort":"http"},{"port":81,"targetPort":8081}]}}`},
		{"v1 ConfigMap", `{"data":{"a":null,"b":"","a":"c"},"binaryData":{"c":"AAE="},"immutable":false}`},
		{"apps/v1 Deployment", `{"spec":{"replicas":3,"template":{"spec":{"containers":null}}},"Spec":{"replicas":2}}`},
		{"v1 Secret", `{"metadata":{"creationTimestamp":"2026-01-02T03:04:05.678+02:00","managedFields":[{"fieldsV1":{"f:a":{}}}]},"data":{"a":""}}`},
		{"apps/v1 ControllerRevision", `{"data":{"any":[1,{"a":null}]},"revision":9007199254740993}`},
		{"coordination.k8s.io/v1 Lease",
			`{"spec":{"renewTime":"2026-01-02T03:04:05.678901Z","leaseDurationSeconds":2147483648}}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		if k, ok := kindNamed(name); ok {
			checkThroughType(t, k, body)
		}
	})
}
