package codec_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// The encoder of stored texts writes the bytes that the encoder of documents writes, and fails if that fails.
func FuzzStoredMessage(f *testing.F) {
	all, err := codec.MessageOf(reflect.TypeFor[tagged]())
	require.NoError(f, err)
	messages := []*codec.Message{all, codec.PartialObjectMetadataMessage(), codec.ScaleMessage(), codec.StatusMessage()}
	for _, seed := range []string{
		`{}`, `[]`, `null`, `{"metadata":{"name":"a","labels":{"a":"\"","b":""},"creationTimestamp":"2026-01-02T03:04:05Z"}}`,
		`{"apiVersion":"v1","kind":"T","metadata":{"name":"a","annotations":{"a\nb":"é\u0001"},"generation":12,
			"managedFields":[{"manager":"m","time":"2026-01-02T03:04:05Z","fieldsV1":{"f:a":{"k:{\"n\":1}":{".":{}}}}}]}}`,
		`{"metadata":null,"on":true,"count":1,"parts":[{"name":"b"},{}],"byName":{"x":{"name":"y"}},"names":["a","b"]}`,
		`{"lists":{"x":["y"]},"data":"AAE=","ratio":0.5,"any":[{"a":[1]},"x",null],"micro":"2026-01-02T03:04:05.000001Z"}`,
		`{"rule":[true,{"name":"d","next":false}]}`, `{"on":"x"}`, `{"count":"1"}`, `{"count":1.5}`, `{"count":1e2}`,
		`{"names":"x"}`, `{"names":[null]}`, `{"names":{"a":"b"}}`, `{"labels":["a"]}`, `{"labels":{"a":1}}`, `{"parts":[1]}`,
		`{"time":"x"}`, `{"time":null}`, `{"byName":{"a":null}}`, `{"metadata":"x"}`, `{"Unnamed":1,"groups":["g"]}`,
		`{"metadata":{"labels":{"long":"` + strings.Repeat("x", 200) + `"}},"spec":{"replicas":3}}`,
		`{"metadata":{"annotations":{"` + strings.Repeat("k", 130) + `":"` + strings.Repeat("x", 17000) + `"}}}`,
		`{"details":{"causes":[{"field":"f","message":"m","reason":"r"}],"kind":"k"},"code":404,"status":"Failure"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := codec.DecodeJSON(data)
		if err != nil {
			return
		}
		stored := codec.AppendObject(nil, v)
		for _, m := range messages {
			want, wanted := m.Append([]byte("before"), v)
			got, err := m.AppendStored([]byte("before"), stored)
			if wanted != nil {
				require.EqualError(t, err, wanted.Error())
				continue
			}
			require.NoError(t, err)
			require.Equal(t, want, got, "%s", stored)
		}
	})
}

// A text that the encoder has not written has the message of its document too.
func TestStoredMessageOfAnotherEncoder(t *testing.T) {
	for _, text := range []string{`{ "metadata": {"name" : "a"} }`, `{"metadata":{"name":"a","name":"b"}}`,
		`{"metadata":{"name":"a"}} `} {
		v, _, err := codec.DecodeJSON([]byte(text))
		require.NoError(t, err)
		m := codec.PartialObjectMetadataMessage()
		want, err := m.Append(nil, v)
		require.NoError(t, err)
		got, err := m.AppendStored(nil, []byte(text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// Messages within messages are encoded at any depth.
func TestStoredMessageAtAnyDepth(t *testing.T) {
	for _, depth := range []int{1, 31, 32, 33, 100} {
		m := codec.NewMessage(codec.MessageField{Number: 1, Name: "name"})
		text := `{"name":"` + strings.Repeat("x", 120) + `"}`
		for range depth {
			m = codec.NewMessage(codec.MessageField{Number: 1, Name: "in", Type: codec.MessageType, Of: m})
			text = `{"in":` + text + `}`
		}
		v, _, err := codec.DecodeJSON([]byte(text))
		require.NoError(t, err)
		want, err := m.Append(nil, v)
		require.NoError(t, err)
		got, err := m.AppendStored(nil, []byte(text))
		require.NoError(t, err)
		require.Equal(t, want, got, depth)
	}
}

// Limit: the message of the document that a decoder has read from the text.
func BenchmarkStoredMessage(b *testing.B) {
	type card struct {
		apimeta.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
		Data               map[string]string `json:"data" protobuf:"bytes,2,rep,name=data"`
	}
	m, err := codec.MessageOf(reflect.TypeFor[card]())
	require.NoError(b, err)
	var data []doc.Member
	for i := range 40 {
		data = append(data, doc.Member{Key: fmt.Sprintf("key%03d", i), Value: doc.Of("a value of some length for a key")})
	}
	metadata, _, err := codec.DecodeJSON([]byte(`{"name":"n000001","namespace":"default","labels":{"app":"load"},"uid":"b6b1e9a4-0000-4000-8000-000000000000",
		"resourceVersion":"1234567","creationTimestamp":"2026-01-02T03:04:05Z","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1",
		"time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:key000":{}}}}]}`))
	require.NoError(b, err)
	stored := codec.AppendObject(nil, doc.MapOf(doc.Member{Key: "metadata", Value: metadata},
		doc.Member{Key: "data", Value: doc.MapOf(data...)}))
	for name, encode := range map[string]func(dst []byte) ([]byte, error){
		"text": func(dst []byte) ([]byte, error) { return m.AppendStored(dst, stored) },
		"document": func(dst []byte) ([]byte, error) {
			v, _, err := codec.DecodeJSON(stored)
			if err != nil {
				return dst, err
			}
			return m.Append(dst, v)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(stored)))
			b.ReportAllocs()
			var message []byte
			for b.Loop() {
				message, err = encode(message[:0])
			}
			require.NoError(b, err)
		})
	}
}
