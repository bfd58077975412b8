package gotype_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
)

// The struct everything has a field of every kind that a document can hold.
type (
	everything struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		unexportedEmbedded
		Text          string                 `json:"text"`
		TextOmitted   string                 `json:"textOmitted,omitempty"`
		Named         named                  `json:"named,omitempty"`
		Bool          bool                   `json:"bool"`
		BoolOmitted   bool                   `json:"boolOmitted,omitempty"`
		Int           int                    `json:"int"`
		Int8          int8                   `json:"int8,omitempty"`
		Int32         int32                  `json:"int32,omitzero"`
		Uint64        uint64                 `json:"uint64,omitempty"`
		Uint8         uint8                  `json:"uint8,omitempty"`
		Float         float64                `json:"float"`
		Float32       float32                `json:"float32,omitempty"`
		Pointer       *int32                 `json:"pointer"`
		Pointers      **string               `json:"pointers,omitempty"`
		Inner         inner                  `json:"inner"`
		InnerZero     inner                  `json:"innerZero,omitzero"`
		InnerPointer  *inner                 `json:"innerPointer,omitempty"`
		List          []inner                `json:"list"`
		ListOmitted   []*inner               `json:"listOmitted,omitempty"`
		Texts         []string               `json:"texts"`
		NamedTexts    []named                `json:"namedTexts,omitempty"`
		Labels        map[string]string      `json:"labels"`
		NamedLabels   map[named]named        `json:"namedLabels,omitempty"`
		Map           map[string]inner       `json:"map,omitempty"`
		Pointed       map[string]*inner      `json:"pointed,omitempty"`
		Lists         map[string][]int       `json:"lists,omitempty"`
		ByNumber      map[int8]string        `json:"byNumber,omitempty"`
		ByText        map[ownText]string     `json:"byText,omitempty"`
		ByPointer     map[string]byPointer   `json:"byPointer,omitempty"`
		WithPointer   map[string]withPointer `json:"withPointer,omitempty"`
		Any           any                    `json:"any,omitempty"`
		Anything      map[string]any         `json:"anything,omitempty"`
		Bytes         []byte                 `json:"bytes,omitempty"`
		Array         [2]int8                `json:"array,omitempty"`
		Raw           json.RawMessage        `json:"raw,omitempty"`
		Number        json.Number            `json:"number,omitempty"`
		Duration      time.Duration          `json:"duration,omitempty"`
		Time          apimeta.Time           `json:"time,omitempty"`
		TimeZero      apimeta.Time           `json:"timeZero,omitzero"`
		TimePointer   *apimeta.Time          `json:"timePointer,omitempty"`
		Micro         apimeta.MicroTime      `json:"micro,omitzero"`
		GoTime        time.Time              `json:"goTime,omitzero"`
		Own           own                    `json:"own"`
		OwnPointer    *own                   `json:"ownPointer,omitempty"`
		OwnText       ownText                `json:"ownText,omitempty"`
		OnlyWrites    onlyWrites             `json:"onlyWrites,omitempty"`
		Pair          byPointer              `json:"pair,omitzero"`
		Zeroes        tellsZero              `json:"zeroes,omitzero"`
		ZeroesPointer *tellsZero             `json:"zeroesPointer,omitzero"`
		Self          *everything            `json:"self,omitempty"`
		Selves        []everything           `json:"selves,omitempty"`
		Behind        behind                 `json:"behind,omitzero"`
		Hidden        string                 `json:"-"`
		Untagged      string
		Stringer      fmt.Stringer `json:"stringer,omitempty"`
	}
	unexportedEmbedded struct {
		Embedded string `json:"embedded,omitempty"`
		Text     string `json:"text"` // the field of everything hides it
	}
	named string
	inner struct {
		A string `json:"a,omitempty"`
		B *bool  `json:"b,omitempty"`
		C []int  `json:"c"`
		D struct {
			E int `json:"e,omitempty"`
		} `json:"d,omitzero"`
	}
	// behind has fields that exist only if a pointer is set.
	behind struct {
		*Behind
		Other string `json:"other,omitempty"`
	}
	Behind struct {
		Field string `json:"field,omitempty"`
	}
	// byPointer encodes itself only where its value has an address.
	byPointer struct {
		N int `json:"n"`
	}
	withPointer struct {
		In byPointer `json:"in"`
	}
	own        struct{ digits string }
	ownText    struct{ s string }
	onlyWrites struct{ N int }
	tellsZero  struct {
		N int `json:"n"`
	}
)

func (p *byPointer) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"n":%d,"p":true}`, p.N), nil
}

func (o own) MarshalJSON() ([]byte, error) { return json.Marshal("q" + o.digits) }
func (o *own) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil || s == "" {
		return err
	}
	if s[0] != 'q' {
		return fmt.Errorf("not a q: %q", s)
	}
	o.digits = s[1:]
	return nil
}

func (o ownText) MarshalText() ([]byte, error) { return []byte("t" + o.s), nil }
func (o *ownText) UnmarshalText(text []byte) error {
	if len(text) == 0 || text[0] != 't' {
		return fmt.Errorf("not a t: %q", text)
	}
	o.s = string(text[1:])
	return nil
}

func (o onlyWrites) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"N":%d}`, o.N), nil }

