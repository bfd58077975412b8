package metrics_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/metrics"
)

// The numbers of flow control are those of the requests that were sent.
func TestFlowControl(t *testing.T) {
	limiter, err := fairness.New(fairness.Options{Seats: 1,
		Levels: []fairness.Level{{Name: "all", Shares: 1, Queues: 1, HandSize: 1, QueueLength: 1}}})
	require.NoError(t, err)
	entered, release := make(chan struct{}), make(chan struct{})
	hold := admission.Hook{Name: "hold.example.com", SideEffects: admission.SideEffectsNone,
		Validate: func(context.Context, *admission.Request) error {
			close(entered)
			<-release
			return nil
		}}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{limiter}, Admission: []admission.Hook{hold}},
		rest.Resource[memo]{Group: "example.com", Version: "v1", Plural: "memos", Names: rest.Names{Kind: "Memo"}})
	require.NoError(t, err)
	defer api.Close()
	w := &world{t: t, server: httptest.NewServer(api), registry: prometheus.NewPedanticRegistry()}
	defer w.server.Close()
	w.registry.MustRegister(metrics.FlowControl(limiter))
	const of = "flow_schema=catch-all priority_level=all"
	number := func(name, labels string) float64 { return w.values("apiserver_flowcontrol_" + name)[labels] }

	codes := make(chan int)
	go func() { codes <- w.do("POST", memos, memoBody("a")) }()
	<-entered
	go func() { codes <- w.do("GET", memos, "") }()
	require.Eventually(t, func() bool { return number("current_inqueue_requests", of) == 1 }, time.Minute,
		time.Millisecond)
	assert.Equal(t, http.StatusTooManyRequests, w.do("GET", memos, ""))
	for name, want := range map[string]map[string]float64{
		"nominal_limit_seats":           {"priority_level=all": 1, "priority_level=exempt": 0},
		"current_executing_requests":    {of: 1, "flow_schema=exempt priority_level=exempt": 0},
		"current_executing_seats":       {of: 1, "flow_schema=exempt priority_level=exempt": 0},
		"dispatched_requests_total":     {of: 1},
		"rejected_requests_total":       {of + " reason=queue-full": 1},
		"request_wait_duration_seconds": {"execute=true " + of: 2, "execute=false " + of: 1},
	} {
		assert.Equal(t, want, w.values("apiserver_flowcontrol_"+name), name)
	}
	close(release)
	assert.ElementsMatch(t, []int{http.StatusCreated, http.StatusOK}, []int{<-codes, <-codes})
	assert.EqualValues(t, 2, number("dispatched_requests_total", of))
	assert.Zero(t, number("current_executing_requests", of))
	histogram := w.scrape()["apiserver_flowcontrol_request_wait_duration_seconds"].GetMetric()[1].GetHistogram()
	assert.EqualValues(t, 3, histogram.GetSampleCount())
	assert.EqualValues(t, 3, histogram.GetBucket()[len(histogram.GetBucket())-1].GetCumulativeCount())
	problems, err := testutil.GatherAndLint(w.registry)
	require.NoError(t, err)
	assert.Empty(t, problems)
}
