package codec_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

type tagged struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	taggedSpec         `json:",inline"`
	taggedSelection    `json:",inline" protobuf:"bytes,16,opt,name=selection"`
	Own                string `json:"-"`
}

type taggedSpec struct {
	Count   *int32                 `json:"count,omitempty" protobuf:"varint,2,opt,name=count"`
	On      bool                   `json:"on" protobuf:"varint,3,opt,name=on"`
	Text    apimeta.Time           `json:"time" protobuf:"bytes,4,opt,name=time"`
	Micro   apimeta.MicroTime      `json:"micro" protobuf:"bytes,5,opt,name=micro"`
	Data    []byte                 `json:"data" protobuf:"bytes,6,opt,name=data"`
	Names   []string               `json:"names" protobuf:"bytes,7,rep,name=names"`
	Parts   []taggedPart           `json:"parts" protobuf:"bytes,8,rep,name=parts"`
	Labels  map[string]string      `json:"labels" protobuf:"bytes,9,rep,name=labels"`
	ByName  map[string]*taggedPart `json:"byName" protobuf:"bytes,10,rep,name=byName"`
	Lists   map[string][]string    `json:"lists" protobuf:"bytes,300,rep,name=lists"`
	Unnamed int64                  `protobuf:"varint,11,opt,name=unnamed"`
	Ratio   *float64               `json:"ratio,omitempty" protobuf:"fixed64,12,opt,name=ratio"`
	Any     []anyJSON              `json:"any" protobuf:"bytes,13,rep,name=any"`
	Rule    *rule                  `json:"rule" protobuf:"bytes,14,opt,name=rule"`
}

// taggedSelection is a message of its own, but its members are those of the object.
type taggedSelection struct {
	Groups []string `json:"groups,omitempty" protobuf:"bytes,1,rep,name=groups"`
	Scope  string   `json:"scope,omitempty" protobuf:"bytes,2,opt,name=scope"`
}

// rule is a rule, a list of rules or a boolean.
type rule struct {
	On    bool   `protobuf:"varint,1,opt,name=on"`
	One   *deep  `protobuf:"bytes,2,opt,name=one"`
	Parts []rule `protobuf:"bytes,3,rep,name=parts"`
}

// deep contains itself.
type deep struct {
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	Next *rule  `json:"next,omitempty" protobuf:"bytes,2,opt,name=next"`
}

func (r rule) MarshalJSON() ([]byte, error) {
	switch {
	case r.Parts != nil:
		return json.Marshal(r.Parts)
	case r.One != nil:
		return json.Marshal(r.One)
	}
	return json.Marshal(r.On)
}

func (r *rule) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '[':
		return json.Unmarshal(data, &r.Parts)
	case '{':
		r.On = true
		return json.Unmarshal(data, &r.One)
	}
	return json.Unmarshal(data, &r.On)
}

// anyJSON is a JSON text.
type anyJSON struct {
	Text []byte `protobuf:"bytes,1,opt,name=text"`
}

func (a anyJSON) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(string(a.Text), "null")), nil }

func (a *anyJSON) UnmarshalJSON(data []byte) error {
	if a.Text = bytes.Clone(data); string(data) == "null" {
		a.Text = nil
	}
	return nil
}

