package codec_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/stretchr/testify/require"
)

// The encoder notices each byte that needs an escape at any position of a string, beside any other bytes.
func TestStringsAtEachPosition(t *testing.T) {
	for c := range 256 {
		for _, length := range []int{1, 8, 9, 17} {
			for at := range length {
				for _, filling := range []string{"a", "é"} {
					s := strings.Repeat(filling, at) + string([]byte{byte(c)}) + strings.Repeat(filling, length-at-1)
					want, err := json.Marshal(s)
					require.NoError(t, err)
					var meant string
					require.NoError(t, json.Unmarshal(want, &meant))

					v, _, err := codec.DecodeJSON(want)
					require.NoError(t, err)
					require.Equal(t, meant, v.Text())

					text := codec.AppendJSON(nil, doc.Of(s))
					var read string
					require.NoError(t, json.Unmarshal(text, &read), "%q", text)
					require.Equal(t, meant, read)

					quoted := []byte(`"` + s + `"`)
					_, _, err = codec.DecodeJSON(quoted)
					accepted := err == nil || err.Error() == "invalid UTF-8 within a string"
					require.Equal(t, json.Valid(quoted), accepted, "%q: %v", s, err)
				}
			}
		}
	}
}
