//go:build !race

package webhook_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// change returns a function that changes an object through the API.
func change(tb testing.TB, api *rest.API) func() {
	client := rest.ClientFor[Memo](api)
	_, err := client.Create(tb.Context(), &Memo{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	require.NoError(tb, err)
	lines := 0
	return func() {
		lines++
		if _, err := client.Modify(tb.Context(), "a", func(m *Memo) error { m.Lines = lines; return nil }); err != nil {
			tb.Error(err)
		}
	}
}

func newPlainAPI(tb testing.TB) *rest.API {
	api, err := rest.New(rest.Options{}, rest.Resource[Memo]{Group: "example.com", Version: "v1", Plural: "memos", Scope: rest.Cluster, Wire: rest.Wire{Dialect: rest.Builtin}})
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, api.Close()) })
	return api
}

// Without a configuration, a write allocates as much with the hooks as without them.
func TestCostWithoutWebhooks(t *testing.T) {
	without, with := testing.AllocsPerRun(200, change(t, newPlainAPI(t))), testing.AllocsPerRun(200, change(t, newWorld(t).API))
	t.Logf("%.0f allocations without the hooks, %.0f with them", without, with)
	assert.LessOrEqual(t, with, without*1.02)
}

// BenchmarkValidatingWebhook measures a write with and without a validating webhook on loopback, and the bare HTTPS round trip of the same
// review. The webhook adds the difference of the first two.
func BenchmarkValidatingWebhook(b *testing.B) {
	w := newWorld(b)
	var review []byte
	w.handle("/allow", func(out http.ResponseWriter, r *http.Request) {
		var in struct{ Request struct{ UID string } }
		review, _ = io.ReadAll(r.Body)
		_ = json.Unmarshal(review, &in)
		_, _ = io.WriteString(out, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true,"uid":`+strconv.Quote(in.Request.UID)+`}}`)
	})
	w.validating("allow", hook{path: "/allow", more: everything})
	validated, plain := change(b, w.API), change(b, newPlainAPI(b))
	validated() // sets the review
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	run("write", plain)
	run("write with webhook", validated)
	client := w.server.Client()
	run("bare round trip", func() {
		resp, err := client.Post(w.server.URL+"/allow", "application/json", bytes.NewReader(review))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	})
}
