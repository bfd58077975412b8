package codec_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type base struct {
	Kind    string `json:"kind,omitempty"`
	Ignored string `json:"-"`
	hidden  int
}

type quantity struct{ digits string }

func (q quantity) MarshalJSON() ([]byte, error) { return json.Marshal("q" + q.digits) }
func (q *quantity) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	q.digits = strings.TrimPrefix(s, "q")
	return nil
}

type textKey struct{ n int }

func (k textKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "t%d", k.n), nil }
func (k *textKey) UnmarshalText(data []byte) error {
	_, err := fmt.Sscanf(string(data), "t%d", &k.n)
	return err
}

type empty struct{}

type host struct {
	base               `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	String             string             `json:"string"`
	OmitString         string             `json:"omitString,omitempty"`
	Int                int                `json:"int"`
	OmitInt            int32              `json:"omitInt,omitempty"`
	Quoted             int64              `json:"quoted,string,omitempty"`
	Float              float64            `json:"float"`
	Bool               bool               `json:"bool,omitempty"`
	Bytes              []byte             `json:"bytes,omitempty"`
	List               []string           `json:"list"`
	OmitList           []string           `json:"omitList,omitempty"`
	Map                map[string]int     `json:"map"`
	OmitMap            map[string]int     `json:"omitMap,omitempty"`
	Pointer            *int               `json:"pointer"`
	OmitPointer        *string            `json:"omitPointer,omitempty"`
	OmitStruct         empty              `json:"omitStruct,omitempty"`
	ZeroStruct         base               `json:"zeroStruct,omitzero"`
	Time               apimeta.Time       `json:"time"`
	ZeroTime           apimeta.Time       `json:"zeroTime,omitzero"`
	GoTime             time.Time          `json:"goTime,omitzero"`
	Quantity           quantity           `json:"quantity"`
	QuantityPointer    *quantity          `json:"quantityPointer,omitempty"`
	Raw                json.RawMessage    `json:"raw,omitempty"`
	Any                any                `json:"any,omitempty"`
	Number             json.Number        `json:"number,omitempty"`
	Keys               map[textKey]string `json:"keys,omitempty"`
	IntKeys            map[int]bool       `json:"intKeys,omitempty"`
	Duration           time.Duration      `json:"duration,omitempty"`
	Untagged           string
	Case               string `json:"caseSensitive,omitempty"`
	unexported         string
	Array              [2]int `json:"array"`
}

func hosts() map[string]host {
	seven, text := 7, "t"
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return map[string]host{
		"zero": {},
		"full": {
			base: base{Kind: "K", Ignored: "i", hidden: 1}, String: "s<&>\u2028", OmitString: "o", Int: -1, OmitInt: 2,
			Quoted: 3, Float: 1.5, Bool: true, Bytes: []byte{0, 255}, List: []string{"a"}, OmitList: []string{"b"},
			Map: map[string]int{"b": 2, "a": 1}, OmitMap: map[string]int{"c": 3}, Pointer: &seven, OmitPointer: &text,
			ZeroStruct: base{Kind: "z"}, Time: apimeta.NewTime(at), ZeroTime: apimeta.NewTime(at), GoTime: at,
			Quantity: quantity{"1"}, QuantityPointer: &quantity{"2"}, Raw: json.RawMessage(`{"x": [1, null]}`),
			Any: map[string]any{"k": []any{1.0, "x", nil}}, Number: "12345678901234567890",
			Keys:    map[textKey]string{{2}: "b", {1}: "a"},
			IntKeys: map[int]bool{10: true, 9: false}, Duration: time.Second, Untagged: "u", Case: "c", unexported: "n",
			Array: [2]int{1, 2},
			ObjectMeta: apimeta.ObjectMeta{Name: "n", Labels: map[string]string{"a": "b"},
				CreationTimestamp: apimeta.NewTime(at)},
		},
		"empty but not nil": {
			List: []string{}, OmitList: []string{}, Map: map[string]int{}, OmitMap: map[string]int{}, OmitPointer: new(string),
			QuantityPointer: &quantity{}, Raw: json.RawMessage(`null`), Any: "", Bytes: []byte{},
		},
		"extremes": {Int: math.MaxInt64, Quoted: math.MinInt64, Float: 1e21, Any: math.SmallestNonzeroFloat64,
			String: "\xff\x00\x7f"},
	}
}

// FromGo encodes a host's type as encoding/json does.
func TestFromGoIsEncodingJSON(t *testing.T) {
	for name, h := range hosts() {
		t.Run(name, func(t *testing.T) {
			want, err := json.Marshal(h)
			require.NoError(t, err)
			wantDoc, _, err := codec.DecodeJSON(want)
			require.NoError(t, err)
			gotDoc, err := codec.FromGo(h)
			require.NoError(t, err)
			assert.Equal(t, string(codec.AppendJSON(nil, wantDoc)), string(codec.AppendJSON(nil, gotDoc)))

			var back, backWant host
			require.NoError(t, codec.ToGo(gotDoc, &back))
			require.NoError(t, json.Unmarshal(want, &backWant))
			assert.Equal(t, backWant, back)

			pointed, err := codec.FromGo(&h)
			require.NoError(t, err)
			assert.Equal(t, string(codec.AppendJSON(nil, gotDoc)), string(codec.AppendJSON(nil, pointed)),
				"a pointer is its value")
		})
	}
}

// Unmarshal accepts for a host's type what encoding/json accepts.
func TestUnmarshalIsEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`, `{"int":5,"list":null,"map":{"a":1},"pointer":null,"any":{"a":[1,2.5,"x",null,true]}}`,
		`{"kind":"K","zeroStruct":{"kind":"z"},"quantity":"q5","quantityPointer":null,"time":null,"goTime":"2026-03-04T05:06:07Z"}`,
		`{"unknown":{"deep":[1,2]},"int":1,"Ignored":"x","hidden":2,"unexported":"y"}`,
		`{"bytes":"AP8=","array":[1,2,3],"keys":{"t5":"x"},"intKeys":{"-3":true},"number":1e400,"raw":{"a": 1 }}`,
		`{"array":[1]}`, `{"int":1,"int":2}`, `{"map":{"a":1},"map":{"b":2}}`,
		`{"int":"x"}`, `{"int":1.5}`, `{"int":9223372036854775808}`, `{"string":5}`, `{"list":{}}`, `{"map":[]}`,
		`{"omitInt":3000000000}`,
		`{"quantity":5}`, `{"time":"yesterday"}`, `{"bytes":"?"}`, `{"quoted":5}`, `{"quoted":"x"}`, `{"zeroStruct":[]}`,
		`[]`, `"x"`,
		`{"metadata":{"labels":{"a":5}}}`, `{"bool":"true"}`, `{"float":1e999}`,
	} {
		t.Run(text, func(t *testing.T) {
			got, want := host{Map: map[string]int{"old": 1}}, host{Map: map[string]int{"old": 1}}
			wantErr := json.Unmarshal([]byte(text), &want)
			gotErr := codec.Unmarshal([]byte(text), &got)
			if wantErr != nil {
				require.Error(t, gotErr)
				return
			}
			require.NoError(t, gotErr)
			assert.Equal(t, want, got)
		})
	}
}