type taggedPart struct {
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

func TestTagsDescribeAMessage(t *testing.T) {
	m, err := codec.MessageOf(reflect.TypeFor[tagged]())
	require.NoError(t, err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	count, ratio := int32(-7), -0.25
	in := tagged{ObjectMeta: apimeta.ObjectMeta{Name: "a", CreationTimestamp: apimeta.NewTime(at)}, taggedSpec: taggedSpec{
		Count: &count, On: true, Text: apimeta.NewTime(at), Micro: apimeta.NewMicroTime(at), Data: []byte{0, 255},
		Names: []string{"", "b"},
		Parts: []taggedPart{{"p"}, {}}, Labels: map[string]string{"k": "", "l": "v"},
		ByName: map[string]*taggedPart{"x": {"y"}},
		Lists:  map[string][]string{"x": {"y", "z"}}, Unnamed: 1 << 62, Ratio: &ratio,
		Any:  []anyJSON{{[]byte(`{"a":[1,null]}`)}, {}, {[]byte(`"x"`)}},
		Rule: &rule{Parts: []rule{{}, {On: true}, {On: true, One: &deep{Name: "d", Next: &rule{Parts: []rule{{}}}}}}}},
		taggedSelection: taggedSelection{Groups: []string{"g", ""}, Scope: "s"}}
	v, err := codec.FromGo(in)
	require.NoError(t, err)
	encoded, err := m.Append(nil, v)
	require.NoError(t, err)
	encoded = codec.AppendField(encoded, 99, []byte("the field of a newer client"))
	v, err = m.Decode(encoded)
	require.NoError(t, err)
	var out tagged
	require.NoError(t, codec.ToGo(v, &out))
	assert.Equal(t, in, out)
}

func TestMessageNeedsTaggedMetadata(t *testing.T) {
	type plain struct {
		apimeta.ObjectMeta `json:"metadata"`
		Spec               string `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	}
	for _, of := range []reflect.Type{reflect.TypeFor[plain](), reflect.TypeFor[taggedPart](), reflect.TypeFor[string]()} {
		m, err := codec.MessageOf(of)
		assert.NoError(t, err)
		assert.Nil(t, m)
	}
}

func TestInvalidTags(t *testing.T) {
	for _, c := range []struct {
		value     any
		tag, want string
	}{
		{"", ``, "missing tag such as `protobuf:\"bytes,2,opt,name=spec\"`, which every field needs if the metadata has one"},
		{"", `protobuf:"bytes"`, `the tag "bytes" has no field number`},
		{"", `protobuf:"bytes,x,opt"`, `the tag "bytes,x,opt" has no field number`},
		{int32(1), `protobuf:"bytes,2,opt"`, `the tag "bytes,2,opt" must begin with varint`},
		{"", `protobuf:"bytes,1,opt"`, "metadata and Field have the number 1"},
		{float32(1.5), `protobuf:"fixed32,2,opt"`, "float32 cannot be encoded in Protobuf"},
		{1.5, `protobuf:"varint,2,opt"`, `the tag "varint,2,opt" must begin with fixed64`},
		{[][]string{}, `protobuf:"bytes,2,rep"`, "[][]string cannot be encoded in Protobuf"},
		{map[string]int{}, `protobuf:"bytes,2,rep"`, "map[string]int cannot be encoded in Protobuf"},
		{time.Time{}, `protobuf:"bytes,2,opt"`,
			"time.Time cannot be encoded in Protobuf, because it has its own JSON encoding"},
	} {
		t.Run(c.want, func(t *testing.T) {
			metadata, _ := reflect.TypeFor[tagged]().FieldByName("ObjectMeta")
			metadata.Anonymous = false // reflect cannot embed a type with methods
			_, err := codec.MessageOf(reflect.StructOf([]reflect.StructField{metadata,
				{Name: "Field", Type: reflect.TypeOf(c.value), Tag: reflect.StructTag(c.tag)}}))
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// Nested messages are documents of at most [doc.MaxDepth] levels, however the levels are divided between messages and
// JSON texts.
func TestNestedMessagesAreBounded(t *testing.T) {
	m, err := codec.MessageOf(reflect.TypeFor[tagged]())
	require.NoError(t, err)
	nested := func(levels int, inner []byte) []byte {
		for range levels {
			inner = codec.AppendField(nil, 2, codec.AppendField(nil, 2, inner)) // a rule whose deep has a next rule
		}
		return codec.AppendField(nil, 14, inner)
	}
	for levels, want := range map[int]error{1000: nil, doc.MaxDepth / 2: codec.ErrTooDeep} {
		_, err := m.Decode(nested(levels, nil))
		assert.ErrorIs(t, err, want)
	}
	lists := []byte(strings.Repeat("[", doc.MaxDepth-1) + strings.Repeat("]", doc.MaxDepth-1))
	_, err = m.Decode(codec.AppendField(nil, 13, codec.AppendField(nil, 1, lists)))
	assert.ErrorIs(t, err, codec.ErrTooDeep)
}

// The cost of encoding nested messages grows with their size, not with their depth.
func TestNestedMessagesAreEncodedOnce(t *testing.T) {
	m, err := codec.MessageOf(reflect.TypeFor[tagged]())
	require.NoError(t, err)
	const levels, size = 3000, 1 << 20
	v, _, err := codec.DecodeJSON([]byte(`{"rule":` + strings.Repeat(`{"next":`, levels) + `{"name":"` +
		strings.Repeat("x", size) + `"}` +
		strings.Repeat("}", levels+1)))
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	encoded, err := m.Append(nil, v)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16*size))
	again, err := m.Decode(encoded)
	require.NoError(t, err)
	assert.True(t, doc.Equal(v, again))
}
