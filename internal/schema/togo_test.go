package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/schema"
)

func TestToGo(t *testing.T) {
	type spec struct {
		Size   int32  `json:"size"`
		Window window `json:"window"`
	}
	var s spec
	require.NoError(t, schema.ToGo(parse(t, `{size: 3, window: {days: 2}}`), &s))
	assert.Equal(t, spec{Size: 3, Window: window{Days: 2}}, s)
	for text, want := range map[string]string{
		`{size: x}`:           "json: cannot unmarshal string into Go struct field spec.size of type int32",
		`{window: {days: 8}}`: "a week has seven days",
		`[]`:                  "json: cannot unmarshal array into Go value of type schema_test.spec",
	} {
		assert.EqualError(t, schema.ToGo(parse(t, text), &s), want, text)
	}
}
