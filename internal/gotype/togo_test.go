package gotype_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/gotype"
)

// window is a type that decodes itself.
type window struct {
	Days int8 `json:"days"`
}

func (w *window) UnmarshalJSON(text []byte) error {
	type plain window
	if err := json.Unmarshal(text, (*plain)(w)); err != nil {
		return err
	}
	if w.Days > 7 {
		return errors.New("a week has seven days")
	}
	return nil
}

func toGo(t *testing.T, text string, into any) error {
	t.Helper()
	v, _, err := codec.DecodeJSON([]byte(text))
	require.NoError(t, err, text)
	return gotype.ToGo(v, into)
}

func TestToGo(t *testing.T) {
	type spec struct {
		Size   int32  `json:"size"`
		Window window `json:"window"`
	}
	var s spec
	require.NoError(t, toGo(t, `{"size":3,"window":{"days":2}}`, &s))
	assert.Equal(t, spec{Size: 3, Window: window{Days: 2}}, s)
	for text, want := range map[string]string{
		`{"size":"x"}`:          "json: cannot unmarshal string into Go struct field spec.size of type int32",
		`{"window":{"days":8}}`: "a week has seven days",
		`[]`:                    "json: cannot unmarshal array into Go value of type gotype_test.spec",
	} {
		assert.EqualError(t, toGo(t, text, &s), want, text)
	}
}