func TestUnmarshalMatchesCase(t *testing.T) {
	var h host
	require.NoError(t, codec.Unmarshal([]byte(`{"Int":1,"INT":2,"untagged":"a","CaseSensitive":"b","Kind":"c"}`), &h))
	assert.Equal(t, host{}, h)
	require.NoError(t, codec.Unmarshal([]byte(`{"Untagged":"a"}`), &h))
	assert.Equal(t, "a", h.Untagged)
}

func TestUnmarshalErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"int":"x"}`:                "json: cannot unmarshal string into Go struct field host.int of type int",
		`{"omitInt":3000000000}`:     "json: cannot unmarshal number 3000000000 into Go struct field host.omitInt of type int32",
		`{"metadata":{"labels":[]}}`: "json: cannot unmarshal array into Go struct field host.metadata.labels of type map[string]string",
		`{"time":"yesterday"}`:       `parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`,
		`[]`:                         "json: cannot unmarshal array into Go value of type codec_test.host",
	} {
		var h host
		assert.EqualError(t, codec.Unmarshal([]byte(text), &h), want)
	}
}

func TestFromGoFails(t *testing.T) {
	for _, v := range []any{make(chan int), math.NaN(), json.RawMessage(`{`), failing{}} {
		_, err := codec.FromGo(v)
		require.Error(t, err, "%T", v)
	}
	var i int
	v, err := codec.FromGo("x")
	require.NoError(t, err)
	require.EqualError(t, codec.ToGo(v, &i), "json: cannot unmarshal string into Go value of type int")
	require.Error(t, codec.ToGo(v, i), "not a pointer")
}

type failing struct{}

func (failing) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("failed") }

func BenchmarkThroughGo(b *testing.B) {
	type deployment struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata"`
		Spec               map[string]any `json:"spec"`
		Status             map[string]any `json:"status"`
	}
	data, err := os.ReadFile("testdata/deployment.json")
	require.NoError(b, err)
	v, _, err := codec.DecodeJSON(data)
	require.NoError(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var d deployment
		if err := codec.ToGo(v, &d); err != nil {
			b.Fatal(err)
		}
		if _, err := codec.FromGo(&d); err != nil {
			b.Fatal(err)
		}
	}
}
