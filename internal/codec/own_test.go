package codec_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// For every type that EncodeOwn writes, the bytes are those of encoding/json, whatever the values.
func TestEncodeOwnIsEncodingJSON(t *testing.T) {
	for _, sample := range []any{
		status.Status{}, apimeta.Table{}, apimeta.APIVersions{}, apimeta.APIGroupList{}, apimeta.APIGroup{},
		apimeta.APIResourceList{}, apimeta.APIGroupDiscoveryList{}, apimeta.WatchEvent{}, apimeta.ListMeta{},
		map[string]any{"b": 1, "a": []any{"x", 1.5, nil, true}, "<&>": map[string]string{"z": "\u2028", "a": "\x01\"\\"}},
		json.RawMessage(nil), []string(nil), map[string]string(nil), "\xff", struct{}{},
	} {
		typ := reflect.TypeOf(sample)
		t.Run(typ.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				want, err := json.Marshal(sample)
				require.NoError(t, err)
				got, err := codec.EncodeOwn(sample)
				require.NoError(t, err)
				// From Go 1.27 on, encoding/json writes U+FFFD unescaped.
				require.Equal(t, strings.ReplaceAll(string(want), "\ufffd", `\ufffd`), string(got))
				if typ.Kind() != reflect.Struct {
					return
				}
				filled := reflect.New(typ).Elem()
				fill(r, filled, 0)
				sample = filled.Interface()
			}
		})
	}
}

// fill sets some fields, at random.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if r.IntN(4) == 0 || depth > 8 {
		return
	}
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes([]byte(`{"a":[1,"x"]}`))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), depth+1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(4) {
			value := reflect.New(v.Type().Elem()).Elem()
			fill(r, value, depth+1)
			v.SetMapIndex(reflect.ValueOf("k"+strconv.Itoa(r.IntN(9))).Convert(v.Type().Key()), value)
		}
	case reflect.String:
		v.SetString([]string{"", "text", "<a&b>", "é\u2028\n\"", "\x00\xff"}[r.IntN(5)])
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64N(100) - 50)
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{"x", int64(7), 1.25, 1e21, true}[r.IntN(5)]))
	default:
		panic("unsupported kind: " + v.Type().String())
	}
}

func BenchmarkEncodeOwn(b *testing.B) {
	s := status.BadRequest("the request could not be understood").Status
	b.ReportAllocs()
	for b.Loop() {
		_, _ = codec.EncodeOwn(s)
	}
}

func BenchmarkEncodeOwnStandard(b *testing.B) {
	s := status.BadRequest("the request could not be understood").Status
	b.ReportAllocs()
	for b.Loop() {
		_, _ = json.Marshal(s)
	}
}

func TestEncodeOwnBytesAreTheCallers(t *testing.T) {
	first, err := codec.EncodeOwn("first")
	require.NoError(t, err)
	kept := bytes.Clone(first)
	_, err = codec.EncodeOwn("other")
	require.NoError(t, err)
	assert.Equal(t, kept, first)
}
