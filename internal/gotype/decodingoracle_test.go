//go:build go1.26 && !go1.27

package gotype_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/gotype"
)

// oracleTypes cover everything that a field can be. They contain no type of this module, because their names differ on
// purpose.
type (
	oracleText  struct{ S string }
	oracleInner struct {
		Int   int16             `json:"int,omitempty"`
		Uint  uint8             `json:"uint,omitempty"`
		Map   map[string]uint16 `json:"map,omitempty"`
		Bytes []byte            `json:"bytes,omitempty"`
		Array [2]int8           `json:"array,omitempty"`
		Self  *oracleInner      `json:"self,omitempty"`
		Named fmt.Stringer      `json:"named,omitempty"`
	}
	OracleEmbedded struct {
		Kind  string `json:"kind,omitempty"`
		Float *float32
	}
	oracle struct {
		OracleEmbedded `json:",inline"`
		*OracleOther
		Meta    oracleInner             `json:"metadata,omitempty"`
		List    []oracleInner           `json:"list,omitempty"`
		Time    time.Time               `json:"time,omitempty"`
		TimePtr *time.Time              `json:"timePtr,omitempty"`
		Text    oracleText              `json:"text,omitempty"`
		Texts   map[string]*oracleText  `json:"texts,omitempty"`
		ByInt   map[int8]bool           `json:"byInt,omitempty"`
		ByText  map[oracleText][]string `json:"byText,omitempty"`
		Any     any                     `json:"any,omitempty"`
		Number  json.Number             `json:"number,omitempty"`
		Raw     json.RawMessage         `json:"raw,omitempty"`
		Hidden  string                  `json:"-"`
		Own     oracleOwn               `json:"own,omitempty"`
	}
	OracleOther struct {
		Other bool `json:"other,omitempty"`
	}
)

func (o *oracleText) UnmarshalText(text []byte) error {
	if string(text) == "no" {
		return fmt.Errorf("not a text: %q", text)
	}
	o.S = string(text)
	return nil
}

// oracleOwn decodes itself with encoding/json.
type oracleOwn struct {
	Size int8 `json:"size"`
}

func (o *oracleOwn) UnmarshalJSON(text []byte) error {
	type plain oracleOwn
	return json.Unmarshal(text, (*plain)(o))
}

// FuzzDecodingError compares the messages with those of encoding/json in the Go release that clients know them from.
func FuzzDecodingError(f *testing.F) {
	values := []string{`1`, `-1.5`, `70000`, `1e400`, `"x"`, `"no"`, `"AA="`, `true`, `null`, `[]`, `[1,"x",null,{}]`,
		`{}`, `{"int":"x"}`, `{"a":1,"b":"x"}`,
		`{"self":{"self":{"int":true}}}`, `{"300":1,"x":true}`, `"2026-01-01T00:00:00Z"`, `{"no":1}`,
		`"2026-13-01T00:00:00Z"`, `{"size":"x"}`, `{"size":300}`, `"AA"`}
	members := []string{"kind", "KIND", "Float", "metadata", "list", "time", "timePtr", "text", "texts", "byInt", "byText",
		"any", "number", "raw", "Hidden", "other", "own", "more"}
	for i, m := range members {
		for j, v := range values {
			other := members[(i+j)%len(members)]
			f.Add(fmt.Sprintf(`{%q:%s,%q:%s}`, m, v, other, values[(i*j)%len(values)]))
		}
	}
	for _, v := range values {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		for _, into := range []any{new(oracle), new(oracleOwn)} {
			want, got := json.Unmarshal([]byte(text), into), gotype.DecodingError([]byte(text), reflect.TypeOf(into).Elem())
			if want == nil {
				assert.NoError(t, got, text)
			} else {
				assert.EqualError(t, got, want.Error(), text)
			}
		}
	})
}
