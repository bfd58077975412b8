package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// DocumentBytes never returns less than the memory that a document takes.
func TestDocumentBytes(t *testing.T) {
	for name, text := range map[string]string{
		"numbers":      "[" + strings.Repeat("1,", 5000) + "1]",
		"nested lists": strings.Repeat("[", 500) + strings.Repeat("]", 500),
		"nested maps":  strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500),
		"empty maps":   "[" + strings.Repeat("{},", 5000) + "{}]",
		"members":      `{"a":1,"b":[` + strings.Repeat(`{"c":1,"d":true},`, 2000) + `{}]}`,
		"a string":     `{"a":"` + strings.Repeat(`[,\"{`, 5000) + `"}`,
	} {
		v, _, err := codec.DecodeJSON([]byte(text))
		require.NoError(t, err, name)
		_, bytes, ok := doc.Copy(v)
		require.True(t, ok, name)
		assert.GreaterOrEqual(t, codec.DocumentBytes([]byte(text)), bytes, name)
	}
	assert.Equal(t, 1, codec.CountValues([]byte(`{"a":"[,\"{\\"}`)))
	assert.Equal(t, 0, codec.CountValues([]byte(`"ends in a string\`)))
}
