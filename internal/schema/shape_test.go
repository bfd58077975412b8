package schema_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

type shaped struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               shapedSpec   `json:"spec"`
	Status             shapedStatus `json:"status,omitzero"`
}

type shapedSpec struct {
	Text     string             `json:"text,omitempty"`
	Name     string             `json:"name"`
	Flag     bool               `json:"flag,omitempty"`
	Count    int32              `json:"count,omitempty"`
	Maybe    *int64             `json:"maybe,omitempty"`
	Kept     []string           `json:"kept,omitzero"`
	Dropped  []string           `json:"dropped,omitempty"`
	Map      map[string]string  `json:"map,omitempty"`
	Weight   float64            `json:"weight,omitempty"`
	Small    float32            `json:"small,omitempty"`
	Raw      json.RawMessage    `json:"raw,omitempty"`
	Any      any                `json:"any,omitempty"`
	Bytes    []byte             `json:"bytes,omitempty"`
	When     apimeta.Time       `json:"when,omitzero"`
	At       *time.Time         `json:"at,omitempty"`
	Micro    *apimeta.MicroTime `json:"micro,omitempty"`
	Inner    *shapedSpec        `json:"inner,omitempty"`
	List     []shapedSpec       `json:"list,omitempty"`
	ByNumber map[int]string     `json:"byNumber,omitempty"`
	Three    [3]int             `json:"three,omitempty"`
}

type shapedStatus struct {
	Phase string `json:"phase,omitempty"`
	Ready *bool  `json:"ready,omitempty"`
	Count int    `json:"count"`
}

// throughType decodes a document into the type and encodes it again.
func throughType(t *testing.T, v doc.Value) (doc.Value, bool) {
	t.Helper()
	var obj shaped
	if err := codec.ToGo(v, &obj); err != nil {
		return doc.Value{}, false
	}
	out, err := codec.FromGo(&obj)
	require.NoError(t, err)
	return out, true
}

var shapedSeeds = []string{
	`{"metadata":{"name":"a"},"spec":{"name":"x","three":[0,0,0]}}`,
	`{"kind":"K","apiVersion":"v","metadata":{"name":"a","labels":{"a":"b"},"creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"name":"","flag":true,"count":3,"three":[1,2,3]}}`,
	`{"metadata":{},"spec":{"name":"x","text":"","three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","text":null,"three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","kept":[],"dropped":[],"map":{},"three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","kept":[],"weight":1.5,"small":0.1,"three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","weight":12345678901234567890,"three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","count":1.0,"three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","raw":null,"any":{"a":[1,2.5,null]},"bytes":"AAEC","three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","when":"2026-01-02T03:04:05.5Z","at":"2026-01-02T03:04:05.5+01:00","three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","micro":"2026-01-02T03:04:05.000000Z","maybe":0,"three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","inner":{"name":"y","three":[0,0,0]},"list":[{"name":"z","three":[0,0,0]}],"three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","byNumber":{"1":"a"},"three":[0,0,0]},"status":{"count":0}}`,
	`{"metadata":{},"spec":{"name":"x","three":[0,0,0]},"status":{"count":0,"phase":"P","ready":false}}`,
	`{"metadata":{},"spec":{"name":"x","unknown":1,"three":[0,0,0]}}`,
	`{"metadata":{"creationTimestamp":null},"spec":{"name":"x","three":[0,0,0]}}`,
	`{"metadata":{},"spec":{"name":"x","count":-0,"weight":-0.0,"three":[0,0,0]}}`,
}

// If the shape holds a document, decoding and encoding it must not change it.
func FuzzShape(f *testing.F) {
	for _, seed := range shapedSeeds {
		f.Add([]byte(seed))
	}
	shape := schema.ShapeOf(reflect.TypeFor[shaped]())
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := codec.DecodeJSON(data)
		if err != nil || !shape.Holds(v) {
			return
		}
		out, ok := throughType(t, v)
		require.True(t, ok, "the type cannot hold it")
		assert.Equal(t, string(codec.AppendJSON(nil, v)), string(codec.AppendJSON(nil, out)))
	})
}

// A document that the type has written must be held, otherwise the shape would be useless.
func TestShapeHoldsWhatGoWrites(t *testing.T) {
	shape := schema.ShapeOf(reflect.TypeFor[shaped]())
	held := 0
	for _, seed := range shapedSeeds {
		v, _, err := codec.DecodeJSON([]byte(seed))
		require.NoError(t, err)
		out, ok := throughType(t, v)
		if !ok {
			continue
		}
		held++
		assert.True(t, shape.Holds(out), "%s", codec.AppendJSON(nil, out))
	}
	assert.Greater(t, held, 10)
}

func TestShapeDoesNotHoldWhatGoWouldChange(t *testing.T) {
	shape := schema.ShapeOf(reflect.TypeFor[shaped]())
	for _, seed := range shapedSeeds {
		v, _, err := codec.DecodeJSON([]byte(seed))
		require.NoError(t, err)
		out, ok := throughType(t, v)
		unchanged := ok && string(codec.AppendJSON(nil, v)) == string(codec.AppendJSON(nil, out))
		assert.Equal(t, unchanged, shape.Holds(v), seed)
	}
}