func (z tellsZero) IsZero() bool { return z.N == 7 }

// codecSeeds are JSON texts that fit the struct everything, and texts that do not.
var codecSeeds = []string{
	`{}`, `null`, `[]`, `"x"`, `{"unknown":{"deep":[1,2]}}`,
	`{"apiVersion":"v1","kind":"K","metadata":{"name":"n","labels":{"a":"b"},"creationTimestamp":"2026-01-02T03:04:05Z",` +
		`"managedFields":[{"manager":"m","operation":"Apply","fieldsV1":{"f:spec":{".":{}}}}]}}`,
	`{"kind":null,"metadata":null,"text":null,"bool":null,"int":null,"float":null,"pointer":null,"pointers":null,` +
		`"inner":null,"list":null,"texts":null,"labels":null,"any":null,"bytes":null,"array":null,"raw":null,"number":null,` +
		`"time":null,"own":null,"ownPointer":null,"ownText":null,"self":null,"zeroes":null,"behind":null,"onlyWrites":null}`,
	`{"text":"","bool":false,"int":0,"int8":0,"int32":0,"uint64":0,"float":0,"pointer":0,"inner":{},"list":[],"texts":[],` +
		`"labels":{},"map":{},"any":"","bytes":"","own":"","selves":[],"anything":{},"innerPointer":{},"zeroes":{"n":7}}`,
	`{"Text":"x","TEXT":"y","INT":1,"untagged":"a","Untagged":"b","Hidden":"c","-":"d"}`,
	`{"int":-0,"float":-0,"float32":-0.0,"any":-0}`,
	`{"int":9223372036854775807,"int8":-128,"uint64":18446744073709551615,"float":1e308,"float32":3.4e38}`,
	`{"int":9223372036854775808}`, `{"int8":128}`, `{"uint64":-1}`, `{"uint64":-0}`, `{"float":1e309}`, `{"float32":1e39}`,
	`{"int":1.0}`, `{"int":1e2}`, `{"int":1.5}`, `{"float":1.50}`, `{"float":123456789012345678901234567890}`, `{"float":1e21}`,
	`{"any":{"a":[1,2.5,"x",null,true,{}],"b":[],"c":1e400}}`, `{"any":12345678901234567890}`, `{"any":1e-7}`,
	`{"anything":{"a":1,"b":"x","c":null,"d":[{"e":false}],"f":0.1}}`,
	`{"embedded":"e","named":"n","namedTexts":["a",null],"texts":["a",null],"labels":{"a":null,"b":"c"},"namedLabels":{"x":"y"}}`,
	`{"texts":["a",1]}`, `{"labels":{"a":1}}`, `{"list":{}}`, `{"map":[]}`, `{"inner":[]}`, `{"inner":"x"}`, `{"text":1}`,
	`{"list":[{"a":"x","b":true,"c":[1,2]},null,{"d":{"e":1}}],"listOmitted":[null,{}],"map":{"k":null,"l":{"a":"b"}}}`,
	`{"pointed":{"a":null,"b":{"a":"x"}},"lists":{"a":[1],"b":null,"c":[]},"byNumber":{"-3":"x"},"byText":{"ta":"x"}}`,
	`{"byNumber":{"x":"y"}}`, `{"byText":{"a":"x"}}`, `{"byPointer":{"a":{"n":1}},"withPointer":{"a":{"in":{"n":2}}},"pair":{"n":3}}`,
	`{"bytes":"AP8=","array":[1,2,3],"raw":{"a": [1]},"number":1e400,"duration":1000000000}`, `{"bytes":"?"}`, `{"array":[1]}`,
	`{"time":"2026-03-04T05:06:07.5+02:00","timePointer":"0001-01-01T00:00:00Z","timeZero":"2026-03-04T05:06:07Z",` +
		`"micro":"2026-03-04T05:06:07.000001Z","goTime":"2026-03-04T05:06:07.123Z"}`,
	`{"time":"yesterday"}`, `{"time":5}`, `{"own":"x"}`, `{"own":"q5","ownPointer":"q6","ownText":"t7"}`, `{"ownText":"x"}`,
	`{"onlyWrites":{"N":5}}`, `{"zeroes":{"n":0},"zeroesPointer":{"n":7}}`, `{"behind":{"field":"f","other":"o"}}`,
	`{"self":{"self":{"selves":[{"text":"deep"}]}}}`, `{"stringer":null}`, `{"stringer":1}`, `{"pointers":"p"}`,
	`{"text":"<&>\u2028\ud800","labels":{"\ud800":"x"}}`, `{"int":1,"int":2,"labels":{"a":"1"},"labels":{"b":"2"}}`,
}

