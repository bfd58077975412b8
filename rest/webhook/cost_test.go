//go:build !race

package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/rest/webhook"
)

// change returns a function that changes an object through the API.
func change(tb testing.TB, api *rest.API) func() {
	client := resttest.Client[Memo](tb, api)
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

// steady returns options with which every object has the same uid and times. The decoder of JSON keeps strings in a
// small table, so a random string may displace another one, which is then allocated with every read.
func steady(hooks ...admission.Hook) rest.Options {
	return rest.Options{Admission: hooks, Now: func() time.Time { return time.Unix(0, 0) },
		NewUID: func() string { return "a-uid" }}
}

func newPlainAPI(tb testing.TB, hooks ...admission.Hook) *rest.API {
	api, err := rest.New(steady(hooks...),
		rest.Resource[Memo]{Group: "example.com", Version: "v1", Plural: "memos", Scope: rest.ScopeCluster,
			Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, api.Close()) })
	return api
}

// Without a configuration, a write allocates as much with the hooks as without them. Other goroutines can only add
// allocations, so the least of several counts is the best.
func TestCostWithoutWebhooks(t *testing.T) {
	plain, hooked := change(t, newPlainAPI(t)), change(t, newWorldWith(t, webhook.Options{}, steady()).API)
	without, with := testing.AllocsPerRun(100, plain), testing.AllocsPerRun(100, hooked)
	for range 5 {
		without, with = min(without, testing.AllocsPerRun(100, plain)), min(with, testing.AllocsPerRun(100, hooked))
	}
	t.Logf("%.0f allocations without the hooks, %.0f with them", without, with)
	assert.LessOrEqual(t, with, without*1.02)
}

// BenchmarkValidatingWebhook compares, in turns, a write without and with a validating webhook on loopback, and a write
// whose hook sends the same review with a bare http.Client. It also measures that round trip alone. It reports the
// medians, and the ratio of what the webhook adds to what the hook adds, and to the round trip alone.
func BenchmarkValidatingWebhook(b *testing.B) {
	w := newWorld(b)
	var asked []byte // the last review; the steps run one after another
	w.handle("/allow", func(out http.ResponseWriter, r *http.Request) {
		var in struct{ Request struct{ UID string } }
		asked, _ = io.ReadAll(r.Body)
		_ = json.Unmarshal(asked, &in)
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out,
			`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true,"uid":`+
				strconv.Quote(in.Request.UID)+`}}`)
	})
	w.validating("allow", hook{path: "/allow", more: everything})
	client := w.server.Client()
	round := func() {
		resp, err := client.Post(w.server.URL+"/allow", "application/json", bytes.NewReader(asked))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	bare := newPlainAPI(b, admission.Hook{Name: "bare", Validate: func(context.Context, *admission.Request) error {
		if asked != nil {
			round()
		}
		return nil
	}})
	steps := []func(){change(b, newPlainAPI(b)), change(b, w.API), change(b, bare), round}
	times := make([][]time.Duration, len(steps))
	for b.Loop() {
		for i, step := range steps {
			begun := time.Now()
			step()
			times[i] = append(times[i], time.Since(begun))
		}
	}
	median := func(i int) float64 {
		slices.Sort(times[i])
		return float64(times[i][len(times[i])/2].Nanoseconds())
	}
	b.ReportMetric(median(0), "ns/write")
	b.ReportMetric(median(1), "ns/webhook-write")
	b.ReportMetric(median(2), "ns/bare-write")
	b.ReportMetric(median(3), "ns/round-trip")
	b.ReportMetric((median(1)-median(0))/(median(2)-median(0)), "ratio-to-hook")
	b.ReportMetric((median(1)-median(0))/median(3), "ratio-to-round-trip")
}
