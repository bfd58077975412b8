package audit_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// While a sink hangs, requests with long URLs and headers fill the queue only up to its limit in bytes. The events that
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

// An event contains the first 4096 bytes of a longer URI, and says so. In a queue it keeps nothing else of the request
// in memory.
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

// kept returns how many bytes of memory are in use after f that were not before.
func kept(f func()) int64 {
	before := heaptest.InUse()
	f()
	return heaptest.InUse() - before
}

// queueing returns an API whose queue of audit events is not written.
func queueing(t *testing.T, level audit.Level, queueBytes int64) (*rest.API, *audit.Audit) {
	t.Helper()
	return audited(t, audit.Options{
		Policy:         &audit.Policy{Rules: []audit.PolicyRule{{Level: level}}},
		Outputs:        []audit.Output{{Sink: &recorder{}, QueueBytes: queueBytes}},
		MaxObjectBytes: 4 << 20,
	}, rest.Options{Limits: rest.Limits{CacheBytes: -1}}, memos())
}

// An event that names the object of a body does not keep the body in memory, even if the request fails.
func TestEventsDoNotKeepBodies(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"served":  func(body string) string { return body },
		"refused": func(body string) string { return strings.Replace(body, `"name":"a"`, `"name":"A_"`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			api, a := queueing(t, audit.LevelMetadata, 64<<20)
			body := change(strings.TrimSuffix(memoBody("a"), "}") + `,"unknown":"` + strings.Repeat("x", 2<<20) + `"}`)
			size := kept(func() {
				for range 20 {
					apitest.Do(t, api, "POST", memosPath+"?dryRun=All", body)
				}
			})
			assert.Equal(t, uint64(40), a.Stats()[0].Queued)
			assert.Less(t, size, int64(8<<20))
		})
	}
}

// An event in the queue keeps only one address of a long header.
func TestEventsDoNotKeepHeaders(t *testing.T) {
	api, a := queueing(t, audit.LevelMetadata, 64<<20)
	size := kept(func() {
		for range 20 {
			apitest.Must(t, api, "GET", memosPath, "", "X-Forwarded-For", "10.0.0.1,"+strings.Repeat("x", 900_000))
		}
	})
	assert.Equal(t, uint64(40), a.Stats()[0].Queued)
	assert.Less(t, size, int64(4<<20))
}

// The first event of a request does not keep the objects that only the last one has, which the queue has dropped.
func TestDroppedEventsFreeTheirMemory(t *testing.T) {
	api, a := queueing(t, audit.LevelRequest, 100_000)
	size := kept(func() {
		for range 40 {
			body := strings.TrimSuffix(memoBody("a"), "}") + `,"unknown":"` + strings.Repeat("x", 500_000) + `"}`
			apitest.Must(t, api, "POST", memosPath+"?dryRun=All", body)
		}
	})
	assert.Equal(t, uint64(40), a.Stats()[0].Dropped)
	assert.Equal(t, uint64(40), a.Stats()[0].Queued)
	assert.Less(t, size, int64(5<<20))
}

// Lists are recorded up to MaxObjectBytes, and only at the level that shows answers. So a large list is served whatever
// the policy records, and takes no memory for a text that no event has.
func TestLargeListsAreServed(t *testing.T) {
	for level, truncated := range map[audit.Level]string{audit.LevelRequest: "", audit.LevelRequestResponse: "true"} {
		t.Run(string(level), func(t *testing.T) {
			var sink recorder
			budget := storage.NewBudget(64 << 10)
			api, _ := audited(t, audit.Options{
				Policy:  &audit.Policy{Rules: []audit.PolicyRule{{Level: level}}, OmitStages: []audit.Stage{audit.StageRequestReceived}},
				Outputs: []audit.Output{{Sink: &sink, Mode: audit.Blocking}}, MaxObjectBytes: 4 << 10,
			}, rest.Options{Limits: rest.Limits{Budget: budget, CacheBytes: -1}}, memos())
			for i := range 20 {
				apitest.Must(t, api, "POST", memosPath, strings.Replace(memoBody(fmt.Sprint("m", i)), `"name"`,
					`"annotations":{"a":"`+strings.Repeat("x", 10_000)+`"},"name"`, 1))
			}
			sink.take()
			list := apitest.Must(t, api, "GET", memosPath, "")
			assert.Greater(t, len(list.Body), 200_000)
			events := sink.take()
			require.Len(t, events, 1)
			assert.Nil(t, events[0].ResponseObject)
			assert.Equal(t, truncated, events[0].Annotations["audit.k8s.io/truncated"])
			assert.Zero(t, budget.Used())
		})
	}
}