// FuzzCodecs compares Codecs with the way through JSON text.
func FuzzCodecs(f *testing.F) {
	for i, seed := range codecSeeds {
		f.Add(seed, codecSeeds[(i+1)%len(codecSeeds)], "")
		f.Add(seed, seed, "\xff")
	}
	c := new(gotype.Codecs)
	f.Fuzz(func(t *testing.T, text, other, set string) {
		v, _, err := codec.DecodeJSON([]byte(text))
		if err != nil {
			return // Codecs receives only documents, which have been decoded from valid JSON
		}
		near, _, _ := codec.DecodeJSON([]byte(other))
		var want everything
		wantErr := gotype.ToGo(v, &want)
		got, err := c.New(reflect.TypeFor[everything](), v)
		if wantErr != nil {
			require.EqualError(t, err, wantErr.Error(), text)
			return
		}
		require.NoError(t, err, text)
		require.Equal(t, &want, got, text)
		for _, near := range []doc.Value{v, near, {}} {
			checkDocument(t, c, got, near)
		}
		changed := got.(*everything)
		changed.Named, changed.Untagged, changed.Texts = named(set), set, append(changed.Texts, set)
		changed.Labels = map[string]string{set: set}
		checkDocument(t, c, changed, v)
		checkDocument(t, c, changed, near)
	})
}

// checkDocument compares the document of a value with the way through JSON
// text.
func checkDocument(t *testing.T, c *gotype.Codecs, obj any, near doc.Value) {
	t.Helper()
	want, wantErr := codec.FromGo(obj)
	got, err := c.FromGo(obj, near)
	if wantErr != nil {
		require.EqualError(t, err, wantErr.Error())
		return
	}
	require.NoError(t, err)
	require.Equal(t, string(codec.AppendJSON(nil, want)), string(codec.AppendJSON(nil, got)))
	require.Equal(t, want.Kind(), got.Kind())
}

// An unchanged value has the document from which it was read. A changed value shares the unchanged parts with that
// document.
func TestCodecsShare(t *testing.T) {
	v := document(t, `{"apiVersion":"v1","bool":false,"float":1.5,"inner":{"c":[]},"int":3,`+
		`"labels":{"a":"b"},"list":[{"a":"x","c":[1]},{"c":null}],"map":{"k":{"c":[]}},"metadata":{},`+
		`"own":"q1","pointer":5,"text":"t","texts":["a"],"Untagged":"","ownText":"t",`+
		`"zeroes":{"n":0},"onlyWrites":{"N":0},"time":null,"array":[0,0]}`)
	c := new(gotype.Codecs)
	obj, err := c.New(reflect.TypeFor[everything](), v)
	require.NoError(t, err)
	same, err := c.FromGo(obj, v)
	require.NoError(t, err)
	require.Equal(t, string(codec.AppendJSON(nil, v)), string(codec.AppendJSON(nil, same)))
	assert.True(t, same == v, "the same document")

	obj.(*everything).List[1].A = "new"
	changed, err := c.FromGo(obj, v)
	require.NoError(t, err)
	assert.Equal(t, "new", changed.Get("list").At(1).Get("a").Text())
	assert.True(t, changed.Get("list").At(0) == v.Get("list").At(0))
	assert.True(t, changed.Get("map") == v.Get("map"))
}

// A value that contains itself has no document. Both ways return the same error
// instead of ending the process.
func TestCodecsOfAValueInItself(t *testing.T) {
	c := new(gotype.Codecs)
	for name, obj := range map[string]*everything{"pointer": {}, "map": {Anything: map[string]any{}}} {
		t.Run(name, func(t *testing.T) {
			if name == "map" {
				obj.Anything["in"] = obj.Anything
			} else {
				obj.Self = obj
			}
			_, want := codec.FromGo(obj)
			_, err := c.FromGo(obj, doc.Value{})
			require.EqualError(t, err, want.Error())
		})
	}
}

func document(tb testing.TB, text string) doc.Value {
	v, _, err := codec.DecodeJSON([]byte(text))
	require.NoError(tb, err)
	return v
}

func BenchmarkCodecs(b *testing.B) {
	type part struct {
		Name  string            `json:"name"`
		Image string            `json:"image,omitempty"`
		Ports []int32           `json:"ports,omitempty"`
		Env   map[string]string `json:"env,omitempty"`
	}
	type object struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata"`
		Spec               struct {
			Replicas *int32            `json:"replicas,omitempty"`
			Data     map[string]string `json:"data,omitempty"`
			Parts    []part            `json:"parts,omitempty"`
		} `json:"spec"`
	}
	data, err := os.ReadFile("testdata/object.json")
	require.NoError(b, err)
	v := document(b, string(data))
	c, t := new(gotype.Codecs), reflect.TypeFor[object]()
	obj, err := c.New(t, v)
	require.NoError(b, err)
	for name, f := range map[string]func() error{
		"read":            func() error { _, err := c.New(t, v); return err },
		"read by text":    func() error { return codec.ToGo(v, new(object)) },
		"write unchanged": func() error { _, err := c.FromGo(obj, v); return err },
		"write":           func() error { _, err := c.FromGo(obj, doc.Value{}); return err },
		"write by text":   func() error { _, err := codec.FromGo(obj); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, f())
			}
		})
	}
}
