package callout_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A call through the client, and the same round trip through a bare http.Client, of 2 KB each way.
func BenchmarkPost(b *testing.B) {
	text := strings.Repeat("x", 2<<10)
	w := serve(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		say(text)(w, r)
	}, nil)
	asked := question{text}
	b.Run("callout", func(b *testing.B) {
		calls, target := client(b, nil), w.target("/")
		b.ReportAllocs()
		for b.Loop() {
			var got answer
			require.NoError(b, calls.Post(b.Context(), target, asked, &got))
		}
	})
	b.Run("bare", func(b *testing.B) {
		bare := w.Client()
		b.ReportAllocs()
		for b.Loop() {
			body, err := json.Marshal(asked)
			require.NoError(b, err)
			r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, w.URL, bytes.NewReader(body))
			require.NoError(b, err)
			r.Header.Set("Content-Type", "application/json")
			resp, err := bare.Do(r)
			require.NoError(b, err)
			body, err = io.ReadAll(resp.Body)
			require.NoError(b, err)
			resp.Body.Close()
			var got answer
			require.NoError(b, json.Unmarshal(body, &got))
		}
	})
}
