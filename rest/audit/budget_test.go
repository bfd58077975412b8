package audit_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// While a sink hangs, requests with long URLs and headers fill the queue only as far as it may have bytes. The events that
// the sink is writing count too.
func TestQueueCountsEveryTextOfAnEvent(t *testing.T) {
	const limit = 100_000
	entered := make(chan struct{}, 1)
	hangs := audit.SinkFunc(func(ctx context.Context, _ []*audit.Event) error {
		select {
		case entered <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return ctx.Err()
	})
	budget := storage.NewBudget(1 << 20)
	refuses := access.AuthorizerFunc(func(context.Context, access.Access) (access.Decision, error) { return access.Deny("no"), nil })
	api, a := audited(t, audit.Options{Budget: budget, Logger: apitest.LoggerTo(io.Discard),
		Outputs: []audit.Output{{Sink: hangs, QueueBytes: limit, BatchEvents: 1}}}, rest.Options{Authorizer: refuses}, memos())
	require.NoError(t, api.Start(t.Context()))
	long := strings.Repeat("x", 50_000)
	for i := range 50 {
		target, headers := memosPath+"/a?labelSelector="+long, []string{"User-Agent", long}
		switch i % 4 {
		case 1:
			target = memosPath + "/" + long
		case 2:
			target, headers = memosPath, []string{"X-Forwarded-For", strings.Repeat("10.0.0.1,", 5000) + "10.0.0.1"}
		}
		assert.Equal(t, http.StatusForbidden, apitest.Do(t, api, "GET", target, "", headers...).Code)
		assert.LessOrEqual(t, budget.Used(), int64(limit))
	}
	<-entered
	stats := a.Stats()[0]
	assert.Positive(t, stats.Dropped)
	assert.Less(t, stats.Queued, uint64(40))
	assert.Positive(t, budget.Used())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, api.Shutdown(ctx), context.Canceled)
	apitest.Await(t, "the queue is empty", func() bool { return a.Stats()[0].Queued == 0 && budget.Used() == 0 })
}

// An event has the first 4096 bytes of a longer URI, and says so. In a queue it keeps nothing else of the request in memory.
func TestLongURIIsCut(t *testing.T) {
	var sink recorder
	api, _ := audited(t, audit.Options{Outputs: []audit.Output{{Sink: &sink}}}, rest.Options{}, memos())
	r := httptest.NewRequest("GET", memosPath+"/a?pretty="+strings.Repeat("x", 900_000), nil)
	request := weak.Make(r.URL) // all copies of the request share it
	api.ServeHTTP(httptest.NewRecorder(), r)
	r = nil
	apitest.Await(t, "the request is gone", func() bool { runtime.GC(); return request.Value() == nil })
	require.NoError(t, api.Start(t.Context()))
	require.NoError(t, api.Shutdown(t.Context()))
	events := sink.take()
	require.Len(t, events, 2)
	for _, e := range events {
		assert.True(t, strings.HasPrefix(e.RequestURI, memosPath+"/a?pretty=xxx"))
		assert.Len(t, e.RequestURI, 4096+len("...TRUNCATED"))
		assert.Equal(t, "true", e.Annotations["audit.k8s.io/truncated"])
		assert.Equal(t, "a", e.ObjectRef.Name)
	}
}
